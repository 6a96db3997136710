"""Tournaments: announce, enter, watch, standings, groups, records."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

from flask import Response, request

from api import streams
from api.contract import Blueprint, json_response
from api.resources.games import IF_NONE_MATCH
from api.resources.leaderboards import table_response
from api.resources.records import MEDIA as JSON_LINES
from api.schemas.common import PageQuery
from api.schemas.leaderboards import TEXTS, FormatQuery
from api.schemas.tournaments import (
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
from arena.live.accounts import Principal

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
        "unknown_game",
        "invalid_option",
        "invalid_tournament",
        "too_few_entrants",
        "already_entered",
        "not_invited",
        "tournament_full",
    ),
    limit="tournaments_per_owner",
)
def create_tournament(who: Principal, body: dict[str, Any]) -> Response:
    """Announce a tournament

    It runs itself: entry opens and is locked, groups are played, standings are published. The
    commitment to its seed is in the reply.
    """
    return json_response(services().tournaments.create(body, created_by=who.owner), 201)


@blueprint.operation(
    "/tournaments",
    scopes=(),
    query=TournamentsQuery,
    returns=TournamentPageSchema,
    errors=("invalid_cursor",),
)
def list_tournaments(who: Principal | None, query: dict[str, Any]) -> Response:
    """List tournaments, the newest first"""
    page = services().tournaments.list(**query)
    return json_response({"tournaments": page.items, "cursor": page.cursor})


@blueprint.operation(
    "/tournaments/<tournament>",
    scopes=(),
    query=TournamentQuery,
    returns=TournamentSchema,
    headers=("ETag",),
    also={204: "Nothing has changed from version `since`.", 304: "Not changed; see `If-None-Match`."},
    errors=_SEEN,
    parameters=(IF_NONE_MATCH,),
)
def get_tournament(who: Principal | None, query: dict[str, Any], tournament: str) -> Response:
    """Look at a tournament

    Its settings, entries and progress. `since` and `wait` make a long poll of it: the reply comes as soon
    as the version is another.
    """
    since, wait = query["since"], query["wait"]
    arena = services().tournaments
    view = arena.view(tournament) if since is None else arena.wait(tournament, since, wait)
    if view is None:
        return json_response(None, 204)
    etag = str(view["version"])
    known = request.if_none_match.contains_weak(etag)
    response = json_response(None, 304) if known else json_response(view)
    response.set_etag(etag, weak=True)
    response.headers["Cache-Control"] = "no-cache"
    return response


@blueprint.operation(
    "/tournaments/<tournament>/events",
    scopes=(),
    returns=streams.event_stream(tournament="Tournament"),
    media=streams.MEDIA,
    errors=(*_SEEN, "invalid_cursor"),
    parameters=(streams.LAST_EVENT_ID,),
)
def stream_tournament(who: Principal | None, tournament: str) -> Response:
    """Watch a tournament

    A stream of server-sent events: `tournament`, which is the tournament after a change, with its version
    as the id; the stream ends when the tournament has. `reconnect` when the service is about to be stopped.
    """
    return streams.tournament_stream(services().tournaments, tournament)


@blueprint.operation(
    "/tournaments/<tournament>/entries",
    "POST",
    scopes=("owner", "bot", "admin"),
    body=EnterSchema,
    returns=EntrySchema,
    errors=(
        *_CHANGED,
        "unknown_bot",
        "unknown_version",
        "bot_withdrawn",
        "not_invited",
        "wrong_division",
        "too_many_of_owner",
        "tournament_full",
        "entry_closed",
    ),
)
def enter_tournament(who: Principal, body: dict[str, Any], tournament: str) -> Response:
    """Enter a bot

    In its current version, or the one that is named. A version that has not qualified plays a group
    against house bot `rookie` first, and `status` says how that goes. Entering again changes the version
    and the nonce. House bots are entered by who announced the tournament.
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
    """Withdraw a bot

    Once play has begun it plays out its round.
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
    """Call a tournament off

    For who announced it, and for admins. What was played stays, nothing more is.
    """
    arena = services().tournaments
    if who.admin and arena.view(tournament)["created_by"] != who.owner:
        services().accounts.audit(who, "cancel tournament", f"tournament {tournament}", body["reason"])
    return json_response(arena.cancel(tournament, by=who, reason=body["reason"]))


@blueprint.operation(
    "/tournaments/<tournament>/standings",
    scopes=(),
    query=FormatQuery,
    returns=StandingsSchema,
    texts=TEXTS,
    errors=_SEEN,
)
def get_standings(who: Principal | None, query: dict[str, Any], tournament: str) -> Response:
    """Standings and crosstable

    Those so far while it runs, then the final ones, with the hash of the records that they come from.
    """
    return table_response(services().tournaments.standings(tournament), query["format"])


@blueprint.operation(
    "/tournaments/<tournament>/groups",
    scopes=(),
    query=PageQuery,
    returns=GroupPageSchema,
    errors=(*_SEEN, "invalid_cursor"),
)
def list_groups(who: Principal | None, query: dict[str, Any], tournament: str) -> Response:
    """List the groups of a tournament

    In the order of planning, with their scores and the ids of their games.
    """
    page = services().tournaments.groups(tournament, **query)
    return json_response({"groups": page.items, "cursor": page.cursor})


@blueprint.operation(
    "/tournaments/<tournament>/records",
    scopes=(),
    query=TournamentRecordsQuery,
    returns={"type": "string", "description": "Records as JSON, one a line."},
    media=JSON_LINES,
    errors=_SEEN,
)
def download_tournament_records(who: Principal | None, query: dict[str, Any], tournament: str) -> Response:
    """Download the records of a tournament

    JSON lines: the records of all its groups that are over, or of one of them.
    """
    records = services().tournaments.records(tournament, query["group"])
    first = list(islice(records, 1))
    lines = (record.rstrip(b"\n") + b"\n" for record in chain(first, records))
    return Response(lines, content_type=JSON_LINES)
