"""Hand-stated games of Toepen: deals as people write them, actions as ``"2 play:TS"``."""

from __future__ import annotations

from typing import Any

from arena.games.kernel import CHANCE, Event, Outcome
from arena.games.toepen.cards import PACK
from arena.games.toepen.state import TOEPEN, ToepenState


class Table:
    """A game whose deals and actions a test states."""

    def __init__(self, dealer: int, **options: Any) -> None:
        self.options = options
        self.rules = TOEPEN.options.complete(options)
        self.state: ToepenState = TOEPEN.new_state(self.rules)
        self.events: list[Event] = []
        """What the last ``do`` or ``deal`` brought about."""
        self.history: list[Event] = []
        self.log: list[tuple[int, str]] = []
        self._act(CHANCE, f"dealer:{dealer}")

    def deal(self, *hands: str, stock: str = "") -> Table:
        """Deal the hands, one per seat still in the game in ascending order, then the stock's top cards."""
        stated = " ".join((*hands, stock)).split()
        rest = [card for card in PACK if card not in stated]
        self.events = []
        self._act(CHANCE, "deal:" + "".join(stated + rest))
        return self

    def do(self, *moves: str) -> Table:
        """Each move is ``"<seat> <action>"``."""
        self.events = []
        for move in moves:
            seat, action = move.split()
            self._act(int(seat), action)
        return self

    def keep(self) -> Table:
        """Every seat that is asked to exchange keeps."""
        self.events = []
        while self.phase == "exchange":
            self._act(self.asked, "keep")
        return self

    def play(self, *cards: str) -> Table:
        """The seats to act play these cards in turn."""
        self.events = []
        for card in cards:
            self._act(self.asked, f"play:{card}")
        return self

    def _act(self, seat: int, action: str) -> None:
        events = self.state.apply(seat, action)
        self.events += events
        self.history += events
        self.log.append((seat, action))

    def copy(self) -> Table:
        """Another game that begins with what happened here."""
        other = Table(int(self.log[0][1].removeprefix("dealer:")), **self.rules)
        for seat, action in self.log[1:]:
            other._act(seat, action)
        return other

    def legal(self, seat: int) -> list[str]:
        """What the seat may do."""
        return list(self.state.legal_actions(seat))

    def knocks(self) -> list[int]:
        """The seats that may knock."""
        return [s for s in range(self.rules["seats"]) if any("knock" in a for a in self.legal(s))]

    def seen(self, seat: int | None = None) -> dict[str, Any]:
        """The seat's observation; by default the spectator's."""
        return self.state.observation(seat)

    def views(self, seat: int | None) -> list[dict[str, Any]]:
        """How ``seat`` saw the last events."""
        return [view for event in self.events if (view := TOEPEN.view_event(event, seat)) is not None]

    def of_type(self, *types: str) -> list[Event]:
        """The last events of these types."""
        return [event for event in self.events if event[0] in types]

    @property
    def phase(self) -> str:
        """What the game waits for."""
        phase: str = self.seen()["phase"]
        return phase

    @property
    def asked(self) -> int:
        """The one seat that is awaited."""
        (seat,) = self.state.awaiting()
        return seat

    @property
    def lives(self) -> list[int]:
        """Per seat."""
        return list(self.state.lives)

    @property
    def outcome(self) -> Outcome | None:
        """Of the game."""
        return self.state.outcome()


FOUR = ("TS 9H 8D 7C", "9S TH 8C 7D", "8S 8H TC 9D", "7S 7H 9C TD")
"""Four hands with one card of each suit: everybody can always follow the first lead."""


def playing(*hands: str, dealer: int = 3, **options: Any) -> Table:
    """A table at the first lead of a hand without exchanges; dealer 3 by default."""
    options.setdefault("max_exchanges", 0)
    options.setdefault("seats", len(hands))
    return Table(dealer, **options).deal(*hands)


def exchanging(*hands: str, dealer: int = 3, stock: str = "", **options: Any) -> Table:
    """A table whose hands are dealt and where the first seat is asked to exchange or keep."""
    options.setdefault("seats", len(hands))
    return Table(dealer, **options).deal(*hands, stock=stock)
