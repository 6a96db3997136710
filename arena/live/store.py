"""Games in Redis: every game's keys share one hash tag, and a step of a game is one script.

What crosses games (a bot's turns, the due-list, lists of games, who is woken) is told by *hints*,
which are idempotent and are rechecked against the game by whoever follows them. On a single server
they are part of the step's script. On a cluster the step leaves them in the game's outbox, they are
passed on right afterwards, and a sweeper repeats those that were not acknowledged.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

import orjson

from arena.live.clocks import ServiceClock
from arena.live.store_wire import Command, Script, StoreUnavailable, Wire, connect

DUE: Final = "live:due"
CLOCK: Final = "live:clock"
WAKE_CHANNEL: Final = "live:wake"

OUTAGE_GAP_MS: Final = 5000
"""A gap between two beats longer than this was an outage of the service."""

TAIL_EVENTS: Final = 64
"""How many of a game's newest events come with it when it is loaded to show turns."""

_CLUSTER_LOOK_MS: Final = 10_000
"""On a cluster every game is looked at this often at least, in case its last hints were lost."""

_CLOCK_AGE: Final = 1.0
"""Seconds after which the server is asked for its clock again."""

_INCARNATION_AGE: Final = 5.0
_ACKNOWLEDGED_KEPT: Final = 10_000


class TurnHint(NamedTuple):
    """``op`` is ``must``, ``may`` or ``gone``: what ``bot`` has to do on a seat now."""

    bot: str
    member: str
    op: str


class ListAdd(NamedTuple):
    """A member of a sorted set, and its score."""

    key: str
    member: str
    score: int


class ListRemove(NamedTuple):
    """A member that a sorted set has no more."""

    key: str
    member: str


Hint = TurnHint | ListAdd | ListRemove


class Row(NamedTuple):
    """A game as stored. ``events``: the newest ones, if they were asked for."""

    version: int
    sheet: bytes
    table: bytes | None
    state: bytes | None
    events: list[bytes]


class Wake(NamedTuple):
    """What the processes are told of a step: the game, its version, the bots with a new turn that
    they must answer, and those with one, or news for one, that they may answer.
    """

    game: str
    version: int
    must: list[str]
    may: list[str]


@dataclass(slots=True)
class Step:
    """One change of one game. ``before`` 0: the game must not exist. Empty parts stay as they were."""

    game: str
    before: int
    version: int
    sheet: bytes = b""
    table: bytes = b""
    state: bytes = b""
    log: Sequence[bytes] = ()
    events: Sequence[bytes] = ()
    hints: list[Hint] = field(default_factory=list)
    due_ms: int | None = None
    wake: Wake | None = None


class Pending(NamedTuple):
    """A turn as a bot's list has it: the seat (``<game>.<seat>``), its place, the game's version."""

    member: str
    number: int
    version: int


_TURNS_LIBRARY: Final = "turns"
_STEP = Script("step", _TURNS_LIBRARY)
_HINT = Script("hint", _TURNS_LIBRARY)
_PENDING = Script("pending")
_PRUNE = Script("prune")
_ACKNOWLEDGE = Script("acknowledge")
_CLAIM = Script("claim")
_SETTLE = Script("settle")
_CLOCK = Script("clock")

GAME_SCRIPTS: Final = (_STEP, _HINT, _PENDING, _PRUNE, _ACKNOWLEDGE, _CLAIM, _SETTLE, _CLOCK)
"""The scripts that the wire of a game store has to know."""


