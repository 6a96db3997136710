"""What a service publishes beside its leaderboards: daily ratings, and how the bots play."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arena.cli.output import Column, Columns, Row, table
from arena.client import Client
from arena.play.board_names import BoardName
from arena.text import csv_text

if TYPE_CHECKING:
    from arena.client.types import BotStyle, HistoryPoint


def published_history(client: Client, names: Sequence[BoardName], form: str, bot: str | None) -> str:
    """Return the daily ratings of boards, or of one ``bot`` on them."""
    boards = [client.leaderboard_history(name.kind, name.division, bot, preset=name.preset) for name in names]
    columns: Columns[HistoryPoint] = {
        name: name for name in ("day", "name", "version", "rating", "low", "high", "provisional")
    }
    return _shown(names, boards, [board["points"] for board in boards], columns, form)


def published_styles(client: Client, names: Sequence[BoardName], form: str) -> str:
    """Return how the bots of boards play: the shares of the figures that docs/ratings.md explains."""
    boards = [client.styles(name.kind, name.division, preset=name.preset) for name in names]
    figures = list(
        dict.fromkeys(figure for board in boards for bot in board["bots"] for figure in bot["counts"])
    )
    columns: Columns[BotStyle] = {
        "name": "name",
        "games": "games",
        **{figure: _share(figure) for figure in figures},
    }
    return _shown(names, boards, [board["bots"] for board in boards], columns, form)


def _share(figure: str) -> Callable[[BotStyle], str | None]:
    def share(bot: BotStyle) -> str | None:
        count = bot["counts"].get(figure)
        return None if count is None or count["share"] is None else f"{count['share']:.3f}"

    return share


def _shown(
    names: Sequence[BoardName],
    boards: Sequence[object],
    rows: Sequence[Sequence[Row]],
    columns: Columns[Row],
    form: str,
) -> str:
    if form == "json":
        return json.dumps({"boards": boards}, indent=2, ensure_ascii=False) + "\n"
    if form == "csv":
        lines = [
            [name.kind, name.preset, name.division, *(_value(row, column) for column in columns.values())]
            for name, own in zip(names, rows, strict=True)
            for row in own
        ]
        return csv_text(("kind", "preset", "division", *columns), lines)
    texts = [f"{name.title}\n{table(own, columns)}" for name, own in zip(names, rows, strict=True) if own]
    return "\n".join(texts) or "nothing has been published\n"


def _value(row: Mapping[str, Any], column: Column[Any]) -> Any:
    return column(row) if callable(column) else row.get(column)
