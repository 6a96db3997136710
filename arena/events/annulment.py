"""Annulment of groups: a group no longer counts, and its records give the reason publicly."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from arena.errors import ArenaError
from arena.events.lifecycle import TournamentLifecycle, final_standings, read_result
from arena.events.tournament import PlannedGroup, Tournament
from arena.live.header import GameNotFound
from arena.live.service import LiveGames
from arena.play.game_ids import game_id, tournament_of
from arena.records.record import dumps
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out
from arena.store.tournaments import NewGroup, TournamentRow
from arena.text import printable

_REASON_LENGTH: Final = 200


class GroupNotOver(ArenaError):
    """The group has no result that could be annulled."""

    code = "group_not_over"


class Annulments:
    """Removes groups from standings and leaderboards."""

    def __init__(
        self,
        store: Store,
        live: LiveGames,
        lifecycle: TournamentLifecycle,
    ) -> None:
        self._store = store.tournaments
        self._boards = store.boards
        self._annulments = store.annulments
        self._live = live
        self._lifecycle = lifecycle
        self._clock = store.clock

    def annul(self, game: str, by: str, reason: str) -> dict[str, Any]:
        """Annul the group of a game, or the group with that id in records, and return what is published: the
        first annulment, if it is repeated.

        Raises :class:`GameNotFound` for a game without a tournament, and :class:`GroupNotOver`.
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
        ((stored, voided),) = self._store.rows(name, [local])
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
        # Nothing is changed if the archive is not there.
        self._live.finished.current()
        # The annulment first: if the process dies on the way, a repetition does the rest.
        if not self._annulments.add(group_id, annulment):
            annulment = self._annulments.find(group_id)
        pack = self._annul_records(tournament, group, voided, annulment["reason"])
        self._annul_archived(tournament, group, voided, annulment["reason"])
        if not result.annulled:
            result.annulled = True
            annulled = json.dumps(result.as_json(), separators=(",", ":")).encode()
            self._store.replace_result(name, local, annulled, pack)
        # Again: the records may have been archived since they were read.
        self._annul_archived(tournament, group, voided, annulment["reason"])
        board = tournament.board_of(group)
        if board is not None:
            self._boards.forget_ledger(board.key)
        self._store.note_over(name, self._clock().now_ms)
        self._lifecycle.change(name, self._finish_again)
        return annulment

    def of(self, tournament: Tournament, groups: Iterable[str]) -> list[dict[str, Any] | None]:
        """The published annulments of groups, None where there is none."""
        return self._annulments.many([tournament.group_id(group) for group in groups])

    def changes(self) -> list[dict[str, Any]]:
        """What annulments changed in public records after their release, oldest first: ``{"group", "info",
        "at_ms"}`` with the group's id in records and the values that their ``info`` got.
        """
        found = self._annulments.all()
        names = sorted({name for group in found if (name := tournament_of(group)) is not None})
        public = {
            name
            for name, row in zip(names, self._store.load(names), strict=True)
            if row is not None and shown_or_left_out(f"tournament {name}", partial(_is_public, row.meta))
        }
        changes = [
            {"group": group, "info": _annulment(own["reason"]), "at_ms": own["at_ms"]}
            for group, own in found.items()
            if tournament_of(group) in public
        ]
        return sorted(changes, key=lambda change: (change["at_ms"], change["group"]))

    def _annul_records(self, tournament: Tournament, group: PlannedGroup, voided: int, reason: str) -> bytes:
        """Write the reason into the records; returns the new pack, if the group has one."""
        (pack,) = self._store.packs(tournament.id, [group.id])
        if pack is not None:
            lines = gzip.decompress(pack).split(b"\n")
            return _packed([_annulled(line, reason) for line in lines])
        for number in range(len(group.seats)):
            game = game_id(tournament.group_id(group.id), number, voided)
            ended = self._live.index.ended(game)
            if ended is not None and ended.record is not None:
                record = _annulled(gzip.decompress(ended.record), reason)
                self._live.index.replace_record(game, _packed([record]))
        return b""

    def _annul_archived(self, tournament: Tournament, group: PlannedGroup, voided: int, reason: str) -> None:
        group_id = tournament.group_id(group.id)
        games = [game_id(group_id, number, voided) for number in range(len(group.seats))]
        self._live.finished.change([group_id, *games], group_id, _annulment(reason))

    def _finish_again(self, tournament: Tournament, row: TournamentRow) -> list[NewGroup] | None:
        if tournament.state != "finished":
            return None
        tournament.final = final_standings(tournament, self._lifecycle.results(tournament).values()).as_json()
        return []


def _is_public(meta: bytes) -> bool:
    return not Tournament.loads(meta).purpose


def _annulled(line: bytes, reason: str) -> str:
    record = json.loads(line)
    record["info"].update(_annulment(reason))
    return dumps(record)


def _annulment(reason: str) -> dict[str, str]:
    """What it changes in the part ``info`` of records."""
    return {"annulled": reason or "annulled"}


def _packed(lines: list[str]) -> bytes:
    return gzip.compress("\n".join(lines).encode(), 6, mtime=0)


def _group_of(text: str) -> str:
    """The group of a game's id, or the text itself."""
    found = _GAME(text)
    return text if found is None else found[1]


_GAME: Final = re.compile(r"(.+-g[0-9]+(?:-x[0-9]+)?)-[0-9]+(?:-a[0-9]+)?\Z").match
