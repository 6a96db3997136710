"""Calls for tournaments and series: limited lists, and tables and records as text."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Final, cast

from arena.client.calls import Calls
from arena.client.http import path

if TYPE_CHECKING:
    from arena.client.types import Entry, TournamentSummary

_PAGE: Final = 100


class TournamentsCalls(Calls):
    """Methods for operations of ``/v1/tournaments`` and ``/v1/series`` that can take several requests."""

    def tournaments(
        self, *, state: str | None = None, kind: str | None = None, bot: str | None = None, limit: int = 50
    ) -> list[TournamentSummary]:
        """Return the newest ``limit`` tournaments, or those in which ``bot`` has played."""
        page = self._pages(
            "list_tournaments",
            path("tournaments"),
            "tournaments",
            state=state,
            kind=kind,
            bot=bot,
            limit=min(limit, _PAGE),
        )
        return cast("list[TournamentSummary]", list(islice(page, limit)))

    def leave_tournament(self, tournament: str, bot: str) -> Entry:
        """Withdraw a bot, and return its entry. If play has begun, the bot still finishes its round."""
        return cast("Entry", self.call("leave_tournament", tournament=tournament, entry=bot))

    def standings(self, tournament: str, form: str = "json", *, limit: int | None = None) -> str:
        """Return the standings and the crosstable as ``json``, ``csv`` or ``text``. ``limit`` is the number
        of rows per request.
        """
        where = path("tournaments", tournament, "standings")
        return self._table("get_standings", where, form, "computed_ms", ("rows", "crosstable"), limit=limit)

    def tournament_records(self, tournament: str, group: str | None = None) -> list[str]:
        """Return the released records of a tournament, or of one of its groups, each as one line of JSON."""
        return self._text(path("tournaments", tournament, "records"), {"group": group}).splitlines()

    def series_table(self, series: str, form: str = "json") -> str:
        """Return the table of a series as ``json``, ``csv`` or ``text``."""
        table = self.call("get_series_table", series=series, format=form)
        return table if isinstance(table, str) else json.dumps(table, ensure_ascii=False)
