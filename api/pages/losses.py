"""The page of a bot's dearest losses, for its owners: which decisions of its lost games cost most, by the
reviews of ``shark``, with the lines of the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from flask import Response, redirect, url_for
from flask.typing import ResponseReturnValue

from api.http.sessions import client_address, page_viewer, signed_in
from api.pages.fields import of_form, status_of
from api.pages.site import blueprint, form, page
from api.services import services
from arena.accounts.rights import check_owner
from arena.accounts.versions import BotAccount
from arena.errors import ArenaError
from arena.people.coach import WORLDS, dearest
from arena.people.reviews import REVIEW_SECONDS, Review
from arena.play.bot_results import opponents, result_words

GAMES_MOST: Final = 20
"""The maximum number of lost games on the page, the newest ones."""

AT_ONCE: Final = 5
"""The maximum number of games that are reviewed at one request."""


class Loss(NamedTuple):
    """The dearest decision of a lost game (:func:`~arena.people.coach.dearest`). ``log`` is the address of
    its line in the bot's log, empty if there is none.
    """

    game: Mapping[str, Any]
    words: str
    opponents: Sequence[Mapping[str, Any]]
    cost: Mapping[str, Any]
    log: str


@blueprint.get("/bots/<bot>/losses")
def bot_losses(bot: str) -> Response:
    """Show the lost games that have been reviewed, those with the dearest decisions first."""
    return _losses(check_owner(services().accounts, signed_in(), bot, shared=True))


@form("/bots/<bot>/losses")
def review_losses(bot: str) -> ResponseReturnValue:
    """Request reviews of the newest lost games that have none, for which the signed-in owner pays."""
    account = check_owner(services().accounts, signed_in(), bot, shared=True)
    owner = signed_in().owner
    try:
        for game, seats in _without_review(_reviews(_lost(bot)))[:AT_ONCE]:
            for seat in seats:
                services().budgets.check(owner)
                services().limits.spend("reviews_per_address", client_address())
                services().reviews.request(game["game"], seat, owner)
    except ArenaError as error:
        return _losses(account, of_form(error))
    return redirect(url_for("pages.bot_losses", bot=bot), 303)


def _losses(account: BotAccount, error: ArenaError | None = None) -> Response:
    games = _lost(account.name)
    found = list(_reviews(games))
    reviews = [(game, seat, review) for game, seat, review in found if review is not None]
    losses = [
        Loss(game, result_words(game), opponents(game), cost, _log(account.name, game["game"], seat, cost))
        for game, seat, review in reviews
        for cost in dearest(review.costs)[:1]
    ]
    return page(
        "bot_losses.html",
        status_of(error),
        account=account,
        lost=len(games),
        losses=sorted(losses, key=lambda loss: -loss.cost["value"]),
        busy=len({game["game"] for game, _, review in reviews if not review.done}),
        reviewed=len({game["game"] for game, _, review in reviews if review.done}),
        fresh=len(_without_review(found)[:AT_ONCE]),
        seconds=REVIEW_SECONDS,
        worlds=WORLDS,
        error=error,
    )


def _lost(bot: str) -> Sequence[Mapping[str, Any]]:
    """Return the newest lost games of a bot that are released."""
    found = services().bot_games.list(bot, result="lost", limit=GAMES_MOST, viewer=page_viewer())
    return [game for game in found if game["state"] == "finished"]


def _seats(game: Mapping[str, Any]) -> list[int]:
    """Return the seats on which the bot played the game."""
    own = game["seats"][game["seat"]]["name"]
    return [seat for seat in game["team"] if game["seats"][seat]["name"] == own]


def _reviews(games: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], int, Review | None]]:
    for game in games:
        for seat in _seats(game):
            yield game, seat, services().reviews.find(game["game"], seat)


def _without_review(
    reviews: Iterable[tuple[Mapping[str, Any], int, Review | None]],
) -> list[tuple[Mapping[str, Any], list[int]]]:
    """Return the games with seats that have not been reviewed, and these seats."""
    found: dict[str, tuple[Mapping[str, Any], list[int]]] = {}
    for game, seat, review in reviews:
        if review is None:
            found.setdefault(game["game"], (game, []))[1].append(seat)
    return list(found.values())


def _log(bot: str, game: str, seat: int, cost: Mapping[str, Any]) -> str:
    for own in services().tournaments.journals.find(bot, game) or ():
        for number, decision in enumerate(own["decisions"], start=1):
            if own["seat"] == seat and decision.get("after") == cost["after"]:
                return url_for("pages.bot_game_log", bot=bot, game=game, _anchor=f"decision-{seat}-{number}")
    return ""
