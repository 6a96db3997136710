"""Agents play by tool calls alone, in both eras of the protocol; and what is wrong with a call is said."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from api.mcp.tools import TOOLS
from arena.games import GAMES
from arena.ops.jobs import InlineJobs
from arena.ops.rate_limits import Limit
from arena.ops.settings import HttpSettings, Settings
from arena.records.verify import verify
from arena.store.embedded import EmbeddedStore
from tests.agents.thumb import thumb
from tests.waiting import PATIENCE

META = "io.modelcontextprotocol/"
MODERN = "2026-07-28"


class Agent:
    """A client. ``modern``: whether it speaks the revision without a handshake."""

    def __init__(self, app: Flask, token: str, modern: bool) -> None:
        self._app = app
        self._client = app.test_client()
        self._headers = {"Accept": "application/json, text/event-stream"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self.modern = modern

    def post(self, body: Any, **headers: str) -> Any:
        """Send a body as it is; then house bots move."""
        reply = self._client.post("/mcp", json=body, headers={**self._headers, **headers})
        self._app.extensions["jobs"].run_pending(self._app.extensions["botequim"])
        return reply

    def rpc(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> Any:
        """The reply to a request, as this client sends it."""
        params = dict(params or {})
        if self.modern:
            params["_meta"] = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {}}
            headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, **headers}
            if method == "tools/call":
                headers.setdefault("Mcp-Name", params["name"])
        return self.post({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}, **headers)

    def call(self, name: str, **arguments: Any) -> tuple[str, bool]:
        """The text of a tool, and whether it is an error."""
        reply = self.rpc("tools/call", {"name": name, "arguments": arguments})
        assert reply.status_code == 200, reply.text
        result = reply.json["result"]
        assert result.get("resultType") == ("complete" if self.modern else None)
        return result["content"][0]["text"], result["isError"]

    def text(self, name: str, **arguments: Any) -> str:
        """The text of a tool that does what it is asked."""
        text, is_error = self.call(name, **arguments)
        assert not is_error, text
        return text


@pytest.fixture(scope="module")
def one_app(settings: Settings) -> Flask:
    """An app whose house bots move when a request is over."""
    jobs = InlineJobs()
    app = create_app(settings, jobs)
    app.extensions["jobs"] = jobs
    return app


@pytest.fixture(params=[True, False], ids=["stateless", "handshake"])
def agent(app: Flask, request: pytest.FixtureRequest) -> Agent:
    """An agent with the token of a bot."""
    client = app.test_client()
    token = client.post("/v1/owners", json={"name": "ana"}).json["token"]
    body = {"name": "ana-agent"}
    made = client.post("/v1/bots", json=body, headers={"Authorization": f"Bearer {token}"})
    return Agent(app, made.json["token"], request.param)


@pytest.mark.parametrize("kind", sorted(GAMES))
def test_a_whole_game_is_played_by_tool_calls(app: Flask, agent: Agent, kind: str) -> None:
    joined = agent.text("join", kind=kind)
    game = joined.split()[1].rstrip(":")
    text = agent.text("observe", game=game, wait=0, forced=True)
    while f"game {game} is finished" not in text:
        found = thumb(text)
        if found is None:
            # The others have moved since.
            text = agent.text("observe", game=game, wait=0, forced=True)
            continue
        text = agent.text("act", turn=found[0], action=f"[{found[1].upper()}]", wait=0, forced=True)
        assert text.startswith("accepted ")
    app.extensions["botequim"].live.finish(game)
    assert f"game {game} is finished. " in text
    assert "ana-agent place " in text
    record = app.test_client().get(f"/v1/games/{game}/record").json
    verify(record)
    assert record["canonical"]["faults"] == []
    assert "ana-agent" in agent.text("replay", game=game)


def test_forced_turns_are_played_only_if_asked(agent: Agent) -> None:
    for forced in (False, True):
        game = agent.text("join", kind="toepen").split()[1].rstrip(":")
        shown, played = 0, 0
        while "is finished" not in (text := agent.text("observe", game=game, wait=0, forced=forced)):
            played += "played for you" in text
            if (found := thumb(text)) is not None:
                shown += re.search(r"^Legal: [^,]*$", text, re.MULTILINE) is not None
                agent.text("act", turn=found[0], action=found[1], wait=0, legal="none")
        assert (shown if forced else played) == 0


def test_without_a_game_the_next_decision_of_any_is_returned(app: Flask, agent: Agent) -> None:
    assert agent.text("observe", wait=0) == "No decision for you yet. Nothing is lost: observe again."
    games = {agent.text("join", kind=kind).split()[1].rstrip(":") for kind in sorted(GAMES)}
    seen = set()
    text = agent.text("observe", wait=0, tournaments=True)
    while len(seen) < len(games):
        found = thumb(text)
        if found is None:
            text = agent.text("observe", wait=0, tournaments=True)
            continue
        seen.add(found[0].split(".")[0])
        text = agent.text("act", turn=found[0], action=found[1], wait=0, tournaments=True)
    assert seen == games
    (sight,) = app.extensions["botequim"].store.presence.sights(["ana-agent"])
    assert sight.willing_ms is not None
    # Every turn with one legal action is played.
    assert not re.search(r"^Legal: [^,]*$", agent.text("observe", wait=0, forced=True), re.MULTILINE)


def test_the_tools_are_listed_with_their_arguments(agent: Agent) -> None:
    tools = agent.rpc("tools/list").json["result"]["tools"]
    assert [tool["name"] for tool in tools] == list(TOOLS)
    act = next(tool for tool in tools if tool["name"] == "act")["inputSchema"]
    assert act["required"] == ["action", "turn"]
    assert act["properties"]["wait"]["maximum"] == 60
    assert act["properties"]["legal"]["enum"] == ["list", "grammar", "none"]
    assert act["additionalProperties"] is False
    join = next(tool for tool in tools if tool["name"] == "join")["inputSchema"]["properties"]
    assert "toepen duel@1, table-4@1" in join["preset"]["description"]
    assert "random, rookie, regular, barfly, shark" in join["house"]["description"]


def test_what_is_refused_is_said_in_the_words_of_the_api(agent: Agent) -> None:
    text, is_error = agent.call("observe", game="nothing")
    assert is_error
    assert text.startswith("game_not_found: ")
    text, is_error = agent.call("join", kind="chess")
    assert is_error
    assert text.startswith("invalid: kind: ")
    for tool in ("join", "leaderboard"):
        message = agent.call(tool, kind="truco", preset="paulista-2")[0].partition(" Expected: ")[0]
        assert message == (
            "preset_not_found: Brazilian Truco has no preset 'paulista-2'; did you mean paulista-2@1?"
        )
    text, is_error = agent.call("leaderboard", kind="truco", preset="none@1")
    assert (is_error, text.split(":")[0]) == (True, "preset_not_found")


def test_an_unreadable_action_leaves_the_turn_open(agent: Agent) -> None:
    game = agent.text("join", kind="toepen").split()[1].rstrip(":")
    text = agent.text("observe", game=game, wait=0)
    turn = thumb(text)[0]  # type: ignore[index]
    refused = agent.text("act", turn=turn, action="what a hand", wait=0)
    assert refused.startswith("illegal_action, ")
    assert f"\nturn {turn}: toepen" in refused


def test_readers_need_no_token(app: Flask) -> None:
    reader = Agent(app, "", True)
    assert "TP-5.1" in reader.text("rules", kind="toepen")
    short = reader.text("rules", kind="truco", preset="mineiro-2@1")
    assert short.startswith("Brazilian Truco, mineiro-2@1, in short.\n\nPlayers: two.")
    assert reader.text("leaderboard", kind="truco")
    refused = reader.rpc("tools/call", {"name": "me", "arguments": {}})
    assert (refused.status_code, refused.json["code"]) == (401, "missing_token")
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")
    assert Agent(app, "btq_b_nobody_x", True).rpc("tools/call", {"name": "me"}).status_code == 401


def test_the_handshake_names_a_version(app: Flask) -> None:
    old = Agent(app, "", False)
    for asked, given in (("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")):
        params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        result = old.rpc("initialize", params).json["result"]
        assert result["protocolVersion"] == given
        assert result["serverInfo"]["name"] == "botequim"
    assert old.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202
    assert old.rpc("ping").json["result"] == {}
    assert old.rpc("resources/list").json["error"]["code"] == -32601


def test_the_stateless_revision_is_checked(app: Flask) -> None:
    new = Agent(app, "", True)
    found = new.rpc("server/discover").json["result"]
    assert found["supportedVersions"] == [MODERN]
    assert (found["resultType"], found["cacheScope"]) == ("complete", "public")
    refused = new.rpc("no/such")
    assert (refused.status_code, refused.json["error"]["code"]) == (404, -32601)
    refused = new.rpc("tools/list", **{"Mcp-Method": "tools/call"})
    assert (refused.status_code, refused.json["error"]["code"]) == (400, -32020)
    meta = {f"{META}protocolVersion": "2027-01-01", f"{META}clientCapabilities": {}}
    later = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    refused = new.post(later, **{"MCP-Protocol-Version": "2027-01-01", "Mcp-Method": "tools/list"})
    assert (refused.status_code, refused.json["error"]["code"]) == (400, -32022)
    assert refused.json["error"]["data"]["supported"] == [MODERN]
    for name in ([], None, 7):
        body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name}}
        assert Agent(app, "", False).post(body).json["error"]["code"] == -32602
    refused = new.rpc("tools/call", {"name": "cheat"})
    assert (refused.status_code, refused.json["error"]["code"]) == (400, -32602)


@pytest.mark.parametrize("body", [[], 5, {"jsonrpc": "2.0", "id": 1}, {"id": True, "method": "ping"}])
def test_what_is_no_request_is_refused(app: Flask, body: Any) -> None:
    refused = Agent(app, "", False).post(body)
    assert (refused.status_code, refused.json["error"]["code"]) == (400, -32600)


def test_null_is_an_optional_argument_that_is_absent(agent: Agent) -> None:
    game = agent.text("join", game=None, kind="toepen", preset=None, house=None).split()[1].rstrip(":")
    text = agent.text("observe", game=game, wait=0, legal=None, forced=None, tournaments=None)
    turn, action = thumb(text)  # type: ignore[misc]
    assert agent.text("act", turn=turn, action=action, wait=0, note=None, game=None).startswith("accepted ")
    refused = agent.call("act", turn=turn, action=None)
    assert refused == ("invalid: action: field may not be null. Expected: a value other than null.", True)
    assert agent.call("me", other=None)[0].startswith("invalid: other: unknown field")


def test_a_slash_at_the_end_makes_no_difference(app: Flask) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    replies = [app.test_client().post(path, json=ping) for path in ("/mcp", "/mcp/")]
    assert [(reply.status_code, reply.json) for reply in replies] == [(200, replies[0].json)] * 2


def test_a_response_of_a_client_is_ignored(app: Flask) -> None:
    for part in ({"result": {}}, {"error": {"code": -1, "message": "no"}}):
        reply = Agent(app, "", False).post({"jsonrpc": "2.0", "id": 1, **part})
        assert (reply.status_code, reply.data) == (202, b"")


def test_a_batch_gets_a_list_of_replies(app: Flask) -> None:
    client = Agent(app, "", False)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    tools = {"jsonrpc": "2.0", "id": "two", "method": "tools/list"}
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    reply = client.post([ping, notice, tools, {"id": 3, "result": {}}, 5])
    assert reply.status_code == 200
    assert [part["id"] for part in reply.json] == [1, "two", None]
    assert reply.json[0] == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert reply.json[2]["error"]["code"] == -32600
    assert client.post([notice]).status_code == 202
    assert client.post([ping], **{"MCP-Protocol-Version": "2025-03-26"}).status_code == 200
    for body, version, message in (
        ([ping], "2025-06-18", "only revision 2025-03-26 has batches; send a single message"),
        ([ping] * 21, "2025-03-26", "a batch must have 1 to 20 messages, not 21"),
        ([{**ping, "method": "initialize"}], "2025-03-26", "initialize must not be part of a batch"),
    ):
        refused = client.post(body, **{"MCP-Protocol-Version": version})
        assert (refused.status_code, refused.json["error"]["message"]) == (400, message)


def test_agents_meet_at_an_open_table_and_wait_for_each_other(app: Flask) -> None:
    client = app.test_client()
    owner = {"Authorization": f"Bearer {client.post('/v1/owners', json={'name': 'ana'}).json['token']}"}
    agents = []
    for name in ("one", "two"):
        token = client.post("/v1/bots", json={"name": f"ana-{name}"}, headers=owner).json["token"]
        agents.append(Agent(app, token, True))
    table = {"kind": "toepen", "seats": [{"open": True}, {"open": True}]}
    game = client.post("/v1/games", json=table, headers=owner).json["game"]
    assert ", waiting. Seats: ana-one, open." in agents[0].text("join", game=game)
    assert "No decision for you yet." in agents[0].text("observe", game=game, wait=0)
    assert ", running. Seats: ana-one, ana-two." in agents[1].text("join", game=game)
    first = next(agent for agent in agents if thumb(agent.text("observe", game=game, wait=0)))
    second = next(agent for agent in agents if agent is not first)
    assert thumb(second.text("observe", game=game, wait=0)) is None
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(second.text, "observe", game=game, wait=60)
        turn, _ = thumb(first.text("observe", game=game, wait=0))  # type: ignore[misc]
        told = first.text("act", turn=turn, action="keep", wait=0)
        assert told == "accepted keep\n\nNo decision for you yet. Nothing is lost: observe again."
        assert f"turn {game}." in waiting.result(PATIENCE)


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://localhost:6274", 200),
        ("http://127.0.0.1", 200),
        ("http://[::1]:80", 200),
        ("https://bar.example", 200),
        ("http://bar.example", 403),
        ("https://bar.example.evil.example", 403),
        ("http://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("null", 403),
        ("http://[", 403),
    ],
)
def test_pages_of_other_sites_may_not_call(settings: Settings, origin: str | None, status: int) -> None:
    http = HttpSettings(limits=settings.http.limits, public_url="https://bar.example")
    app = create_app(Settings(settings.redis_url, http=http), InlineJobs())
    headers = {} if origin is None else {"Origin": origin}
    reply = app.test_client().post(
        "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=headers
    )
    assert reply.status_code == status


def test_a_tool_reaches_no_other_operation(agent: Agent) -> None:
    for name in ("observe", "replay", "join"):
        for game in ("g/events/stream", "../bots", "g/record"):
            text, is_error = agent.call(name, game=game)
            assert is_error, text
            assert text.startswith("game_not_found: ")


def test_requests_without_a_tool_are_limited_too(settings: Settings, clean_store: EmbeddedStore) -> None:
    http = replace(settings.http, limits={**settings.http.limits, "requests_per_address": Limit(2, 3600)})
    app = create_app(replace(settings, http=http), jobs := InlineJobs())
    app.extensions["jobs"] = jobs
    client = Agent(app, "", False)
    assert [client.rpc("ping").status_code for _ in range(3)] == [200, 200, 429]
    app.extensions["botequim"].close()
