"""The official Python client plays whole games against a live service, in both eras of the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client import session as client_session
from mcp.client.streamable_http import streamable_http_client

from api.mcp.tools import TOOLS
from arena.games import GAMES
from arena.records.verify import verify
from tests.agents.thumb import thumb
from tests.service import Service
from tests.waiting import PATIENCE

pytestmark = pytest.mark.system

MODES = {
    "2025-06-18": "legacy",
    "2025-11-25": "legacy",
    "2026-07-28": "2026-07-28",
    "chosen by the client": "auto",
}
"""The versions of the protocol, and the modes of the client that speak them."""


@pytest.fixture(params=MODES)
def version(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A version of the protocol; of the older ones the client offers only the newest by itself."""
    chosen = str(request.param)
    if MODES[chosen] == "legacy":
        monkeypatch.setattr(client_session, "LATEST_HANDSHAKE_VERSION", chosen)
    return chosen


@asynccontextmanager
async def connected(service: Service, token: str | None, version: str) -> AsyncIterator[Client]:
    """The client in the mode of a version."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
        transport = streamable_http_client(f"{service.url}/mcp", http_client=http)
        async with Client(transport, mode=MODES[version]) as client:
            yield client


async def text(client: Client, tool: str, **arguments: Any) -> str:
    """The text of a tool that does what it is asked."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert content.type == "text"
    assert not result.is_error, content.text
    return content.text


async def play(client: Client, kind: str) -> str:
    """Play a game against house bots and return its id."""
    joined = await text(client, "join", kind=kind)
    game = joined.split()[1].rstrip(":")
    shown = await text(client, "observe", game=game, forced=True)
    while f"game {game} is finished" not in shown:
        found = thumb(shown)
        if found is None:
            shown = await text(client, "observe", game=game, forced=True)
        else:
            shown = await text(
                client, "act", turn=found[0], action=found[1], note=f"I take {found[1]}", forced=True
            )
    return game


@pytest.mark.nightly("agents")
@pytest.mark.parametrize("kind", sorted(GAMES))
def test_a_whole_game_is_played_by_tool_calls(service: Service, token: str, version: str, kind: str) -> None:
    async def run() -> None:
        async with connected(service, token, version) as client:
            spoken = version if version in ("2025-06-18", "2025-11-25") else "2026-07-28"
            assert client.protocol_version == spoken
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == list(TOOLS)
            game = await play(client, kind)
            record = service.client().record(game, wait=True)
            verify(record)
            assert record["canonical"]["faults"] == []
            assert "(ana-agent noted: I take " in await text(client, "replay", game=game)
            assert '"name": "ana-agent"' in await text(client, "me")

    asyncio.run(run())


@pytest.mark.nightly("agents")
def test_what_is_refused_is_shown_by_the_client(service: Service, token: str, version: str) -> None:
    async def run() -> None:
        async with connected(service, token, version) as client:
            refused = await client.call_tool("observe", {"game": "nothing"})
            assert refused.is_error
            assert refused.content[0].text.startswith("game_not_found: ")
            with pytest.raises(MCPError, match="no tool 'cheat'"):
                await client.call_tool("cheat", {})

    asyncio.run(run())


def test_readers_need_no_token(service: Service, version: str) -> None:
    async def run() -> None:
        async with connected(service, None, version) as client:
            assert "TP-5.1" in await text(client, "rules", kind="toepen")
            assert await text(client, "leaderboard", kind="truco")

    asyncio.run(run())
