"""Details of leaderboards: daily ratings, playing-style statistics and matchups."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from arena.cli.output import Column, Columns, Row, table
from arena.client import Client
from arena.client.http import ApiError
from arena.play.board_names import BoardName
from arena.text import csv_text

if TYPE_CHECKING:
    from arena.client.types import BotStyle, HistoryPoint
    from arena.ratings.board import Board
    from arena.ratings.ledger import Ledger
    from arena.ratings.matchups import Matchups
    from arena.ratings.supplement import Supplement


def published_history(client: Client, names: Sequence[BoardName], form: str, bot: str | None) -> str:
    """Return the daily ratings of boards, or only those of one ``bot``."""
    boards = [client.leaderboard_history(name.kind, name.division, bot, preset=name.preset) for name in names]
    columns: Columns[HistoryPoint] = {
        name: name for name in ("day", "name", "version", "rating", "low", "high", "provisional")
    }
    return _shown(names, boards, [board["points"] for board in boards], columns, form)


def published_styles(client: Client, names: Sequence[BoardName], form: str) -> str:
    """Return playing-style statistics for the bots on each board, as shares (see docs/ratings.md)."""
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


def published_matchups(client: Client, names: Sequence[BoardName], form: str) -> str:
    """Return the matchups of boards that a service has published."""
    texts = [text for name in names if (text := _of_service(client, name, form)) is not None]
    if form == "json":
        return json.dumps({"matchups": list(map(json.loads, texts))}, indent=2, ensure_ascii=False) + "\n"
    if form == "text":
        return "\n".join(texts) if texts else "no matchups have been published\n"
    # All boards share one header line.
    return "".join(text if number == 0 else text.partition("\n")[2] for number, text in enumerate(texts))


def show_matchups(
    ledgers: Sequence[Ledger],
    boards: Sequence[Board],
    supplements: Mapping[BoardName, Supplement],
    form: str,
    remarks: Sequence[str],
    client: Client | None,
) -> list[str]:
    """Print the matchups of ``boards``, which have these ``supplements``, and ``remarks`` on the records. If
    ``client`` is set, print and return the differences from the matchups that its service has published for
    the same records.
    """
    from arena.ratings.matchups import matchups, matchups_csv
    from arena.ratings.supplement import NO_SUPPLEMENT

    found = [
        one
        for ledger, board in zip(ledgers, boards, strict=True)
        if (one := matchups(ledger, board, supplements.get(ledger.board, NO_SUPPLEMENT))) is not None
    ]
    others = [] if client is None else [line for one in found for line in _compared(client, one)]
    if form == "json":
        shown: dict[str, Any] = {"matchups": [one.as_json() for one in found]}
        if remarks:
            shown["partial"] = list(remarks)
        if others:
            shown["different"] = others
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
        return others
    is_text = form == "text"
    if is_text:
        click.echo("\n".join(one.as_text() for one in found) or "no board here has matchups\n", nl=False)
    else:
        click.echo(matchups_csv(found), nl=False)
    for remark in remarks:
        click.echo(f"ONLY A PART: {remark}" if is_text else f"botequim: {remark}", err=not is_text)
    for other in others:
        click.echo(f"DIFFERENT: {other}" if is_text else f"botequim: {other}", err=not is_text)
    return others


def _compared(client: Client, own: Matchups) -> list[str]:
    """Return the differences from the published matchups of the same board, if they are based on the same
    records.
    """
    from arena.ratings.matchups import Matchups, differences

    text = _of_service(client, own.board, "json")
    if text is None:
        return []
    other = Matchups.from_json(json.loads(text))
    if other.records_hash != own.records_hash:
        return []
    return [f"{own.board.title}: {line}" for line in differences(own, other)]


def _of_service(client: Client, name: BoardName, form: str) -> str | None:
    try:
        return client.matchups(name.kind, name.division, form, preset=name.preset)
    except ApiError as error:
        if error.code in ("matchups_not_found", "not_found"):
            # The board has no matchups, or the service publishes none.
            return None
        raise
