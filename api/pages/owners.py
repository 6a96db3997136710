"""The page of an owner: the public bots with their ranks, and what they have played."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from flask import Response

from api.http.sessions import page_viewer, visitor
from api.pages.site import blueprint, page, page_cursor
from api.services import services
from arena.accounts.accounts import OwnerNotFound
from arena.accounts.versions import BotAccount
from arena.play.board_names import BoardName, all_boards
from arena.play.bot_results import opponents, result_words
from arena.records.archive.archive import ArchiveMismatch
from arena.records.archive.objects import ArchiveUnavailable
from arena.records.archive.segments import DamagedArchive

BOTS_AT_ONCE: Final = 25
"""The maximum number of bots on the page of an owner."""

TOURNAMENTS_MOST: Final = 10
"""The maximum number of tournaments in each list of the page."""

GAMES_MOST: Final = 10
"""The maximum number of games on the page of an owner."""

SERIES_MOST: Final = 10


class _Place(NamedTuple):
    """The place of a bot on a leaderboard with ``of`` ranked bots."""

    board: BoardName
    row: Mapping[str, Any]
    of: int


class _Result(NamedTuple):
    """A tournament, and the places of the owner's bots among ``of`` bots, if it is over."""

    view: Mapping[str, Any]
    places: Sequence[tuple[str, int]]
    of: int


@blueprint.get("/owners/<owner>")
def owner_page(owner: str) -> Response:
    """Show an owner: bots, results, games, and the tournaments and series of the owner."""
    parts, viewer = services(), page_viewer()
    known = parts.accounts.owner(owner)
    shown = parts.moderation.name("owner", owner)
    if shown != owner and owner != visitor().owner and not viewer.admin:
        raise OwnerNotFound(f"there is no owner {owner!r}", field="owner")
    found, cursor = parts.accounts.bots(owner, page_cursor() or "", BOTS_AT_ONCE)
    bots = [parts.moderation.account(bot, viewer) for bot in found if not bot.deleted]
    places = _places({parts.moderation.name("bot", bot.name) for bot in bots})
    bots.sort(key=lambda bot: _best_rating(places.get(parts.moderation.name("bot", bot.name), ())))
    played = parts.tournaments.played_by([bot.name for bot in found], TOURNAMENTS_MOST, viewer)
    names = {parts.moderation.name("bot", bot.name) for bot in found}
    return page(
        "owner.html",
        name=owner,
        known=known,
        bots=bots,
        places={bot.name: places.get(parts.moderation.name("bot", bot.name), ()) for bot in bots},
        cursor=cursor,
        played=[_played(view, names) for view in played],
        recent=_games(found),
        organised=parts.tournaments.organised_by(owner, TOURNAMENTS_MOST, viewer),
        series=parts.series.listed(viewer, limit=SERIES_MOST, owner=owner).items,
    )


def _places(names: Collection[str]) -> dict[str, list[_Place]]:
    """Return the places of the bots with these displayed names, best rating first."""
    found: dict[str, list[_Place]] = {}
    for name in all_boards():
        board = services().boards.read(*name)
        rows = board["rows"] if board else ()
        ranked = sum(row["rank"] is not None and not (row["provisional"] or row["retired"]) for row in rows)
        for row in rows:
            if row["name"] in names:
                found.setdefault(row["name"], []).append(_Place(name, row, ranked))
    for own in found.values():
        own.sort(key=_order)
    return found


def _order(place: _Place) -> tuple[bool, float]:
    return place.row["provisional"] or place.row["retired"], -place.row["rating"]


def _best_rating(places: Sequence[_Place]) -> tuple[bool, bool, float]:
    return (True, True, 0.0) if not places else (False, *_order(places[0]))


def _played(view: Mapping[str, Any], names: Collection[str]) -> _Result:
    if view["state"] != "finished":
        return _Result(view, (), 0)
    rows = [row for row in services().tournaments.standings(view["id"]).rows if not row["baseline"]]
    own = [(row["name"], row["place"]) for row in rows if row["name"] in names]
    return _Result(view, own, len(rows))


def _games(bots: Sequence[BotAccount]) -> Sequence[Mapping[str, Any]] | None:
    """Return the latest games of the bots, or None while the archive, which holds older games, cannot be
    read.
    """
    names = [bot.name for bot in bots]
    try:
        found = services().bot_games.latest(names, GAMES_MOST, page_viewer())
    except (ArchiveMismatch, ArchiveUnavailable, DamagedArchive):
        return None
    return [
        {
            **game,
            "bot": game["seats"][game["seat"]]["name"],
            "words": result_words(game),
            "others": opponents(game),
        }
        for game in found
    ]