class GameStore:
    """The live games in one Redis or one Redis Cluster. Holds no rules. All times are milliseconds.

    Every method may raise :class:`~arena.live.store_wire.StoreUnavailable`.
    """

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self._acknowledged: dict[str, int] = {}
        self._offset_us = 0.0
        self._last_beat_ms = 0
        self._outage_ms = 0
        self._clock_read = -1e9
        self._incarnation_read = time.monotonic()

    @classmethod
    def open(cls, url: str) -> GameStore:
        """A store with a wire of its own; see :func:`~arena.live.store_wire.connect`."""
        return cls(connect(url, GAME_SCRIPTS))

    # Games

    def load(self, games: Sequence[str], *, tails: bool = False) -> list[Row | None]:
        """The games, None for one that is not there; with ``tails`` the newest events too."""
        commands: list[Command] = []
        for game in games:
            commands.append(("HMGET", game_key(game), "v", "m", "s", "t"))
            if tails:
                commands.append(("LRANGE", events_key(game), -TAIL_EVENTS, -1))
        replies = self.wire.run(commands)
        rows: list[Row | None] = []
        for index in range(0, len(replies), 2 if tails else 1):
            version, sheet, table, state = replies[index]
            events = replies[index + 1] if tails else []
            rows.append(None if version is None else Row(int(version), sheet, table, state, events))
        return rows

    def write(self, steps: Sequence[Step], then: Sequence[Command] = ()) -> tuple[list[bool], list[Any]]:
        """Try every step; which were taken. ``then``: commands to run after them in the same round
        trip, whose replies come second.
        """
        if self.wire.is_cluster:
            return self._write_on_cluster(steps, then)
        commands: list[Command] = []
        if steps:
            keys: list[str] = []
            args: list[Any] = []
            for step in steps:
                _add_step(step, keys, args)
            commands.append(_STEP.call(keys, *args))
        # Told of a step that was not taken nobody is worse off.
        wakes = [tuple(step.wake) for step in steps if step.wake is not None]
        if wakes:
            commands.append(("PUBLISH", WAKE_CHANNEL, orjson.dumps(wakes)))
        replies = self.wire.run([*commands, *then])
        return [taken == 1 for taken in replies[0]] if steps else [], replies[len(commands) :]

    def log(self, game: str) -> list[bytes]:
        """All logged actions."""
        (entries,) = self.wire.run([("LRANGE", log_key(game), 0, -1)])
        return list(entries)

    def events(self, game: str, start: int, count: int) -> list[bytes]:
        """At most ``count`` events from number ``start`` on."""
        (events,) = self.wire.run([("LRANGE", events_key(game), start, start + count - 1)])
        return list(events)

    # A bot's turns

    def pending_command(self, bot: str, after: int, limit: int, rights: bool) -> Command:
        """The command whose reply :meth:`read_pending` reads."""
        return _PENDING.call([bot_key(bot)], after, limit, 1 if rights else 0)

    def read_pending(self, reply: list[Any], limit: int) -> list[Pending]:
        """A bot's turns since its cursor, oldest first, at most ``limit``."""
        found = [
            Pending(reply[i].decode(), int(reply[i + 1]), int(reply[i + 2])) for i in range(0, len(reply), 3)
        ]
        found.sort(key=_number)
        return found[:limit]

    def pending(self, bot: str, after: int, limit: int, rights: bool) -> list[Pending]:
        """A bot's turns since its cursor, oldest first, at most ``limit``."""
        (reply,) = self.wire.run([self.pending_command(bot, after, limit, rights)])
        return self.read_pending(reply, limit)

    def prune(self, bot: str, stale: Iterable[Pending]) -> None:
        """Forget turns that their games do not know."""
        commands = [_PRUNE.call([bot_key(bot)], entry.member, entry.version) for entry in stale]
        if commands:
            self.wire.run(commands)

    # Time

    def clock(self) -> ServiceClock:
        """The server's clock, at most a second after it was last asked."""
        if time.monotonic() - self._clock_read > _CLOCK_AGE:
            self._read_clock("0")
        now_ms = int(time.monotonic() * 1000 + self._offset_us / 1000)
        gap = now_ms - self._last_beat_ms
        return ServiceClock(now_ms, self._outage_ms + (gap if gap > OUTAGE_GAP_MS else 0))

    def next_version(self, before: int) -> int:
        """A version for the step after version ``before``: microseconds of the server's clock.

        So a version of a branch that was lost with the server's last second never comes again.
        """
        return max(before + 1, int(time.monotonic() * 1e6 + self._offset_us))

    def beat(self) -> ServiceClock:
        """Say that the clocks are being served."""
        self._read_clock("1")
        return self.clock()

    def incarnation(self) -> str:
        """Changes whenever the server was started anew."""
        if not self.wire.incarnation or (
            self.wire.is_cluster and time.monotonic() - self._incarnation_read > _INCARNATION_AGE
        ):
            self._incarnation_read = time.monotonic()
            self.wire.look()
        return self.wire.incarnation

    def _read_clock(self, beat: Literal["0", "1"]) -> None:
        ((now_us, self._last_beat_ms, self._outage_ms),) = self.wire.run(
            [_CLOCK.call([CLOCK], beat, OUTAGE_GAP_MS)]
        )
        self._clock_read = time.monotonic()
        self._offset_us = now_us - self._clock_read * 1e6

    # The due-list

    def claim(self, now_ms: int, lease_ms: int, limit: int) -> list[str]:
        """Games that are due, for this caller alone until ``lease_ms``."""
        (games,) = self.wire.run([_CLAIM.call([DUE], now_ms, lease_ms, limit)])
        return [game.decode() for game in games]

    def settle(self, game: str, lease_ms: int, due_ms: int | None) -> None:
        """The claimed game is due at ``due_ms`` (None: never again), unless a step said otherwise."""
        if due_ms is not None:
            due_ms = self._capped(due_ms)
        self.wire.run([_SETTLE.call([DUE], game, lease_ms, "" if due_ms is None else due_ms)])

    def resend(self, game: str) -> None:
        """Pass on again what the game's outbox still holds (cluster only)."""
        if not self.wire.is_cluster:
            return
        (entries,) = self.wire.run([("LRANGE", outbox_key(game), 0, -1)])
        for entry in entries:
            version, _, hints = entry.partition(b" ")
            self._pass_on(game, int(version), orjson.loads(hints))
        if entries:
            last = entries[-1].partition(b" ")[0]
            self.wire.run([_ACKNOWLEDGE.call([outbox_key(game)], last)])

    # Cluster: the hints lie in the outbox until they are passed on

    def _write_on_cluster(
        self, steps: Sequence[Step], then: Sequence[Command]
    ) -> tuple[list[bool], list[Any]]:
        commands = []
        outgoing = []
        for step in steps:
            hints = [[hint.__class__.__name__, *hint] for hint in step.hints]
            if step.due_ms is not None:
                hints.append(["ListAdd", DUE, step.game, self._capped(step.due_ms)])
            if step.wake is not None:
                hints.append(["Wake", *step.wake])
            outgoing.append(hints)
            entry = b"%d %b" % (step.version, orjson.dumps(hints))
            acknowledged = self._acknowledged.pop(step.game, "")
            args = _step_args(step, 1, (), entry=entry, acknowledged=acknowledged)
            commands.append(_STEP.call([game_key(step.game)], *args))
            if step.before == 0:
                # A game must be on the due-list before it exists, or a crash would orphan it.
                self.wire.run([("ZADD", DUE, self._capped(step.version // 1000), step.game)])
        taken = [reply == [1] for reply in self.wire.run(commands)] if commands else []
        for step, hints, ok in zip(steps, outgoing, taken, strict=True):
            if ok:
                self._pass_on(step.game, step.version, hints)
                if len(self._acknowledged) >= _ACKNOWLEDGED_KEPT:
                    self._acknowledged.clear()
                self._acknowledged[step.game] = step.version
        return taken, self.wire.run(then) if then else []

    def _pass_on(self, game: str, version: int, hints: list[list[Any]]) -> None:
        commands: list[Command] = []
        wakes = []
        for kind, *args in hints:
            if kind == "TurnHint":
                bot, member, op = args
                commands.append(_HINT.call([bot_key(bot)], op, member, version))
            elif kind == "ListAdd":
                key, member, score = args
                commands.append(("ZADD", key, score, member))
            elif kind == "ListRemove":
                commands.append(("ZREM", *args))
            else:
                wakes.append(args)
        if commands:
            self.wire.run(commands)
        if wakes:
            self.wire.run([("PUBLISH", WAKE_CHANNEL, orjson.dumps(wakes))])

    def _capped(self, due_ms: int) -> int:
        return min(due_ms, self.clock().now_ms + _CLUSTER_LOOK_MS) if self.wire.is_cluster else due_ms


def _add_step(step: Step, keys: list[str], args: list[Any]) -> None:
    """Add a step with its hints to the keys and arguments of ``step.lua``."""
    before = len(keys)
    keys.append(game_key(step.game))
    if step.due_ms is not None:
        keys.append(DUE)
    hints: list[Any] = []
    for hint in step.hints:
        if isinstance(hint, TurnHint):
            keys.append(bot_key(hint.bot))
            hints += (hint.op, hint.member)
        elif isinstance(hint, ListAdd):
            keys.append(hint.key)
            hints += ("zadd", hint.score, hint.member)
        else:
            keys.append(hint.key)
            hints += ("zrem", hint.member)
    args += _step_args(step, len(keys) - before, hints, due="" if step.due_ms is None else step.due_ms)


def _step_args(
    step: Step,
    keys: int,
    hints: Sequence[Any],
    *,
    due: int | str = "",
    entry: bytes = b"",
    acknowledged: int | str = "",
) -> list[Any]:
    """The arguments of ``step.lua`` for one step; ``keys``: how many it has."""
    log, events = step.log, step.events
    return [
        keys,
        10 + len(log) + len(events) + len(hints),
        step.before or "",
        step.version,
        step.sheet,
        step.table,
        step.state,
        due,
        entry,
        acknowledged,
        len(log),
        len(events),
        *log,
        *events,
        *hints,
    ]


def _number(entry: Pending) -> int:
    return entry.number


def game_key(game: str) -> str:
    """The hash of a game: ``v`` version, ``m`` sheet, ``s`` table without ``t``, the state."""
    return f"{{g:{game}}}"


def log_key(game: str) -> str:
    """The list of a game's logged actions."""
    return f"{{g:{game}}}:log"


def events_key(game: str) -> str:
    """The list of a game's events, in full."""
    return f"{{g:{game}}}:events"


def outbox_key(game: str) -> str:
    """The list of hints not yet acknowledged."""
    return f"{{g:{game}}}:out"


def record_key(game: str) -> str:
    """The hash of what is kept: ``m`` copy of the sheet, ``v`` version at the end, ``z`` gzipped record."""
    return f"{{g:{game}}}:rec"


def bot_key(bot: str) -> str:
    """The hash of a bot's marks; ``turns.lua`` says what else has its tag."""
    return f"{{b:{bot}}}"


def bot_games_key(bot: str) -> str:
    """The sorted set of the games a bot sits or sat in."""
    return f"{{b:{bot}}}:games"


__all__ = [
    "DUE",
    "GAME_SCRIPTS",
    "WAKE_CHANNEL",
    "GameStore",
    "Hint",
    "ListAdd",
    "ListRemove",
    "Pending",
    "Row",
    "Step",
    "StoreUnavailable",
    "TurnHint",
    "Wake",
]
