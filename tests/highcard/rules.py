"""The rules of high card, and what a seat sees.

Actions of chance: ``deal:<32 cards>`` per hand; of seats: ``play:AS``. Events: ``("hand", -1, number)``,
``("dealt", seat, cards)``, ``("play", seat, card)``, ``("trick", winner)``, ``("over", -1, places, scores)``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from arena.errors import CorruptState, IllegalAction, InvalidOption, NewerFormat
from arena.games.cards import pack, split_cards
from arena.games.kernel import CHANCE, Chance, Event, GameRules, Outcome, State, check_format
from arena.games.options import Option, OptionSet

RANKS: Final = "789TJQKA"
PACK: Final = pack(RANKS)
CARDS: Final = 3
FIELDS: Final = ("rules", "number", "leader", "points", "hands", "played")
OPTIONS: Final = OptionSet(
    "highcard",
    (
        Option("seats", 2, "how many players there are", low=2, high=4),
        Option("hands", 3, "how many hands are played", low=1, high=9),
    ),
)


def strength(card: str) -> int:
    """The higher card has the higher number."""
    return RANKS.index(card[0]) * 4 + PACK.index(card) // len(RANKS)


class HighCardState(State):
    """One game. ``hands``: cards by seat; ``played``: (seat, card) of this hand in order."""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self.rules = dict(rules)
        self.seats: int = rules["seats"]
        self.number = 1
        self.leader = 0
        self.points = [0] * self.seats
        self.hands: list[list[str]] = [[] for _ in range(self.seats)]
        self.played: list[tuple[int, str]] = []

    @property
    def trick(self) -> list[tuple[int, str]]:
        """What lies in the present trick."""
        return self.played[len(self.played) - len(self.played) % self.seats :]

    def awaiting(self) -> tuple[int, ...]:
        if self.number > self.rules["hands"]:
            return ()
        return ((self.leader + len(self.trick)) % self.seats,) if any(self.hands) else (CHANCE,)

    def legal_actions(self, seat: int) -> tuple[str, ...]:
        if seat < 0 or self.awaiting() != (seat,):
            return ()
        return tuple(f"play:{card}" for card in self.hands[seat])

    def answer_pending(self) -> bool:
        return False

    def chance(self) -> Chance | None:
        return Chance("deal", self.number, PACK) if self.awaiting() == (CHANCE,) else None

    def apply(self, seat: int, action: str) -> list[Event]:
        if seat == CHANCE:
            return self._deal(action)
        if action not in self.legal_actions(seat):
            raise self.illegal(seat, action)
        card = action.removeprefix("play:")
        self.hands[seat].remove(card)
        self.played.append((seat, card))
        events: list[Event] = [("play", seat, card)]
        if not self.trick:
            self.leader = max(self.played[-self.seats :], key=lambda play: strength(play[1]))[0]
            self.points[self.leader] += 1
            events.append(("trick", self.leader))
            if not any(self.hands):
                self.number += 1
        outcome = self.outcome()
        if outcome is not None:
            events.append(("over", -1, outcome.places, outcome.scores))
        return events

    def _deal(self, action: str) -> list[Event]:
        cards = split_cards(action.removeprefix("deal:"))
        if self.chance() is None or not action.startswith("deal:") or sorted(cards) != sorted(PACK):
            raise IllegalAction(
                f"chance may not {action!r} now",
                field="action",
                expected="deal: and the 32 cards of the pack",
                extra={"legal_actions": []},
            )
        self.played = []
        self.hands = [sorted(cards[CARDS * seat :][:CARDS], key=PACK.index) for seat in range(self.seats)]
        dealt = [("dealt", seat, tuple(hand)) for seat, hand in enumerate(self.hands)]
        return [("hand", -1, self.number), *dealt]

    def observation(self, seat: int | None) -> dict[str, Any]:
        return {
            "seat": seat,
            "hand_number": self.number,
            "awaiting": list(self.awaiting()),
            "leader": self.leader,
            "points": list(self.points),
            "held": [len(hand) for hand in self.hands],
            "played": [{"seat": who, "card": card} for who, card in self.played],
            "hand": [] if seat is None else list(self.hands[seat]),
        }

    def default_action(self, seat: int) -> str:
        return min(self.legal_actions(seat), key=lambda action: strength(action.removeprefix("play:")))

    def outcome(self) -> Outcome | None:
        if self.awaiting():
            return None
        places = tuple(1 + sum(other > own for other in self.points) for own in self.points)
        return Outcome(places, tuple(self.points))

    def clone(self) -> HighCardState:
        return RULES.deserialise(self.serialise())

    def content(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in FIELDS}
        return {"version": HighCardGameRules.version, **values}


class HighCardGameRules(GameRules):
    """The rules of high card."""

    kind = "highcard"
    version = 1
    options = OPTIONS

    def seats(self, rules: Mapping[str, Any]) -> int:
        seats: int = rules["seats"]
        return seats

    def teams(self, rules: Mapping[str, Any]) -> tuple[tuple[int, ...], ...]:
        return tuple((seat,) for seat in range(self.seats(rules)))

    def new_state(self, rules: Mapping[str, Any]) -> HighCardState:
        return HighCardState(rules)

    def deserialise(self, data: bytes) -> HighCardState:
        try:
            content = json.loads(data)
            check_format(content, self.version, frozenset(("version", *FIELDS)))
            state = HighCardState(OPTIONS.complete(content["rules"]))
            state.number, state.leader = content["number"], content["leader"]
            state.points, state.hands = content["points"], content["hands"]
            state.played = [(seat, card) for seat, card in content["played"]]
        except InvalidOption as error:
            raise NewerFormat(f"a state of newer rules of high card: {error}") from error
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise CorruptState(f"not a state of high card: {error}") from error
        return state

    def view_event(self, event: Event, seat: int | None) -> dict[str, Any] | None:
        type, who = event[0], event[1]
        if type == "hand":
            return {"type": type, "number": event[2]}
        if type == "over":
            return {"type": type, "places": list(event[2]), "scores": list(event[3])}
        seen: dict[str, Any] = {"type": type, "seat": who}
        if type == "play":
            seen["card"] = event[2]
        elif type == "dealt":
            seen["cards"] = list(event[2]) if seat == who else None
        return seen

    def from_observation(
        self, rules: Mapping[str, Any], observation: Mapping[str, Any], hidden: Mapping[str, Any]
    ) -> HighCardState:
        """``hidden``: ``{"hands": {seat: cards}}`` of the other seats."""
        state = HighCardState(rules)
        state.number, state.leader = observation["hand_number"], observation["leader"]
        state.points = list(observation["points"])
        state.played = [(play["seat"], play["card"]) for play in observation["played"]]
        for seat in range(state.seats):
            own = seat == observation["seat"]
            state.hands[seat] = list(observation["hand"] if own else hidden["hands"][seat])
        return state


RULES: Final = HighCardGameRules()
