"""A turn of high card as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.games.texts import TurnText, seat_names


def turn_text(turn: Mapping[str, Any]) -> TurnText:
    """The text of a turn."""
    seen = turn["observation"]
    names = seat_names(len(seen["held"]), turn["seat"])
    points = ", ".join(f"{name} {points}" for name, points in zip(names, seen["points"], strict=True))
    played = ", ".join(f"{names[play['seat']]} play {play['card']}" for play in seen["played"])
    standing = [f"Hand {seen['hand_number']}. Tricks: {points}.", *([f"Played: {played}."] if played else [])]
    happened = news(turn["rules"], turn["seat"], turn["events"])
    return TurnText("Play a card", tuple(standing), happened, " ".join(seen["hand"]))


def news(rules: Mapping[str, Any], seat: int, events: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """A line for each event."""
    names = seat_names(rules["seats"], seat)
    return tuple(line for event in events if (line := _event(event, names)))


def summary(rules: Mapping[str, Any]) -> tuple[str, ...]:
    """The rules in short."""
    return (f"{rules['seats']} players; the highest card wins (`play:4C`).",)


def _event(event: Mapping[str, Any], names: list[str]) -> str:
    kind = event["type"]
    if kind == "hand":
        return f"hand {event['number']}"
    if kind == "over":
        return "game over"
    who = names[event["seat"]]
    if kind == "dealt":
        return f"{who}: dealt {' '.join(event['cards'])}" if event["cards"] else ""
    return f"{who}: play {event['card']}" if kind == "play" else f"trick won by {who}"
