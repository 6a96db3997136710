"""Annulling a group, in the open: its records say why, and it counts for nobody."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

import orjson

from arena.errors import ArenaError
from arena.live.clocks import ServiceClock
from arena.live.event import Event, PlannedGroup, tournament_of
from arena.live.games import LiveGames
from arena.live.planner import Planner, final_standings, read_result
from arena.live.sheet import GameNotFound
from arena.live.store_tournaments import ANNULLED, NewGroup, Row, TournamentStore
from arena.records import dumps
from arena.text import printable
from arena.tournaments.playing import game_id

_REASON_LENGTH: Final = 200


class GroupNotOver(ArenaError):
    """There is nothing to annul yet."""

    code = "group_not_over"


class Annulments:
    """Takes groups out of everything that is counted."""

    def __init__(
        self,
        store: TournamentStore,
        live: LiveGames,
        planner: Planner,
        clock: Callable[[], ServiceClock],
    ) -> None:
        self._store = store
        self._live = live
        self._planner = planner
        self._clock = clock

    def annul(self, game: str, by: str, reason: str) -> dict[str, Any]:
        """Annul the group of a game, or the group of that id as records have it; what is published of it.
        May be done again, which changes nothing.

        Raises :class:`GameNotFound` for what belongs to no tournament, :class:`GroupNotOver`.
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
        event = Event.loads(row.meta)
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
        told: dict[str, Any] = {
            "group": local,
            "reason": printable(reason, _REASON_LENGTH),
            "by": by,
            "at_ms": self._clock().now_ms,
        }
        if result.annulled:
            return told
        group = PlannedGroup.loads(local, stored)
        # The note first: whatever is lost on the way is done by doing it again.
        self._store.replace(ANNULLED, group_id, None, orjson.dumps(told))
        pack = self._annul_records(event, group, voided, told["reason"])
        result.annulled = True
        annulled = json.dumps(result.as_json(), separators=(",", ":")).encode()
        self._store.replace_result(name, local, annulled, pack)
        board = event.board_of(group)
        if board is not None:
            self._store.forget_ledger(board)
        self._planner.change(name, self._finish_again)
        return told

    def of(self, event: Event, groups: Iterable[str]) -> list[dict[str, Any] | None]:
        """What is published of the annulment of groups."""
        stored = self._store.some_fields(ANNULLED, [event.group_id(group) for group in groups])
        return [None if data is None else orjson.loads(data) for data in stored]

    def _annul_records(self, event: Event, group: PlannedGroup, voided: int, reason: str) -> bytes:
        """Say so in the records; the new pack if the group has one."""
        (pack,) = self._store.packs(event.id, [group.id])
        if pack is not None:
            lines = gzip.decompress(pack).split(b"\n")
            return _packed([_annulled(line, reason) for line in lines])
        for number in range(len(group.seats)):
            game = game_id(event.group_id(group.id), number, voided)
            ended = self._live.index.ended(game)
            if ended is not None and ended.record is not None:
                record = _annulled(gzip.decompress(ended.record), reason)
                self._live.index.replace_record(game, _packed([record]))
        return b""

    def _finish_again(self, event: Event, row: Row) -> list[NewGroup] | None:
        if event.state != "finished":
            return None
        event.final = final_standings(event, self._planner.results(event).values()).as_json()
        return []


def _annulled(line: bytes, reason: str) -> str:
    record = json.loads(line)
    record["info"]["annulled"] = reason or "annulled"
    return dumps(record)


def _packed(lines: list[str]) -> bytes:
    return gzip.compress("\n".join(lines).encode(), 6, mtime=0)


def _group_of(text: str) -> str:
    """The group of a game's id, or the text itself."""
    found = _GAME(text)
    return text if found is None else found[1]


_GAME: Final = re.compile(r"(.+-g[0-9]+(?:-x[0-9]+)?)-[0-9]+(?:-a[0-9]+)?\Z").match
