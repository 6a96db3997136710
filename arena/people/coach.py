"""What the decisions of a seat cost, as far as its player could know: a pure function of the record and the
seat, except for the limit of time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from arena.games import game_of
from arena.records.costs import Cost, cost_of
from arena.records.record import Record
from arena.records.remarks import REVIEWER, Remark
from arena.records.tell import seat_names
from arena.replays.moves import read_hands

WORLDS: Final = 100
"""The number of re-deals per decision, as in ``botequim explain``."""

MOST_DEAREST: Final = 3
"""The number of decisions that a review lists first."""


def words_of(record: Record, remark: Remark, action: str | None) -> str:
    """Return an action at a decision in words."""
    if action is None:
        return "nothing"
    canonical = record["canonical"]
    panel = game_of(canonical["kind"]).panel
    assert panel is not None
    names = seat_names(player["name"] for player in canonical["players"])
    return panel(remark.decision.turn, names).words(action)


def told_remark(record: Record, remark: Remark) -> str:
    """Return what the reviewer would have done, in words."""
    words = "the same" if remark.same else words_of(record, remark, remark.action)
    return f"{REVIEWER}: {words}"


def costs_of(
    record: Record, remarks: Iterable[Remark], is_time_up: Callable[[], bool]
) -> list[tuple[Remark, Cost]]:
    """Return the cost of each decision at which the reviewer would have chosen differently, dearest first,
    until the time is up. All other decisions cost nothing.
    """
    found: list[tuple[Remark, Cost]] = []
    for remark in remarks:
        if is_time_up():
            break
        found.append((remark, cost_of(remark, record["canonical"]["seed"], WORLDS)))
    return sorted(found, key=lambda one: -one[1].value)


def costs_as_json(record: Record, found: Collection[tuple[Remark, Cost]]) -> list[dict[str, Any]]:
    """Return the costs as JSON data: ``after`` is the number of actions in the game before the decision,
    ``hand`` and ``move`` say where the replay shows it, ``played`` and ``better`` are the person's and the
    reviewer's actions in words, and ``value``, ``low``, ``high`` and ``unit`` are the cost.
    """
    places = _places(record, {remark.decision.after for remark, _ in found})
    return [
        {
            "after": remark.decision.after,
            **places[remark.decision.after],
            "played": words_of(record, remark, remark.decision.action),
            "better": words_of(record, remark, remark.action),
            "value": round(cost.value, 2),
            "low": round(cost.low, 2),
            "high": round(cost.high, 2),
            "unit": cost.unit,
        }
        for remark, cost in found
    ]


def told_cost(cost: Mapping[str, Any]) -> str:
    """Return a cost with its 95% interval in words. A decision that was no worse than the reviewer's costs
    nothing.
    """
    value = max(0.0, cost["value"])
    between = f"{cost['low']:.2f} to {cost['high']:.2f}".replace("-", "−")
    unclear = "" if cost["low"] > 0 else ", no clear difference"
    return f"{value:.2f} {cost['unit']} ({between}{unclear})"


def dearest(costs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the dearest decisions with ``cost`` in words, dearest first. Decisions that cost nothing are not
    among them.
    """
    shown = [{**one, "cost": told_cost(one)} for one in costs if one["value"] > 0]
    return shown[:MOST_DEAREST]


def _places(record: Record, wanted: Collection[int]) -> dict[int, dict[str, int]]:
    """Return the hand and the move of the actions with these indexes."""
    places: dict[int, dict[str, int]] = {}
    if not wanted:
        return places
    last = max(wanted)
    for hand in read_hands(record):
        for number, move in enumerate(hand.moves, hand.first):
            places |= {index: {"hand": move.hand, "move": number} for index in move.decisions}
        if last in places:
            break
    return places
