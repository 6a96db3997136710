"""What an uploaded bot printed, decision by decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from api.services import services
from arena.text import printable

REMARK_CHARS: Final = 200
"""The maximum number of characters of a remark beside a move."""

Seats: TypeAlias = Sequence[Mapping[str, Any]]
"""The seats of a journal (:mod:`arena.store.journals`)."""


class SeatOutput(NamedTuple):
    """What a bot printed on one seat: ``first`` before its first decision, and then one text per decision.
    Journals from before the decisions were noted in them have only ``first``.
    """

    first: str
    by_decision: Sequence[str]


def output_of(seat: Mapping[str, Any]) -> SeatOutput:
    """Split the output of a seat by the decisions during which it was printed."""
    output, decisions = seat["output"], seat["decisions"]
    starts = [one.get("output_start", len(output)) for one in decisions]
    parts = [output[start:end] for start, end in pairwise([0, *starts, len(output)])]
    return SeatOutput(parts[0], parts[1:])


def log_remarks(logs: Mapping[str, Seats]) -> dict[int, str]:
    """Convert the logs of bots in a game to remarks, by the index of the action."""
    found: dict[int, str] = {}
    for bot, seats in logs.items():
        name = services().moderation.name("bot", bot)
        for seat in seats:
            for decision, text in zip(seat["decisions"], output_of(seat).by_decision, strict=True):
                said = _said(decision, text)
                if said and "after" in decision:
                    after, remark = decision["after"], f"{name} {said}"
                    found[after] = f"{found[after]} · {remark}" if after in found else remark
    return found


def _said(decision: Mapping[str, Any], text: str) -> str:
    parts = []
    if "fault" in decision:
        parts.append(f"{decision['fault']}: {printable(decision.get('detail', ''), REMARK_CHARS)}")
    if words := " ".join(text.split()):
        parts.append(f"printed: {printable(words, REMARK_CHARS)}")
    return ", ".join(parts)
