"""The real rules of Truco and the reference, played together."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from arena.errors import InvalidOption
from arena.games.kernel import CHANCE
from arena.games.truco.state import TRUCO
from benchmarks.engines import chance_action
from tests.games.truco_reference import RANKS, Reference, Refused, completed, pack_of


class Table:
    """The real rules and the reference, played together and compared after every action."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.rules = completed(given)
        self.reference = Reference(self.rules)
        self.state = TRUCO.new_state(TRUCO.options.complete(given))
        self.log: list[tuple[int, str]] = []
        self.pack = pack_of(self.rules)
        self.compare()

    @property
    def awaited(self) -> int | None:
        return self.reference.awaited

    def compare(self) -> None:
        state, reference = self.state, self.reference
        seen = state.observation(None)
        real = {
            "awaiting": state.awaiting(),
            "legal": [set(state.legal_actions(seat)) for seat in range(reference.seats)],
            "hands": [
                {name: seen[name] for name in ("hand", "partner_dealt")}
                for seen in map(state.observation, range(reference.seats) if reference.options else ())
            ],
            **{name: seen[name] for name in reference.public()},
        }
        told = {
            "awaiting": () if reference.awaited is None else (reference.awaited,),
            "legal": [reference.legal(seat) for seat in range(reference.seats)],
            "hands": [reference.private(seat) for seat in range(reference.seats) if reference.options],
            **reference.public(),
        }
        assert real == told, (self.rules, self.log)
        if reference.options:
            assert state.default_action(state.awaiting()[0]) == reference.late(), (self.rules, self.log)

    def apply(self, seat: int, action: str) -> None:
        self.log.append((seat, action))
        self.reference.apply(seat, action)
        self.state.apply(seat, action)
        self.compare()

    def apply_chance(self, random: Random) -> None:
        """A dealer or a deal."""
        chance = self.state.chance()
        assert chance is not None
        assert list(chance.items) == (self.pack if self.log else list("0123")[: self.reference.seats])
        if self.log and random.random() < 0.2:
            # Hands of a few ranks, so that many tricks are tied.
            few = random.sample(RANKS[self.rules["pack"]], self.reference.seats // 2)
            pack = sorted(self.pack, key=lambda card: (card[0] not in few, random.random()))
            self.apply(CHANCE, "deal:" + "".join(pack))
        else:
            self.apply(CHANCE, chance_action(chance, random))

    def deal(self, *hands: str, vira: str = "") -> None:
        """Deal these hands, in the order of the deal, and turn that vira; what is not given is filled."""
        cards = [[hand[i : i + 2] for i in range(0, len(hand), 2)] for hand in (*hands, vira)]
        left = [card for card in self.pack if not any(card in given for given in cards)]
        cards = [cards[:-1][n] if n < len(hands) else [] for n in range(self.reference.seats)] + cards[-1:]
        for given in cards[:-1]:
            given += [left.pop() for _ in range(3 - len(given))]
        self.apply(CHANCE, "deal:" + "".join(card for given in [*cards, left] for card in given))

    def give(self, team: int) -> None:
        """Play a hand that brings the team the lowest stake."""
        self.deal()
        while self.awaited not in (None, CHANCE):
            assert self.awaited is not None
            calls = self.awaited % 2 == team and "truco" in self.reference.options
            self.apply(self.awaited, "truco" if calls else self.reference.late())

    def start(self, ours: int, theirs: int, dealer: int) -> None:
        """Play until the teams have these points and that dealer is about to deal."""
        lowest = self.reference.stakes[0]
        points = [ours // lowest, theirs // lowest]
        self.apply(CHANCE, f"dealer:{(dealer - sum(points)) % self.reference.seats}")
        # The last points of each team come last, so that no hand at the threshold comes before it must.
        early = [team for team in (0, 1) for _ in range(points[team] - 1)]
        for team in early + [team for team in (0, 1) if points[team]]:
            self.give(team)
        assert self.reference.public()["score"] == [ours, theirs]

    def finish(self, random: Random, boldness: float) -> None:
        """Play at random to the end; ``boldness`` is how often calls, raises and runs are thought of."""
        reference = self.reference
        while reference.awaited is not None:
            if reference.awaited == CHANCE:
                self.apply_chance(random)
                continue
            seat = random.choice([reference.awaited] * 4 + sorted(reference.signallers))
            legal = sorted(reference.legal(seat))
            calm = [action for action in legal if not action.startswith(("truco", "run", "raise"))]
            self.apply(seat, random.choice(legal if random.random() < boldness else calm or legal))
        assert reference.over


def clash(given: dict[str, Any]) -> tuple[str, ...]:
    """The options (``"seats=2"``) that do not go together, first the one to blame; empty if all do."""
    try:
        completed(given)
    except Refused as refused:
        return refused.args
    return ()


def check_refusal(given: dict[str, Any]) -> None:
    """The real options refuse what the reference refuses, and blame the same option."""
    blamed = clash(given)
    if blamed:
        with pytest.raises(InvalidOption) as error:
            TRUCO.options.complete(given)
        assert error.value.field == "rules." + blamed[0].split("=")[0], given
        assert all(option in str(error.value) for option in blamed), given
    else:
        rules = completed(given)
        assert TRUCO.options.complete(given) == rules
        assert TRUCO.options.complete(rules) == completed(rules) == rules
