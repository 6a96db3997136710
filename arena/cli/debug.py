"""``botequim bot debug``: ask a bot again at a decision of a recorded game."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena.asked import asked_until
from arena.bots import BotFailure, BotSpec, bot_spec
from arena.cli.replay import proven_record
from arena.dealing import bot_seed
from arena.errors import ArenaError
from arena.table import parse_turn_id
from arena.text import printable


@click.command()
@click.argument("file", metavar="RECORD")
@click.option("--turn", "which", required=True, help="Which decision, from 1, or the id of a turn.")
@click.option("--bot", "bot_name", required=True, help="A house bot, or path/to/file.py.")
@click.option("--seat", type=click.IntRange(min=0), help="Count the decisions of this seat only.")
@click.option("--game", "game_id", metavar="ID", help="The game with this id.")
@click.option("--number", "record_number", type=click.IntRange(min=1), help="The game with this number.")
@click.option("--sandbox", is_flag=True, help="Run the bot's file in the sandbox, as the service does.")
@click.option("--show", is_flag=True, help="Print the turn too, as JSON.")
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
    """Ask a bot again what it would do at a decision of the game recorded in RECORD (- is stdin).

    The bot is first asked all decisions of that seat before it, with the same randomness, so that a
    bot with a memory has it; what it answers there changes nothing. Then its answer is shown beside the
    recorded one.
    """
    where = _decision(which)
    if isinstance(where, str) and game_id is None and record_number is None:
        game_id, _, _ = parse_turn_id(where)
    record = proven_record(file, game_id, record_number)
    turns = asked_until(record, where, seat)
    asked = turns[-1].turn
    spec = sandboxed(bot_name) if sandbox else bot_spec(bot_name)
    seed = bytes.fromhex(record["canonical"]["seed"])
    bot = spec.make(bot_seed(seed, asked["seat"]))
    if show:
        click.echo(json.dumps(asked, ensure_ascii=False, indent=2))
    answer = ""
    for one in turns:
        try:
            answer = repr(bot.choose(one.turn))
        except BotFailure as failure:
            answer = f"{failure.type}: {failure}"
        except Exception as error:
            if one is turns[-1] and not sandbox:
                raise
            answer = f"crashed: {type(error).__name__}: {printable(str(error))}"
    journal = getattr(bot, "journal", None)
    if journal is not None and journal.output:
        click.echo(journal.output.rstrip("\n"))
        click.echo(f"thinking: {journal.decisions[-1].ms:.3f} ms of fuel")
    click.echo(f"turn {asked['turn']}, seat {asked['seat']}, legal: {', '.join(asked['legal_actions'])}")
    click.echo(f"recorded: {turns[-1].told}")
    click.echo(f"now:      {answer}")


def _decision(text: str) -> int | str:
    """A decision's number, or the id of a turn."""
    if not (text.isascii() and text.isdecimal()):
        return text
    if int(text) == 0:
        raise click.BadParameter("decisions are counted from 1", param_hint="--turn")
    return int(text)


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
