"""The result of a game in plain words, based only on its public facts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from arena.games.pictures import Picture
from arena.games.texts import PLACES
from arena.play.faults import FAULT_LIMIT
from arena.play.outcomes import StoredOutcome

_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_YOU: Final = "You"


class ToldResult(NamedTuple):
    """The description of a game's end: a short headline, and a sentence with further details, which can be
    empty.
    """

    headline: str
    detail: str = ""


def told_result(
    form: Picture,
    teams: Sequence[Sequence[int]],
    outcome: StoredOutcome,
    *,
    you: int | None = None,
    resigned: Collection[int] = (),
) -> ToldResult:
    """Return the result of a finished game in words, for the player at seat ``you``, or for a spectator if
    ``you`` is None. ``form`` is the game's picture, including the names of the seats. ``outcome`` has the
    same form as in a record. ``resigned`` are the seats that resigned.
    """
    return _Teller(form, teams, outcome, you).result(resigned)


def told_stop(state: str, reason: str | None) -> ToldResult:
    """Return the description of a game that ended without a result: ``state`` ``void`` or ``cancelled``."""
    why = "" if reason is None or reason == state else f"{reason[:1].upper()}{reason[1:].rstrip('.')}."
    if state == "cancelled":
        return ToldResult("The game was cancelled", why)
    if reason is None or reason.isidentifier():
        # A code for a fault of the service.
        return ToldResult("The game was stopped", "The service could not continue it, so nobody won.")
    return ToldResult("The game was stopped", f"{why} Nobody won.")


class _Teller:
    def __init__(
        self, form: Picture, teams: Sequence[Sequence[int]], outcome: StoredOutcome, you: int | None
    ) -> None:
        self._form = form
        self._teams = teams
        self._places: Sequence[int] = outcome["places"]
        self._scores: Sequence[int] = outcome["scores"]
        self._forfeits: Collection[int] = outcome["forfeits"]
        self._you = you
        self._first = [team for team in teams if self._place(team) == 1]
        self._own = next((team for team in teams if you in team), None)

    def result(self, resigned: Collection[int]) -> ToldResult:
        headline, detail = self._main()
        left = self._names(resigned)
        if left:
            cards = "your cards" if left == [_YOU] else "their cards"
            detail = f"{detail} {_listed(left)} left, and the table played {cards} to the end.".strip()
        return ToldResult(headline, detail)

    def _main(self) -> tuple[str, str]:
        if len(self._first) == len(self._teams):
            return ("Nobody won", self._why()) if self._forfeits else (self._draw(), "")
        if self._own is None:
            return self._won(self._first[0]) if len(self._first) == 1 else (self._shared(), "")
        if self._place(self._own) == 1:
            return self._won(self._own) if len(self._first) == 1 else (self._shared(), "")
        return self._lost(self._own)

    def _won(self, team: Sequence[int]) -> tuple[str, str]:
        others = [other for other in self._teams if other is not team]
        if all(self._has_forfeited(other) for other in others):
            return f"{self._side(team)} won", self._why()
        return f"{self._side(team)} won {self._score(team)}".strip(), self._why()

    def _lost(self, team: Sequence[int]) -> tuple[str, str]:
        why = self._why()
        if len(self._teams) == 2:
            if self._has_forfeited(team):
                return f"{self._side(team)} lost", why
            if self._form.target is not None:
                return f"{self._side(team)} lost {self._score(team)}", why
            return f"{self._side(team)} lost", f"{self._winners()}. {why}".strip()
        level = [
            other for other in self._teams if other is not team and self._place(other) == self._place(team)
        ]
        beside = f", level with {_listed([self._side(other) for other in level])}" if level else ""
        place, count = PLACES[self._place(team)], _NUMBERS[len(self._teams)]
        return f"You came {place} of {count}{beside}", f"{self._winners()}. {why}".strip()

    def _winners(self) -> str:
        if len(self._first) == 1:
            return self._won(self._first[0])[0]
        return self._shared()

    def _draw(self) -> str:
        if self._form.target is not None:
            return f"A draw, {self._score(self._own or self._teams[0])}"
        return "A draw"

    def _shared(self) -> str:
        first = sorted(self._first, key=lambda team: team is not self._own)
        return f"{_listed([self._side(team) for team in first])} share first place"

    def _why(self) -> str:
        """Return a sentence about the players who were placed last because of faults, or an empty string."""
        names = self._names(self._forfeits)
        if not names:
            return ""
        if names == [_YOU]:
            return f"You forfeited: your time ran out {_NUMBERS[FAULT_LIMIT]} times."
        return f"{_listed(names)} forfeited after {_NUMBERS[FAULT_LIMIT]} faults."

    def _names(self, seats: Collection[int]) -> list[str]:
        ordered = sorted(seats, key=lambda seat: (seat != self._you, seat))
        return [_YOU if seat == self._you else self._form.names[seat] for seat in ordered]

    def _side(self, team: Sequence[int]) -> str:
        return _listed(self._names(team))

    def _score(self, team: Sequence[int]) -> str:
        return self._form.told_score(self._scores, team[0])

    def _place(self, team: Sequence[int]) -> int:
        return self._places[team[0]]

    def _has_forfeited(self, team: Sequence[int]) -> bool:
        return any(seat in self._forfeits for seat in team)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
