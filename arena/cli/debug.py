"""``botequim bot debug``: run a bot at a decision of a recorded game."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena.bots import HOUSE_BOTS, BotFailure, BotSpec, bot_spec
from arena.cli.replay import proven_record
from arena.errors import ArenaError
from arena.play.dealing import bot_seed
from arena.play.table import parse_turn_id
from arena.records.decisions import decisions_until
from arena.text import printable, printable_lines


@click.command()
@click.argument("file", metavar="RECORD")
@click.option("--turn", "which", required=True, help="The number of a decision, from 1, or a turn id.")
@click.option("--bot", "bot_name", required=True, help="A house bot, or path/to/file.py.")
@click.option("--seat", type=click.IntRange(min=0), help="Count only the decisions of this seat.")
@click.option("--game", "game_id", metavar="ID", help="The game with this id.")
@click.option("--number", "record_number", type=click.IntRange(min=1), help="The game with this number.")
@click.option("--sandbox", is_flag=True, help="Run the bot's file in the sandbox, as the service does.")
@click.option("--show", is_flag=True, help="Also print the turn as JSON.")
def debug(
    file: str,
    which: str,
    bot_name: str,
    seat: int | None,
    game_id: str | None,
    record_number: int | None,
    sandbox: bool,
    show: bool,
) -> None:
    """Run a bot at a decision of the game recorded in RECORD (- is stdin).

    The bot first gets all earlier turns of that seat, with the same randomness, so that a bot with a
    memory has seen them; its answers to those are ignored. Then its answer is shown next to the recorded
    one.
    """
    where = _decision(which)
    if isinstance(where, str) and game_id is None and record_number is None:
        game_id, _, _ = parse_turn_id(where)
    record = proven_record(file, game_id, record_number)
    turns = decisions_until(record, where, seat)
    turn = turns[-1].turn
    kind = turn["kind"]
    spec = sandboxed(bot_name, kind) if sandbox else bot_spec(bot_name, kind)
    seed = bytes.fromhex(record["canonical"]["seed"])
    bot = spec.make(bot_seed(seed, turn["seat"]))
    if show:
        click.echo(json.dumps(turn, ensure_ascii=False, indent=2))
    answer = ""
    for one in turns:
        try:
            answer = repr(bot.choose(one.turn))
        except BotFailure as failure:
            answer = f"{failure.type}: {printable_lines(str(failure))}"
        except Exception as error:
            if one is turns[-1] and not sandbox:
                raise
            answer = f"crashed: {type(error).__name__}: {printable(str(error))}"
    journal = getattr(bot, "journal", None)
    if journal is not None and journal.output:
        click.echo(printable_lines(journal.output.rstrip("\n")))
        click.echo(f"thinking: {journal.decisions[-1].ms:.3f} ms of fuel")
    click.echo(f"turn {turns[-1].id}, seat {turn['seat']}, legal: {', '.join(turn['legal_actions'])}")
    click.echo(f"recorded: {turns[-1].summary}")
    click.echo(f"now:      {answer}")
    player = record["canonical"]["players"][turn["seat"]]
    if spec.source in HOUSE_BOTS and player["name"] == spec.name and player["version"] != spec.version:
        played = f"{spec.name} {player['version']}"
        click.echo(f"{played} cannot be run again: this release has {spec.name} {spec.version}")


def _decision(text: str) -> int | str:
    """The number of a decision, or the id of a turn."""
    if not (text.isascii() and text.isdecimal()):
        return text
    if int(text) == 0:
        raise click.BadParameter("decisions are counted from 1", param_hint="--turn")
    return int(text)


def sandboxed(text: str, kind: str) -> BotSpec:
    """The bot of a file, run in the sandbox: ``path/to/file.py``, ``file.wasm``, or ``LABEL=`` and one of
    them; or a house bot, which needs no sandbox. Raises :class:`~arena.errors.ArenaError`.
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
        native = bot_spec(text, kind, check=False)
        if not native.source.endswith(".py"):
            return native
        spec = sandboxed_spec(native.name, native.version, Path(native.source).read_text(encoding="utf-8"))
    check_bot(spec)
    return spec
