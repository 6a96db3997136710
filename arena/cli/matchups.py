"""``botequim leaderboard --matchups``: who beats whom, computed from records or as published by a service."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from arena.client import Client
from arena.client.http import ApiError
from arena.play.board_names import BoardName

if TYPE_CHECKING:
    from arena.ratings.board import Board
    from arena.ratings.ledger import Ledger
    from arena.ratings.matchups import Matchups


def published_matchups(client: Client, names: Sequence[BoardName], form: str) -> str:
    """Return the published matchups of boards of a service."""
    texts = [text for name in names if (text := _of_service(client, name, form)) is not None]
    if form == "json":
        return json.dumps({"matchups": list(map(json.loads, texts))}, indent=2, ensure_ascii=False) + "\n"
    if form == "text":
        return "\n".join(texts) if texts else "no matchups have been published\n"
    # One line of headings for all.
    return "".join(text if number == 0 else text.partition("\n")[2] for number, text in enumerate(texts))


def show_matchups(
    ledgers: Sequence[Ledger],
    boards: Sequence[Board],
    form: str,
    remarks: Sequence[str],
    client: Client | None,
) -> list[str]:
    """Print the matchups of ``boards``, and ``remarks`` on the records. Print and return where they differ
    from those that ``client``, if given, has published for the same records.
    """
    from arena.ratings.matchups import matchups, matchups_csv

    found = [
        one
        for ledger, board in zip(ledgers, boards, strict=True)
        if (one := matchups(ledger, board)) is not None
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
    """Return where the published matchups of the same board differ, if they are based on the same records."""
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
            # Of a board without, or of a service that has none.
            return None
        raise
