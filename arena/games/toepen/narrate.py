"""The narrator of Toepen."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.cards import pretty, split_cards
from arena.games.kernel import Event
from arena.games.options import Rules
from arena.games.toepen.cards import rules_from
from arena.games.toepen.titles import KING_RUN


class ToepenTeller:
    """Narrates one game of Toepen."""

    def __init__(self, names: Sequence[str], rules: Rules) -> None:
        self.names = list(names)
        self.rules = rules_from(rules)
        self.stock = 0
        self.exchanges: list[int] = []
        self.lost: list[int] = []
        """The number of lives lost so far in this hand, as narrated."""
        self.last_winner = -1
        self.run = 0
        """The number of consecutive hands won by the last winner."""

    def line(self, event: Event) -> list[str]:
        """See :class:`arena.games.descriptor.Narrator`."""
        kind, seat = event[0], event[1]
        who = self.names[seat] if seat >= 0 else ""
        if kind == "hand":
            return self._hand(event)
        if kind == "dealt":
            self.stock -= 4
            return [f"{who} gets {_cards(event[2])}."]
        if kind in ("exchange", "trust", "challenge", "new_cards", "keep"):
            return self._exchange(event, who)
        if kind == "result":
            return self._result(event, who)
        if kind == "over":
            return self._over(event[2])
        return self._play(event, who)

    def _hand(self, event: Event) -> list[str]:
        _, dealer, number, rubber, _, lives = event
        self.stock = 32
        self.exchanges = [0] * len(self.names)
        self.lost = [0] * len(self.names)
        where = f" of rubber {rubber}" if self.rules.rubber else ""
        standing = ", ".join(f"{name} {left}" for name, left in zip(self.names, lives, strict=True) if left)
        return ["", f"Hand {number}{where}, dealt by {self.names[dealer]}. Lives: {standing}."]

    def _exchange(self, event: Event, who: str) -> list[str]:
        kind, seat = event[0], event[1]
        if kind == "exchange":
            self.exchanges[seat] += 1
            return [f"{who} lays {_cards(event[2])} away, face down, for four new cards."]
        if kind == "trust":
            return [f"{who} trusts {self.names[event[2]]}."]
        if kind == "new_cards":
            self.stock -= 4
            return [f"{who} gets {_cards(event[2])}."]
        if kind == "keep":
            return self._keep(event, who)
        exchanger, cards, loser = self.names[event[2]], _cards(event[3]), event[4]
        self.lost[loser] += 1
        if loser == event[2]:
            return [f"{who} challenges: {cards}, a bluff! {exchanger} loses a life."]
        return [f"{who} challenges: {cards}, dirty laundry indeed. {who} loses a life."]

    def _keep(self, event: Event, who: str) -> list[str]:
        _, seat, announcement = event
        if announcement == "whistle":
            return [f"{who} keeps the hand and whistles."]
        if announcement == "stand":
            return [f"{who} keeps the hand and stands up."]
        could_exchange = self.stock >= 4 and self.exchanges[seat] < self.rules.max_exchanges
        return [f"{who} keeps the hand."] if could_exchange or self.rules.whistling else []

    def _play(self, event: Event, who: str) -> list[str]:
        kind, seat = event[0], event[1]
        if kind == "dealer":
            return [f"The lot makes {who} the first dealer."]
        if kind == "poverty":
            poor = [self.names[pelt] for pelt in event[2]]
            have = "has" if len(poor) == 1 else "have"
            return [
                f"Poverty: {_list(poor)} {have} one life left. {who} leads, and the hand is worth {event[3]}."
            ]
        if kind == "play":
            return [f"{who} plays {pretty(event[2])}."]
        if kind == "knock":
            return [f"{who} knocks! The hand is worth {event[2]}."]
        if kind == "stay":
            return [f"{who} stays for {event[2]}."]
        if kind == "fold":
            self.lost[seat] += event[2]
            return [f"{who} folds and loses {_lives(event[2])}."]
        if kind == "trick":
            return [f"{who} takes trick {event[2]}."]
        if kind == "out":
            return [f"{who} is out."]
        if kind == "drinks":
            so_far = "" if event[3] == 1 else f" ({event[3]} rounds so far)"
            return [f"{who} buys the drinks{so_far}."]
        raise ValueError(f"not a Toepen event: {event!r}")

    def _result(self, event: Event, who: str) -> list[str]:
        _, winner, _, lost, _ = event
        self.run = self.run + 1 if winner == self.last_winner else 1
        self.last_winner = winner
        if winner < 0:
            return ["Nobody wins the hand."]
        by_loss: dict[int, list[str]] = {}
        for name, in_all, before in zip(self.names, lost, self.lost, strict=True):
            if in_all > before:
                by_loss.setdefault(in_all - before, []).append(name)
        losses = [
            f"{_list(names)} {'loses' if len(names) == 1 else 'lose'} {_lives(loss)}"
            for loss, names in sorted(by_loss.items(), reverse=True)
        ]
        lines = ["; ".join([f"{who} wins the hand", *losses]) + "."]
        if self.run == KING_RUN:
            lines.append(f"{_count(KING_RUN, 'hand')} in a row: {who} is toepkoning!")
        return lines

    def _over(self, places: Sequence[int]) -> list[str]:
        lines = []
        for place in sorted(set(places)):
            there = [name for name, own in zip(self.names, places, strict=True) if own == place]
            lines.append(f"{place}. {_list(there)}")
        return ["", "The game is over.", *lines]


def _cards(text: str) -> str:
    return " ".join(pretty(card) for card in split_cards(text))


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _lives(number: int) -> str:
    return "1 life" if number == 1 else f"{number} lives"
