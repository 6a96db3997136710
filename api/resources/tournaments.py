"""Tournaments: announcing, entering, watching, standings, groups and records."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

from flask import Response

from api import streams, submissions
from api.auth import viewer
from api.contract import (
    ARCHIVED,
    UNSEATABLE,
    Blueprint,
    json_response,
    page_response,
    revalidated,
)
from api.resources.leaderboards import text_table
from api.resources.records import MEDIA as JSON_LINES
from api.schemas.dry_runs import DryRunQuery, DryRunSchema
from api.schemas.edits import CloneSchema, EditTournamentSchema
from api.schemas.leaderboards import TEXTS, TableQuery
from api.schemas.standings import StandingsSchema
from api.schemas.tournaments import (
    MAX_SETTINGS,
    MAX_SETTINGS_VALUES,
    EnterSchema,
    EntrySchema,
    GroupPageSchema,
    GroupsQuery,
    NewTournamentSchema,
    ReasonSchema,
    TournamentPageSchema,
    TournamentQuery,
    TournamentRecordsQuery,
    TournamentSchema,
    TournamentsQuery,
)
from api.services import services
from arena.accounts.accounts import Principal
from arena.events.owner_results import results_csv

blueprint = Blueprint("tournaments", __name__, description="Tournaments: announce, enter and watch them.")

_SEEN = ("tournament_not_found",)
_CHANGED = (*_SEEN, "tournament_busy")
_SETTINGS = (
    "kind_not_found",
    "invalid_option",
    "invalid_tournament",
    "too_few_entrants",
    "already_entered",
    "not_invited",
    "tournament_full",
)


@blueprint.operation(
    "/tournaments",
    "POST",
    scopes=("owner", "admin"),
    body=NewTournamentSchema,
    status=201,
    returns=TournamentSchema,
    errors=(*_SETTINGS, "budget_exceeded"),
    limit="tournaments_per_owner",
    max_body=MAX_SETTINGS,
    max_values=MAX_SETTINGS_VALUES,
)
def create_tournament(who: Principal, body: dict[str, Any]) -> Response:
    """Announce a tournament

    The tournament runs automatically: entry opens and is locked, groups are played, standings are
    published. The response contains the commitment to its seed.
    """
    return json_response(submissions.announce_tournament(who, body), 201)


@blueprint.operation(
    "/tournament-dry-runs",
    "POST",
    scopes=("owner", "admin"),
    query=DryRunQuery,
    body=NewTournamentSchema,
    returns=DryRunSchema,
    errors=_SETTINGS,
    max_body=MAX_SETTINGS,
    max_values=MAX_SETTINGS_VALUES,
)
def plan_tournament(who: Principal, query: dict[str, Any], body: dict[str, Any]) -> Response:
    """Check a tournament without announcing it

    Checks everything that announcing it checks, and says how many games it would have and how long it would
    take. Stores nothing, and uses no budget.
    """
    return json_response(submissions.plan_tournament(who, body, query["entrants"]))


@blueprint.operation(
    "/tournaments",
    scopes=(),
    query=TournamentsQuery,
    returns=TournamentPageSchema,
    errors=("invalid_cursor",),
)
def list_tournaments(who: Principal | None, query: dict[str, Any]) -> Response:
    """List tournaments, newest first

    Lists all tournaments, or those in one state, of one kind of game or of one bot; hidden ones for those who
    see them.
    """
    page = services().tournaments.list(**query, viewer=viewer(who))
    return page_response({"tournaments": page.items, "cursor": page.cursor})


@blueprint.operation(
    "/tournaments/<tournament>",
    scopes=(),
    query=TournamentQuery,
    returns=TournamentSchema,
    also={204: "The version is still `since`."},
    errors=_SEEN,
)
def get_tournament(who: Principal | None, query: dict[str, Any], tournament: str) -> Response:
    """Get a tournament

    Returns its settings, entries and progress. With `since` and `wait` it is a long poll, which returns as
    soon as the version differs from `since`.
    """
    since, wait = query["since"], query["wait"]
    arena = services().tournaments
    if since is None:
        view: dict[str, Any] | None = arena.view(tournament, viewer(who))
    else:
        view = arena.wait(tournament, since, wait, viewer(who))
    if view is None:
        return json_response(None, 204)
    return revalidated(str(view["version"]), lambda: json_response(view))


@blueprint.operation(
    "/tournaments/<tournament>",
    "PATCH",
    scopes=("owner", "admin"),
    body=EditTournamentSchema,
    returns=TournamentSchema,
    errors=(*_CHANGED, *_SETTINGS, "preset_not_found", "not_editable", "quota_exceeded"),
    max_body=MAX_SETTINGS,
    max_values=MAX_SETTINGS_VALUES,
)
def edit_tournament(who: Principal, body: dict[str, Any], tournament: str) -> Response:
    """Edit a tournament

    Before the first entry of a bot, house bots apart, all settings can be changed; afterwards only `name`,
    `description`, `link`, a later `locks_ms` and a larger `max_entries`; after the lock only the first three.
    What was changed is public in `edits`. For organisers and admins.
    """
    return json_response(submissions.edit_tournament(who, tournament, body))


@blueprint.operation(
    "/tournaments/<tournament>/clone",
    "POST",
    scopes=("owner", "admin"),
    body=CloneSchema,
    status=201,
    returns=TournamentSchema,
    errors=(*_SEEN, *_SETTINGS, "budget_exceeded"),
    limit="tournaments_per_owner",
)
def clone_tournament(who: Principal, body: dict[str, Any], tournament: str) -> Response:
    """Announce a tournament like an earlier one

    The new tournament has the same settings and house bots, the given dates, and a seed of its own. For
    organisers of the earlier one, and admins.
    """
    return json_response(services().tournaments.clone(tournament, body, who), 201)


@blueprint.operation(
    "/tournaments/<tournament>/events",
    scopes=(),
    returns=streams.event_stream(tournament="Tournament"),
    media=streams.MEDIA,
    errors=(*_SEEN, "invalid_cursor"),
    parameters=(streams.LAST_EVENT_ID,),
)
def stream_tournament(who: Principal | None, tournament: str) -> Response:
    """Stream the progress of a tournament

    A stream of server-sent events: `tournament` is the tournament after a change, with its version as the
    id; `reconnect` is sent when the service ends the stream. The stream ends when the tournament is over.
    """
    return streams.tournament_stream(services().tournaments, tournament, viewer(who))


@blueprint.operation(
    "/tournaments/<tournament>/entries",
    "POST",
    scopes=("owner", "bot", "admin"),
    body=EnterSchema,
    returns=EntrySchema,
    errors=(
        *_CHANGED,
        "bot_not_found",
        "version_not_found",
        *UNSEATABLE,
        "game_not_played",
        "not_invited",
        "wrong_division",
        "too_many_of_owner",
        "tournament_full",
        "entry_closed",
        "budget_exceeded",
    ),
)
def enter_tournament(who: Principal, body: dict[str, Any], tournament: str) -> Response:
    """Enter a bot in a tournament

    Enters the current version, or the given one. A version that has not qualified, in the game or for the
    preset that the rules count as, first plays a group against the house bot `rookie`; `status` shows the
    progress. Entering again changes the version and the nonce. House bots are entered by the owner that
    announced the tournament.
    """
    return json_response(services().tournaments.enter(tournament, **body, by=who))


@blueprint.operation(
    "/tournaments/<tournament>/entries/<entry>",
    "DELETE",
    scopes=("owner", "bot", "admin"),
    returns=EntrySchema,
    errors=(*_CHANGED, "entry_not_found", "tournament_over"),
)
def leave_tournament(who: Principal, tournament: str, entry: str) -> Response:
    """Withdraw a bot from a tournament

    Once play has begun, the bot finishes its current round.
    """
    return json_response(services().tournaments.leave(tournament, entry, by=who))


@blueprint.operation(
    "/tournaments/<tournament>/cancel",
    "POST",
    scopes=("owner", "admin"),
    body=ReasonSchema,
    returns=TournamentSchema,
    errors=(*_CHANGED, "tournament_over"),
)
def cancel_tournament(who: Principal, body: dict[str, Any], tournament: str) -> Response:
    """Cancel a tournament

    Only organisers and admins can cancel it. Groups already played remain; no more are
    played.
    """
    return json_response(submissions.cancel_tournament(who, tournament, body["reason"]))


@blueprint.operation(
    "/tournaments/<tournament>/standings",
    scopes=(),
    query=TableQuery,
    returns=StandingsSchema,
    texts=TEXTS,
    errors=(*_SEEN, "invalid_cursor"),
)
def get_standings(who: Principal | None, query: dict[str, Any], tournament: str) -> Response:
    """Get the standings and crosstable

    Final with the hash of the records they are computed from; while the tournament runs, as a worker computed
    them a few seconds ago.
    """
    found = services().tournaments.standings(tournament, viewer(who))
    form = query["format"]
    if form != "json":
        table = found.table
        return revalidated(found.version, lambda: text_table(table.as_csv, table.as_text, form))
    page = found.page(query["cursor"], query["limit"])
    return revalidated(found.version, lambda: page_response(page))


@blueprint.operation(
    "/tournaments/<tournament>/results.csv",
    scopes=(),
    returns={"type": "string", "description": "CSV with a line of headings."},
    media="text/csv",
    errors=_SEEN,
)
def get_results(who: Principal | None, tournament: str) -> Response:
    """Get the results per owner as CSV

    A line per entry, by owner and place: its status, what the standings have of it, and the reason if the bot
    is out. Baseline bots have no place. House bots, which have no owner, come last. A text that a spreadsheet
    would read as a formula is prefixed with an apostrophe.
    """
    arena, seen = services().tournaments, viewer(who)
    entries = arena.view(tournament, seen)["entries"]
    text = results_csv(entries, arena.standings(tournament, seen).rows)
    name = f'attachment; filename="{tournament}-results.csv"'
    headers = {"Content-Disposition": name, "Cache-Control": "no-cache"}
    return Response(text, content_type="text/csv; charset=utf-8", headers=headers)


@blueprint.operation(
    "/tournaments/<tournament>/groups",
    scopes=(),
    query=GroupsQuery,
    returns=GroupPageSchema,
    errors=(*_SEEN, "invalid_cursor"),
)
def list_groups(who: Principal | None, query: dict[str, Any], tournament: str) -> Response:
    """List the groups of a tournament

    The groups are in the order planned, with their scores and the ids of their games. With `bot` or `against`
    a page may be short although more follow: check `cursor`.
    """
    bots = [name for name in (query.pop("bot"), query.pop("against")) if name is not None]
    page = services().tournaments.groups(tournament, **query, viewer=viewer(who), bots=bots)
    return page_response({"groups": page.items, "cursor": page.cursor})


@blueprint.operation(
    "/tournaments/<tournament>/records",
    scopes=(),
    query=TournamentRecordsQuery,
    returns={"type": "string", "description": "Records as JSON, one per line."},
    media=JSON_LINES,
    errors=(*_SEEN, *ARCHIVED),
)
def download_tournament_records(who: Principal | None, query: dict[str, Any], tournament: str) -> Response:
    """Download the records of a tournament

    Returns JSON lines: the records of all groups that are over, or of one of them.
    """
    records = services().tournaments.records(tournament, query["group"], viewer(who))
    first = list(islice(records, 1))
    lines = (record.rstrip(b"\n") + b"\n" for record in chain(first, records))
    return Response(lines, content_type=JSON_LINES)
