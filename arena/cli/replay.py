"""``botequim replay``: narrates a recorded game."""

from __future__ import annotations

import click

from arena.errors import ArenaError
from arena.records.record import Record, UnreadableRecord, load_records, source_name
from arena.records.tell import tell
from arena.records.verify import verify


@click.command()
@click.argument("file")
@click.option("--game", "game_id", metavar="ID", help="The game with this id.")
@click.option("--number", type=click.IntRange(min=1), help="The game with this number in the file, from 1.")
def replay(file: str, game_id: str | None, number: int | None) -> None:
    """Narrate the game recorded in FILE (- is stdin).

    If the file holds more than one game, choose one with --game or --number.
    """
    for line in tell(proven_record(file, game_id, number)):
        click.echo(line)


def proven_record(file: str, game_id: str | None, number: int | None) -> Record:
    """The verified record of ``file`` with this id or 1-based number, or its only one.

    Raises :class:`~arena.errors.ArenaError`.
    """
    record = _choose(file, game_id, number)
    problems = verify(record)
    if problems:
        raise ArenaError(
            f"game {record['canonical']['game']} does not verify: {problems[0]}", code="unproven_record"
        )
    return record


def _choose(file: str, game_id: str | None, number: int | None) -> Record:
    if game_id is not None and number is not None:
        raise click.UsageError("choose by --game or by --number, not both")
    count = 0
    chosen = None
    for count, record in enumerate(load_records(file), start=1):
        if game_id is not None and record["canonical"]["game"] != game_id:
            continue
        if number is not None and count != number:
            continue
        if chosen is not None:
            raise ArenaError(
                f"{source_name(file)} holds more than one game",
                code="ambiguous_game",
                expected="--number N or --game ID",
            )
        chosen = record
        if number is not None or game_id is not None:
            break
    if chosen is None:
        if count == 0:
            raise UnreadableRecord(f"no record in {source_name(file)}")
        wanted = f"game {game_id!r}" if game_id is not None else f"game number {number}"
        raise ArenaError(
            f"there is no {wanted} in {source_name(file)}",
            code="unknown_game_id",
            expected=f"one of its {count}",
        )
    return chosen
