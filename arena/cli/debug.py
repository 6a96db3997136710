"""``botequim bot debug``: ask a bot again at a decision of a recorded game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from arena.bots import BotFailure, BotSpec, bot_spec
from arena.cli.replay import proven_record
from arena.dealing import bot_seed
from arena.errors import ArenaError
from arena.records import Record
from arena.table import Table
from arena.text import printable


@click.command()
@click.argument("file", metavar="RECORD")
@click.option("--turn", "number", type=click.IntRange(min=1), required=True, help="Which decision, from 1.")
@click.option("--bot", "bot_name", required=True, help="A house bot, or path/to/file.py.")
@click.option("--seat", type=click.IntRange(min=0), help="Count the decisions of this seat only.")
@click.option("--game", "game_id", metavar="ID", help="The game with this id.")
@click.option("--number", "record_number", type=click.IntRange(min=1), help="The game with this number.")
@click.option("--sandbox", is_flag=True, help="Run the bot's file in the sandbox, as the service does.")
@click.option("--show", is_flag=True, help="Print the turn too, as JSON.")
def debug(
    file: str,
    number: int,
    bot_name: str,
    seat: int | None,
    game_id: str | None,
    record_number: int | None,
    sandbox: bool,
    show: bool,
) -> None:
    """Ask a bot again what it would do at decision N of the game recorded in RECORD (- is stdin).

    The bot is first asked all decisions of that seat before it, with the same randomness, so that a
    bot with a memory has it; what it answers there changes nothing. Then its answer is shown beside the
    recorded one.
    """
    record = proven_record(file, game_id, record_number)
    turns = turns_of(record, number, seat)
    asked, recorded = turns[-1]
    spec = sandboxed(bot_name) if sandbox else bot_spec(bot_name)
    seed = bytes.fromhex(record["canonical"]["seed"])
    bot = spec.make(bot_seed(seed, asked["seat"]))
    if show:
        click.echo(json.dumps(asked, ensure_ascii=False, indent=2))
    answer = ""
    for told, _ in turns:
        try:
            answer = repr(bot.choose(told))
        except BotFailure as failure:
            answer = f"{failure.type}: {failure}"
        except Exception as error:
            if told is asked and not sandbox:
                raise
            answer = f"crashed: {type(error).__name__}: {printable(str(error))}"
    journal = getattr(bot, "journal", None)
    if journal is not None and journal.output:
        click.echo(journal.output.rstrip("\n"))
        click.echo(f"thinking: {journal.decisions[-1].ms:.3f} ms of fuel")
    click.echo(f"turn {asked['turn']}, seat {asked['seat']}, legal: {', '.join(asked['legal_actions'])}")
    click.echo(f"recorded: {recorded}")
    click.echo(f"now:      {answer}")


def sandboxed(text: str) -> BotSpec:
    """The bot of a file, to be run in the sandbox: ``path/to/file.py``, ``file.wasm``, or ``LABEL=`` and one
    of them. Raises :class:`~arena.errors.ArenaError`.
    """
    try:
        from arena.sandbox.bot import check_bot, sandboxed_spec
    except ModuleNotFoundError as error:
        raise ArenaError(
            f"the sandbox needs the library {error.name}, which is not installed",
            code="not_installed",
            expected="pip install 'botequim[server]'",
        ) from None
    if Path(text.rpartition("=")[2]).suffix == ".wasm":
        label, _, path = text.rpartition("=")
        spec = sandboxed_spec(label or Path(path).stem, "wasm", Path(path).read_bytes())
    else:
        native = bot_spec(text, check=False)
        if not native.source.endswith(".py"):
            return native
        spec = sandboxed_spec(native.name, native.version, Path(native.source).read_text(encoding="utf-8"))
    check_bot(spec)
    return spec


def turns_of(record: Record, number: int, seat: int | None = None) -> list[tuple[dict[str, Any], str]]:
    """The turns of the seat that made decision ``number`` (of ``seat``, or of all), up to that one, each
    with the recorded action. The record must be a proven one. Raises :class:`~arena.errors.ArenaError` if
    there is none.
    """
    canonical = record["canonical"]
    table = Table(
        canonical["game"],
        canonical["kind"],
        canonical["rules"],
        bytes.fromhex(canonical["seed"]),
        canonical["nonces"],
    )
    incidents = [(fault["after"], fault["seat"], fault["type"]) for fault in canonical["faults"]]
    incidents += [(entry["after"], entry["seat"], "resigned") for entry in canonical["resigned"]]
    incidents.sort(key=lambda incident: incident[0])
    by_seat: dict[int, list[tuple[dict[str, Any], str]]] = {}
    count = 0
    table.start()
    while table.logged < len(canonical["actions"]):
        if incidents and incidents[0][0] <= table.logged:
            _, acting, what = incidents.pop(0)
            if what == "resigned":
                table.resign(acting)
            else:
                table.fault(acting, what)
            continue
        acting, action, *mark = canonical["actions"][table.logged]
        told = table.turn(acting)
        assert told is not None
        by_seat.setdefault(acting, []).append((told, action + (f" ({mark[0]})" if mark else "")))
        count += seat is None or acting == seat
        if count == number:
            return by_seat[acting]
        if mark:
            table.act_for(acting, mark[0])
        else:
            table.submit(acting, table.turn_number(acting), action)
    whose = "" if seat is None else f" of seat {seat}"
    raise ArenaError(
        f"there is no decision {number}{whose} in game {canonical['game']}",
        code="unknown_turn",
        field="turn",
        expected=f"1 to {count}",
    )
