"""Games in Redis: all keys of a game share one hash tag, and each step of a game is one script.

Data outside a game (a bot's turns, the due-list, lists of games, notifications) are updated by *hints*, which
are idempotent. Readers check each list entry against its game. On a single server, hints are part of the
step's script. On a cluster, the step puts them into the game's outbox, from which they are delivered
immediately afterwards, and a sweeper redelivers those that were not acknowledged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

import orjson

from arena.play.attendance import GONE_MS, NOTE_EVERY_MS, served_ms
from arena.play.clocks import ServiceClock
from arena.store.connection import Command, RedisConnection, Repository, Script

DUE: Final = "live:due"
CLOCK: Final = "live:clock"
WAKE_CHANNEL: Final = "live:wake"

OUTAGE_GAP_MS: Final = 5000
"""A gap between two beats longer than this was an outage of the service."""

TAIL_EVENTS: Final = 64
"""The number of most recent events that are loaded with a game to show turns."""

_CLUSTER_LOOK_MS: Final = 10_000
"""On a cluster every game is checked at least this often, in case its last hints were lost."""

_CLOCK_AGE: Final = 1.0
"""Seconds for which a reading of the server's clock is reused."""

_INCARNATION_AGE: Final = 5.0
_ACKNOWLEDGED_KEPT: Final = 10_000
_NOTED_KEPT: Final = 10_000

_RESUMED_MS: Final = 1000
"""After a pause, a sweeper checks the game this soon, in case the process that ended the pause was killed."""


class TurnChange(NamedTuple):
    """A change of what ``bot`` must or may do at ``seat``; ``gone`` means that it has nothing left to do."""

    bot: str
    seat: int
    op: Literal["must", "may", "gone"]


class Listing(NamedTuple):
    """Moves a game from the list of the state ``before`` to that of its ``state``, and adds it to those of
    ``bots``. If ``before`` is None, the game is new and also joins the list of all games and that of its
    ``kind``. While it is unfinished, it is on the list of its ``creator``, if that is not empty, and on that
    of the public games in its state, if it is ``public``.
    """

    kind: str
    created_ms: int
    state: str
    before: str | None
    bots: Collection[str] = ()
    creator: str = ""
    public: bool = False


class GameRow(NamedTuple):
    """A stored game. ``events`` are its most recent events, if requested. ``attendance`` is that of the only
    person at the table.
    """

    version: int
    header: bytes
    table: bytes | None
    state: bytes | None
    events: list[bytes]
    attendance: bytes | None = None


@dataclass(slots=True)
class GameStep:
    """One change to one game at version ``before`` (0: the game must not exist). Empty parts stay unchanged.

    ``turns`` are the changes for the bots at the table. ``listing`` is how the game's lists change, or None
    for no change. ``due_ms`` is when the game must be checked, or None for no change.
    """

    game: str
    before: int
    version: int
    header: bytes = b""
    table: bytes = b""
    state: bytes = b""
    log: Sequence[bytes] = ()
    events: Sequence[bytes] = ()
    turns: list[TurnChange] = field(default_factory=list)
    listing: Listing | None = None
    due_ms: int | None = None


class PendingTurn(NamedTuple):
    """A turn on a bot's list: the game, the seat, the turn's number on the list, and the game's version."""

    game: str
    seat: int
    number: int
    version: int


class PendingQuery(NamedTuple):
    """A query for up to ``limit`` turns of ``bot`` after number ``after``, including rights if ``rights``."""

    bot: str
    after: int
    limit: int
    rights: bool


_TURNS_LIBRARY: Final = "turns"
_STEP = Script("step", _TURNS_LIBRARY)
_HINT = Script("hint", _TURNS_LIBRARY)
_PENDING = Script("pending")
_PRUNE = Script("prune")
_ACKNOWLEDGE = Script("acknowledge")
_CLAIM = Script("claim")
_SETTLE = Script("settle")
_CLOCK = Script("clock")
_ATTEND = Script("attend")

GAME_SCRIPTS: Final = (_STEP, _HINT, _PENDING, _PRUNE, _ACKNOWLEDGE, _CLAIM, _SETTLE, _CLOCK, _ATTEND)
"""The scripts that the connection of a game store must load."""


