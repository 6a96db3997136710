"""Annulment of groups: an annulled group no longer counts, and its public records state the reason."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any, Final, TypedDict

from arena.errors import ArenaError
from arena.events.group_results import read_result, read_results
from arena.events.lifecycle import TournamentLifecycle, final_standings
from arena.events.tournament import PlannedGroup, Tournament
from arena.live.header import GameNotFound
from arena.play.board_names import BoardName
from arena.play.game_ids import tournament_of
from arena.ratings.results import GroupResult
from arena.records.annulled import annulled_info
from arena.store.paging import Cursor
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out
from arena.store.tournaments import NewGroup, TournamentRow
from arena.text import printable

_REASON_LENGTH: Final = 200
_AT_ONCE: Final = 50
_SECONDS: Final = 5.0
"""How long one call annuls groups between two owners."""


class RecordChange(TypedDict):
    """A change to the ``info`` of a group's records. ``group`` is the group's id in records."""

    group: str
    info: dict[str, str]
    at_ms: int


class GroupNotOver(ArenaError):
    """The group cannot be annulled because it has no result yet."""

    code = "group_not_over"


class Annulments:
    """Removes groups from standings and leaderboards."""

    def __init__(
        self,
        store: Store,
        lifecycle: TournamentLifecycle,
    ) -> None:
        self._store = store.tournaments
        self._boards = store.boards
        self._annulments = store.annulments
        self._records = store.records
        self._lifecycle = lifecycle
        self._clock = store.clock

    def annul(self, game: str, by: str, reason: str) -> dict[str, object]:
        """Annul the group of a game, or the group with this id in records, and return the published
        annulment. If the group is already annulled, return the first annulment.

        Raises :class:`GameNotFound` if the game belongs to no tournament, and :class:`GroupNotOver`.
        """
        group_id = _group_of(game)
        name = tournament_of(group_id)
        row = None if name is None else self._store.load([name])[0]
        if name is None or row is None:
            raise GameNotFound(
                f"no tournament has a game {printable(game, 80)!r}",
                field="game",
                expected="a game of a tournament, or a group",
            )
        tournament = Tournament.loads(row.meta)
        local = group_id[len(name) + 1 :]
        ((stored, _),) = self._store.rows(name, [local])
        (data,) = self._store.results(name, [local])
        if stored is None:
            raise GameNotFound(f"there is no group {printable(group_id, 80)!r}", field="game")
        result = None if data is None else read_result(data)
        if result is None:
            raise GroupNotOver(
                f"group {group_id} has no result", field="game", expected="a group that is over"
            )
        annulment = self._annulment(local, by, reason)
        group = PlannedGroup.loads(local, stored)
        # Store the annulment first: if the process dies halfway, a retry completes the rest.
        if not self._annulments.add(group_id, annulment):
            annulment = self._annulments.find(group_id)
        self._mark(tournament, local, result)
        board = tournament.board_of(group)
        self._recount(tournament, [] if board is None else [board])
        return annulment

    def annul_between(
        self, owners: Sequence[str], by: str, reason: str, cursor: str | None = None
    ) -> tuple[int, str | None]:
        """Annul the rated groups that are over between bots of two owners, for some seconds, from the newest
        tournament. Returns the number of groups, and a cursor to go on with, or None at the end. If a process
        dies, a repetition from the same cursor completes the rest.

        The owners of a bot are those when entry was locked. Raises ``invalid_cursor``.
        """
        count, before = 0, None if cursor is None else Cursor.parse(cursor)
        until = time.monotonic() + _SECONDS
        while members := self._store.page(before, _AT_ONCE):
            names = [member.name for member in members]
            for name, row in zip(names, self._store.load(names), strict=True):
                if row is not None:
                    tournament = shown_or_left_out(f"tournament {name}", partial(Tournament.loads, row.meta))
                    if tournament is not None and tournament.spec.rated:
                        count += self._annul_between(tournament, owners, by, reason)
            before = members[-1]
            if time.monotonic() >= until:
                return count, str(before)
        return count, None

    def _annul_between(self, tournament: Tournament, owners: Sequence[str], by: str, reason: str) -> int:
        sides = [{entry.name for entry in tournament.entries if owner in entry.owners} for owner in owners]
        if not all(sides):
            return 0
        found = {
            result.id.removeprefix(f"{tournament.id}-"): result
            for result in read_results(tournament.id, self._store.all_results(tournament.id))
            if _are_between(result, sides)
        }
        stored = zip(found, self._store.rows(tournament.id, list(found)), strict=True)
        boards = {
            local: board
            for local, (group, _) in stored
            if group is not None and (board := tournament.board_of(PlannedGroup.loads(local, group)))
        }
        new = [local for local in boards if not found[local].annulled]
        for local in new:
            self._annulments.add(tournament.group_id(local), self._annulment(local, by, reason))
            self._mark(tournament, local, found[local])
        if boards:
            # Also without new ones: a process may have died before this.
            self._recount(tournament, set(boards.values()))
        return len(new)

    def _annulment(self, group: str, by: str, reason: str) -> dict[str, Any]:
        reason = printable(reason, _REASON_LENGTH)
        return {"group": group, "reason": reason, "by": by, "at_ms": self._clock().now_ms}

    def _mark(self, tournament: Tournament, group: str, result: GroupResult) -> None:
        """Mark the result and the records of a group, whose annulment is stored, as annulled."""
        result.annulled = True
        self._records.note_annulled(tournament.group_id(group))
        stored = json.dumps(result.as_json(), separators=(",", ":")).encode()
        self._store.replace_result(tournament.id, group, stored)

    def _recount(self, tournament: Tournament, boards: Iterable[BoardName]) -> None:
        """Have standings and boards recomputed without annulled groups."""
        for board in boards:
            self._boards.forget_ledger(board.key)
        self._store.note_over(tournament.id, self._clock().now_ms)
        self._lifecycle.change(tournament.id, self._finish_again)

    def of(self, tournament: Tournament, groups: Iterable[str]) -> list[dict[str, object] | None]:
        """Return the published annulment of each group, or None if it was not annulled."""
        return self._annulments.many([tournament.group_id(group) for group in groups])

    def changes(self) -> list[RecordChange]:
        """Return the changes that annulments made to public records after their release, oldest first.
        ``group`` is the group's id in records, and ``info`` holds the new values of ``info``.
        """
        changes: list[RecordChange] = [
            {"group": group, "info": annulled_info(own), "at_ms": own["at_ms"]}
            for group, own in self._annulments.all().items()
        ]
        names = sorted({name for change in changes if (name := tournament_of(change["group"])) is not None})
        public = {
            name
            for name, row in zip(names, self._store.load(names), strict=True)
            if row is not None and shown_or_left_out(f"tournament {name}", partial(_is_public, row.meta))
        }
        shown = [change for change in changes if tournament_of(change["group"]) in public]
        return sorted(shown, key=lambda change: (change["at_ms"], change["group"]))

    def _finish_again(self, tournament: Tournament, row: TournamentRow) -> list[NewGroup] | None:
        if tournament.state != "finished":
            return None
        tournament.decide(final_standings(tournament, self._lifecycle.results(tournament).values()))
        return []


def _are_between(result: GroupResult, sides: Sequence[Collection[str]]) -> bool:
    """Return whether different bots of both sides play in the group."""
    one, other = ({player.name for player in result.players if player.name in side} for side in sides)
    return bool(one and other and len(one | other) > 1)


def _is_public(meta: bytes) -> bool:
    return Tournament.loads(meta).visibility == "public"


def _group_of(text: str) -> str:
    """The id of the group, extracted from a game id; any other text is returned unchanged."""
    found = _GAME(text)
    return text if found is None else found[1]


_GAME: Final = re.compile(r"(.+-g[0-9]+(?:-x[0-9]+)?)-[0-9]+(?:-a[0-9]+)?\Z").match
