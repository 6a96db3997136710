"""One game among seats: its turns, its faults and its log, whatever carries the answers.

A :class:`Table` is what the local runner and the live service share. It is a pure function of
what it is told: it asks no clock and draws nothing that does not follow from its seed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Final, NamedTuple

from arena.dealing import Dealer
from arena.errors import ArenaError, IllegalAction
from arena.games import game_of
from arena.games.kernel import CHANCE, Event
from arena.outcomes import FinalOutcome, final_outcome

FAULT_TYPES: Final = ("late", "illegal", "malformed", "unreachable", "crashed")
FAULT_LIMIT: Final = 3
"""That many faults in a game and the seat is played by the table to the end."""

KEPT_EVENTS: Final = 500
"""How many of the newest events a table keeps at the most once it drops any."""

REMEMBERED_ANSWERS: Final = 8
"""How many answered turns per seat are remembered for repeated answers."""


class StaleTurn(ArenaError):
    """An answer to a question that is gone. ``extra['reason']``: ``clock`` if the table answered
    for the seat, else ``superseded``.
    """

    code: ClassVar[str] = "stale_turn"


class TurnAlreadyAnswered(ArenaError):
    """A second answer to one turn that differs from the first."""

    code: ClassVar[str] = "turn_already_answered"


class UnknownTurn(ArenaError):
    """A turn id that was never given out at this table to this seat."""

    code: ClassVar[str] = "unknown_turn"


@dataclass(frozen=True)
class Fault:
    """One fault: whose, what (``FAULT_TYPES``), after how many logged actions, and a short why."""

    seat: int
    type: str
    after: int
    detail: str = ""


class Answered(NamedTuple):
    """An answered turn: its number, the action, who chose it (None: the player, else a mark as in
    the log) and the number of logged actions after it.
    """

    number: int
    action: str
    mark: str | None
    after: int


@dataclass(slots=True)
class _Seat:
    turn: int = 0
    legal: tuple[str, ...] = ()
    seen: int = 0
    """The number of the first event of this seat's last action: what it has not been told yet."""
    answered: list[Answered] = field(default_factory=list)


def turn_id(game_id: str, seat: int, number: int) -> str:
    """The id of a seat's turn. It counts what that seat alone did and could do, so it tells
    nothing of other hands.
    """
    return f"{game_id}.{seat}.{number}"


def parse_turn_id(text: str) -> tuple[str, int, int]:
    """``(game id, seat, number)``. Raises :class:`UnknownTurn` if it is no turn id."""
    parts = _TURN_ID(text)
    if parts is None:
        raise UnknownTurn(f"{text[:80]!r} is not a turn id", field="turn", expected="<game>.<seat>.<number>")
    return parts[1], int(parts[2]), int(parts[3])


_TURN_ID: Final = re.compile(r"(.+)\.([0-9]{1,9})\.([0-9]{1,9})\Z", re.DOTALL).match


