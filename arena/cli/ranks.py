"""Waits for the rank of a qualified bot."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from arena.cli.online import say
from arena.cli.params import now_ms
from arena.cli.progress import Lines
from arena.client import Client
from arena.play.board_names import BoardName
from arena.play.players import SEALED, PlayerId
from arena.tournaments.outlook import PRESENT, BoardStanding, Outlook, outlook, standing, takes_all

POLL: Final = 2.0
"""Seconds between two requests to the service."""

SILENT: Final = 45.0
"""Seconds without a change after which a line says that the service can be busy."""

COUNTED: Final = 15.0
"""Seconds after the end of a tournament by which all of its groups are on the leaderboard."""

_LOOKED_AT: Final = 50


class Situation(NamedTuple):
    """The position of a bot on a board, if it has one yet, and its next step."""

    standing: BoardStanding | None
    next: Outlook

    def is_final(self, left: float) -> bool:
        """Return whether the rank is settled, or will not come within ``left`` seconds."""
        if self.next.state in ("rests", "none"):
            return True
        if self.next.from_ms is not None and self.next.from_ms > now_ms() + 1000 * left:
            return True
        return self.next.state == "waits" and self.standing is not None and self.standing.rank is not None


class _Service:
    """Queries a service about one version of an uploaded bot."""

    def __init__(self, client: Client, player: PlayerId) -> None:
        self._client = client
        self._player = player
        self._plays: dict[BoardName, str] = {}

    def situation(self, board: BoardName) -> Situation:
        """Return the situation of the bot on a board."""
        published = json.loads(self._client.leaderboard(board.kind, SEALED, preset=board.preset))
        place = standing(published["rows"], self._player)
        listed = [
            one
            for state in PRESENT
            for one in self._client.tournaments(state=state, kind=board.kind, limit=_LOOKED_AT)
            if takes_all(one, board)
        ]
        views = [view for one in listed if (view := self._client.tournament(one["id"])) is not None]
        present = [view for view in views if view["state"] in PRESENT]
        groups = 0 if place is None else place.groups
        following = outlook(board, self._player, groups, present, self._client.schedules(), now_ms())
        if following.state == "plays" and following.tournament is not None:
            self._plays[board] = following.tournament
        elif board in self._plays and not self._is_counted(self._plays[board], published["published_ms"]):
            following = Outlook("plays", "has played; the leaderboard follows")
        return Situation(place, following)

    def _is_counted(self, tournament: str, published_ms: int | None) -> bool:
        """Return whether a finished tournament is counted on the board. After a while, this is assumed."""
        view = self._client.tournament(tournament)
        finished_ms = None if view is None else view["finished_ms"]
        if finished_ms is None:
            return True
        return bool((published_ms or 0) >= finished_ms or now_ms() > finished_ms + 1000 * COUNTED)


def shown(board: BoardName) -> str:
    """Return the name of the board in lines for people."""
    return board.kind if board.is_first else f"{board.kind}/{board.preset}"


def board_page(client: Client, board: BoardName) -> str:
    """Return the URL of a board's page."""
    preset = "" if board.is_first else f"?preset={board.preset}"
    return f"{client.url}/leaderboards/{board.kind}{preset}"


def await_ranks(
    client: Client,
    boards: Iterable[BoardName],
    player: PlayerId,
    seconds: float,
    found: dict[BoardName, Situation],
) -> None:
    """Wait up to ``seconds`` until the bot has a rank on the boards and is in no tournament for them.
    The situations are added to ``found``, even if the wait is interrupted. Progress is printed to stderr.
    """
    service = _Service(client, player)
    lines = {board: _Report(board, client.url) for board in boards}
    deadline = time.monotonic() + seconds
    waiting = set(lines)
    while True:
        left = deadline - time.monotonic()
        for board in [board for board in lines if board in waiting]:
            found[board] = service.situation(board)
            if found[board].is_final(left):
                waiting.remove(board)
            elif seconds:
                lines[board].show(found[board])
        if left <= 0 or not waiting:
            return
        time.sleep(min(POLL, left))


class _Report:
    """Reports events on a board: each change once, and the progress of a tournament from time to time."""

    def __init__(self, board: BoardName, url: str) -> None:
        self._board = board
        self._url = url
        self._lines = Lines(say)
        self._last: tuple[Any, ...] = ()
        self._since = 0.0
        self._is_explained = False

    def show(self, now: Situation) -> None:
        where = shown(self._board)
        what = now.next
        # Progress alone is not an event.
        news = re.sub(r"[0-9]+", "", what.words)
        self._lines.show(news, lambda: f"{where}: {words(what, self._url)}")
        if (state := (now.standing, what)) != self._last:
            self._last, self._since = state, time.monotonic()
        elif not self._is_explained and what.from_ms is None and time.monotonic() - self._since > SILENT:
            self._is_explained = True
            say(f"{where}: no news for {SILENT:.0f} s: the service is busy, or its workers are not running")


def words(what: Outlook, url: str) -> str:
    """Return what a bot does next, with the URL of the tournament's page."""
    return what.words if what.tournament is None else f"{what.words}: {url}/tournaments/{what.tournament}"
