"""Tournaments in Redis: every tournament's keys share one hash tag, and a step of it is one script.

Of a tournament ``id``, all in the tag ``{t:<id>}``: the hash itself (``v`` version, ``m`` meta, ``n``
counts every change, ``games`` played); ``:groups`` the planned groups by id, ``:order`` their order;
``:due`` the groups that the house has to play, by the end of their lease, ``:remote`` those with other
bots; ``:results`` one per group, ``:packs`` their records; ``:voided`` how often a group was void,
``:voids`` why; ``:unreleased`` results that are not on the lists of released ones yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from arena.live.store import WAKE_CHANNEL
from arena.live.store_index import RECORDS_LAST, pack_member, records_key
from arena.live.store_wire import Command, Script, Wire

_STEP: Final = Script("tournament_step")
_RESULT: Final = Script("tournament_result")
_VOID: Final = Script("tournament_void")
_CLAIM: Final = Script("claim")
_RELEASE: Final = Script("release")
_REPLACE: Final = Script("replace")
_PUBLISH: Final = Script("board_publish")

TOURNAMENT_SCRIPTS: Final = (_STEP, _RESULT, _VOID, _CLAIM, _RELEASE, _REPLACE, _PUBLISH)
"""The scripts that the wire of tournaments, boards and schedules has to know."""

_ALL: Final = "tournaments"
_ACTIVE: Final = "tournaments:active"
SCHEDULES: Final = "{schedules}"
FLAGS: Final = "{arena}:flags"
ANNULLED: Final = "{annulled}"
QUALIFIED: Final = "{qualified}"


class Row(NamedTuple):
    """A tournament as stored. ``changes`` counts every change of it, ``games`` those played."""

    version: int
    meta: bytes
    changes: int
    games: int
    done: int
    planned: int


class NewGroup(NamedTuple):
    """A group to be planned. ``due_ms``: from when on the house may play it, None: others take part."""

    id: str
    row: bytes
    due_ms: int | None


class NewResult(NamedTuple):
    """The result of a group after ``voided`` voids, with the pack of its records (b"": its games have
    them).
    """

    group: str
    voided: int
    games: int
    result: bytes
    pack: bytes


class Counted(NamedTuple):
    """What became of results: how many were new, how many groups have one, how many are planned."""

    new: int
    done: int
    planned: int


class BoardState(NamedTuple):
    """A board as published (JSON; None: never yet), up to which place of its list, when, what that took,
    and the last place of the list. All zero if there is none.
    """

    shown: bytes | None
    place: int
    at_ms: int
    cost_ms: int
    last: int


class TournamentStore:
    """The tournaments in one Redis or one Redis Cluster. Holds no rules. All times are milliseconds."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def _one(self, *command: Any) -> Any:
        (reply,) = self._wire.run([command])
        return reply

    # Tournaments

    def load(self, ids: Sequence[str]) -> list[Row | None]:
        """The tournaments, None for one that is not there."""
        commands: list[Command] = []
        for event in ids:
            key = event_key(event)
            commands.append(("HMGET", key, "v", "m", "n", "games"))
            commands += (("HLEN", f"{key}:results"), ("HLEN", f"{key}:groups"))
        replies = self._wire.run(commands) if commands else []
        rows: list[Row | None] = []
        for at in range(0, len(replies), 3):
            version, meta, changes, games = replies[at]
            row = None
            if version is not None:
                row = Row(int(version), meta, int(changes), int(games or 0), *replies[at + 1 : at + 3])
            rows.append(row)
        return rows

    def step(self, event: str, before: int, meta: bytes, groups: Sequence[NewGroup] = ()) -> bool:
        """Store ``meta`` and plan ``groups`` if the version is still ``before`` (0: it must not exist)."""
        args: list[Any] = [before or "", meta, len(groups)]
        for group in groups:
            args += (group.id, group.row, "" if group.due_ms is None else group.due_ms)
        reply, _ = self._wire.run([_STEP.call([event_key(event)], *args), _woken(event)])
        return bool(reply == 1)

    def enlist(self, event: str, created_ms: int, due_ms: int, *, listed: bool) -> None:
        """Have a tournament looked at when it is due; and put it on the list of all."""
        commands: list[Command] = [("ZADD", _ACTIVE, "NX", due_ms, event)]
        if listed:
            commands.append(("ZADD", _ALL, created_ms, event))
        self._wire.run(commands)

    def settle(self, event: str, due_ms: int | None) -> None:
        """Somebody has to look at the tournament at ``due_ms``, or never again."""
        self._one(*(("ZREM", _ACTIVE, event) if due_ms is None else ("ZADD", _ACTIVE, due_ms, event)))

    def claim_due(self, now_ms: int, lease_ms: int, limit: int) -> list[str]:
        """Tournaments that somebody has to look at, for this caller alone until ``lease_ms``."""
        return [event.decode() for event in self._one(*_CLAIM.call([_ACTIVE], now_ms, lease_ms, limit))]

    def active(self) -> list[str]:
        """The tournaments that are not over."""
        return [event.decode() for event in self._one("ZRANGE", _ACTIVE, 0, -1)]

    def page(self, before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        """Up to ``limit`` tournaments, the newest first: when each was made, and its id."""
        highest = "+inf" if before is None else before[0]
        found: list[tuple[int, str]] = []
        offset = 0
        while True:
            reply = self._one("ZREVRANGEBYSCORE", _ALL, highest, "-inf", "WITHSCORES", "LIMIT", offset, limit)
            places = [(int(reply[i + 1]), reply[i].decode()) for i in range(0, len(reply), 2)]
            found += (place for place in places if before is None or place < before)
            if len(places) < limit or len(found) >= limit:
                return found[:limit]
            offset += limit

    # Groups

    def groups(self, event: str, start: int = 0, count: int | None = None) -> list[tuple[str, bytes]]:
        """The ids and rows of the planned groups from number ``start`` on, in the order of planning."""
        key = event_key(event)
        last = -1 if count is None else start + count - 1
        ids = [group.decode() for group in self._one("LRANGE", f"{key}:order", start, last)]
        rows = self._one("HMGET", f"{key}:groups", *ids) if ids else []
        return list(zip(ids, rows, strict=True))

    def rows(self, event: str, groups: Sequence[str]) -> list[tuple[bytes | None, int]]:
        """The rows of the groups, and how often each was void."""
        if not groups:
            return []
        key = event_key(event)
        rows, voided = self._wire.run(
            [("HMGET", f"{key}:groups", *groups), ("HMGET", f"{key}:voided", *groups)]
        )
        return [(row, int(count or 0)) for row, count in zip(rows, voided, strict=True)]

    def claim_groups(self, event: str, now_ms: int, lease_ms: int, limit: int) -> list[str]:
        """Groups that the house has to play, for this caller alone until ``lease_ms``."""
        reply = self._one(*_CLAIM.call([f"{event_key(event)}:due"], now_ms, lease_ms, limit))
        return [group.decode() for group in reply]

    def renew(self, event: str, groups: Iterable[str], lease_ms: int) -> None:
        """The caller still plays the groups."""
        args: list[Any] = []
        for group in groups:
            args += (lease_ms, group)
        if args:
            self._one("ZADD", f"{event_key(event)}:due", "XX", *args)

    def hand_back(self, event: str, groups: Iterable[str]) -> None:
        """The caller will not play the groups now."""
        self.renew(event, groups, 0)

    def due(self, event: str, now_ms: int) -> int:
        """How many groups the house has to play that nobody is playing."""
        return int(self._one("ZCOUNT", f"{event_key(event)}:due", "-inf", now_ms))

    def remote(self, event: str) -> list[str]:
        """The groups with other bots that have no result, in the order of their ids."""
        return [group.decode() for group in self._one("ZRANGE", f"{event_key(event)}:remote", 0, -1)]

    def add_results(self, event: str, results: Sequence[NewResult]) -> Counted:
        """Take the results that are the first of their groups."""
        args: list[Any] = []
        for result in results:
            args += result
        counts, _ = self._wire.run([_RESULT.call([event_key(event)], *args), _woken(event)])
        return Counted(*map(int, counts))

    def results(self, event: str, groups: Sequence[str]) -> list[bytes | None]:
        """The results of the groups, None where there is none."""
        return list(self._one("HMGET", f"{event_key(event)}:results", *groups)) if groups else []

    def all_results(self, event: str) -> dict[str, bytes]:
        """The results by group."""
        return _by_name(self._one("HGETALL", f"{event_key(event)}:results"))

    def replace_result(self, event: str, group: str, result: bytes, pack: bytes) -> None:
        """Put another result and other records in place of those of a group."""
        key = event_key(event)
        commands: list[Command] = [("HSET", f"{key}:results", group, result), ("HINCRBY", key, "n", 1)]
        if pack:
            commands.append(("HSET", f"{key}:packs", group, pack))
        self._wire.run([*commands, _woken(event)])

    def packs(self, event: str, groups: Sequence[str]) -> list[bytes | None]:
        """The packs of the groups' records, None for one whose games have them."""
        return list(self._one("HMGET", f"{event_key(event)}:packs", *groups)) if groups else []

    def keep_records(self, event: str, for_ms: int) -> None:
        """Forget the packs of a tournament that is over after so long; its results stay."""
        self._one("PEXPIRE", f"{event_key(event)}:packs", for_ms)

    def void(self, event: str, group: str, voided: int, told: bytes, most: int, result: bytes) -> int:
        """Void an attempt; after ``most`` of them ``result`` is the group's. How many are void now."""
        call = _VOID.call([event_key(event)], group, voided, told, most, result)
        count, _ = self._wire.run([call, _woken(event)])
        return int(count)

    def voids(self, event: str) -> list[bytes]:
        """The voids as published, in their order."""
        return list(self._one("LRANGE", f"{event_key(event)}:voids", 0, -1))

    # Releasing

    def unreleased(self, event: str) -> list[str]:
        """The groups with a result that is not on the lists of released ones yet."""
        return sorted(group.decode() for group in self._one("SMEMBERS", f"{event_key(event)}:unreleased"))

    def release(
        self,
        event: str,
        kind: str,
        board: str | None,
        packed: Sequence[tuple[str, int]],
        others: Sequence[str],
    ) -> None:
        """Put groups on the lists: ``packed`` (and how many records each has) on those of records, all of
        them on that of the board ``<kind>/<division>``.
        """
        key = event_key(event)
        names = [*(group for group, _ in packed), *others]
        if not names:
            return
        commands: list[Command] = []
        if packed:
            args: list[Any] = []
            for group, count in packed:
                args += (pack_member(event, group), count)
            commands.append(_RELEASE.call([RECORDS_LAST, records_key(None), records_key(kind)], *args))
        if board is not None:
            args = []
            for group in names:
                args += (f"{event}/{group}", 1)
            commands.append(_RELEASE.call([f"{board_key(board)}:last", f"{board_key(board)}:log"], *args))
        # The last one, so that whatever is lost on the way is done again.
        commands.append(("SREM", f"{key}:unreleased", *names))
        self._wire.run(commands)

    # Boards

    def board_news(self, board: str, after: int, count: int) -> list[tuple[int, str, str]]:
        """Released groups after a place, oldest first: place, tournament, group."""
        reply = self._one(
            "ZRANGEBYSCORE", f"{board_key(board)}:log", f"({after}", "+inf", "WITHSCORES", "LIMIT", 0, count
        )
        found = []
        for at in range(0, len(reply), 2):
            event, _, group = reply[at].decode().partition("/")
            found.append((int(reply[at + 1]), event, group))
        return found

    def board_state(self, board: str) -> BoardState:
        """The board as published, and how far."""
        key = board_key(board)
        (shown, *numbers), last = self._wire.run(
            [("HMGET", key, "board", "place", "at", "cost"), ("GET", f"{key}:last")]
        )
        return BoardState(shown, *(int(number or 0) for number in (*numbers, last)))

    def board_ledger(self, board: str) -> tuple[bytes | None, int | None]:
        """The groups that were counted, and up to which place."""
        ledger, place = self._one("HMGET", board_key(board), "ledger", "place")
        return ledger, None if place is None else int(place)

    def publish(
        self, board: str, before: int | None, *, state: BoardState, ledger: bytes, day: str, point: bytes
    ) -> bool:
        """Publish a board that was made from what was there up to place ``before``, all of it at once;
        False if somebody else has published meanwhile.
        """
        values = ("board", state.shown, "place", state.place, "at", state.at_ms, "cost", state.cost_ms)
        expected = "" if before is None else before
        call = _PUBLISH.call([board_key(board)], expected, day, point, *values, "ledger", ledger)
        return bool(self._one(*call))

    def forget_ledger(self, board: str) -> None:
        """The ledger has to be made anew."""
        self._one("HDEL", board_key(board), "ledger", "place")

    def days(self, board: str) -> dict[str, bytes]:
        """The board's daily points by day."""
        return _by_name(self._one("HGETALL", f"{board_key(board)}:days"))

    # Schedules, qualifications, flags: hashes whose fields change one by one

    def fields(self, name: str) -> dict[str, bytes]:
        """All fields of a hash."""
        return _by_name(self._one("HGETALL", name))

    def field(self, name: str, field: str) -> bytes | None:
        """One field of a hash."""
        reply: bytes | None = self._one("HGET", name, field)
        return reply

    def some_fields(self, name: str, fields: Sequence[str]) -> list[bytes | None]:
        """Some fields of a hash."""
        return list(self._one("HMGET", name, *fields)) if fields else []

    def replace(self, name: str, field: str, before: bytes | None, after: bytes | None) -> bool:
        """Change a field if it is still ``before`` (None: not there)."""
        return bool(self._one(*_REPLACE.call([name], field, before or "", after or "")))

    def first(self, name: str, for_ms: int) -> bool:
        """Whether nobody was the first within the last ``for_ms``."""
        return self._one("SET", f"{FLAGS}:{name}", 1, "NX", "PX", for_ms) is not None


def event_key(event: str) -> str:
    """The hash of a tournament."""
    return f"{{t:{event}}}"


def board_key(board: str) -> str:
    """The hash of a board ``<kind>/<division>``: ``board`` as published, ``ledger``, ``place``, ``at``."""
    return f"{{board:{board}}}"


def _by_name(reply: Any) -> dict[str, bytes]:
    """A hash, which the client of a cluster gives as one and a single server as a list."""
    items = reply.items() if isinstance(reply, Mapping) else zip(reply[::2], reply[1::2], strict=True)
    return {name.decode(): value for name, value in items}


def _woken(event: str) -> Command:
    return ("PUBLISH", WAKE_CHANNEL, orjson.dumps([(wake_name(event), 0, [], [])]))


def wake_name(event: str) -> str:
    """Under which name those who wait for a tournament are woken: no game has it."""
    return f"@{event}"
