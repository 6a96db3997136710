"""Tournaments: announcing, entering, watching, standings, groups and records."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, islice

from flask import Response

from api.http import streams
from api.http.auth import viewer
from api.http.contract import (
    Blueprint,
    json_response,
    page_response,
    revalidated,
)
from api.resources.leaderboards import text_table
from api.schemas.dry_runs import DryRunQuery, DryRunSchema, GivenDryRun
from api.schemas.edits import CloneSchema, EditTournamentSchema, GivenEdit
from api.schemas.leaderboards import GivenTable, TableQuery
from api.schemas.standings import StandingsSchema
from api.schemas.tournaments import (
    MAX_SETTINGS,
    MAX_SETTINGS_VALUES,
    EnterSchema,
    EntrySchema,
    GivenEntry,
    GivenGroups,
    GivenReason,
    GivenTournament,
    GivenTournamentRecords,
    GivenTournaments,
    GivenTournamentVersion,
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
from arena.operations.operation import JSON_LINES

blueprint = Blueprint("tournaments", __name__, description="Tournaments: announce, enter and watch them.")


@blueprint.operation(
    body=NewTournamentSchema, returns=TournamentSchema, max_body=MAX_SETTINGS, max_values=MAX_SETTINGS_VALUES
)
def create_tournament(who: Principal, body: GivenTournament) -> Response:
    return json_response(services().organiser_requests.announce(who, body), 201)


@blueprint.operation(
    query=DryRunQuery,
    body=NewTournamentSchema,
    returns=DryRunSchema,
    max_body=MAX_SETTINGS,
    max_values=MAX_SETTINGS_VALUES,
)
def plan_tournament(who: Principal, query: GivenDryRun, body: GivenTournament) -> Response:
    return json_response(services().organiser_requests.plan(who, body, query["entrants"]))


@blueprint.operation(query=TournamentsQuery, returns=TournamentPageSchema)
def list_tournaments(who: Principal | None, query: GivenTournaments) -> Response:
    page = services().tournaments.list(**query, viewer=viewer(who))
    return page_response({"tournaments": page.items, "cursor": page.cursor})


@blueprint.operation(query=TournamentQuery, returns=TournamentSchema)
def get_tournament(who: Principal | None, query: GivenTournamentVersion, tournament: str) -> Response:
    since, wait = query["since"], query["wait"]
    arena = services().tournaments
    if since is None:
        view: Mapping[str, object] | None = arena.view(tournament, viewer(who))
    else:
        view = arena.wait(tournament, since, wait, viewer(who))
    if view is None:
        return json_response(None, 204)
    return revalidated(str(view["version"]), lambda: json_response(view))


@blueprint.operation(
    body=EditTournamentSchema, returns=TournamentSchema, max_body=MAX_SETTINGS, max_values=MAX_SETTINGS_VALUES
)
def edit_tournament(who: Principal, body: GivenEdit, tournament: str) -> Response:
    return json_response(services().organiser_requests.edit(who, tournament, body))


@blueprint.operation(body=CloneSchema, returns=TournamentSchema)
def clone_tournament(who: Principal, body: Mapping[str, object], tournament: str) -> Response:
    return json_response(services().tournaments.clone(tournament, body, who), 201)


@blueprint.operation(
    returns=streams.event_stream(tournament="Tournament"), parameters=(streams.LAST_EVENT_ID,)
)
def stream_tournament(who: Principal | None, tournament: str) -> Response:
    return streams.tournament_stream(services().tournaments, tournament, viewer(who))


@blueprint.operation(body=EnterSchema, returns=EntrySchema)
def enter_tournament(who: Principal, body: GivenEntry, tournament: str) -> Response:
    return json_response(services().tournaments.enter(tournament, **body, by=who))


@blueprint.operation(returns=EntrySchema)
def leave_tournament(who: Principal, tournament: str, entry: str) -> Response:
    return json_response(services().tournaments.leave(tournament, entry, by=who))


@blueprint.operation(body=ReasonSchema, returns=TournamentSchema)
def cancel_tournament(who: Principal, body: GivenReason, tournament: str) -> Response:
    return json_response(services().organiser_requests.cancel(who, tournament, body["reason"]))


@blueprint.operation(query=TableQuery, returns=StandingsSchema)
def get_standings(who: Principal | None, query: GivenTable, tournament: str) -> Response:
    found = services().tournaments.standings(tournament, viewer(who))
    form = query["format"]
    if form != "json":
        table = found.table
        return revalidated(found.version, lambda: text_table(table.as_csv, table.as_text, form))
    page = found.page(query["cursor"], query["limit"])
    return revalidated(found.version, lambda: page_response(page))


@blueprint.operation(returns={"type": "string", "description": "CSV with a header line."})
def get_results(who: Principal | None, tournament: str) -> Response:
    arena, seen = services().tournaments, viewer(who)
    entries = arena.view(tournament, seen)["entries"]
    text = results_csv(entries, arena.standings(tournament, seen).rows)
    name = f'attachment; filename="{tournament}-results.csv"'
    headers = {"Content-Disposition": name, "Cache-Control": "no-cache"}
    return Response(text, content_type="text/csv; charset=utf-8", headers=headers)


@blueprint.operation(query=GroupsQuery, returns=GroupPageSchema)
def list_groups(who: Principal | None, query: GivenGroups, tournament: str) -> Response:
    bots = [name for name in (query["bot"], query["against"]) if name is not None]
    page = services().tournaments.groups(
        tournament, cursor=query["cursor"], limit=query["limit"], viewer=viewer(who), bots=bots
    )
    return page_response({"groups": page.items, "cursor": page.cursor})


@blueprint.operation(
    query=TournamentRecordsQuery, returns={"type": "string", "description": "Records as JSON, one per line."}
)
def download_tournament_records(
    who: Principal | None, query: GivenTournamentRecords, tournament: str
) -> Response:
    records = services().tournaments.records(tournament, query["group"], viewer(who))
    first = list(islice(records, 1))
    lines = (record.rstrip(b"\n") + b"\n" for record in chain(first, records))
    return Response(lines, content_type=JSON_LINES)
