"""The decisions of the other seats in this hand, and their probability given a re-deal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from arena.games.kernel import Turn
from arena.games.toepen.bots.laundry import keep_chance
from arena.games.toepen.bots.model import (
    card_chance,
    knock_gain,
    knock_likelihood,
    stay_chance,
    stay_gain,
)
from arena.games.toepen.bots.spot import Spot
from arena.games.toepen.bots.worth import Stakes
from arena.games.toepen.cards import CARD_NUMBER, WHOLE_PACK, mask_of
from arena.games.toepen.seen import ToepenNews


class PastDecision(NamedTuple):
    """One decision of another seat, with all public information at that time.

    ``spot`` has neither a hand nor unseen cards. ``gone`` holds the cards that had been played or revealed.
    ``card`` is the card played, if any. ``undecided`` holds the seats that had not yet answered.
    """

    kind: str
    spot: Spot
    gone: int
    card: int = -1
    trick: int = 0
    knocker: int | None = None
    value: int = 1
    lives: tuple[int, ...] = ()
    undecided: int = 0


class History:
    """The decisions of the other seats in the current hand, from the events of the seat's turns."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._seats = seats
        self._dealer = 0
        self._noted = -1
        self._start([0] * seats)
        self._known = False

    def _start(self, lives: Sequence[int]) -> None:
        self.decisions: list[PastDecision] = []
        self._lives = list(lives)
        self._in_hand = sum(1 << seat for seat, left in enumerate(lives) if left)
        self._gone = 0
        self._may_hold = [(1 << self._seats) - 1] * 4
        self._leader = -1
        self._trick: list[tuple[int, int]] = []
        self._tricks = 0
        self._value = 1
        self._knocker: int | None = None
        self._known = True

    def note(self, turn: Turn) -> None:
        """Record the events of a turn, except those recorded before."""
        for event in turn["events"]:
            if event["n"] > self._noted:
                self._noted = event["n"]
                self._note(event)

    def _note(self, event: ToepenNews) -> None:
        type, seat = event["type"], event["seat"]
        if seat is None:
            # Nobody has won the hand.
            return
        if type == "hand":
            self._start(event["lives"])
            self._dealer = seat
        elif not self._known:
            return
        elif type == "play":
            self._note_play(seat, CARD_NUMBER[event["card"]])
        elif type == "knock":
            self._decided("knock", seat)
            self._value, self._knocker = event["value"], seat
        elif type == "stay":
            self._decided("stay", seat)
        elif type == "fold":
            self._in_hand &= ~(1 << seat)
            self._lives[seat] -= event["lives"]
        elif type == "keep":
            self._decided("keep", seat)
        elif type == "trick":
            self._trick = []
            self._tricks += 1
            self._leader = seat
        elif type == "poverty":
            self._value, self._leader = event["value"], seat
        elif type == "out":
            self._in_hand &= ~(1 << seat)
        elif type in ("challenge", "exchange") and event["cards"]:
            self._gone |= mask_of(event["cards"])
            if type == "challenge":
                self._lives[event["loser"]] -= 1

    def _note_play(self, seat: int, card: int) -> None:
        if self._leader < 0:
            self._leader = seat
        self._decided("play", seat, card)
        if self._trick and card >> 3 != self._trick[0][1] >> 3:
            self._may_hold[self._trick[0][1] >> 3] &= ~(1 << seat)
        self._trick.append((seat, card))
        self._gone |= 1 << card

    def _decided(self, kind: str, seat: int, card: int = -1) -> None:
        if seat == self._seat:
            return
        others = self._in_hand & ~(1 << seat)
        spot = Spot(seat, 0, 0, others, tuple(self._may_hold), after=others)
        spot.leads = seat == self._leader if self._leader >= 0 else self._leads_first(seat)
        for player, laid in self._trick:
            spot.after &= ~(1 << player)
            if spot.led < 0:
                spot.led = laid >> 3
            spot.played = spot.played or player == seat
            if self._in_hand >> player & 1 and laid >> 3 == spot.led and laid > spot.best:
                spot.best, spot.best_seat = laid, player
        self.decisions.append(
            PastDecision(
                kind,
                spot,
                self._gone,
                card,
                self._tricks,
                self._knocker,
                self._value,
                tuple(self._lives),
                self._undecided(seat) if kind == "stay" else 0,
            )
        )

    def _undecided(self, seat: int) -> int:
        """Return the mask of the seats that answer a knock, or poverty, after ``seat``."""
        first = self._dealer + 1 if self._knocker is None else self._knocker + 1
        after = 0
        for step in range((seat - first) % self._seats + 1, self._seats):
            after |= 1 << (first + step) % self._seats
        if self._knocker is not None:
            return after & self._in_hand & ~(1 << self._knocker)
        asked = sum(1 << other for other in range(self._seats) if self._lives[other] > 1)  # TP-6.2
        return after & self._in_hand & asked

    def _leads_first(self, seat: int) -> bool:
        players = [player for player in range(self._seats) if self._in_hand >> player & 1]
        return min(players, key=lambda player: (player - self._dealer - 1) % self._seats) == seat


class Reading:
    """Evaluates how well possible hands explain the decisions of the seats in the mask ``in_hand``.

    ``stakes`` returns what is at stake, given the lives and the mask of the seats in the hand.
    """

    def __init__(
        self, history: History, in_hand: int, stakes: Callable[[Sequence[int], int], Stakes]
    ) -> None:
        self._stakes = stakes
        since: dict[int, int] = {}
        self.decisions: list[tuple[PastDecision, int]] = []
        for decision in reversed(history.decisions):
            seat = decision.spot.seat
            if not in_hand >> seat & 1:
                continue
            if decision.kind == "play":
                since[seat] = since.get(seat, 0) | 1 << decision.card
            self.decisions.append((decision, since.get(seat, 0)))

    def likelihood(self, hands: Sequence[int]) -> float:
        """Return the probability of the other seats' decisions if they hold ``hands``."""
        total = 1.0
        for decision, since in self.decisions:
            spot = decision.spot
            hand = spot.hand = hands[spot.seat] | since
            spot.unseen = WHOLE_PACK & ~decision.gone & ~hand
            total *= self._chance(decision, spot)
        return total

    def _chance(self, decision: PastDecision, spot: Spot) -> float:
        players = spot.others | 1 << spot.seat
        if decision.kind == "keep":
            return keep_chance(spot, players.bit_count(), decision.lives[spot.seat])
        stakes = self._stakes(decision.lives, players)
        value = decision.value
        if decision.kind == "stay":
            gain = stay_gain(spot, stakes, value, decision.trick, decision.knocker, decision.undecided)
            return stay_chance(gain)
        if decision.kind == "knock":
            odds = spot.hand_chance() if spot.played else spot.best_card()[1]
            return knock_likelihood(knock_gain(spot, stakes, value, decision.trick, odds), odds)
        # A card played without a knock says nothing: a seat that never knocks would be taken for a weak one.
        return card_chance({card: spot.card_chance(card) for card in spot.playable()}, decision.card)
