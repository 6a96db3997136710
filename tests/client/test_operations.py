"""The client has a method for every operation of the specification, and sends what it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.client import ApiError, Client
from tests.api.server import Server
from tests.client.conftest import Table
from tests.documents import openapi
from tests.receiver import Receiver

SPEC = openapi()

FIELDS = {
    "transport": "webhook",
    "url": "u",
    "rights": True,
    "secret": "s",
    "source": "p",
    "javascript": "j",
    "module": "m",
}

PRESENT = {"tournaments": True, "leaving": True}

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "signUp": ("sign_up", {"name": "n", "invitation": "i"}),
    "createInvitations": ("invite", {"count": 2, "people": [], "roster": "r", "expires_ms": 3}),
    "listInvitations": ("invitations", {"roster": "r", "limit": 3}),
    "revokeInvitation": ("revoke_invitation", {"invitation": "invitation"}),
    "allowInvitations": ("allow_invitations", {"owner": "owner", "most": 3}),
    "getMe": ("me", {}),
    "createSignInLink": ("sign_in_link", {}),
    "replaceOwnerToken": ("replace_owner_token", {}),
    "replaceRecoveryCode": ("replace_recovery_code", {}),
    "unlinkIdentity": ("unlink_identity", {}),
    "recoverOwner": ("recover_owner", {"recovery_code": "c"}),
    "revokeOwnerToken": ("revoke_owner_token", {}),
    "exportOwner": ("export_owner", {}),
    "deleteOwner": ("delete_owner", {"confirm": "n"}),
    "cancelGames": ("cancel_games", {"owner": "owner", "reason": "r"}),
    "suspendOwner": ("suspend_owner", {"owner": "owner", "reason": "r"}),
    "unsuspendOwner": ("unsuspend_owner", {"owner": "owner"}),
    "listHiddenTexts": ("hidden_texts", {}),
    "hideText": ("hide_text", {"of": "bot", "id": "b", "text": "name", "reason": "r"}),
    "showText": ("show_text", {"of": "bot", "id": "b", "text": "name"}),
    "getOwner": ("owner", {"owner": "owner"}),
    "registerBot": (
        "register_bot",
        {
            "name": "n",
            "version": "1",
            "description": "d",
            "tournaments": True,
            "model": "m",
            "game_cost": 0.5,
            **FIELDS,
        },
    ),
    "listBots": ("bots", {"owner": "o", "limit": 3}),
    "getBot": ("bot", {"bot": "bot"}),
    "changeBot": (
        "change_bot",
        {
            "bot": "bot",
            "state": "withdrawn",
            "description": "d",
            "tournaments": True,
            "ranked": True,
            "people": True,
            "datasets": False,
            "model": "m",
            "game_cost": 0.5,
        },
    ),
    "listBotGames": (
        "bot_games",
        {
            "bot": "bot",
            "kind": "truco",
            "preset": "base@1",
            "against": "a",
            "result": "won",
            "day": "2026-11-22",
            "limit": 3,
        },
    ),
    "deleteBot": ("delete_bot", {"bot": "bot"}),
    "listBotOwners": ("bot_owners", {"bot": "bot"}),
    "addBotOwner": ("add_bot_owner", {"bot": "bot", "owner": "owner"}),
    "removeBotOwner": ("remove_bot_owner", {"bot": "bot", "owner": "owner"}),
    "listUploads": ("uploads", {"bot": "bot"}),
    "getUpload": ("upload", {"bot": "bot", "upload": "upload", "wait": 3}),
    "addVersion": ("add_version", {"bot": "bot", "label": "2", **FIELDS}),
    "publishVersion": ("publish_version", {"bot": "bot", "version": "version"}),
    "getSource": ("source", {"bot": "bot", "version": "version"}),
    "qualify": ("qualify", {"bot": "bot", "version": "version", "kind": "truco", "preset": "paulista@1"}),
    "listQualifications": ("qualifications", {"bot": "bot", "version": "version"}),
    "getLog": ("game_log", {"bot": "bot", "game": "game"}),
    "getNotes": ("notes", {"bot": "bot", "game": "game"}),
    "publishNotes": ("publish_notes", {"bot": "bot", "game": "game"}),
    "replaceWebhookSecret": ("replace_webhook_secret", {"bot": "bot", "secret": "s"}),
    "replaceBotToken": ("replace_bot_token", {"bot": "bot"}),
    "revokeBotToken": ("revoke_bot_token", {"bot": "bot"}),
    "createGame": ("create_game", {"kind": "truco", "seats": []}),
    "listGames": ("games", {"kind": "truco", "state": "running", "bot": "b", "limit": 3}),
    "getGame": ("game", {"game": "game", "seat": 1, "since": 2, "wait": 3}),
    "joinGame": ("join", {"game": "game", "seat": 1, "nonce": "n"}),
    "resignGame": ("resign", {"game": "game", "seat": 1}),
    "cancelGame": ("cancel_game", {"game": "game", "reason": "r"}),
    "listEvents": ("events", {"game": "game", "seat": 1, "start": 2, "limit": 3, "wait": 4}),
    "streamEvents": ("stream_events", {"game": "game", "seat": 1, "last_event_id": "7"}),
    "getRecord": ("record", {"game": "game"}),
    "getTurns": ("turns", {"after": "a", "wait": 1, "rights": True, "limit": 3, **PRESENT}),
    "exchangeTurns": (
        "exchange",
        {"answers": [], "after": "a", "wait": 1, "rights": True, "limit": 3, **PRESENT},
    ),
    "streamTurns": ("stream_turns", {"rights": True, "tournaments": True, "last_event_id": "7"}),
    "endPresence": ("end_presence", {}),
    "createTournament": ("create_tournament", {"kind": "truco"}),
    "planTournament": ("plan_tournament", {"kind": "truco", "entrants": 3}),
    "listTournaments": ("tournaments", {"state": "running", "kind": "truco", "bot": "b", "limit": 3}),
    "getTournament": ("tournament", {"tournament": "tournament", "since": 1, "wait": 2}),
    "streamTournament": ("stream_tournament", {"tournament": "tournament", "last_event_id": "7"}),
    "enterTournament": (
        "enter_tournament",
        {"tournament": "tournament", "bot": "b", "nonce": "n", "version": "1"},
    ),
    "leaveTournament": ("leave_tournament", {"tournament": "tournament", "bot": "entry"}),
    "cloneTournament": (
        "clone_tournament",
        {
            "tournament": "tournament",
            "locks_ms": 5,
            "opens_ms": 4,
            "ends_ms": 6,
            "name": "n",
            "description": "d",
            "link": "l",
        },
    ),
    "getResults": ("results", {"tournament": "tournament"}),
    "subscribeToTournament": ("subscribe", {"tournament": "tournament", "url": "u", "secret": "s"}),
    "listSubscriptions": ("subscriptions", {"tournament": "tournament"}),
    "pingSubscription": ("ping_subscription", {"tournament": "tournament", "subscription": "subscription"}),
    "deleteSubscription": ("unsubscribe", {"tournament": "tournament", "subscription": "subscription"}),
    "listGuests": ("guests", {"tournament": "tournament"}),
    "inviteOwners": ("invite_owners", {"tournament": "tournament", "owners": ["o"]}),
    "uninviteOwner": ("uninvite_owner", {"tournament": "tournament", "owner": "owner"}),
    "createInvitationLink": ("create_invitation_link", {"tournament": "tournament", "expires_ms": 5}),
    "revokeInvitationLink": ("revoke_invitation_link", {"tournament": "tournament", "link": "link"}),
    "acceptInvitation": ("accept_invitation", {"tournament": "tournament", "code": "c"}),
    "changeMe": ("change_me", {"invitable": False}),
    "addOrganiser": ("add_organiser", {"tournament": "tournament", "owner": "owner"}),
    "removeOrganiser": ("remove_organiser", {"tournament": "tournament", "owner": "owner"}),
    "editTournament": ("edit_tournament", {"tournament": "tournament", "name": "n"}),
    "cancelTournament": ("cancel_tournament", {"tournament": "tournament", "reason": "r"}),
    "getStandings": ("standings", {"tournament": "tournament", "form": "csv", "limit": 3}),
    "listGroups": ("groups", {"tournament": "tournament", "bot": "b", "against": "a", "limit": 3}),
    "downloadTournamentRecords": ("tournament_records", {"tournament": "tournament", "group": "g"}),
    "createComparison": (
        "create_comparison",
        {
            "bot": "b",
            "new": "2",
            "old": "1",
            "kind": "truco",
            "preset": "base@1",
            "elo0": -5.0,
            "elo1": 5.0,
            "alpha": 0.1,
            "beta": 0.1,
            "most": 60,
        },
    ),
    "listComparisons": ("comparisons", {"limit": 3}),
    "getComparison": ("comparison", {"comparison": "comparison", "since": 1, "wait": 2}),
    "createSeries": ("create_series", {"name": "n"}),
    "listSeries": ("series_list", {"owner": "o", "limit": 3}),
    "getSeries": ("series", {"series": "series"}),
    "changeSeries": ("change_series", {"series": "series", "done": True}),
    "deleteSeries": ("delete_series", {"series": "series"}),
    "getSeriesTable": ("series_table", {"series": "series", "form": "csv"}),
    "createSchedule": ("create_schedule", {"id": "i"}),
    "listSchedules": ("schedules", {}),
    "getSchedule": ("schedule", {"schedule": "schedule"}),
    "changeSchedule": (
        "change_schedule",
        {"schedule": "schedule", "enabled": True, "cron": "c", "at_ms": 3, "tournament": {"kind": "truco"}},
    ),
    "deleteSchedule": ("delete_schedule", {"schedule": "schedule"}),
    "listLeaderboards": ("leaderboards", {}),
    "getLeaderboard": (
        "leaderboard",
        {"kind": "kind", "division": "division", "form": "csv", "preset": "p", "limit": 3},
    ),
    "getHistory": (
        "leaderboard_history",
        {"kind": "kind", "division": "division", "bot": "b", "preset": "p", "limit": 3},
    ),
    "getStyles": ("styles", {"kind": "kind", "division": "division", "preset": "p", "limit": 3}),
    "getSupplement": ("supplement", {"kind": "kind", "division": "division", "preset": "p"}),
    "getMatchups": ("matchups", {"kind": "kind", "division": "division", "form": "csv", "preset": "p"}),
    "downloadRecords": ("records", {"kind": "truco", "after": "a", "limit": 3}),
    "downloadAllRecords": ("all_records", {"kind": "truco"}),
    "listRecordChanges": ("record_changes", {"limit": 3}),
    "issueOwnerToken": ("issue_owner_token", {"owner": "owner"}),
    "setAdmin": ("set_admin", {"owner": "owner", "admin": True}),
    "listAudit": ("audit", {"limit": 3}),
    "annulGame": ("annul_game", {"game": "game", "reason": "r"}),
    "annulBetween": ("annul_between", {"owners": ["ana", "bia"], "reason": "r", "cursor": "c"}),
    "listSuspensions": ("suspensions", {}),
    "liftSuspension": ("lift_suspension", {"bot": "bot"}),
    "listSuspicions": ("suspicions", {"kind": "truco", "division": "open", "preset": "base@1"}),
    "isAlive": ("is_alive", {}),
    "isReady": ("is_ready", {}),
    "getMetrics": ("metrics", {}),
}
"""The method of each operation, and arguments that use all its parameters; a path's are named as they are."""

