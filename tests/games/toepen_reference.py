"""A second, plain implementation of Toepen: one coroutine that yields questions and gets answers.

It knows no events, views or copies and shares no code with ``arena.games.toepen.state``; it exists so that
two readings of the rules can be compared. It yields what everybody may do, ``{seat: actions}``, the
awaited seat (or -1, chance) first, and is sent ``(seat, action)``.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any

Offer = dict[int, list[str]]
Play = Generator[Offer, tuple[int, str], Any]

ORDER = "JQKA789T"


class RubberOver(Exception):
    """Somebody lost its last life in the exchange of a rubber."""


class GameOver(Exception):
    """One player has lives."""


class Reference:
    """A game; ``offer`` is what may be done now, empty when it is over."""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self.rules = rules
        self.n: int = rules["seats"]
        self.lives = [rules["lives"]] * self.n
        self.drinks = [0] * self.n
        self.won = [0] * self.n
        self.out_at: dict[int, int] = {}
        self.hand = 0
        self._game = self.game()
        self.offer: Offer = next(self._game)

    def apply(self, seat: int, action: str) -> None:
        """Do it; the caller sees to it that it was offered."""
        try:
            self.offer = self._game.send((seat, action))
        except StopIteration:
            self.offer = {}

    def places(self) -> tuple[int, ...]:
        """At the end."""
        if self.rules["end"] == "rubber":
            merit = [(-self.drinks[seat], self.won[seat]) for seat in range(self.n)]
        else:
            merit = [(self.out_at.get(seat, self.hand + 1), 0) for seat in range(self.n)]
        return tuple(1 + sum(other > own for other in merit) for own in merit)

    def clockwise(self, after: int) -> list[int]:
        """The seats from the left of ``after`` on, itself last."""
        return [(after + step) % self.n for step in range(1, self.n + 1)]

    def game(self) -> Play:
        """TP-7.1, TP-7.2."""
        _, action = yield {-1: []}
        dealer = int(action.split(":")[1])
        rubber = 1
        while True:
            self.hand += 1
            try:
                dealer = yield from self.one_hand(dealer)
            except RubberOver:
                pass
            except GameOver:
                return
            losers = [seat for seat in range(self.n) if self.lives[seat] == 0]
            if self.rules["end"] == "elimination":
                if len(losers) == self.n - 1:
                    return
            elif losers:
                for seat in losers:
                    self.drinks[seat] += 1
                if rubber == self.rules["rubbers"]:
                    return
                rubber += 1
                self.lives = [self.rules["lives"]] * self.n
                self.out_at = {}

    def lose(self, seat: int, lives: int) -> None:
        """TP-5.7."""
        self.lives[seat] = max(0, self.lives[seat] - lives)
        if self.lives[seat] == 0:
            self.out_at[seat] = self.hand

    def one_hand(self, dealer: int) -> Play:
        """The winner of a hand."""
        _, action = yield {-1: []}
        pack = [action[place : place + 2] for place in range(5, len(action), 2)]
        self.hands = {}
        for seat in range(self.n):
            if self.lives[seat]:
                self.hands[seat] = [pack.pop(0) for _ in range(4)]
        self.inside = list(self.hands)
        self.value = 1
        self.knocker: int | None = None
        yield from self.exchanges(dealer, pack)
        winner = yield from self.played(dealer)
        for seat in self.inside:
            if seat != winner:
                self.lose(seat, self.value)
        self.won[winner] += 1
        return winner

    def exchanges(self, dealer: int, stock: list[str]) -> Play:
        """TP-2.3 to TP-3.2."""
        for seat in self.clockwise(dealer):
            made = 0
            while seat in self.inside:
                may = made < self.rules["max_exchanges"] and len(stock) >= 4
                if not may and not self.rules["whistling"]:
                    break
                _, action = yield {seat: ["exchange"] * may + list(self.keeps(self.hands[seat]))}
                if action != "exchange":
                    break
                made += 1
                yield from self.challenges(seat)
                if seat in self.inside:
                    self.hands[seat] = [stock.pop(0) for _ in range(4)]

    def keeps(self, hand: list[str]) -> Iterator[str]:
        """TP-3.2."""
        ranks = [card[0] for card in hand]
        loud = {3: "keep_whistle", 4: "keep_stand"}
        if not self.rules["whistling"] or ranks.count("T") < 3:
            yield "keep"
        for rank in "TJ":
            if self.rules["whistling"] and ranks.count(rank) in loud:
                yield loud[ranks.count(rank)]

    def challenges(self, seat: int) -> Play:
        """TP-2.4, TP-2.5."""
        for opponent in self.clockwise(seat)[:-1]:
            if opponent not in self.inside:
                continue
            _, action = yield {opponent: ["challenge", "trust"]}
            if action == "trust":
                continue
            bluff = any(card[0] in "T987" for card in self.hands[seat])
            loser = seat if bluff else opponent
            self.lose(loser, 1)
            if not self.lives[loser]:
                self.inside.remove(loser)
                if self.rules["end"] == "rubber":
                    raise RubberOver
                if len(self.inside) == 1:
                    self.won[self.inside[0]] += 1
                    raise GameOver
            return

    def played(self, dealer: int) -> Play:
        """Poverty and four tricks: the winner."""
        order = [seat for seat in self.clockwise(dealer) if seat in self.inside]
        pelt = [seat for seat in order if self.lives[seat] == 1]
        leader = (pelt or order)[0]
        if pelt:
            self.value = 2
            yield from self.answers([seat for seat in order if seat not in pelt])
        for _ in range(4):
            if len(self.inside) == 1:
                break
            leader = yield from self.trick(leader)
        return self.inside[0] if len(self.inside) == 1 else leader

    def answers(self, asked: list[int]) -> Play:
        """TP-5.2, TP-6.1."""
        for seat in asked:
            due = min(self.value - 1, self.lives[seat])
            _, action = yield {seat: [f"stay:{self.value}", f"fold:{due}"]}
            if action.startswith("fold"):
                self.inside.remove(seat)
                self.lose(seat, due)

    def trick(self, leader: int) -> Play:
        """The winner of one trick, with the knocks that come during it (TP-4.3, TP-5.1)."""
        table: dict[int, str] = {}
        while True:
            if len(self.inside) == 1:
                return self.inside[0]
            waiting = [
                seat for seat in self.clockwise(leader - 1) if seat in self.inside and seat not in table
            ]
            if not waiting:
                break
            if not table:
                leader = waiting[0]
            turn = waiting[0]
            hand = sorted(self.hands[turn], key=lambda card: ("CHSD".index(card[1]), ORDER.index(card[0])))
            led = next(iter(table.values()))[1] if table else ""
            cards = [card for card in hand if card[1] == led] or hand
            knocking = [turn] if self.rules["knocking"] == "on_turn" else self.inside
            right = [seat for seat in knocking if seat != self.knocker and self.lives[seat] >= self.value + 1]
            offer = {turn: [f"play:{card}" for card in cards]}
            for seat in right:
                offer[seat] = [*offer.get(seat, []), f"knock:{self.value + 1}"]
            if len(hand) == 1 and not right:
                seat, action = turn, f"play:{hand[0]}"
            else:
                seat, action = yield offer
            if action.startswith("knock"):
                self.value += 1
                self.knocker = seat
                yield from self.answers(
                    [other for other in self.clockwise(seat)[:-1] if other in self.inside]
                )
            else:
                table[turn] = action[5:]
                self.hands[turn].remove(action[5:])
        suit = next(iter(table.values()))[1]
        runners = [seat for seat in table if seat in self.inside and table[seat][1] == suit]
        if not runners:
            return next(seat for seat in self.clockwise(leader) if seat in self.inside)
        return max(runners, key=lambda seat: ORDER.index(table[seat][0]))
