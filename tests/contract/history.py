"""What has happened in the hand in progress, told twice: from one observation, and from the events.

Both give the same list if one observation is all that a seat needs to know about its hand. An item is
``(what, seat, ...)``; hidden cards are not in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Item = tuple[Any, ...]


def _merged(
    observation: Mapping[str, Any], tricks: Sequence[Sequence[Item]]
) -> Iterator[Item | dict[str, Any]]:
    """Cards and calls in order: a call comes before the cards that were not there yet."""
    calls = list(observation["calls"])
    for index, cards in enumerate(tricks):
        for on_table, card in enumerate(cards):
            while calls and (calls[0]["trick"], calls[0]["on_table"]) <= (index, on_table):
                yield calls.pop(0)
            yield card
    yield from calls


def truco(observation: Mapping[str, Any]) -> list[Item]:
    """All that was done in the hand in progress of Truco."""
    tricks = [
        [
            ("hide", play["seat"]) if play["face_down"] else ("play", play["seat"], play["card"])
            for play in trick["plays"]
        ]
        for trick in observation["tricks"]
    ]
    burned = iter(observation["burned"])
    history: list[Item] = []
    for item in _merged(observation, tricks):
        if isinstance(item, tuple):
            history.append(item)
            continue
        said, seat = item["said"], item["seat"]
        more: tuple[Any, ...] = ()
        if said == "cut":
            more = (item["value"], item["from"])
        elif said == "burn":
            more = (tuple(next(burned)),)
        elif said == "signal":
            more = (item["gesture"],)
        elif said in ("truco", "raise", "accept"):
            more = (item["value"],)
        history.append((said, seat, *more))
    assert not list(burned)
    return history


def truco_events(view: Mapping[str, Any]) -> list[Item]:
    """The same of one event, as a viewer is shown it."""
    seat = view.get("seat")
    match view["type"]:
        case "cut":
            return [("cut", seat, view["lifted"], view["from"]) if view["lifted"] else ("no_cut", seat)]
        case "kept":
            return [("keep", seat)]
        case "passed":
            return [("pass", seat)]
        case "burned":
            return [("burn", seat, tuple(view["cards"]))]
        case "truco" | "raise" | "accept" as said:
            return [(said, seat, view["value"])]
        case "defer" | "hide" as said:
            return [(said, seat)]
        case "signal":
            return [("signal", seat, view["gesture"])]
        case "play":
            return [("play", seat, view["card"])]
    return []


def toepen(observation: Mapping[str, Any]) -> list[Item]:
    """All that was done in Toepen's hand once the exchanges were over, and the hands laid away before."""
    history: list[Item] = [("exchange", laid["seat"]) for laid in observation["laid_away"]]
    tricks = [*(trick["cards"] for trick in observation["tricks"]), observation["trick"]]
    shown = [[("play", card["seat"], card["card"]) for card in cards] for cards in tricks]
    for item in _merged(observation, shown):
        history.append(item if isinstance(item, tuple) else (item["said"], item["seat"], item["value"]))
    return history


def toepen_events(view: Mapping[str, Any]) -> list[Item]:
    """The same of one event, as a viewer is shown it."""
    match view["type"]:
        case "play":
            return [("play", view["seat"], view["card"])]
        case "knock" | "stay" as said:
            return [(said, view["seat"], view["value"])]
        case "fold":
            return [("fold", view["seat"], view["lives"])]
        case "exchange":
            return [("exchange", view["seat"])]
    return []


class HandHistory(NamedTuple):
    """How the history of a hand is read: from an observation, from the view of one event, and the type of
    the event with which it begins anew.
    """

    by_observation: Callable[[Mapping[str, Any]], list[Item]]
    by_event: Callable[[Mapping[str, Any]], list[Item]]
    begins: str


HAND_HISTORIES = {
    "truco": HandHistory(truco, truco_events, "hand_over"),
    "toepen": HandHistory(toepen, toepen_events, "hand"),
}
