"""The part of a narration that all games share: sentences whose reader can be one of the players."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from arena.games.kernel import Event

_VERB: Final = re.compile(r"\w+")
_IRREGULAR: Final = {"is": "are", "has": "have", "does": "do", "passes": "pass"}


class Teller(ABC):
    """Narrates one game, as one viewer sees it or with everything revealed.

    ``names`` are the names of the seats. ``you`` is the seat of the reader, whose name is ``You``, or None.
    """

    def __init__(self, names: Sequence[str], you: int | None = None) -> None:
        self.names = list(names)
        self.you = you

    @abstractmethod
    def seen_lines(self, seen: Any) -> list[str]:
        """Return the lines for an event, given as the viewer sees it; see
        :class:`arena.games.descriptor.Narrator`.
        """

    @staticmethod
    @abstractmethod
    def view(event: Event, seat: int | None, /) -> dict[str, object] | None:
        """Return what a seat sees of an event (``GameRules.view_event``)."""

    def line(self, event: Event) -> list[str]:
        """Return the lines for a full event. They reveal all cards."""
        return self.seen_lines(open_view(self.view, event, len(self.names)))

    # Words

    def whom(self, seat: int) -> str:
        """Return the name of a seat for use within a sentence."""
        return "you" if seat == self.you else self.names[seat]

    def does(self, seat: int, words: str) -> str:
        """Return a sentence about a seat. ``words`` begin with a verb in the third person singular."""
        return f"{self.names[seat]} {_second(words) if seat == self.you else words}"

    def they(self, seats: Sequence[int], words: str, *, within: bool = False) -> str:
        """Return a sentence about one or more seats, or a part of one, to stand ``within`` another."""
        several = len(seats) > 1 or seats[0] == self.you
        return f"{self.listed(seats, within=within)} {_second(words) if several else words}"

    def listed(self, seats: Iterable[int], *, within: bool = True) -> str:
        """Return the names of seats as a list: ``Ana, Bia and Caio``. The reader comes first."""
        ordered = sorted(seats, key=lambda seat: (seat != self.you, seat))
        names = [self.whom(seat) if within else self.names[seat] for seat in ordered]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def open_view(
    view: Callable[[Event, int | None], dict[str, object] | None], event: Event, seats: int
) -> dict[str, object]:
    """Return ``event`` with everything that any seat sees in it. Use this for finished games only."""
    seen = dict(view(event, None) or {})
    for seat in range(seats):
        for name, value in (view(event, seat) or {}).items():
            if seen.get(name) is None:
                seen[name] = value
    return seen


def _second(words: str) -> str:
    """Return words that begin with a verb in the third person singular, in the second person."""
    return _VERB.sub(lambda verb: _IRREGULAR.get(verb[0], verb[0].removesuffix("s")), words, count=1)
