"""The results of a tournament by owner, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from arena.events.tournament import EntryView
from arena.text import Cell, csv_text

HEADINGS: Final = (
    "owner", "co_owners", "bot", "version", "status", "baseline", "place", "points", "score", "groups",
    "byes", "won", "games", "faults", "forfeits", "reason",
)  # fmt: skip
_FROM_STANDINGS: Final = HEADINGS[6:15]


def results_csv(entries: Sequence[EntryView], standings: Sequence[Mapping[str, Cell]]) -> str:
    """Return the results as CSV, with one line per entry, sorted by owner and place.

    An owner's bots without a place, such as baseline bots, follow the owner's other bots. House bots, which
    have no owner, come last. ``entries`` and ``standings`` are as published.
    """
    rows = {(row["name"], row["version"]): row for row in standings}

    def key(entry: EntryView) -> tuple[object, ...]:
        row = rows.get((entry["bot"], entry["version"]))
        place = float("inf") if row is None or row["place"] is None else row["place"]
        return entry["owner"] is None, entry["owner"] or "", place, entry["bot"]

    return csv_text(HEADINGS, [_line(entry, rows) for entry in sorted(entries, key=key)])


def _line(entry: EntryView, rows: Mapping[tuple[Cell, Cell], Mapping[str, Cell]]) -> list[Cell]:
    row = rows.get((entry["bot"], entry["version"]), {})
    return [
        entry["owner"],
        " ".join(entry["co_owners"]),
        entry["bot"],
        entry["version"],
        entry["status"],
        "baseline" if entry["baseline"] else None,
        *(row.get(name) for name in _FROM_STANDINGS),
        entry["reason"],
    ]
