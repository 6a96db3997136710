"""Calls for records: of a single game, which may not be over yet, and of all released games."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from arena.client.calls import Calls
from arena.client.http import ApiError, path
from arena.client.replies import Unreadable, text_of

if TYPE_CHECKING:
    from arena.client.types import GameRecord

LIVE_STATES: Final = ("waiting", "running")
"""The states of unfinished games."""

_LONG_POLL: Final = 20
_LATE_RECORD: Final = 15.0
"""Seconds to wait for the record of a finished game to appear."""

_RECORDS_AT_ONCE: Final = 500


class RecordsPage(NamedTuple):
    """A page of records, each one line of JSON, and the cursor of the next page."""

    lines: list[str]
    after: str


class GamesCalls(Calls):
    """Methods for operations of ``/v1/games`` and ``/v1/records`` that can take several requests."""

    def record(self, game: str, *, wait: bool = False) -> GameRecord:
        """Return the record of a finished game. If ``wait``, wait for the game to finish."""
        state = self._state_when_over(game) if wait else ""
        until = time.monotonic() + _LATE_RECORD
        while True:
            try:
                return cast("GameRecord", self.call("get_record", game=game))
            except ApiError as error:
                late = state == "finished" and time.monotonic() < until
                if not late or error.code != "record_not_ready":
                    raise
                time.sleep(0.1)

    def _state_when_over(self, game: str) -> str:
        version = None
        while True:
            view = self.game(game, since=version, wait=_LONG_POLL)
            if view is not None and view["state"] not in LIVE_STATES:
                return view["state"]
            version = version if view is None else view["version"]

    def records(
        self, kind: str | None = None, *, after: str | None = None, limit: int | None = None
    ) -> Iterator[str]:
        """Yield all released public records, oldest first, each as one line of JSON. Each request fetches
        ``limit``.
        """
        while (page := self.records_page(kind, after=after, limit=limit)).lines:
            yield from page.lines
            after = page.after

    def records_page(
        self, kind: str | None = None, *, after: str | None = None, limit: int | None = None
    ) -> RecordsPage:
        """Return up to ``limit`` released public records after the cursor ``after``. There are no lines if
        there are no more records.
        """
        query = {"kind": kind, "after": after, "limit": limit or _RECORDS_AT_ONCE}
        reply = self._send("GET", path("records"), None, query, True)
        following = reply.headers.get("X-Next")
        try:
            text = text_of(reply.body).rstrip("\n")
        except Unreadable as error:
            raise self._invalid("download_records", str(error)) from None
        if text and following in (None, after):
            raise self._invalid("download_records", "pages that do not end")
        return RecordsPage(text.split("\n") if text else [], following or "")
