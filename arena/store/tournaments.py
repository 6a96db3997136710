"""Tournaments in Redis: every tournament's keys share one hash tag, and a step of it is one script.

Of a tournament ``id``, all in the tag ``{t:<id>}``: the hash itself (``v`` version, ``m`` meta, ``n``
counts every change, ``games`` played); ``:groups`` the planned groups by id, ``:order`` their order;
``:due`` the local groups to play, by the end of their lease, ``:remote`` the live groups; ``:results`` one
per group, ``:packs`` their records; ``:voided`` the number of voids by group, ``:voids`` their reasons;
``:ended`` by group what :meth:`TournamentStore.ended_workers` returns;
``:unreleased`` results that are not on the lists of released ones yet; ``:standings`` those computed last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import orjson

from arena.store.boards import board_key
from arena.store.connection import Command, RedisConnection, Script
from arena.store.documents import by_name
from arena.store.game_index import RECORDS_LAST, pack_member, records_key
from arena.store.games import WAKE_CHANNEL
from arena.store.paging import Cursor, newest_first
from arena.store.rows import shown_or_left_out

_STEP: Final = Script("tournament_step")
_RESULT: Final = Script("tournament_result")
_VOID: Final = Script("tournament_void")
_CLAIM: Final = Script("claim")
_RELEASE: Final = Script("release")

TOURNAMENT_SCRIPTS: Final = (_STEP, _RESULT, _VOID, _CLAIM, _RELEASE)
"""The scripts that the connection of tournaments must load."""

_ALL: Final = "tournaments"
_ACTIVE: Final = "tournaments:active"


class TournamentRow(NamedTuple):
    """A stored tournament. ``changes`` counts its changes, ``games`` the games played."""

    version: int
    meta: bytes
    changes: int
    games: int
    done: int
    planned: int


class NewGroup(NamedTuple):
    """A group to plan. ``due_ms``: when a worker may play a local group; None for a live group."""

    id: str
    row: bytes
    due_ms: int | None


class NewResult(NamedTuple):
    """The result of a group after ``voided`` voids, with the pack of its records (empty for live games)."""

    group: str
    voided: int
    games: int
    result: bytes
    pack: bytes


class Counted(NamedTuple):
    """The number of new results, of groups with a result, and of planned groups."""

    new: int
    done: int
    planned: int


class StoredStandings(NamedTuple):
    """Standings (JSON) after ``changes`` changes of the tournament, when they were computed, and how long
    that took.
    """

    data: bytes
    changes: int
    at_ms: int
    cost_ms: int


class TournamentStore:
    """The tournaments in one Redis or one Redis Cluster, without rules. All times are milliseconds."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def _one(self, *command: Any) -> Any:
        (reply,) = self._connection.run([command])
        return reply

    # Tournaments

    def load(self, ids: Sequence[str]) -> list[TournamentRow | None]:
        """The tournaments, None for a missing one."""
        commands: list[Command] = []
        for event in ids:
            key = event_key(event)
            commands.append(("HMGET", key, "v", "m", "n", "games"))
            commands += (("HLEN", f"{key}:results"), ("HLEN", f"{key}:groups"))
        replies = self._connection.run(commands) if commands else []
        rows: list[TournamentRow | None] = []
        for at in range(0, len(replies), 3):
            version, meta, changes, games = replies[at]
            counts = replies[at + 1 : at + 3]
            row = None
            if version is not None:
                try:
                    row = TournamentRow(
                        int(version), meta or b"", int(changes or 0), int(games or 0), *counts
                    )
                except ValueError:
                    # As damaged as if its meta were: whoever reads that finds out.
                    row = TournamentRow(0, b"", 0, 0, *counts)
            rows.append(row)
        return rows

    def step(self, event: str, before: int, meta: bytes, groups: Sequence[NewGroup] = ()) -> bool:
        """Store ``meta`` and add ``groups`` if the version is still ``before`` (0: it must not exist)."""
        args: list[Any] = [before or "", meta, len(groups)]
        for group in groups:
            args += (group.id, group.row, "" if group.due_ms is None else group.due_ms)
        reply, _ = self._connection.run([_STEP.call([event_key(event)], *args), _woken(event)])
        return bool(reply == 1)

    def enlist(self, event: str, created_ms: int, due_ms: int, *, listed: bool) -> None:
        """Put a tournament on the due-list, and on the list of all tournaments."""
        commands: list[Command] = [("ZADD", _ACTIVE, "NX", due_ms, event)]
        if listed:
            commands.append(("ZADD", _ALL, created_ms, event))
        self._connection.run(commands)

    def settle(self, event: str, due_ms: int | None) -> None:
        """Make the tournament due at ``due_ms``, or never (None)."""
        self._one(*(("ZREM", _ACTIVE, event) if due_ms is None else ("ZADD", _ACTIVE, due_ms, event)))

    def claim_due(self, now_ms: int, lease_ms: int, limit: int) -> list[str]:
        """Claim tournaments that are due; the claim lasts until ``lease_ms``."""
        return [event.decode() for event in self._one(*_CLAIM.call([_ACTIVE], now_ms, lease_ms, limit))]

    def active(self) -> list[str]:
        """The tournaments that are not over."""
        return [event.decode() for event in self._one("ZRANGE", _ACTIVE, 0, -1)]

    def page(self, before: Cursor | None, limit: int) -> Sequence[Cursor]:
        """Up to ``limit`` tournaments after ``before``, newest first."""
        return newest_first(self._connection, _ALL, before, limit)

    # Groups

    def groups(self, event: str, start: int = 0, count: int | None = None) -> list[tuple[str, bytes]]:
        """The ids and rows of the planned groups from number ``start`` on, in the order of planning."""
        key = event_key(event)
        last = -1 if count is None else start + count - 1
        ids = [group.decode() for group in self._one("LRANGE", f"{key}:order", start, last)]
        rows = self._one("HMGET", f"{key}:groups", *ids) if ids else []
        return list(zip(ids, rows, strict=True))

    def rows(self, event: str, groups: Sequence[str]) -> list[tuple[bytes | None, int]]:
        """The rows of the groups, and the number of voids of each."""
        if not groups:
            return []
        key = event_key(event)
        rows, voided = self._connection.run(
            [("HMGET", f"{key}:groups", *groups), ("HMGET", f"{key}:voided", *groups)]
        )
        return [(row, int(count or 0)) for row, count in zip(rows, voided, strict=True)]

    def claim_groups(self, event: str, now_ms: int, lease_ms: int, limit: int) -> list[str]:
        """Claim local groups that are due; the claim lasts until ``lease_ms``."""
        reply = self._one(*_CLAIM.call([f"{event_key(event)}:due"], now_ms, lease_ms, limit))
        return [group.decode() for group in reply]

    def renew(self, event: str, groups: Iterable[str], lease_ms: int) -> None:
        """Extend the claim of groups that are still being played."""
        args: list[Any] = []
        for group in groups:
            args += (lease_ms, group)
        if args:
            self._one("ZADD", f"{event_key(event)}:due", "XX", *args)

    def hand_back(self, event: str, groups: Iterable[str]) -> None:
        """Release the claim of groups that will not be played now."""
        self.renew(event, groups, 0)

    def due(self, event: str, now_ms: int) -> int:
        """The number of local groups that are due and not claimed."""
        return int(self._one("ZCOUNT", f"{event_key(event)}:due", "-inf", now_ms))

    def remote(self, event: str) -> list[str]:
        """The live groups without a result, in the order of their ids."""
        return [group.decode() for group in self._one("ZRANGE", f"{event_key(event)}:remote", 0, -1)]

    def add_results(self, event: str, results: Sequence[NewResult]) -> Counted:
        """Store the results, of which only the first of each group counts."""
        args: list[Any] = []
        for result in results:
            args += result
        counts, _ = self._connection.run([_RESULT.call([event_key(event)], *args), _woken(event)])
        return Counted(*map(int, counts))

    def results(self, event: str, groups: Sequence[str]) -> list[bytes | None]:
        """The results of the groups, None where there is none."""
        return list(self._one("HMGET", f"{event_key(event)}:results", *groups)) if groups else []

    def all_results(self, event: str) -> dict[str, bytes]:
        """The results by group."""
        return by_name(self._one("HGETALL", f"{event_key(event)}:results"))

    def replace_result(self, event: str, group: str, result: bytes, pack: bytes) -> None:
        """Replace the result and the records of a group."""
        key = event_key(event)
        commands: list[Command] = [("HSET", f"{key}:results", group, result), ("HINCRBY", key, "n", 1)]
        if pack:
            commands.append(("HSET", f"{key}:packs", group, pack))
        self._connection.run([*commands, _woken(event)])

    def packs(self, event: str, groups: Sequence[str]) -> list[bytes | None]:
        """The packs of the groups' records, None for live groups."""
        return list(self._one("HMGET", f"{event_key(event)}:packs", *groups)) if groups else []

    def keep_records(self, event: str, for_ms: int) -> None:
        """Let the packs of a finished tournament expire after ``for_ms``; its results stay."""
        self._one("PEXPIRE", f"{event_key(event)}:packs", for_ms)

    def void(
        self,
        event: str,
        group: str,
        voided: int,
        published: bytes,
        most: int,
        result: bytes,
        ended_by: str | None = None,
    ) -> int:
        """Void an attempt; after ``most`` of them the group gets ``result``. Returns the number of voids.

        ``ended_by``: if the attempt ended its worker, the bot whose call was running, or an empty text.
        """
        noted = () if ended_by is None else (f"{ended_by}\n",)
        call = _VOID.call([event_key(event)], group, voided, published, most, result, *noted)
        count, _ = self._connection.run([call, _woken(event)])
        return int(count)

    def ended_workers(self, event: str, group: str) -> list[str]:
        """For each void attempt of a group that ended its worker: the bot whose call was running, or an empty
        text.
        """
        found = self._one("HGET", f"{event_key(event)}:ended", group)
        return [] if found is None else found.decode().split("\n")[:-1]

    def voids(self, event: str) -> list[bytes]:
        """The published voids, in their order."""
        return list(self._one("LRANGE", f"{event_key(event)}:voids", 0, -1))

    # Standings

    def standings(self, event: str) -> StoredStandings | None:
        """The standings computed last; None if they never were."""
        data, *numbers = self._one("HMGET", f"{event_key(event)}:standings", *StoredStandings._fields)
        return None if data is None else StoredStandings(data, *map(int, numbers))

    def standings_age(self, event: str) -> tuple[int, tuple[int, int, int] | None]:
        """The changes of the tournament, and ``changes``, ``at_ms`` and ``cost_ms`` of its standings."""
        key = event_key(event)
        changes, known = self._connection.run(
            [("HGET", key, "n"), ("HMGET", f"{key}:standings", *StoredStandings._fields[1:])]
        )
        if known[0] is None:
            return int(changes or 0), None
        age = shown_or_left_out(f"age of the standings of {event}", lambda: tuple(map(int, known)))
        if age is None:
            return int(changes or 0), None
        at_changes, at_ms, cost_ms = age
        return int(changes or 0), (at_changes, at_ms, cost_ms)

    def store_standings(self, event: str, standings: StoredStandings) -> None:
        """Replace the standings."""
        values = [part for item in standings._asdict().items() for part in item]
        self._one("HSET", f"{event_key(event)}:standings", *values)

    def delete_standings(self, event: str) -> None:
        """Delete the standings."""
        self._one("DEL", f"{event_key(event)}:standings")

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
        """Add groups to the lists: ``packed`` (with their numbers of records) to those of records, all of
        them to that of the board ``<kind>/<division>``.
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
        # The last command: if the process dies on the way, the others are repeated.
        commands.append(("SREM", f"{key}:unreleased", *names))
        self._connection.run(commands)


def event_key(event: str) -> str:
    """The hash of a tournament."""
    return f"{{t:{event}}}"


def is_active(event: str) -> Command:
    """The command whose reply is None if the tournament is over."""
    return ("ZSCORE", _ACTIVE, event)


def _woken(event: str) -> Command:
    # No game has such an id; see arena.store.notifications.
    return ("PUBLISH", WAKE_CHANNEL, orjson.dumps([(f"@{event}", 0, [], [])]))
