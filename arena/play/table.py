"""One game among seats: its turns, its faults and its log, for every transport.

The local runner and the live service share :class:`Table`. It is a pure function of its inputs: it reads no
clock, and everything random follows from its seed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple

from arena.errors import ArenaError, IllegalAction
from arena.games import game_of
from arena.games.kernel import CHANCE, Event, Turn
from arena.games.options import Rules
from arena.play.dealing import Dealer
from arena.play.faults import FAULT_LIMIT
from arena.play.outcomes import FinalOutcome, final_outcome

REMEMBERED_ANSWERS: Final = 8
"""How many answered turns per seat are remembered for repeated answers."""


class StaleTurn(ArenaError):
    """An answer to a turn that is no longer open. ``extra['reason']`` is ``clock`` if the table answered for
    the seat, else ``superseded``.
    """

    code: ClassVar[str] = "stale_turn"


class TurnAlreadyAnswered(ArenaError):
    """A second answer to one turn that differs from the first."""

    code: ClassVar[str] = "turn_already_answered"


class UnknownTurn(ArenaError):
    """A turn id that this table never issued to this seat."""

    code: ClassVar[str] = "unknown_turn"


@dataclass(frozen=True)
class Fault:
    """One fault: seat, type (``FAULTS``), number of logged actions before it, and a short reason."""

    seat: int
    type: str
    after: int
    detail: str = ""
    unknown: dict[str, Any] = field(default_factory=dict, compare=False)
    """What a newer version of the program stores with it."""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Fault:
        """Return the fault that :meth:`as_json` wrote."""
        known = {name: value[name] for name in ("seat", "type", "after", "detail")}
        return cls(**known, unknown={name: value[name] for name in value.keys() - known.keys()})

    def as_json(self) -> dict[str, object]:
        """Return the stored form."""
        own = {"seat": self.seat, "type": self.type, "after": self.after, "detail": self.detail}
        return {**own, **self.unknown}


class Answered(NamedTuple):
    """An answered turn: its number, the action, who chose it (None: the player, else a mark as in the log),
    and ``after``, the number of logged actions including this one.
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
    """The number of the first event that the seat's next turn shows: that of its last action."""
    answered: list[Answered] = field(default_factory=list)
    more: list[Any] = field(default_factory=list)
    """What a newer version of the program stores with it."""
    right: tuple[int, ...] = ()
    """``State.right_of`` when the turn was opened. Not stored: it is that of the state as long as the turn is
    open."""


def turn_id(game_id: str, seat: int, number: int) -> str:
    """Return the id of a seat's turn. It counts only what that seat did and could do, and what its rights
    belong to (``State.right_of``), so it reveals nothing about other hands.
    """
    return f"{game_id}.{seat}.{number}"


def parse_turn_id(text: str) -> tuple[str, int, int]:
    """Return the game id, the seat and the number. Raises :class:`UnknownTurn` if the text is not a valid
    turn id.
    """
    parts = _TURN_ID(text)
    if parts is None:
        raise UnknownTurn(
            f"{text[:80]!r} is not a valid turn id", field="turn", expected="<game>.<seat>.<number>"
        )
    return parts[1], int(parts[2]), int(parts[3])


_TURN_ID: Final = re.compile(r"(.+)\.([0-9]{1,9})\.([0-9]{1,9})\Z", re.DOTALL).match


