"""The table on the front page: a live game, or else the latest finished one.

Each process caches the table briefly, so that a game is not read for every visitor.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from arena.errors import ArenaError
from arena.events.moderation import Moderation
from arena.events.service import Tournaments
from arena.games import game_of
from arena.live.header import ANYBODY
from arena.live.service import LiveGames, RecordNotReady
from arena.replays.live_table import LiveTable, spectated
from arena.replays.page import game_title
from arena.replays.sheets import table_layout

LIVE_SECONDS: Final = 2.0
"""How long a process caches the live table, or the fact that there is none."""

LATEST_SECONDS: Final = 60.0
"""How long a process caches the latest finished game, whose record must be replayed."""

_LOOKED_AT: Final = 20
_EVENTS_AT_ONCE: Final = 500


@dataclass
class FrontTable:
    """A game for the front page.

    ``picture`` is the position to show. For a finished game, ``start`` is the picture before its last hand,
    and ``steps`` are the changes since then, move by move. ``bots`` are the bots that ``result`` can name.
    """

    game: str
    kind: str
    live: bool
    title: str
    result: str
    layout: dict[str, Any]
    picture: dict[str, Any]
    start: dict[str, Any] = field(default_factory=dict)
    steps: list[dict[str, Any]] = field(default_factory=list)
    bots: Sequence[str] = ()

    @property
    def is_paired(self) -> bool:
        """Whether the game is between two pairs of partners."""
        return any(len(team) > 1 for team in self.layout["teams"])

    @property
    def has_sides(self) -> bool:
        """Whether two sides score points; otherwise each seat has lives."""
        return self.layout["target"] is not None

    @property
    def score(self) -> str:
        """The score if there are two sides, such as ``9–3``; otherwise the number of the hand."""
        if self.has_sides:
            return "\N{EN DASH}".join(map(str, self.picture["score"]))
        return f"hand {self.picture['hand']}"


class FrontTables:
    """Selects the table that this process shows."""

    def __init__(self, live: LiveGames, tournaments: Tournaments, moderation: Moderation) -> None:
        self._moderation = moderation
        self._live = live
        self._tournaments = tournaments
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Clear the current table."""
        self._shown: FrontTable | None = None
        self._until = 0.0
        self._followed: _Followed | None = None
        self._looked_at: str | None = None
        self._latest: FrontTable | None = None
        self._latest_until = 0.0

    def table(self) -> FrontTable | None:
        """Return the table to show, or None if no game has been played."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._shown = self._live_table() or self._latest_table()
                self._until = time.monotonic() + LIVE_SECONDS
            return self._shown

    def _live_table(self) -> FrontTable | None:
        """Return the table of the newest running game. If the newest ones are all private, continue with the
        game that was shown before, or look at a further part of the list each time.
        """
        newest = self._live.list(state="running", limit=_LOOKED_AT)
        shown = [] if self._followed is None else [self._followed.summary]
        table = self._first_of([*newest.items, *(shown if newest.cursor else ())])
        if table is None and newest.cursor is not None:
            further = self._live.list(
                state="running", limit=_LOOKED_AT, cursor=self._looked_at or newest.cursor
            )
            self._looked_at = further.cursor
            table = self._first_of(further.items)
        return table

    def _first_of(self, games: Sequence[Mapping[str, Any]]) -> FrontTable | None:
        for summary in games:
            followed = self._followed
            if followed is None or followed.game != summary["game"]:
                followed = _Followed(summary)
            try:
                table = followed.read(self._live)
            except ArenaError as error:
                _check_store(error)
                continue
            if table is not None:
                self._followed = followed
                return table
        self._followed = None
        return None

    def _latest_table(self) -> FrontTable | None:
        if time.monotonic() >= self._latest_until:
            try:
                game = self._latest_game()
                if game is None:
                    self._latest = None
                elif self._latest is None or self._latest.game != game:
                    record = orjson.loads(self._tournaments.record(game, ANYBODY))
                    self._latest = finished_table(self._moderation.apply_to_record(record))
            except RecordNotReady:
                # The game has just ended. The previous table stays until the next request.
                return self._latest
            except ArenaError as error:
                _check_store(error)
                self._latest = None
            # If there is no table yet, the first one is shown at once.
            self._latest_until = time.monotonic() + (LATEST_SECONDS if self._latest else 0)
        return self._latest

    def _latest_game(self) -> str | None:
        """Return the newest game with a public record, inside or outside tournaments."""
        finished = self._live.list(state="finished", limit=_LOOKED_AT).items
        own = next((one for one in finished if one["released"] and one["outcome"]), None)
        for tournament in self._played():
            if own is not None and (own["finished_ms"] or 0) > (tournament["finished_ms"] or float("inf")):
                break
            start = max(0, tournament["progress"]["done"] - _LOOKED_AT)
            groups = self._tournaments.groups(tournament["id"], str(start), _LOOKED_AT, ANYBODY).items
            done = next((group for group in reversed(groups) if group["state"] == "done"), None)
            if done is not None:
                return str(done["games"][-1])
        return None if own is None else str(own["game"])

    def _played(self) -> Iterator[Mapping[str, Any]]:
        """Yield tournaments that have finished groups, current ones first."""
        for state in ("running", "over"):
            found = self._tournaments.list(state=state, limit=_LOOKED_AT).items
            yield from (one for one in found if one["progress"]["done"])


def _check_store(error: ArenaError) -> None:
    """Raise the error if the store is unavailable. Other errors mean that a listed game is gone or
    unreadable.
    """
    if error.code == "store_unavailable":
        raise error


class _Followed:
    """A game in progress. After the first read, only new events are read."""

    def __init__(self, summary: Mapping[str, Any]) -> None:
        self.summary = summary
        self.game: str = summary["game"]
        self._kind: str = summary["kind"]
        self._rules = summary["rules"]
        self._table = LiveTable(summary)
        self._next = 0

    def read(self, live: LiveGames) -> FrontTable | None:
        """Return the current table, or None if the game is over. Raises :class:`~arena.errors.ArenaError`."""
        while True:
            page = live.events(self.game, start=self._next, limit=_EVENTS_AT_ONCE)
            if page["over"]:
                return None
            view = live.view(self.game) if page["events"] else None
            if view is not None:
                self._table.take(page["events"], view["awaiting"])
            full = page["next"] - self._next >= _EVENTS_AT_ONCE
            self._next = page["next"]
            if not full:
                break
        game = game_of(self._kind)
        return FrontTable(
            self.game,
            self._kind,
            live=True,
            title=game_title(game, self._rules, self._table.players),
            result="",
            layout=table_layout(game, self._rules, self._table.form),
            picture=self._table.shown,
        )


def finished_table(record: Mapping[str, Any]) -> FrontTable:
    """Return the table of a finished game as spectators saw it, with the moves of its last hand."""
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    rules = canonical["rules"]
    table = LiveTable({"kind": canonical["kind"], "rules": rules, "seats": canonical["players"]})
    start, steps = table.shown, list[dict[str, Any]]()
    hand, before = table.form.hand, table.shown
    for table, changes in spectated(canonical):
        if table.form.hand != hand:
            start, steps = before, []
        steps += [{name: value for name, value in one.items() if name in before} for one in changes]
        hand, before = table.form.hand, table.shown
    names, places = table.form.names, canonical["outcome"]["places"]
    first = [name for name, place in zip(names, places, strict=True) if place == 1]
    return FrontTable(
        canonical["game"],
        canonical["kind"],
        live=False,
        title=game_title(game, rules, table.players),
        result=f"won by {' and '.join(first)}" if len(first) < len(places) else "a draw",
        layout=table_layout(game, rules, table.form),
        picture=table.shown,
        start=start,
        steps=steps,
        # Unlike those of bots, the names of people contain a space.
        bots=[player["name"] for player in canonical["players"] if " " not in player["name"]],
    )
