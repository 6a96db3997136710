"""An agent that plays by the official client reads every event that its seat could see, once and in order.

``pytest -s -m nightly tests/agents/test_news.py`` prints how many characters each game takes.
"""

from __future__ import annotations

import asyncio

import pytest
from mcp import Client

from arena.games import GAMES
from arena.records.verify import verify
from tests.agents.log import FORCED, lines_of, lines_read
from tests.agents.test_clients import connected, text
from tests.agents.thumb import thumb
from tests.service import Service

pytestmark = [pytest.mark.system, pytest.mark.nightly("agents")]

PRESETS = [(kind, preset.name) for kind, game in GAMES.items() for preset in game.presets]


async def play(client: Client, game: str, forced: bool) -> list[str]:
    """Play a game to the end; return all texts."""
    texts = [await text(client, "observe", game=game, forced=forced)]
    while f"game {game} is finished" not in texts[-1]:
        found = thumb(texts[-1])
        if found is None:
            texts.append(await text(client, "observe", game=game, forced=forced))
        else:
            texts.append(await text(client, "act", turn=found[0], action=found[1], forced=forced))
    return texts


@pytest.mark.parametrize("forced", [False, True], ids=["every-turn", "forced"])
@pytest.mark.parametrize(("kind", "preset"), PRESETS, ids=["-".join(name) for name in PRESETS])
def test_an_agent_reads_every_event(
    service: Service, token: str, kind: str, preset: str, forced: bool
) -> None:
    async def run() -> None:
        async with connected(service, token, "chosen by the client") as client:
            joined = await text(client, "join", kind=kind, preset=preset)
            game = joined.split()[1].rstrip(":")
            texts = await play(client, game, forced)
            _check(service, game, texts)
            size, calls = sum(map(len, texts)), len(texts)
            print(f"\n{kind} {preset}, {forced=}: {calls} calls, {size} characters, {size // calls} a call")

    asyncio.run(run())


@pytest.mark.parametrize("forced", [False, True], ids=["every-turn", "forced"])
def test_turns_that_are_played_for_the_agent_leave_no_gap(service: Service, token: str, forced: bool) -> None:
    async def run() -> None:
        seats = [{"bot": "ana-agent"}, {"house": "rookie"}]
        game = service.client(token).create_game(kind="toepen", seats=seats, rules=dict(FORCED))["game"]
        async with connected(service, token, "chosen by the client") as client:
            texts = await play(client, game, forced)
        _check(service, game, texts)
        assert ("played for you" in "".join(texts)) == forced

    asyncio.run(run())


def _check(service: Service, game: str, texts: list[str]) -> None:
    record = service.client().record(game, wait=True)
    verify(record)
    assert lines_read(texts) == lines_of(record, "ana-agent")