class Table:
    """One game in progress.

    ``actions`` holds each ``(seat, action, mark)`` logged since this object was created (``mark`` is None for
    the player's own choice, else ``clock``, ``crashed``, ``resigned`` or ``forfeit``), and ``logged`` counts
    all since the start. ``events`` holds the newest events, from number ``first_event`` on: all since some
    seat last acted. ``shown_id`` is the game's id in turns, if that differs.
    """

    def __init__(
        self,
        game_id: str,
        kind: str,
        rules: Rules,
        seed: bytes,
        nonces: Sequence[str] = (),
        *,
        shown_id: str | None = None,
        state: bytes | None = None,
    ) -> None:
        self.game_id = game_id
        self._shown_id = game_id if shown_id is None else shown_id
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

    def play_again(self, actions: Sequence[Sequence[Any]]) -> None:
        """Apply the first actions of another game with the same deals, in the format of records, as if each
        seat had chosen them. The table must have been started. Raises
        :class:`~arena.errors.IllegalAction` if they are not those of such a game.
        """
        for number, (seat, action, *_) in enumerate(actions):
            # What chance does follows from the deals, and is already here.
            if number < self.logged:
                continue
            if seat == CHANCE or action not in self.legal_actions(seat):
                raise self.state.illegal(seat, action)
            self.submit(seat, self.turn_number(seat), action)

    # Reading

    def is_over(self) -> bool:
        """Return whether the game has its outcome."""
        return not self.state.awaiting()

    def awaited(self) -> tuple[int, ...]:
        """Return the seats that must act, or none when the game is over."""
        return self.state.awaiting()

    def seats_with_turns(self) -> list[int]:
        """Return the seats that have a turn now, required or optional."""
        return [seat for seat, own in enumerate(self._seats) if own.legal]

    def turn_number(self, seat: int) -> int:
        """Return the number of the seat's current turn (the last part of its id)."""
        return self._seats[seat].turn

    def own_id(self, shown: str) -> str:
        """Convert the id of a turn of this game from the game's id as bots see it (``shown``) to its id in
        records.
        """
        _, seat, number = parse_turn_id(shown)
        return turn_id(self.game_id, seat, number)

    def legal_actions(self, seat: int) -> tuple[str, ...]:
        """Return the legal actions of the seat's turn, or none for a seat that the table plays."""
        return self._seats[seat].legal

    def turn(self, seat: int, deadline_ms: int | None = None, bank_ms: int | None = None) -> Turn | None:
        """Return the turn of ``seat`` as its bot receives it, or None if it has no turn.

        ``events`` lists what the seat has seen since its last action, each with its number ``n`` in the game.
        Times are in milliseconds, and null without a clock.
        """
        own = self._seats[seat]
        if not own.legal:
            return None
        optional = seat not in self.state.awaiting()
        return {
            "turn": turn_id(self._shown_id, seat, own.turn),
            "game": self._shown_id,
            "kind": self.game.kind,
            "rules": dict(self.rules),
            "seat": seat,
            "optional": optional,
            "legal_actions": list(own.legal),
            "default_action": None if optional else self.state.default_action(seat),
            "deadline_ms": deadline_ms,
            "bank_ms": bank_ms,
            "observation": self.state.observation(seat),
            "events": self.views(seat, own.seen),
        }

    def views(self, seat: int | None, start: int = 0) -> list[dict[str, object]]:
        """Return what ``seat`` (None: a spectator) saw from event ``start`` on, as far as events are kept."""
        views: list[dict[str, object]] = []
        view_event = self.game.view_event
        number = max(start, self.first_event)
        for event in self.events[number - self.first_event :]:
            view = view_event(event, seat)
            if view is not None:
                views.append({"n": number, **view})
            number += 1
        return views

    def positions(self) -> list[tuple[int, tuple[str, ...]]]:
        """Return the number of every seat's current turn and its legal actions (none if it has no turn)."""
        return [(own.turn, own.legal) for own in self._seats]

    def answered_after(self, seat: int, after: int) -> int | None:
        """Return the number of the turn of ``seat`` that was answered by logged action ``after``, or None if
        it was forgotten.
        """
        if seat == CHANCE:
            return None
        for answer in reversed(self._seats[seat].answered):
            if answer.after == after:
                return answer.number
        return None

    def first_unseen(self, seat: int) -> int:
        """Return the number of the first event after the last action of ``seat``."""
        return self._seats[seat].seen

    # Acting

    def submit(self, seat: int, number: int, action: str) -> Answered:
        """Apply the answer to turn ``number`` of ``seat``. Repeating the same answer changes nothing.

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
        """Record a fault of ``seat``, and return whether the table plays the seat (from
        ``FAULT_LIMIT`` on).
        """
        self.faults.append(Fault(seat, type, self.logged, detail[:200]))
        if seat not in self._marks and sum(f.seat == seat for f in self.faults) >= FAULT_LIMIT:
            self._take_over(seat, "forfeit")
        return seat in self._marks

    def act_for(self, seat: int, mark: str) -> None:
        """Apply the default action of an awaited seat. ``mark`` is ``clock`` or ``crashed``."""
        self._apply(seat, self.state.default_action(seat), mark)
        self._settle()

    def resign(self, seat: int) -> None:
        """Resign for ``seat``, so that default actions play it to the end (BT-7.3, TP-8.3)."""
        if seat not in self._marks and not self.is_over():
            self.resigned.append((seat, self.logged))
            self._take_over(seat, "resigned")

    @property
    def forfeits(self) -> list[int]:
        """The seats that the table plays because of their faults."""
        return sorted(seat for seat, mark in self._marks.items() if mark == "forfeit")

    @property
    def taken_over(self) -> dict[int, str]:
        """The seats that the table plays, with the reason (``resigned`` or ``forfeit``)."""
        return dict(self._marks)

    def outcome(self) -> FinalOutcome | None:
        """Return the outcome, or None while the game goes on."""
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
                        f"this turn was already answered with {answer.action!r}", field="action"
                    )
                return answer
        if number > own.turn:
            raise UnknownTurn("this turn was never issued", field="turn")
        raise StaleTurn("this turn is no longer open", field="turn", extra={"reason": "superseded"})

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
        """Apply chance and the actions of seats that the table plays, then open turns."""
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
            right = self.state.right_of(seat) if legal else ()
            if legal != own.legal or (legal and (acted or right != own.right)):
                own.legal = legal
                own.turn += 1
            own.right = right

    # Storing

    def progress(self, answers: int = REMEMBERED_ANSWERS) -> dict[str, object]:
        """Return everything that changes during a game except the state and the events, ready for JSON.

        ``answers`` says how many of each seat's latest answers are included, at least one.
        """
        return {
            "logged": self.logged,
            "faults": [fault.as_json() for fault in self.faults],
            "resigned": self.resigned,
            "marks": list(self._marks.items()),
            "seats": [
                [own.turn, own.legal, own.seen, [tuple(last) for last in own.answered[-answers:]], *own.more]
                for own in self._seats
            ],
        }

    def snapshot(self) -> dict[str, object]:
        """Return everything that :meth:`restore` needs, ready for JSON; past actions are not included."""
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
        """Return the table that :meth:`snapshot` wrote, with an empty ``actions``."""
        seed = bytes.fromhex(data["seed"])
        state = data["state"].encode()
        table = cls(data["id"], data["kind"], data["rules"], seed, data["nonces"], state=state)
        table.logged = data["logged"]
        table.events = [as_event(event) for event in data["events"]]
        table.first_event = data["first_event"]
        table.faults = [Fault.from_json(fault) for fault in data["faults"]]
        table.resigned = [(seat, after) for seat, after, *_ in data["resigned"]]
        table._marks = {seat: mark for seat, mark, *_ in data["marks"]}
        table._seats = [
            _Seat(turn, tuple(legal), seen, [Answered(*answer[:4]) for answer in answered], more)
            for turn, legal, seen, answered, *more in data["seats"]
        ]
        for seat, own in enumerate(table._seats):
            own.right = table.state.right_of(seat) if own.legal else ()
        return table


def as_event(value: Iterable[object]) -> Event:
    """Convert a JSON array to an event, which consists of nested tuples, as the games create it."""
    return tuple(as_event(item) if isinstance(item, list) else item for item in value)


__all__ = [
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
