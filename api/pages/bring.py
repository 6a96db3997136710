"""The page "Bring your bot": paste a bot and try it, install the program, or begin in another language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson
from flask import Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from api.downloads import starter_text
from api.http.sessions import client_address, visitor
from api.pages.downloads import program_address
from api.pages.fields import of_form, status_of
from api.pages.front_table import finished_table
from api.pages.replays import requested, shown_sheet
from api.pages.site import blueprint, form, page
from api.pages.small_table import SmallTable, small_table
from api.pages.submit import STARTER_FILE, new_bot_of
from api.services import service_address, services
from arena.accounts.allowances import BudgetExceeded
from arena.cli.languages import LANGUAGE_TABLE
from arena.errors import ArenaError
from arena.events.trial_games import AGAINST, PASTED, TrialGame, check_pasted
from arena.games import GAMES, game_of
from arena.play.bot_results import result_words
from arena.play.players import SEALED
from arena.replays.page import static

PAGE: Final = "/bring"

_MOST_FAULTS: Final = 3


class _Played(NamedTuple):
    """A played trial game: its result, the table at the end, what it cost, and the faults of the bot."""

    result: str
    at: str
    drawn: SmallTable
    facts: str
    faults: Sequence[str]
    printed: str


@blueprint.get(PAGE)
def bring_page() -> Response:
    """Show the ways to bring a bot, with a bot that works."""
    kind = request.args.get("game", "")
    kind = kind if kind in GAMES else next(iter(GAMES))
    return _bring(starter_text("python", kind, STARTER_FILE), kind=kind)


@form(PAGE)
def play_pasted() -> ResponseReturnValue:
    """Request a trial game of the pasted bot."""
    source = request.form.get("source", "")
    try:
        source = check_pasted(source)
        payer = visitor().owner or services().payers.of_address(client_address())
        services().budgets.check(payer)
        _spend()
    except ArenaError as error:
        return _bring(source, error=of_form(error))
    trial = services().trial_games.begin(source, payer)
    # Without an anchor: browsers would not reload the page for it.
    return redirect(url_for("pages.trial_game_page", trial=trial), 303)


@form(f"{PAGE}/submit")
def submit_pasted() -> ResponseReturnValue:
    """Show the form for a new bot with the pasted source. Visitors who have not signed in sign up first."""
    source = request.form.get("source", "")
    try:
        source = check_pasted(source)
        if visitor().owner:
            return new_bot_of(source)
        _spend()
    except ArenaError as error:
        return _bring(source, error=of_form(error))
    kept = services().trial_games.keep(source)
    back = url_for("pages.new_bot_page", pasted=kept)
    return redirect(url_for("pages.sign_up_page", next=back), 303)


def _spend() -> None:
    for limit in ("trial_games_in_a_row_per_address", "trial_games_per_address"):
        services().limits.spend(limit, client_address())


@blueprint.get(f"{PAGE}/<trial>")
def trial_game_page(trial: str) -> Response:
    """Show the pasted bot, with the outcome of its game beside it."""
    found = _trial(trial)
    return _bring(found.source, trial=trial, found=found)


@blueprint.get(f"{PAGE}/<trial>/replay")
def trial_game_replay(trial: str) -> Response:
    """Show the replay of a trial game."""
    found = _trial(trial)
    if found.state != "played":
        abort(404)
    name, line = f"trial-{trial}", found.record.encode()
    replay, failed = services().replays.find(name), ""
    if replay is None or not (replay.hands or replay.failed):
        try:
            replay = requested(name, lambda: line, line if replay is None else None)
        except BudgetExceeded as error:
            replay, failed = services().replays.draft(line), error.message
    return page(
        "trial_replay.html",
        trial=trial,
        title=replay.frame.title,
        replay=shown_sheet(name, replay, {}),
        failed=replay.failed or failed,
        sprite=Markup(static("sprite.html")),
    )


def _trial(trial: str) -> TrialGame:
    found = services().trial_games.find(trial)
    if found is None:
        abort(404)
    return found


def _bring(
    source: str,
    *,
    kind: str = "",
    trial: str = "",
    found: TrialGame | None = None,
    error: ArenaError | None = None,
) -> Response:
    return page(
        "bring.html",
        status_of(error),
        source=source,
        kind=kind or next(iter(GAMES)),
        is_starter=bool(kind),
        trial=trial,
        found=found,
        played=_played(found) if found is not None and found.state == "played" else None,
        busy=found is not None and found.state == "waiting",
        against=AGAINST,
        error=error,
        languages=LANGUAGE_TABLE,
        program=program_address(),
        address=service_address() or "ADDRESS",
        has_schedules=_has_schedules(),
        sprite=Markup(static("sprite.html")),
    )


def _has_schedules() -> bool:
    """Return whether a schedule of the service enters uploaded bots."""
    return any(one["tournament"].get("division") == SEALED for one in services().schedules.list())


def _played(trial: TrialGame) -> _Played:
    record = orjson.loads(trial.record)
    canonical = record["canonical"]
    table = finished_table(record)
    picture = table.picture
    decisions = [one["ms"] for seat in trial.journals for one in seat["decisions"]]
    faults = [f"{one['type']}: {one['detail']}" for seat in trial.journals for one in seat["faults"]]
    facts = [
        f"{picture['hand']} hands",
        f"{len(decisions)} answers",
        f"at most {max(decisions, default=0.0):.1f} ms of fuel for one",
        f"{len(faults)} faults" if faults else "no faults",
    ]
    return _Played(
        f"{PASTED} {_result(canonical)} against {AGAINST}",
        f"hand {picture['hand']}" + (f", trick {picture['trick']}" if picture["trick"] else ""),
        small_table(table, hands=False),
        ", ".join(facts),
        list(dict.fromkeys(faults))[:_MOST_FAULTS],
        "\n".join(seat["output"] for seat in trial.journals if seat["output"]),
    )


def _result(canonical: Mapping[str, Any]) -> str:
    """Return the result for the pasted bot in words, such as ``won 12–6``."""
    game = game_of(canonical["kind"])
    teams = game.teams(game.options.complete(canonical["rules"]))
    outcome = canonical["outcome"]
    seat = next(number for number, one in enumerate(canonical["players"]) if one["name"] == PASTED)
    places = outcome["places"]
    result = "drawn" if len(set(places)) == 1 else "won" if places[seat] == 1 else "lost"
    team = next(list(team) for team in teams if seat in team)
    return result_words(
        {"outcome": outcome, "seat": seat, "team": team, "sides": len(teams), "result": result}
    )
