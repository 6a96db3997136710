"""A game in which one seat acts at a time, even if several seats have rights.

Both environments play this variant. After every event, if no answer is pending, every seat with a right is
asked in turn, starting after the seat to play, and each can :data:`DECLINE`. The seat to play comes last, and
has its right with its turn. This is also the order in which bots in one process are offered their rights
(:func:`arena.play.match.play`). Who is asked follows from public information.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.errors import IllegalAction
from arena.games import game_of
from arena.games.descriptor import Game
from arena.games.features import DECLINE
from arena.games.kernel import Event, State, Turn
from arena.games.options import Rules, RuleValue
from arena.play.judge import rights_in_order
from arena.play.outcomes import points
from arena.play.table import turn_id

_DECLINE: Final = (DECLINE,)


def rules_named(game: Game, preset: str | None, options: Rules) -> dict[str, RuleValue]:
    """Return the complete rules of a preset, overridden by ``options``. None means the game's first preset.

    Raises :class:`~arena.errors.UnknownPreset` or :class:`~arena.errors.InvalidOption`.
    """
    return game.options.complete({**game.preset(preset).rules, **options})


def returns_of(places: Sequence[int], teams: Sequence[Sequence[int]]) -> list[float]:
    """Return the value of the places for each seat, from -1 to 1: the share of the other teams that its team
    beat, minus the share that beat its team. The values sum to zero if all teams have the same size.
    """
    return [2 * worth - 1 for worth in points(places, teams)]


class SerialPlay:
    """One game. ``events`` is the number of events so far, excluding those of :data:`DECLINE`."""

    def __init__(self, kind: str, rules: Rules, state: State | None = None) -> None:
        self.game = game_of(kind)
        self.rules = dict(rules)
        self.state = self.game.new_state(self.rules) if state is None else state
        self.seats = self.game.seats(self.rules)
        self.events = 0
        self._asked: list[int] = []
        """The seats with a right that are still to be asked."""
        self._turns = [1] * self.seats
        self._news: list[list[dict[str, object]]] = [[] for _ in range(self.seats)]
        """What each seat has seen since its last action."""

    @property
    def to_act(self) -> int | None:
        """The seat to act, or ``CHANCE``, or None when the game is over."""
        if self._asked:
            return self._asked[0]
        awaiting = self.state.awaiting()
        return awaiting[0] if awaiting else None

    @property
    def is_right(self) -> bool:
        """Whether the seat to act can decline."""
        return bool(self._asked)

    def legal_actions(self) -> tuple[str, ...]:
        """Return the legal actions of the seat to act. There are none for ``CHANCE`` and when the game is
        over.
        """
        seat = self.to_act
        if seat is None:
            return ()
        legal = tuple(self.state.legal_actions(seat))
        return legal + _DECLINE if self._asked else legal

    def apply(self, action: str) -> list[Event]:
        """Apply ``action`` for the seat to act, and return the resulting events. There are none if it
        declines.

        If this raises :class:`~arena.errors.IllegalAction`, nothing has changed.
        """
        seat = self.to_act
        if seat is None:
            raise IllegalAction("the game is over", field="action", expected="nothing")
        if self._asked and action == DECLINE:
            self._asked.pop(0)
            return []
        happened = self.state.apply(seat, action)
        if seat >= 0:
            self._turns[seat] += 1
            self._news[seat] = []
        for event in happened:
            self._tell(event)
        self._asked = []
        if self.state.awaiting() and self.state.chance() is None:
            self._asked = list(rights_in_order(self.state, self.seats, self.state.legal_actions))
        return happened

    def _tell(self, event: Event) -> None:
        for seat in range(self.seats):
            view = self.game.view_event(event, seat)
            if view is not None:
                self._show(seat, view)
        self.events += 1

    def _show(self, seat: int, view: Mapping[str, object]) -> None:
        self._news[seat].append({"n": self.events, **view})

    def turn(self) -> Turn:
        """Return the turn of the seat to act, as a bot receives it (see docs/turns.md). A right is an
        optional turn, whose legal actions do not include declining.
        """
        seat = self.to_act
        assert seat is not None
        assert seat >= 0
        return {
            "turn": turn_id("local", seat, self._turns[seat]),
            "game": "local",
            "kind": self.game.kind,
            "rules": dict(self.rules),
            "seat": seat,
            "optional": self.is_right,
            "legal_actions": list(self.state.legal_actions(seat)),
            "default_action": None if self.is_right else self.state.default_action(seat),
            "deadline_ms": None,
            "bank_ms": None,
            "observation": self.state.observation(seat),
            "events": list(self._news[seat]),
        }

    def clone(self) -> SerialPlay:
        """Return an independent copy."""
        other = type(self)(self.game.kind, self.rules, self.state.clone())
        self._copy_to(other)
        return other

    def _copy_to(self, other: SerialPlay) -> None:
        other.events = self.events
        other._asked = self._asked[:]
        other._turns = self._turns[:]
        other._news = [news[:] for news in self._news]

    def __deepcopy__(self, memo: Mapping[int, object]) -> SerialPlay:
        return self.clone()

    def __getstate__(self) -> dict[str, object]:
        return {
            **vars(self),
            "game": self.game.kind,
            "state": self.state.serialise(),
        }

    def __setstate__(self, values: Mapping[str, Any]) -> None:
        vars(self).update(values)
        self.game = game_of(values["game"])
        self.state = self.game.deserialise(values["state"])