FILES = {"registerBot", "addVersion"}

HELPERS = {"request", "call", "close", "create_bot", "records_page", "await_upload", "save_export"}
"""Public methods that are not an operation, or another form of one."""

ANY_FIELDS = {
    "createGame",
    "createTournament",
    "planTournament",
    "createSeries",
    "changeSeries",
    "editTournament",
    "createSchedule",
}
"""Operations whose method passes every field of the body on."""


def resolved(value: Any) -> Any:
    while "$ref" in value:
        found: Any = SPEC
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        value = found
    return value


def operations() -> Iterator[tuple[str, str, str, list[Any], Any]]:
    """Operation id, method, path, parameters and body schema of each operation."""
    for path, item in SPEC["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            parameters = [*item.get("parameters", []), *operation.get("parameters", [])]
            body = resolved(operation.get("requestBody", {})).get("content", {}).get("application/json")
            schema = resolved(body["schema"]) if body else None
            yield operation["operationId"], method.upper(), path, list(map(resolved, parameters)), schema


OPERATIONS = {found[0]: found for found in operations()}


def test_every_operation_has_a_method_and_every_method_an_operation() -> None:
    assert CALLS.keys() == OPERATIONS.keys()
    names = [name for name, _ in CALLS.values()]
    public = {name for name in dir(Client) if not name.startswith("_") and callable(getattr(Client, name))}
    assert set(names) == public - HELPERS
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("operation", sorted(CALLS))
def test_a_method_sends_what_the_specification_says(receiver: Receiver, operation: str) -> None:
    _, method, path, parameters, schema = OPERATIONS[operation]
    name, arguments = CALLS[operation]
    receiver.seen.clear()
    result = getattr(Client(receiver.url), name)(**arguments)
    if isinstance(result, Iterator):
        assert list(result) == []
    ((sent_method, sent_path, sent_query, sent_body),) = receiver.seen
    assert sent_method == method
    assert sent_path == path.replace("{", "").replace("}", "")
    known = {parameter["name"] for parameter in parameters if parameter["in"] != "path"}
    if operation in FILES:
        # These belong to a file as the body.
        known = {"Idempotency-Key"}
    # Lists follow their cursors by themselves, ``since`` does what ``If-None-Match`` does, and ``legal``
    # changes only texts.
    assert sent_query.keys() == known - {"cursor", "If-None-Match", "legal"}
    if schema is None:
        assert sent_body is None
    elif operation in ANY_FIELDS:
        elsewhere = {parameter["name"] for parameter in parameters}
        assert sent_body == {key: value for key, value in arguments.items() if key not in elsewhere}
    else:
        assert sent_body.keys() == schema["properties"].keys()


@pytest.mark.parametrize("operation", sorted(FILES))
@pytest.mark.parametrize(
    ("field", "media"),
    [("source", "text/x-python"), ("javascript", "text/javascript"), ("module", "application/wasm")],
)
def test_a_file_is_sent_as_it_is(receiver: Receiver, operation: str, field: str, media: str) -> None:
    _, method, path, parameters, _ = OPERATIONS[operation]
    name, arguments = CALLS[operation]
    receiver.seen.clear()
    given = {key: value for key, value in arguments.items() if key not in FIELDS}
    getattr(Client(receiver.url), name)(**given, transport="uploaded", **{field: b"\0\xff"})
    ((sent_method, sent_path, sent_query, sent_body),) = receiver.seen
    assert (sent_method, sent_path) == (method, path.replace("{", "").replace("}", ""))
    known = {parameter["name"] for parameter in parameters if parameter["in"] == "query"}
    assert sent_query.keys() == {*known, "Idempotency-Key"}
    assert sent_body == (media, b"\0\xff")


def test_pages_and_streams_of_the_service(table: Table) -> None:
    games = [table.new_game(rules={"lives": 1}) for _ in range(3)]
    assert {game["game"] for game in table.owner.games(bot=table.names[0], limit=2)} == set(games)
    assert set(table.names) <= {bot["name"] for bot in table.owner.bots(limit=1)}
    clients = [table.client(0), table.client(1)]
    has_turn = next(client for client in clients if client.turns()["turns"])
    for event in has_turn.stream_turns():
        assert event.event == "turn"
        assert event.data["game"] in games
        break
    cursors: list[str | None] = [None, None]
    while table.owner.request("GET", f"/v1/games/{games[0]}")["state"] == "running":
        for bot, client in enumerate(clients):
            page = client.turns(cursors[bot])
            cursors[bot] = page["cursor"]
            answers = [{"turn": turn["turn"], "action": turn["legal_actions"][0]} for turn in page["turns"]]
            client.exchange(answers)
    events = list(table.owner.stream_events(games[0]))
    assert events[-1].event == "over"
    page = table.owner.events(games[0])
    assert [event.data["n"] for event in events[:3]] == [event["n"] for event in page["events"][:3]]
    again = list(table.owner.stream_events(games[0], last_event_id=events[-3].id))
    assert [event.data for event in again] == [event.data for event in events[-2:]]


def test_a_refused_stream_is_an_error_of_the_api(service: Server) -> None:
    with pytest.raises(ApiError) as refused:
        next(service.client().stream_events("nothing"))
    assert refused.value.status == 404
    assert service.client().is_alive()["status"]
    assert "botequim" in service.client().metrics()


def test_arguments_are_checked() -> None:
    client: Any = Client("http://127.0.0.1:1")
    for arguments, named in (((), {}), (("a", "b"), {}), (("a",), {"bot": "a"})):
        with pytest.raises(TypeError, match=r"^bot\(\) "):
            client.bot(*arguments, **named)


def test_none_is_a_value_in_a_change_only(receiver: Receiver) -> None:
    receiver.seen.clear()
    client = Client(receiver.url)
    client.change_bot("b", game_cost=None)
    client.join("g", seat=None, nonce="n")
    client.events("g", seat=None, limit=3)
    assert [(query, body) for _, _, query, body in receiver.seen] == [
        ({}, {"game_cost": None}),
        ({}, {"nonce": "n"}),
        ({"limit": "3"}, None),
    ]