class GameStore(Repository):
    """Stores the live games in one Redis or Redis Cluster. It has no rules. All times are in milliseconds.

    Every method can raise :class:`~arena.store.connection.StoreUnavailable`.
    """

    def __init__(self, connection: RedisConnection) -> None:
        super().__init__(connection)
        self._acknowledged: dict[str, int] = {}
        self._attended: dict[str, int] = {}
        self._offset_us = 0.0
        self._last_beat_ms = 0
        self._outage_ms = 0
        self._clock_read = -1e9
        self._incarnation_read = time.monotonic()

    def on_restart(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` whenever a restart of the server is detected."""
        self._connection.on_restart.append(callback)

    # Games

    def load(self, games: Sequence[str], *, tails: bool = False) -> list[GameRow | None]:
        """Return the games, with None for missing ones. ``tails`` includes their most recent events."""
        commands: list[Command] = []
        for game in games:
            commands.append(("HMGET", game_key(game), "v", "m", "s", "t", "p"))
            if tails:
                commands.append(("LRANGE", events_key(game), -TAIL_EVENTS, -1))
        replies = self._connection.run(commands)
        rows: list[GameRow | None] = []
        for index in range(0, len(replies), 2 if tails else 1):
            version, header, table, state, seen = replies[index]
            events = replies[index + 1] if tails else []
            row = None if version is None else GameRow(int(version), header, table, state, events, seen)
            rows.append(row)
        return rows

    def write(
        self, steps: Sequence[GameStep], then: PendingQuery | None = None
    ) -> tuple[list[bool], list[PendingTurn]]:
        """Try to apply every step.

        Returns which steps were accepted and, read in the same round trip, the turns then pending for the
        query ``then``.
        """
        if self._connection.is_cluster:
            taken = self._write_on_cluster(steps)
            return taken, [] if then is None else self.pending(then)
        commands: list[Command] = []
        if steps:
            keys: list[str] = []
            args: list[Any] = []
            for step in steps:
                _add_step(step, keys, args)
            commands.append(_STEP.call(keys, *args))
            # A notification of a rejected step is harmless.
            commands.append(("PUBLISH", WAKE_CHANNEL, orjson.dumps([_notification(step) for step in steps])))
        if then is not None:
            commands.append(_pending_command(then))
        replies = self._connection.run(commands)
        taken = [reply == 1 for reply in replies[0]] if steps else []
        return taken, [] if then is None else _pending_turns(replies[-1], then.limit)

    def log(self, game: str) -> list[bytes]:
        """Return all logged actions of a game."""
        entries = self._one("LRANGE", log_key(game), 0, -1)
        return list(entries)

    def events(self, game: str, start: int, count: int) -> list[bytes]:
        """Return up to ``count`` events of a game, starting at number ``start``."""
        events = self._one("LRANGE", events_key(game), start, start + count - 1)
        return list(events)

    def attend(self, game: str) -> bool:
        """Record that the only person at a table is there. Returns whether that ended a pause.

        The database is updated at most every :data:`~arena.play.attendance.NOTE_EVERY_MS`.
        """
        clock = self.clock()
        if abs(clock.now_ms - self._attended.get(game, 0)) < NOTE_EVERY_MS:
            return False
        if len(self._attended) >= _NOTED_KEPT:
            self._attended.clear()
        self._attended[game] = clock.now_ms
        noted = (served_ms(clock), GONE_MS)
        if not self._one(*_ATTEND.call([game_key(game)], *noted, "")):
            return False
        # First the check: if this process is killed, a sweeper requests what the table needs.
        self._one("ZADD", DUE, "XX", clock.now_ms + _RESUMED_MS, game)
        return bool(self._one(*_ATTEND.call([game_key(game)], *noted, "1")))

    # A bot's turns

    def pending(self, query: PendingQuery) -> list[PendingTurn]:
        """Return a bot's pending turns, oldest first."""
        (reply,) = self._connection.run([_pending_command(query)])
        return _pending_turns(reply, query.limit)

    def prune(self, bot: str, stale: Iterable[PendingTurn]) -> None:
        """Remove turns that are no longer pending in their games."""
        commands = [_PRUNE.call([bot_key(bot)], f"{turn.game}.{turn.seat}", turn.version) for turn in stale]
        if commands:
            self._connection.run(commands)

    # Time

    def clock(self) -> ServiceClock:
        """Return the server's clock, from a reading that is at most a second old."""
        if time.monotonic() - self._clock_read > _CLOCK_AGE:
            self._read_clock("0")
        now_ms = int(time.monotonic() * 1000 + self._offset_us / 1000)
        gap = now_ms - self._last_beat_ms
        return ServiceClock(now_ms, self._outage_ms + (gap if gap > OUTAGE_GAP_MS else 0))

    def next_version(self, before: int) -> int:
        """Return a version, in microseconds of the server's clock, for the step after version ``before``.

        Thus the version of a step that was lost with the server's last second is never reused.
        """
        return max(before + 1, int(time.monotonic() * 1e6 + self._offset_us))

    def beat(self, stood_still_ms: int = 0) -> ServiceClock:
        """Record that clocks are being served, and for how long this process has just been suspended."""
        self._read_clock("1", stood_still_ms)
        return self.clock()

    def incarnation(self) -> str:
        """Return a value that changes whenever the server restarts."""
        if not self._connection.incarnation or (
            self._connection.is_cluster and time.monotonic() - self._incarnation_read > _INCARNATION_AGE
        ):
            self._incarnation_read = time.monotonic()
            self._connection.check_incarnation()
        return self._connection.incarnation

    def _read_clock(self, beat: Literal["0", "1"], stood_still_ms: int = 0) -> None:
        ((now_us, self._last_beat_ms, self._outage_ms),) = self._connection.run(
            [_CLOCK.call([CLOCK], beat, OUTAGE_GAP_MS, stood_still_ms)]
        )
        self._clock_read = time.monotonic()
        self._offset_us = now_us - self._clock_read * 1e6

    # The due-list

    def claim(self, now_ms: int, lease_ms: int, limit: int) -> list[str]:
        """Claim games that are due; the claim lasts until ``lease_ms``."""
        return self._names(*_CLAIM.call([DUE], now_ms, lease_ms, limit))

    def settle(self, game: str, lease_ms: int, due_ms: int | None) -> None:
        """Make the claimed game due at ``due_ms`` (None for never), unless a step has set another time."""
        if due_ms is not None:
            due_ms = self._capped(due_ms)
        self._one(*_SETTLE.call([DUE], game, lease_ms, "" if due_ms is None else due_ms))

    def resend(self, game: str) -> None:
        """Redeliver the hints that are left in the game's outbox (cluster only)."""
        if not self._connection.is_cluster:
            return
        entries = self._one("LRANGE", outbox_key(game), 0, -1)
        for entry in entries:
            version, _, hints = entry.partition(b" ")
            self._deliver_hints(game, int(version), orjson.loads(hints))
        if entries:
            last = entries[-1].partition(b" ")[0]
            self._one(*_ACKNOWLEDGE.call([outbox_key(game)], last))

    # Cluster: hints stay in the outbox until they are delivered.

    def _write_on_cluster(self, steps: Sequence[GameStep]) -> list[bool]:
        commands = []
        outgoing = []
        for step in steps:
            due_ms = None if step.due_ms is None else self._capped(step.due_ms)
            hints = [*_hints(step, due_ms), ["Wake", *_notification(step)]]
            outgoing.append(hints)
            entry = b"%d %b" % (step.version, orjson.dumps(hints))
            acknowledged = self._acknowledged.pop(step.game, "")
            args = _step_args(step, 1, entry=entry, acknowledged=acknowledged)
            commands.append(_STEP.call([game_key(step.game)], *args))
            if step.before == 0:
                # A game must be on the due-list before it exists; otherwise a crash could orphan it.
                self._one("ZADD", DUE, self._capped(step.version // 1000), step.game)
        taken = [reply == [1] for reply in self._connection.run(commands)] if commands else []
        for step, hints, ok in zip(steps, outgoing, taken, strict=True):
            if ok:
                self._deliver_hints(step.game, step.version, hints)
                if len(self._acknowledged) >= _ACKNOWLEDGED_KEPT:
                    self._acknowledged.clear()
                self._acknowledged[step.game] = step.version
        return taken

    def _deliver_hints(self, game: str, version: int, hints: list[list[Any]]) -> None:
        commands: list[Command] = []
        wakes = []
        for kind, *args in hints:
            if kind == "Wake":
                wakes.append(args)
                continue
            name, member, *value = args
            if kind == "TurnHint":
                commands.append(_HINT.call([bot_key(name)], value[0], member, version))
            elif kind == "ListAdd":
                commands.append(("ZADD", name, value[0], member))
            else:
                commands.append(("ZREM", name, member))
        if commands:
            self._connection.run(commands)
        if wakes:
            self._one("PUBLISH", WAKE_CHANNEL, orjson.dumps(wakes))

    def _capped(self, due_ms: int) -> int:
        return min(due_ms, self.clock().now_ms + _CLUSTER_LOOK_MS) if self._connection.is_cluster else due_ms


def _hints(step: GameStep, due_ms: int | None) -> list[list[Any]]:
    """Return what a step changes outside its game, as entries for the outbox: the kind of hint, the bot or
    the key of the list, the member, and the change of the turn or the score.
    """
    hints: list[list[Any]] = [["TurnHint", bot, f"{step.game}.{seat}", op] for bot, seat, op in step.turns]
    if step.listing is not None:
        added, removed = _lists(step.listing)
        hints += (["ListRemove", key, step.game, ""] for key in removed)
        hints += (["ListAdd", key, step.game, step.listing.created_ms] for key in added)
    if due_ms is not None:
        hints.append(["ListAdd", DUE, step.game, due_ms])
    return hints


def _add_step(step: GameStep, keys: list[str], args: list[object]) -> None:
    """Add a step with its hints to the keys and arguments of ``step.lua``."""
    hints = _hints(step, step.due_ms)
    keys.append(game_key(step.game))
    keys += (bot_key(name) if kind == "TurnHint" else name for kind, name, _, _ in hints)
    args += _step_args(step, 1 + len(hints))
    for kind, _, member, value in hints:
        args += (kind, member, value)


def _step_args(
    step: GameStep, keys: int, *, entry: bytes = b"", acknowledged: int | str = ""
) -> list[object]:
    """Return the arguments of ``step.lua`` for one step, without hints. ``keys`` is its number of keys."""
    return [
        keys,
        step.before or "",
        step.version,
        step.header,
        step.table,
        step.state,
        entry,
        acknowledged,
        len(step.log),
        len(step.events),
        *step.log,
        *step.events,
    ]


def _lists(listing: Listing) -> tuple[list[str], list[str]]:
    """Return the keys of the lists that the game joins, and of those that it leaves."""
    added = [bot_games_key(bot) for bot in listing.bots]
    if listing.before is None:
        added += (ALL_GAMES, kind_key(listing.kind))
    if listing.before == listing.state:
        return added, []
    added.append(state_key(listing.state))
    removed = [] if listing.before is None else [state_key(listing.before)]
    if listing.public:
        if listing.state in UNFINISHED:
            added.append(public_key(listing.state))
        if listing.before is not None:
            removed.append(public_key(listing.before))
    if listing.creator:
        (added if listing.state in UNFINISHED else removed).append(creator_key(listing.creator))
    return added, removed


def _notification(step: GameStep) -> tuple[str, int, list[str], list[str]]:
    """Return the notification of a step: the game, its version, the bots with a turn that they must answer,
    and those with a new or changed turn that they may answer.
    """
    must = [change.bot for change in step.turns if change.op == "must"]
    may = [change.bot for change in step.turns if change.op == "may"]
    return step.game, step.version, must, may


def _pending_command(query: PendingQuery) -> Command:
    return _PENDING.call([bot_key(query.bot)], query.after, query.limit, 1 if query.rights else 0)


def _pending_turns(reply: list[bytes], limit: int) -> list[PendingTurn]:
    found = []
    for i in range(0, len(reply), 3):
        game, _, seat = reply[i].decode().rpartition(".")
        found.append(PendingTurn(game, int(seat), int(reply[i + 1]), int(reply[i + 2])))
    found.sort(key=_number)
    return found[:limit]


def _number(turn: PendingTurn) -> int:
    return turn.number


def game_key(game: str) -> str:
    """Return the key of a game's hash: version ``v``, header ``m``, table ``s`` without the state ``t``,
    attendance ``p``.
    """
    return f"{{g:{game}}}"


def log_key(game: str) -> str:
    """Return the key of the list of a game's logged actions."""
    return f"{{g:{game}}}:log"


def events_key(game: str) -> str:
    """Return the key of the list of a game's complete events."""
    return f"{{g:{game}}}:events"


def outbox_key(game: str) -> str:
    """Return the key of the list of a game's unacknowledged hints."""
    return f"{{g:{game}}}:out"


def record_key(game: str) -> str:
    """Return the key of the hash that outlives a game, with a copy of its header ``m``, its last version
    ``v`` and its gzipped record ``z``.
    """
    return f"{{g:{game}}}:rec"


def bot_key(bot: str) -> str:
    """Return the key of the hash of a bot's turns; ``turns.lua`` describes it and related keys."""
    return f"{{b:{bot}}}"


def bot_games_key(bot: str) -> str:
    """Return the key of the sorted set of the games in which a bot has or had a seat."""
    return f"{{b:{bot}}}:games"


ALL_GAMES: Final = "live:games"


def kind_key(kind: str) -> str:
    """Return the key of the sorted set of all games of a kind."""
    return f"live:games:kind:{kind}"


UNFINISHED: Final = ("waiting", "running")
"""The states of games that are not over."""


def creator_key(creator: str) -> str:
    """Return the key of the sorted set of the unfinished games of an owner, without those of tournaments."""
    return f"live:games:by:{creator}"


def public_key(state: str) -> str:
    """Return the key of the sorted set of the public games in a state of unfinished games."""
    return f"live:games:public:{state}"


def state_key(state: str) -> str:
    """Return the key of the sorted set of all games in a state."""
    return f"live:games:state:{state}"


__all__ = [
    "GAME_SCRIPTS",
    "GameRow",
    "GameStep",
    "GameStore",
    "Listing",
    "PendingQuery",
    "PendingTurn",
    "TurnChange",
]