class Table:
    """One game in progress.

    ``actions`` holds ``(seat, action, mark)`` as logged since this object was made (``mark``: None
    for the player's own choice, else ``clock``, ``crashed``, ``resigned`` or ``forfeit``), and
    ``logged`` counts all since the start. ``events`` holds the newest events, those from number
    ``first_event`` on: all since some seat last acted.
    """

    def __init__(
        self,
        game_id: str,
        kind: str,
        rules: Mapping[str, Any],
        seed: bytes,
        nonces: Sequence[str] = (),
        *,
        state: bytes | None = None,
    ) -> None:
        self.game_id = game_id
        self.game = game_of(kind)
        self.rules = self.game.options.complete(rules)
        self.seed = seed
        self.size = self.game.seats(self.rules)
        self.nonces = list(nonces) or [""] * self.size
        self.teams = self.game.teams(self.rules)
        self.state = self.game.new_state(self.rules) if state is None else self.game.deserialise(state)
        self.actions: list[tuple[int, str, str | None]] = []
        self.logged = 0
        self.events: list[Event] = []
        self.first_event = 0
        self.faults: list[Fault] = []
        self.resigned: list[tuple[int, int]] = []
        self._seats = [_Seat() for _ in range(self.size)]
        self._marks: dict[int, str] = {}
        self._dealer = Dealer(seed, self.nonces)

    def start(self) -> None:
        """Draw the first dealer and deal the first hand."""
        self._settle()

    # What is asked

    def is_over(self) -> bool:
        """Whether the game has its outcome."""
        return not self.state.awaiting()

    def awaited(self) -> tuple[int, ...]:
        """The seats that must act; empty when the game is over."""
        return self.state.awaiting()

    def asked(self) -> list[int]:
        """The seats that have a turn now: those that must act, and those that only may."""
        return [seat for seat, own in enumerate(self._seats) if own.legal]

    def turn_number(self, seat: int) -> int:
        """The number of the seat's present turn (the last part of its id)."""
        return self._seats[seat].turn

    def legal_actions(self, seat: int) -> tuple[str, ...]:
        """What the seat may do now; empty for a seat that the table plays."""
        return self._seats[seat].legal

    def turn(
        self, seat: int, deadline_ms: int | None = None, bank_ms: int | None = None
    ) -> dict[str, Any] | None:
        """The turn of ``seat`` as its bot gets it, or None if it has nothing to decide.

        ``events`` are what the seat has seen since its last turn, from its own last action on, each
        with its number ``n`` in the game; times are milliseconds, null where no clock runs.
        """
        own = self._seats[seat]
        if not own.legal:
            return None
        return {
            "turn": turn_id(self.game_id, seat, own.turn),
            "game": self.game_id,
            "kind": self.game.kind,
            "rules": self.rules,
            "seat": seat,
            "optional": seat not in self.state.awaiting(),
            "legal_actions": list(own.legal),
            "deadline_ms": deadline_ms,
            "bank_ms": bank_ms,
            "observation": self.state.observation(seat),
            "events": self.views(seat, own.seen),
        }

    def views(self, seat: int | None, start: int = 0) -> list[dict[str, Any]]:
        """What ``seat`` (None: a spectator) saw from event ``start`` on, as far back as kept."""
        views = []
        view_event = self.game.view_event
        number = max(start, self.first_event)
        for event in self.events[number - self.first_event :]:
            view = view_event(event, seat)
            if view is not None:
                views.append({"n": number, **view})
            number += 1
        return views

    def positions(self) -> list[tuple[int, tuple[str, ...]]]:
        """The number of every seat's present turn, and what it may do (nothing: no turn)."""
        return [(own.turn, own.legal) for own in self._seats]

    def answered_after(self, seat: int, after: int) -> int | None:
        """The number of the turn of ``seat`` that logged action ``after`` answered; None if forgotten."""
        if seat == CHANCE:
            return None
        for answer in reversed(self._seats[seat].answered):
            if answer.after == after:
                return answer.number
        return None

    def first_unseen(self, seat: int) -> int:
        """The number of the first event after the last action of ``seat``."""
        return self._seats[seat].seen

    # What is done

    def submit(self, seat: int, number: int, action: str) -> Answered:
        """Take the answer to turn ``number`` of ``seat``; the same answer again changes nothing.

        Raises :class:`StaleTurn`, :class:`TurnAlreadyAnswered`, :class:`UnknownTurn` or
        :class:`~arena.errors.IllegalAction`; only the last is the seat's fault (see :meth:`fault`).
        """
        own = self._seats[seat]
        if number != own.turn or not own.legal:
            return self._repeated(own, number, action)
        if action not in own.legal:
            raise self.state.illegal(seat, action)
        self._apply(seat, action, None)
        self._settle()
        return own.answered[-1]

    def fault(self, seat: int, type: str, detail: str = "") -> bool:
        """Note a fault of ``seat``; at ``FAULT_LIMIT`` the table plays on for it. Returns whether it does."""
        self.faults.append(Fault(seat, type, self.logged, detail[:200]))
        if seat not in self._marks and sum(f.seat == seat for f in self.faults) >= FAULT_LIMIT:
            self._take_over(seat, "forfeit")
        return seat in self._marks

    def act_for(self, seat: int, mark: str) -> None:
        """Do the default action of an awaited seat that did not: ``mark`` is ``clock`` or ``crashed``."""
        self._apply(seat, self.state.default_action(seat), mark)
        self._settle()

    def resign(self, seat: int) -> None:
        """The seat gives up: it is played by default actions to the end (BT-7.3, TP-8.3)."""
        if seat not in self._marks and not self.is_over():
            self.resigned.append((seat, self.logged))
            self._take_over(seat, "resigned")

    @property
    def forfeits(self) -> list[int]:
        """The seats that the table plays because of their faults."""
        return sorted(seat for seat, mark in self._marks.items() if mark == "forfeit")

    @property
    def taken_over(self) -> dict[int, str]:
        """The seats that the table plays, and why (``resigned`` or ``forfeit``)."""
        return dict(self._marks)

    def outcome(self) -> FinalOutcome | None:
        """None while the game goes on."""
        outcome = self.state.outcome()
        return None if outcome is None else final_outcome(outcome, self.teams, self.forfeits)

    def _repeated(self, own: _Seat, number: int, action: str) -> Answered:
        for answer in own.answered:
            if answer.number == number:
                if answer.mark is not None:
                    raise StaleTurn(
                        "the clock has answered this turn", field="turn", extra={"reason": "clock"}
                    )
                if answer.action != action:
                    raise TurnAlreadyAnswered(
                        f"this turn was answered with {answer.action!r} already", field="action"
                    )
                return answer
        if number > own.turn:
            raise UnknownTurn("this turn was never given out", field="turn")
        raise StaleTurn("this turn is gone", field="turn", extra={"reason": "superseded"})

    def _take_over(self, seat: int, mark: str) -> None:
        self._marks[seat] = mark
        self._seats[seat].legal = ()
        self._settle()

    def _apply(self, seat: int, action: str, mark: str | None) -> None:
        seen = self.first_event + len(self.events)
        self.events.extend(self.state.apply(seat, action))
        self.actions.append((seat, action, mark))
        self.logged += 1
        if seat == CHANCE:
            return
        own = self._seats[seat]
        own.answered.append(Answered(own.turn, action, mark, self.logged))
        del own.answered[:-REMEMBERED_ANSWERS]
        own.legal = ()
        own.seen = seen

    def _settle(self) -> None:
        """Go on as far as the table can by itself, then see who is asked what."""
        while True:
            chance = self.state.chance()
            if chance is not None:
                self._apply(CHANCE, self._dealer.action(chance), None)
                continue
            awaited = self.state.awaiting()
            taken = next((seat for seat in awaited if seat in self._marks), None)
            if taken is None:
                break
            self._apply(taken, self.state.default_action(taken), self._marks[taken])
        for seat, own in enumerate(self._seats):
            legal = () if seat in self._marks else tuple(self.state.legal_actions(seat))
            acted = bool(own.answered) and own.answered[-1].number == own.turn
            if legal != own.legal or (acted and legal):
                own.legal = legal
                own.turn += 1

    # Keeping it

    def drop_seen_events(self) -> None:
        """Forget the events that every seat has seen before it last acted, and all but the last
        ``KEPT_EVENTS``: a seat that is out of the game never acts again.
        """
        end = self.first_event + len(self.events)
        waiting = [own.seen for seat, own in enumerate(self._seats) if seat not in self._marks]
        keep = max(min(waiting, default=end), end - KEPT_EVENTS)
        del self.events[: max(0, keep - self.first_event)]
        self.first_event = max(self.first_event, keep)

    def progress(self, answers: int = REMEMBERED_ANSWERS) -> dict[str, Any]:
        """How far the table has come, JSON-ready: what changes during a game but the state and the events.

        ``answers``: how many of each seat's latest answers are in it, at least one.
        """
        return {
            "logged": self.logged,
            "faults": [asdict(fault) for fault in self.faults],
            "resigned": self.resigned,
            "marks": list(self._marks.items()),
            "seats": [
                [own.turn, own.legal, own.seen, [tuple(answer) for answer in own.answered[-answers:]]]
                for own in self._seats
            ],
        }

    def snapshot(self) -> dict[str, Any]:
        """All that :meth:`restore` needs, JSON-ready; the log before ``logged`` is not in it."""
        return {
            "id": self.game_id,
            "kind": self.game.kind,
            "rules": self.rules,
            "seed": self.seed.hex(),
            "nonces": self.nonces,
            "state": self.state.serialise().decode(),
            "events": self.events,
            "first_event": self.first_event,
            **self.progress(),
        }

    @classmethod
    def restore(cls, data: Mapping[str, Any]) -> Table:
        """The table of a :meth:`snapshot`, with no logged actions of its own yet."""
        seed = bytes.fromhex(data["seed"])
        state = data["state"].encode()
        table = cls(data["id"], data["kind"], data["rules"], seed, data["nonces"], state=state)
        table.logged = data["logged"]
        table.events = [as_event(event) for event in data["events"]]
        table.first_event = data["first_event"]
        table.faults = [Fault(**fault) for fault in data["faults"]]
        table.resigned = [(seat, after) for seat, after in data["resigned"]]
        table._marks = dict(data["marks"])
        table._seats = [
            _Seat(turn, tuple(legal), seen, [Answered(*answer) for answer in answered])
            for turn, legal, seen, answered in data["seats"]
        ]
        return table


def as_event(value: Any) -> Event:
    """A JSON array as an event: tuples all the way down, as the games make them."""
    return tuple(as_event(item) if isinstance(item, list) else item for item in value)


__all__ = [
    "FAULT_LIMIT",
    "FAULT_TYPES",
    "Answered",
    "Fault",
    "IllegalAction",
    "StaleTurn",
    "Table",
    "TurnAlreadyAnswered",
    "UnknownTurn",
    "as_event",
    "parse_turn_id",
    "turn_id",
]
