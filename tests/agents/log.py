"""What an agent has read of a game, and what it could see of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from arena.games import game_of

FORCED: Mapping[str, Any] = {"seats": 2, "lives": 2, "end": "rubber", "rubbers": 8}
"""Rules of Toepen by which many turns have one legal action: in poverty, nobody can knock."""


def lines_read(texts: Iterable[str]) -> list[str]:
    """The lines about events in replies of the tools, in order."""
    return [line[2:] for text in texts for line in text.splitlines() if line.startswith("- ")]


def lines_of(record: Mapping[str, Any], bot: str) -> list[str]:
    """A line for every event of a recorded game that the bot could see."""
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    rules = game.options.complete(canonical["rules"])
    seat = [player["name"] for player in canonical["players"]].index(bot)
    state = game.new_state(rules)
    events = [event for by, action, *_ in canonical["actions"] for event in state.apply(by, action)]
    seen = [view for event in events if (view := game.view_event(event, seat)) is not None]
    return list(game.news(rules, seat, seen))
