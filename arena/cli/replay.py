"""``botequim replay``: narrates a recorded game, or writes its replay page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final

import click

from arena.cli.commands import Command
from arena.errors import ArenaError
from arena.records.record import Record, UnreadableRecord, load_records, source_name
from arena.records.tell import tell
from arena.records.verify import Problem, verify
from arena.replays.luck import told_luck
from arena.replays.page import replay_page

SHOWN_PROBLEMS: Final = frozenset(
    (
        "hash",
        "commitment",
        "group",
        "deal",
        "deals",
        "mark",
        "default",
        "order",
        "no_turn",
        "after_end_of_seat",
        "places",
        "scores",
        "forfeits",
    )
)
"""Problems of a record whose game can still be shown, because all its actions are legal."""


@click.command(
    cls=Command,
    examples=(
        "botequim replay out.jsonl --number 1",
        "botequim replay out.jsonl --number 1 --html --out game.html",
        "botequim game record GAME | botequim replay -",
    ),
)
@click.argument("file")
@click.option("--game", "game_id", metavar="ID", help="The game with this id.")
@click.option("--number", type=click.IntRange(min=1), help="The game with this number in the file, from 1.")
@click.option("--html", is_flag=True, help="Write an HTML page instead of text.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="With --html: the file to write. [default: named like FILE, in the current folder]",
)
def replay(file: str, game_id: str | None, number: int | None, html: bool, out: Path | None) -> int:
    """Narrate the game recorded in FILE (- is stdin).

    If the file contains more than one game, choose one with --game or --number.

    --html writes one HTML file with the table after every move, which works offline and in any browser. An
    existing file is replaced. A record that does not verify is also shown, with a warning, if its actions are
    legal; the exit code is then 1.
    """
    if not html:
        if out is not None:
            raise click.UsageError("--out requires --html")
        record = proven_record(file, game_id, number)
        for line in (*tell(record), *told_luck(record)):
            click.echo(line)
        return 0
    record = _choose(file, game_id, number)
    problems = verify(record)
    path = out or Path(f"{PurePath(file).name.split('.')[0] or 'game'}.html" if file != "-" else "game.html")
    write_page(record, path, problems=problems, source=file)
    click.echo(f"wrote {path}")
    for problem in problems:
        click.echo(f"not verified: {problem}", err=True)
    return 1 if problems else 0


def write_page(record: Record, path: Path, *, problems: Sequence[Problem] = (), source: str) -> None:
    """Write the replay page of a record, including its ``problems``. ``source`` is the name of its file.

    Raises :class:`~arena.errors.ArenaError` (``unproven_record``) if the game cannot be shown because of the
    problems.
    """
    for problem in problems:
        if problem.code not in SHOWN_PROBLEMS:
            raise _unproven(record, problem)
    name = PurePath(source).name if source != "-" else "game.json"
    path.write_text(replay_page(record, problems=[str(p) for p in problems], source=name), encoding="utf-8")


def proven_record(file: str, game_id: str | None, number: int | None) -> Record:
    """Return the verified record in ``file`` with this id or number (from 1), or the only record in it.

    Raises :class:`~arena.errors.ArenaError`.
    """
    record = _choose(file, game_id, number)
    problems = verify(record)
    if problems:
        raise _unproven(record, problems[0])
    return record


def _unproven(record: Record, problem: Problem) -> ArenaError:
    return ArenaError(
        f"game {record['canonical']['game']} does not verify: {problem}", code="unproven_record"
    )


def _choose(file: str, game_id: str | None, number: int | None) -> Record:
    if game_id is not None and number is not None:
        raise click.UsageError("--game and --number cannot be used together")
    count = 0
    chosen = None
    for count, record in enumerate(load_records(file), start=1):
        if game_id is not None and record["canonical"]["game"] != game_id:
            continue
        if number is not None and count != number:
            continue
        if chosen is not None:
            raise ArenaError(
                f"{source_name(file)} contains more than one game",
                code="ambiguous_game",
                expected="--number N or --game ID",
            )
        chosen = record
        if number is not None or game_id is not None:
            break
    if chosen is None:
        if count == 0:
            raise UnreadableRecord(f"there is no record in {source_name(file)}")
        wanted = f"game {game_id!r}" if game_id is not None else f"game number {number}"
        raise ArenaError(
            f"there is no {wanted} in {source_name(file)}",
            code="unknown_game_id",
            expected=f"one of its {count}",
        )
    return chosen
