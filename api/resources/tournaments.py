"""Tournaments: announcing, entering, watching, standings, groups and records."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

import orjson
from flask import Response

from api import streams, submissions
from api.auth import viewer
from api.contract import (
    ARCHIVED,
    IF_NONE_MATCH,
    NOT_MODIFIED,
    UNSEATABLE,
    Blueprint,
    json_response,
    revalidated,
)
from api.resources.leaderboards import text_table
from api.resources.records import MEDIA as JSON_LINES
from api.schemas.common import PageQuery
from api.schemas.leaderboards import TEXTS, TableQuery
from api.schemas.tournaments import (
    MAX_SETTINGS,
    MAX_SETTINGS_VALUES,
    EnterSchema,
    EntrySchema,
    GroupPageSchema,
    NewTournamentSchema,
    ReasonSchema,
    StandingsSchema,
    TournamentPageSchema,
    TournamentQuery,
    TournamentRecordsQuery,
    TournamentSchema,
    TournamentsQuery,
)
from api.services import services
from arena.accounts.accounts import Principal

blueprint = Blueprint("tournaments", __name__, description="Tournaments: announce, enter and watch them.")

_SEEN = ("tournament_not_found",)
_CHANGED = (*_SEEN, "tournament_busy")


@blueprint.operation(
    "/tournaments",
    "POST",
    scopes=("owner", "admin"),
    body=NewTournamentSchema,
    status=201,
    returns=TournamentSchema,
    errors=(
        "kind_not_found",
        "invalid_option",
        "invalid_tournament",
        "too_few_entrants",
        "already_entered",
        "not_invited",
        "tournament_full",
        "budget_exceeded",
    ),
    limit="tournaments_per_owner",
    max_body=MAX_SETTINGS,
    max_values=MAX_SETTINGS_VALUES,
)
def create_tournament(who: Principal, body: dict[str, Any]) -> Response:
    """Announce a tournament

    The tournament runs automatically: entry opens and is locked, groups are played, standings are
    published. The response contains the commitment to its seed.
    """
    return json_response(services().tournaments.create(body, who.owner, rated=who.admin), 201)


@blueprint.operation(
    "/tournaments",
    scopes=(),
    query=TournamentsQuery,
    returns=TournamentPageSchema,
    errors=("invalid_cursor",),
)
def list_tournaments(who: Principal | None, query: dict[str, Any]) -> Response:
    """List tournaments, newest first

    Lists all tournaments, or those in one state or of one kind of game.
    """
    page = services().tournaments.list(**query)
    return json_response({"tournaments": page.items, "cursor": page.cursor})


@blueprint.operation(
    "/tournaments/<tournament>",
    scopes=(),
    query=TournamentQuery,
    returns=TournamentSchema,
    headers=("ETag",),
    also={204: "The version is still `since`.", 304: "Not modified; see `If-None-Match`."},
    errors=_SEEN,
    parameters=(IF_NONE_MATCH,),
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

    Only the owner that announced it, or an admin, can cancel it. Groups already played remain; no more are
    played.
    """
    return json_response(submissions.cancel_tournament(who, tournament, body["reason"]))


@blueprint.operation(
    "/tournaments/<tournament>/standings",
    scopes=(),
    query=TableQuery,
    returns=StandingsSchema,
    texts=TEXTS,
    headers=("ETag",),
    also=NOT_MODIFIED,
    errors=(*_SEEN, "invalid_cursor"),
    parameters=(IF_NONE_MATCH,),
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
    return revalidated(found.version, lambda: json_response(orjson.Fragment(page)))


@blueprint.operation(
    "/tournaments/<tournament>/groups",
    scopes=(),
    query=PageQuery,
    returns=GroupPageSchema,
    errors=(*_SEEN, "invalid_cursor"),
)
def list_groups(who: Principal | None, query: dict[str, Any], tournament: str) -> Response:
    """List the groups of a tournament

    The groups are in the order planned, with their scores and the ids of their games.
    """
    page = services().tournaments.groups(tournament, **query, viewer=viewer(who))
    return json_response({"groups": page.items, "cursor": page.cursor})


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
