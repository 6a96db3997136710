"""Tournaments in Redis: all keys of a tournament share one hash tag, and each step is one script.

A tournament ``id`` has these keys in the tag ``{t:<id>}``: the hash itself (``v``, the version; ``m``, the
meta; ``n``, which counts every change; ``games``, the number played); ``:groups``, the planned groups by id;
``:order``, their order; ``:due``, the local groups to play, by the end of their lease; ``:remote``, the live
groups; ``:results``, one for each group; ``:records``, their rows of records (:mod:`arena.store.records`);
``:voided``, the number of voids by group; ``:voids``, the published voids; ``:ended``, by group, the data for
:meth:`TournamentStore.ended_workers`; ``:parts``, by group, the first games of groups whose other games are
due; ``:unreleased``, results that are not yet on the lists of released
groups; ``:standings``, the latest standings; and ``:pace``, the number of new results in each recent second.

When the tournament is over, its first ``chunked`` groups, of which ``chunked_done`` have a result, move from
``:groups``, ``:order``, ``:results``, ``:voided`` and ``:records`` to ``:chunks``, by chunk number
(:mod:`arena.store.chunks`). Its compressed standings move from its meta to ``final``.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import orjson

from arena.store.amounts import DAY_MS
from arena.store.boards import board_key
from arena.store.chunks import CHUNK_GROUPS, StoredGroup, from_chunk, to_chunk
from arena.store.connection import Command, Repository, Script
from arena.store.documents import by_name
from arena.store.games import WAKE_CHANNEL
from arena.store.paging import Cursor, newest_first
from arena.store.records import LAST, PENDING, PENDING_PRIVATE
from arena.store.rows import shown_or_left_out

_STEP: Final = Script("tournament_step")
_RESULT: Final = Script("tournament_result")
_VOID: Final = Script("tournament_void")
_PART: Final = Script("tournament_part")
_CLAIM: Final = Script("claim")
_RELEASE: Final = Script("release")
_CHUNK: Final = Script("tournament_chunk")
_REPLACE: Final = Script("tournament_replace")
_FINAL: Final = Script("tournament_final")

TOURNAMENT_SCRIPTS: Final = (_STEP, _RESULT, _VOID, _PART, _CLAIM, _RELEASE, _CHUNK, _REPLACE, _FINAL)
"""The scripts that the connection of a :class:`TournamentStore` must load."""

_ALL: Final = "tournaments"
_ACTIVE: Final = "tournaments:active"
_OVER: Final = "tournaments:over"
"""Finished tournaments with groups outside chunks, by when they ended or were last checked."""

_COMPARISONS: Final = "tournaments:compared:{}"
_INVITED: Final = "tournaments:invited:{}"
INVITATIONS_MOST: Final = 20
"""How many invitations of an owner to tournaments are kept; older ones remain valid, but are not listed."""

_CHUNKS_AT_ONCE: Final = 20

PART_MS: Final = DAY_MS
"""How long the first games of groups are kept after the last one was stored."""

PACE_MS: Final = 90_000
"""How long the times of results are kept: longer than the period from which remaining time is estimated."""


class TournamentRow(NamedTuple):
    """A stored tournament. ``changes`` counts its changes, and ``games`` the games played."""

    version: int
    meta: bytes
    changes: int
    games: int
    done: int
    planned: int


class NewGroup(NamedTuple):
    """A group to plan. ``due_ms`` is when a worker may play a local group, or None for a live group."""

    id: str
    row: bytes
    due_ms: int | None


class NewResult(NamedTuple):
    """The result of a group after ``voided`` voids, with its gzipped records (empty for live games)."""

    group: str
    voided: int
    games: int
    result: bytes
    records: bytes


class Counted(NamedTuple):
    """The number of new results, of groups with a result, and of planned groups."""

    new: int
    done: int
    planned: int


class StoredStandings(NamedTuple):
    """Standings (JSON) after ``changes`` changes, and the time and duration of their computation."""

    data: bytes
    changes: int
    at_ms: int
    cost_ms: int


class TournamentStore(Repository):
    """Stores tournaments in one Redis or Redis Cluster. It has no rules; all times are in milliseconds."""

    # Tournaments

    def load(self, ids: Sequence[str]) -> list[TournamentRow | None]:
        """Return the tournaments, with None for missing ones."""
        commands: list[Command] = []
        for event in ids:
            key = event_key(event)
            commands.append(("HMGET", key, "v", "m", "n", "games", "chunked_done", "chunked"))
            commands += (("HLEN", f"{key}:results"), ("HLEN", f"{key}:groups"))
        replies = self._connection.run(commands) if commands else []
        rows: list[TournamentRow | None] = []
        for at in range(0, len(replies), 3):
            version, meta, changes, games, chunked_done, chunked = replies[at]
            counts = replies[at + 1 : at + 3]
            row = None
            if version is not None:
                try:
                    done, planned = int(chunked_done or 0) + counts[0], int(chunked or 0) + counts[1]
                    numbers = int(changes or 0), int(games or 0), done, planned
                    row = TournamentRow(int(version), meta or b"", *numbers)
                except ValueError:
                    # Treated like a damaged meta, which is detected when it is read.
                    row = TournamentRow(0, b"", 0, 0, *counts)
            rows.append(row)
        return rows

    def step(self, event: str, before: int, meta: bytes, groups: Sequence[NewGroup] = ()) -> bool:
        """Store ``meta`` and add ``groups`` if the version is still ``before`` (0: no tournament yet)."""
        args: list[Any] = [before or "", meta, len(groups)]
        for group in groups:
            args += (group.id, group.row, "" if group.due_ms is None else group.due_ms)
        reply, _ = self._connection.run([_STEP.call([event_key(event)], *args), _woken(event)])
        return bool(reply == 1)

    def enlist(self, event: str, created_ms: int, due_ms: int, *, listed: bool) -> None:
        """Put a tournament on the due-list and, if ``listed``, on the list of all tournaments."""
        commands: list[Command] = [("ZADD", _ACTIVE, "NX", due_ms, event)]
        if listed:
            commands.append(("ZADD", _ALL, created_ms, event))
        self._connection.run(commands)

    def settle(self, event: str, due_ms: int | None) -> None:
        """Make the tournament due at ``due_ms``, or never if it is None."""
        self._one(*(("ZREM", _ACTIVE, event) if due_ms is None else ("ZADD", _ACTIVE, due_ms, event)))

    def note_over(self, event: str, at_ms: int) -> bool:
        """Add a tournament to the list of finished tournaments with groups outside chunks. Returns whether it
        was not on the list.
        """
        return bool(self._one("ZADD", _OVER, at_ms, event))

    def over(self, until_ms: int, count: int) -> list[str]:
        """Return up to ``count`` tournaments on that list with a time up to ``until_ms``, oldest first."""
        return self._names("ZRANGEBYSCORE", _OVER, "-inf", until_ms, "LIMIT", 0, count)

    def forget_over(self, event: str) -> None:
        """Remove a tournament whose groups are all in chunks from that list."""
        self._one("ZREM", _OVER, event)

    def claim_due(self, now_ms: int, lease_ms: int, limit: int) -> list[str]:
        """Claim tournaments that are due; the claim lasts until ``lease_ms``."""
        return self._names(*_CLAIM.call([_ACTIVE], now_ms, lease_ms, limit))

    def active(self) -> list[str]:
        """Return the tournaments that are not over."""
        return self._names("ZRANGE", _ACTIVE, 0, -1)

    def being_played(self, events: Sequence[str]) -> set[str]:
        """Return those of the given tournaments that are not over."""
        replies = self._connection.run([("ZSCORE", _ACTIVE, event) for event in events]) if events else []
        return {event for event, score in zip(events, replies, strict=True) if score is not None}

    def page(self, before: Cursor | None, limit: int) -> Sequence[Cursor]:
        """Return up to ``limit`` tournaments that follow ``before``, newest first."""
        return newest_first(self._connection, _ALL, before, limit)

    def note_comparison(self, owner: str, event: str, created_ms: int) -> None:
        """Add the tournament of a comparison to the owner's list of comparisons."""
        self._one("ZADD", _COMPARISONS.format(owner), created_ms, event)

    def comparisons(self, owner: str, before: Cursor | None, limit: int) -> Sequence[Cursor]:
        """Return up to ``limit`` comparisons of an owner that follow ``before``, newest first."""
        return newest_first(self._connection, _COMPARISONS.format(owner), before, limit)

    def forget_comparisons(self, owner: str) -> None:
        """Delete an owner's list of comparisons."""
        self._one("DEL", _COMPARISONS.format(owner))

    def note_invitation(self, owner: str, event: str, at_ms: int) -> None:
        """Add a tournament to the newest ones to which an owner is invited. Callers must check them."""
        key = _INVITED.format(owner)
        self._connection.run(
            [("ZADD", key, at_ms, event), ("ZREMRANGEBYRANK", key, 0, -1 - INVITATIONS_MOST)]
        )

    def invitations(self, owner: str) -> list[str]:
        """Return the tournaments on that list, newest first."""
        return self._names("ZREVRANGE", _INVITED.format(owner), 0, -1)

    def forget_invitation(self, owner: str, event: str) -> None:
        """Remove a tournament from that list."""
        self._one("ZREM", _INVITED.format(owner), event)

    def forget_invitations(self, owner: str) -> None:
        """Delete that list."""
        self._one("DEL", _INVITED.format(owner))

    # Groups

    def plan(self, event: str) -> list[tuple[str, bytes]]:
        """Return the ids and rows of all groups of an unfinished tournament, in planning order."""
        key = event_key(event)
        ids = self._names("LRANGE", f"{key}:order", 0, -1)
        rows = self._one("HMGET", f"{key}:groups", *ids) if ids else []
        return list(zip(ids, rows, strict=True))

    def groups(self, event: str, start: int, count: int) -> list[StoredGroup]:
        """Return up to ``count`` planned groups, starting at number ``start``, in planning order."""
        key = event_key(event)
        end = start + count
        while True:
            chunked = self._chunked(event)
            found = self._from_chunks(event, start, min(end, chunked))
            ids: list[str] = []
            if end > chunked:
                ids = self._names("LRANGE", f"{key}:order", max(0, start - chunked), end - chunked - 1)
            found += self._outside(event, ids)
            # Otherwise, groups were moved into chunks in the meantime.
            if chunked == self._chunked(event):
                return found

    def _outside(self, event: str, ids: Sequence[str]) -> list[StoredGroup]:
        """Return groups that are not in chunks."""
        if not ids:
            return []
        key = event_key(event)
        rows, results, voided = self._connection.run(
            [("HMGET", f"{key}:{name}", *ids) for name in ("groups", "results", "voided")]
        )
        return [
            StoredGroup(name, row, result, int(count or 0))
            for name, row, result, count in zip(ids, rows, results, voided, strict=True)
            if row is not None
        ]

    def rows(self, event: str, groups: Sequence[str]) -> list[tuple[bytes | None, int]]:
        """Return the rows of the groups, and the number of voids of each."""
        found = self._find(event, groups)
        return [(None, 0) if group is None else (group.row, group.voided) for group in found]

    def _find(self, event: str, groups: Sequence[str]) -> list[StoredGroup | None]:
        found = {group.id: group for group in self._outside(event, groups)}
        if len(found) < len(set(groups)):
            # Read after the others, so that a group that is being moved is not missed.
            missing = set(groups) - found.keys()
            found.update((group.id, group) for group in self._in_chunks(event, missing))
        return [found.get(group) for group in groups]

    # Chunks

    def _chunked(self, event: str) -> int:
        return int(self._one("HGET", event_key(event), "chunked") or 0)

    def _from_chunks(
        self, event: str, start: int, end: int, wanted: set[str] | None = None
    ) -> list[StoredGroup]:
        """Return the groups from number ``start`` up to but excluding number ``end``."""
        numbers = range(start // CHUNK_GROUPS, -(-end // CHUNK_GROUPS))
        stored = self._one("HMGET", f"{event_key(event)}:chunks", *numbers) if numbers and start < end else []
        found = []
        for number, chunk in zip(numbers, stored, strict=False):
            groups = shown_or_left_out(f"chunk {number} of {event}", partial(from_chunk, chunk, wanted)) or []
            first = number * CHUNK_GROUPS
            found += groups[max(0, start - first) : end - first]
        return found

    def _in_chunks(self, event: str, wanted: set[str] | None = None) -> Iterator[StoredGroup]:
        """Yield the groups ``wanted``, or all groups, that are in chunks."""
        step = _CHUNKS_AT_ONCE * CHUNK_GROUPS
        chunked = self._chunked(event)
        for start in range(0, chunked, step):
            yield from self._from_chunks(event, start, min(start + step, chunked), wanted)

    def next_chunk(self, event: str) -> tuple[int, int, list[StoredGroup]]:
        """Return the number of groups in chunks, the number of changes of the tournament, and the next groups
        to put into a chunk.
        """
        chunked, changes = self._one("HMGET", event_key(event), "chunked", "n")
        start = int(chunked or 0)
        groups = self.groups(event, start, CHUNK_GROUPS)
        rows = zip(groups, self._rows_of_records(event, [group.id for group in groups]), strict=True)
        return start, int(changes or 0), [group._replace(records=row) for group, row in rows]

    def add_chunk(self, event: str, start: int, changes: int, groups: Sequence[StoredGroup]) -> bool:
        """Put groups from number ``start`` on into a chunk. Returns False if the tournament has changed."""
        if start % CHUNK_GROUPS:
            # The last chunk has fewer groups, so there are none after it.
            return False
        done = sum(group.result is not None for group in groups)
        call = _CHUNK.call(
            [event_key(event)],
            start,
            changes,
            start // CHUNK_GROUPS,
            to_chunk(groups),
            done,
            *(group.id for group in groups),
        )
        return bool(self._one(*call))

    def claim_groups(self, event: str, now_ms: int, lease_ms: int, limit: int) -> list[str]:
        """Claim local groups that are due; the claim lasts until ``lease_ms``."""
        return self._names(*_CLAIM.call([f"{event_key(event)}:due"], now_ms, lease_ms, limit))

    def renew(self, event: str, groups: Iterable[str], lease_ms: int) -> None:
        """Extend the claim of groups that are still being played."""
        args: list[Any] = []
        for group in groups:
            args += (lease_ms, group)
        if args:
            self._one("ZADD", f"{event_key(event)}:due", "XX", *args)

    def keep_part(self, event: str, group: str, voided: int, part: bytes) -> bool:
        """Store the first games of a group, whose other games are played later. Returns False, and stores
        nothing, if the group is over or no longer has ``voided`` voids.
        """
        return bool(self._one(*_PART.call([event_key(event)], group, voided, part, PART_MS)))

    def parts(self, event: str, groups: Sequence[str]) -> list[bytes | None]:
        """Return the first games of each group as stored, or None."""
        return list(self._one("HMGET", f"{event_key(event)}:parts", *groups))

    def due(self, event: str, now_ms: int) -> int:
        """Return the number of local groups that are due and not claimed."""
        return int(self._one("ZCOUNT", f"{event_key(event)}:due", "-inf", now_ms))

    def remote(self, event: str) -> list[str]:
        """Return the live groups without a result, ordered by id."""
        return self._names("ZRANGE", f"{event_key(event)}:remote", 0, -1)

    def add_results(self, event: str, results: Sequence[NewResult], now_ms: int) -> Counted:
        """Store results. Only the first result of each group counts."""
        args: list[Any] = [now_ms, PACE_MS]
        for result in results:
            args += result
        counts, _ = self._connection.run([_RESULT.call([event_key(event)], *args), _woken(event)])
        return Counted(*map(int, counts))

    def pace(self, event: str) -> dict[int, int]:
        """Return how many groups got their result in each second (Unix time) of the last :data:`PACE_MS`."""
        found = by_name(self._one("HGETALL", f"{event_key(event)}:pace"))
        return {int(second): int(count) for second, count in found.items()}

    def results(self, event: str, groups: Sequence[str]) -> list[bytes | None]:
        """Return the results of the groups, with None for those without a result."""
        if not groups:
            return []
        found = dict(zip(groups, self._one("HMGET", f"{event_key(event)}:results", *groups), strict=True))
        missing = {group for group, result in found.items() if result is None}
        if missing:
            # Read after the others, so that a result that is being moved is not missed.
            found.update((own.id, own.result) for own in self._in_chunks(event, missing))
        return [found[group] for group in groups]

    def all_results(self, event: str) -> dict[str, bytes]:
        """Return all results, by group."""
        found = by_name(self._one("HGETALL", f"{event_key(event)}:results"))
        # Read after the others, so that a result that is being moved is not missed.
        for group in self._in_chunks(event):
            if group.result is not None:
                found[group.id] = group.result
        return found

    def replace_result(self, event: str, group: str, result: bytes) -> None:
        """Replace the result of a group."""
        key = event_key(event)
        while True:
            chunked, changes = self._one("HMGET", key, "chunked", "n")
            number, chunk = "", b""
            for start in range(0, int(chunked or 0), CHUNK_GROUPS):
                groups = self._from_chunks(event, start, start + CHUNK_GROUPS)
                if any(own.id == group for own in groups):
                    replaced = [own._replace(result=result) if own.id == group else own for own in groups]
                    number, chunk = str(start // CHUNK_GROUPS), to_chunk(replaced)
            call = _REPLACE.call([key], changes or "", chunked or 0, group, result, number, chunk)
            taken, _ = self._connection.run([call, _woken(event)])
            if taken:
                return

    def records(self, event: str, groups: Sequence[str]) -> list[bytes | None]:
        """Return the groups' rows of records (:mod:`arena.store.records`), with None for live groups."""
        found = dict(zip(groups, self._rows_of_records(event, groups), strict=True))
        missing = {group for group, row in found.items() if row is None}
        if missing:
            # Read after the others, so that a row that is being moved is not missed.
            found.update((own.id, own.records) for own in self._in_chunks(event, missing))
        return [found[group] for group in groups]

    def _rows_of_records(self, event: str, groups: Sequence[str]) -> list[bytes | None]:
        return list(self._one("HMGET", f"{event_key(event)}:records", *groups)) if groups else []

    def keep_records(self, event: str, for_ms: int) -> None:
        """Set the records of a finished tournament to expire after ``for_ms``. Its results remain."""
        self._one("PEXPIRE", f"{event_key(event)}:records", for_ms)

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
        """Void an attempt, and return the group's number of voids. After ``most`` voids the group gets
        ``result``.

        ``ended_by`` is given if the attempt ended its worker: the bot whose call was running, or an empty
        string.
        """
        noted = () if ended_by is None else (f"{ended_by}\n",)
        call = _VOID.call([event_key(event)], group, voided, published, most, result, *noted)
        count, _ = self._connection.run([call, _woken(event)])
        return int(count)

    def ended_workers(self, event: str, group: str) -> list[str]:
        """Return the bot whose call was running in each void attempt that ended its worker (empty: none)."""
        found = self._one("HGET", f"{event_key(event)}:ended", group)
        return [] if found is None else found.decode().split("\n")[:-1]

    def voids(self, event: str) -> list[bytes]:
        """Return the published voids, in chronological order."""
        return list(self._one("LRANGE", f"{event_key(event)}:voids", 0, -1))

    # Standings

    def standings(self, event: str) -> StoredStandings | None:
        """Return the latest standings, or None if they were never computed."""
        data, *numbers = self._one("HMGET", f"{event_key(event)}:standings", *StoredStandings._fields)
        return None if data is None else StoredStandings(data, *map(int, numbers))

    def standings_age(self, event: str) -> tuple[int, tuple[int, int, int] | None]:
        """Return the number of changes of the tournament, and ``changes``, ``at_ms`` and ``cost_ms`` of its
        latest standings, or None without standings.
        """
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

    def keep_final(self, event: str, before: int, meta: bytes, final: bytes) -> bool:
        """Store ``meta`` without the final standings, and the standings as compressed JSON, unless the
        version is no longer ``before``. This does not count as a change of the tournament.
        """
        return bool(self._one(*_FINAL.call([event_key(event)], before, meta, zlib.compress(final))))

    def final(self, event: str) -> bytes | None:
        """Return the final standings (JSON) stored separately from the meta, or None if there are none."""
        data = self._one("HGET", event_key(event), "final")
        return None if data is None else zlib.decompress(data)

    def delete_standings(self, event: str) -> None:
        """Delete the standings."""
        self._one("DEL", f"{event_key(event)}:standings")

    # Releasing

    def unreleased(self, event: str) -> list[str]:
        """Return the groups with a result that is not yet on the lists of released groups."""
        return sorted(self._names("SMEMBERS", f"{event_key(event)}:unreleased"))

    def release(
        self,
        event: str,
        public: bool,
        board: str | None,
        local: Sequence[tuple[str, int]],
        others: Sequence[str],
    ) -> None:
        """Add groups to the lists of released groups: ``local`` ones, with their numbers of records, to the
        list of public or private records, and all of them to that of the board named ``board``
        (``BoardName.key``).
        """
        key = event_key(event)
        names = [*(group for group, _ in local), *others]
        if not names:
            return
        commands: list[Command] = []
        if local:
            args: list[Any] = []
            for group, count in local:
                args += (f"{event}-{group}", count)
            commands.append(_RELEASE.call([LAST, PENDING if public else PENDING_PRIVATE], *args))
        if board is not None:
            args = []
            for group in names:
                args += (f"{event}/{group}", 1)
            commands.append(_RELEASE.call([f"{board_key(board)}:last", f"{board_key(board)}:log"], *args))
        # This command comes last, so that all of them are repeated if the process dies before it.
        commands.append(("SREM", f"{key}:unreleased", *names))
        self._connection.run(commands)


def event_key(event: str) -> str:
    """Return the key of a tournament's hash."""
    return f"{{t:{event}}}"


def _woken(event: str) -> Command:
    # No game has an id like this; see arena.store.notifications.
    return ("PUBLISH", WAKE_CHANNEL, orjson.dumps([(f"@{event}", 0, [], [])]))
