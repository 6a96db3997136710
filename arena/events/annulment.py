"""Annulment of groups: an annulled group no longer counts, and its public records state the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import partial
from typing import Any, Final, TypedDict

from arena.errors import ArenaError
from arena.events.group_results import read_result
from arena.events.lifecycle import TournamentLifecycle, final_standings
from arena.events.tournament import PlannedGroup, Tournament
from arena.live.header import GameNotFound
from arena.play.game_ids import tournament_of
from arena.records.annulled import annulled_info
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out
from arena.store.tournaments import NewGroup, TournamentRow
from arena.text import printable

_REASON_LENGTH: Final = 200


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
        annulment: dict[str, Any] = {
            "group": local,
            "reason": printable(reason, _REASON_LENGTH),
            "by": by,
            "at_ms": self._clock().now_ms,
        }
        group = PlannedGroup.loads(local, stored)
        # Store the annulment first: if the process dies halfway, a retry completes the rest.
        if not self._annulments.add(group_id, annulment):
            annulment = self._annulments.find(group_id)
        result.annulled = True
        stored_result = json.dumps(result.as_json(), separators=(",", ":")).encode()
        self._records.note_annulled(group_id)
        self._store.replace_result(tournament.id, local, stored_result)
        board = tournament.board_of(group)
        if board is not None:
            self._boards.forget_ledger(board.key)
        self._store.note_over(name, self._clock().now_ms)
        self._lifecycle.change(name, self._finish_again)
        return annulment

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


def _is_public(meta: bytes) -> bool:
    return Tournament.loads(meta).visibility == "public"


def _group_of(text: str) -> str:
    """The id of the group, extracted from a game id; any other text is returned unchanged."""
    found = _GAME(text)
    return text if found is None else found[1]


_GAME: Final = re.compile(r"(.+-g[0-9]+(?:-x[0-9]+)?)-[0-9]+(?:-a[0-9]+)?\Z").match
