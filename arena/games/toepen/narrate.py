"""The narrator of Toepen."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.cards import pretty
from arena.games.narration import Teller
from arena.games.options import Rules
from arena.games.texts import PLACES, counted
from arena.games.toepen.cards import rules_from
from arena.games.toepen.seen import ToepenNews
from arena.games.toepen.titles import KING_RUN
from arena.games.toepen.view import view


class ToepenTeller(Teller):
    """Narrates one game of Toepen."""

    view = staticmethod(view)

    def __init__(self, names: Sequence[str], rules: Rules, you: int | None = None) -> None:
        super().__init__(names, you)
        self.rules = rules_from(rules)
        self.stock = 0
        self.exchanges: list[int] = []
        self.lost: list[int] = []
        """The number of lives lost so far in this hand, as narrated."""
        self.lives: Sequence[int] = ()
        """The lives of the seats, as narrated last."""
        self.last_winner: int | None = None
        self.run = 0
        """The number of consecutive hands won by the last winner."""

    def seen_lines(self, seen: ToepenNews) -> list[str]:
        """See :class:`arena.games.descriptor.Narrator`."""
        kind, seat = seen["type"], seen["seat"]
        if kind == "result":
            return self._result(seen, seat)
        assert seat is not None
        if kind == "hand":
            return self._hand(seen, seat)
        if kind in ("dealt", "new_cards"):
            self.stock -= 4
            cards = seen["cards"]
            return [self.does(seat, f"gets {_cards(cards)}.")] if cards else []
        if kind in ("exchange", "trust", "challenge", "keep"):
            return self._exchange(kind, seat, seen)
        if kind == "over":
            return self._over(seen["places"])
        return self._play(kind, seat, seen)

    def _hand(self, seen: ToepenNews, dealer: int) -> list[str]:
        self.stock = 32
        self.exchanges = [0] * len(self.names)
        self.lost = [0] * len(self.names)
        where = f" of rubber {seen['rubber']}" if self.rules.rubber else ""
        standing = self._standing(seen["lives"])
        return ["", f"Hand {seen['hand']}{where}, dealt by {self.whom(dealer)}.{standing}"]

    def _standing(self, lives: Sequence[int]) -> str:
        """Return a sentence about the lives of the seats, that of the reader first, unless they have been
        narrated already.
        """
        if tuple(lives) == self.lives:
            return ""
        self.lives = tuple(lives)
        seats = sorted((seat for seat, left in enumerate(lives) if left), key=lambda seat: seat != self.you)
        return (
            " Lives: "
            + ", ".join(self.they([seat], f"has {lives[seat]}", within=True) for seat in seats)
            + "."
        )

    def _exchange(self, kind: str, seat: int, seen: ToepenNews) -> list[str]:
        if kind == "keep":
            return self._keep(seat, seen["announcement"])
        cards = seen.get("cards")
        if kind == "exchange":
            self.exchanges[seat] += 1
            what = f"{_cards(cards) if cards else 'four cards'} away, face down, for four new cards"
            return [self.does(seat, f"lays {what}.")]
        exchanger = seen["exchanger"]
        if kind == "trust":
            return [self.does(seat, f"trusts {self.whom(exchanger)}.")]
        loser = seen["loser"]
        self.lost[loser] += 1
        what = "a bluff!" if loser == exchanger else "dirty laundry indeed."
        challenges = self.does(seat, f"challenges: {_cards(cards or ())}, {what}")
        return [f"{challenges} {self.does(loser, 'loses a life.')}"]

    def _keep(self, seat: int, announcement: str) -> list[str]:
        keeps = self.does(seat, "keeps the hand")
        if announcement == "whistle":
            return [f"{keeps} and {'whistle' if seat == self.you else 'whistles'}."]
        if announcement == "stand":
            return [f"{keeps} and {'stand' if seat == self.you else 'stands'} up."]
        could_exchange = self.stock >= 4 and self.exchanges[seat] < self.rules.max_exchanges
        return [f"{keeps}."] if could_exchange or self.rules.whistling else []

    def _play(self, kind: str, seat: int, seen: ToepenNews) -> list[str]:
        if kind == "dealer":
            return [f"The lot makes {self.whom(seat)} the first dealer."]
        if kind == "poverty":
            poor = self.they(seen["pelt"], "has one life left", within=True)
            leads = self.does(seat, "leads")
            return [f"Poverty: {poor}. {leads}, and the hand is worth {seen['value']}."]
        if kind == "play":
            return [self.does(seat, f"plays {pretty(seen['card'])}.")]
        if kind == "knock":
            return [self.does(seat, f"knocks! The hand is worth {seen['value']}.")]
        if kind == "stay":
            return [self.does(seat, f"stays for {seen['value']}.")]
        if kind == "fold":
            self.lost[seat] += seen["lives"]
            loses = "lose" if seat == self.you else "loses"
            return [f"{self.does(seat, 'folds')} and {loses} {_lives(seen['lives'])}."]
        if kind == "trick":
            return [self.does(seat, f"takes trick {seen['trick']}.")]
        if kind == "out":
            return [self.does(seat, "is out.")]
        if kind == "drinks":
            rounds = seen["drinks"]
            so_far = "" if rounds == 1 else f" ({rounds} rounds so far)"
            return [self.does(seat, f"buys the drinks{so_far}.")]
        raise ValueError(f"not a Toepen event: {seen!r}")

    def _result(self, seen: ToepenNews, winner: int | None) -> list[str]:
        self.run = self.run + 1 if winner == self.last_winner else 1
        self.last_winner = winner
        if winner is None:
            return [f"Nobody wins the hand.{self._standing(seen['lives'])}"]
        by_loss: dict[int, list[int]] = {}
        for seat, (in_all, before) in enumerate(zip(seen["lost"], self.lost, strict=True)):
            if in_all > before:
                by_loss.setdefault(in_all - before, []).append(seat)
        losses = [
            self.they(seats, f"loses {_lives(loss)}", within=True)
            for loss, seats in sorted(by_loss.items(), reverse=True)
        ]
        sentence = "; ".join([self.does(winner, "wins the hand"), *losses])
        lines = [f"{sentence}.{self._standing(seen['lives'])}"]
        if self.run == KING_RUN:
            king = self.they([winner], "is toepkoning!", within=True)
            lines.append(f"{counted(KING_RUN, 'hand')} in a row: {king}")
        return lines

    def _over(self, places: Sequence[int]) -> list[str]:
        there: dict[int, list[int]] = {}
        for seat, place in enumerate(places):
            there.setdefault(place, []).append(seat)
        winners = there.pop(1)
        first = self.they(winners, "wins the game" if len(winners) == 1 else "shares first place")
        others = [
            self.they(seats, f"comes {PLACES[place]}", within=True) for place, seats in sorted(there.items())
        ]
        return ["", "; ".join([first, *others]) + "."]


def _cards(cards: Sequence[str]) -> str:
    return " ".join(pretty(card) for card in cards)


def _lives(number: int) -> str:
    return counted(number, "life", "lives")
