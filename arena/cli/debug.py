"""``botequim bot debug``: runs a bot at a decision of a recorded game."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import indent

import click

from arena.bots import HOUSE_BOTS, Bot, BotFailure, BotSpec
from arena.bots.games import check_game
from arena.bots.loader import data_of, source_of
from arena.cli.commands import Command
from arena.cli.local_bots import is_script, local_bot, script_in_sandbox
from arena.cli.output import json_option, redirected
from arena.cli.replay import proven_record
from arena.installation import not_installed
from arena.play.dealing import bot_seed
from arena.play.fault_reports import FaultReport, message_of, trace_of
from arena.play.javascript import script_spec
from arena.play.match import close_bots, seat_bot
from arena.play.programs import ProgramSpec, in_sandbox
from arena.play.table import parse_turn_id
from arena.records.decisions import RecordedDecision, decisions_until
from arena.records.record import Record
from arena.text import printable, printable_lines


@click.command(
    cls=Command,
    examples=(
        "botequim bot debug out.jsonl --number 1 --seat 0 --turn 7 --bot my_bot.py",
        "botequim game record GAME | botequim bot debug - --turn 12 --bot my_bot.py --sandbox",
    ),
    fields={"turn": "--turn"},
)
@click.argument("file", metavar="RECORD")
@click.option("--turn", "which", required=True, help="The number of a decision, from 1, or a turn id.")
@click.option(
    "--bot", "bot_name", required=True, help="A house bot, path/to/file.py or .js, or 'cmd:COMMAND'."
)
@click.option("--seat", type=click.IntRange(min=0), help="Count only the decisions of this seat.")
@click.option("--game", "game_id", metavar="ID", help="The game with this id.")
@click.option("--number", "record_number", type=click.IntRange(min=1), help="The game with this number.")
@click.option("--sandbox", is_flag=True, help="Run the bot's file in the sandbox, as the service does.")
@json_option
def debug(
    file: str,
    which: str,
    bot_name: str,
    seat: int | None,
    game_id: str | None,
    record_number: int | None,
    sandbox: bool,
    as_json: bool,
) -> None:
    """Run a bot at a decision of the game recorded in RECORD (- is stdin).

    The bot first gets all earlier turns of that seat, with the same randomness, so that a bot with a memory
    has seen them. Its answers to these are ignored. Then its answer is shown next to the recorded one. Each
    distinct traceback is printed once, with the turn; --json includes the whole turn.
    """
    where = _decision(which)
    if isinstance(where, str) and game_id is None and record_number is None:
        game_id, _, _ = parse_turn_id(where)
    record = proven_record(file, game_id, record_number)
    turns = decisions_until(record, where, seat)
    with redirected(as_json):
        found = _debug(record, turns, bot_name, sandbox)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))


def _debug(
    record: Record, turns: Sequence[RecordedDecision], bot_name: str, sandbox: bool
) -> Mapping[str, object]:
    """Print the bot's answer at the last of the turns, and return the result as JSON."""
    turn = turns[-1].turn
    kind = turn["kind"]
    spec = sandboxed(bot_name, kind) if sandbox else local_bot(bot_name, kind, shows_log=True)
    seed = bytes.fromhex(record["canonical"]["seed"])
    bot = seat_bot(spec, bot_seed(seed, turn["seat"]))
    failures: dict[tuple[str, ...], list[FaultReport]] = {}
    first: list[str] = []
    """Earlier answers that were refused at the same turn."""
    printed, answer = _output(bot), ""
    for one in turns:
        output = _output(bot)
        try:
            answer = repr(bot.choose(one.turn))
        except (Exception, SystemExit) as error:
            report = _report(one, error)
            failures.setdefault(report.kind, []).append(report)
            answer = f"{report.type}: {printable_lines(report.detail)}"
            if report.trace is not None and report.trace.where:
                answer += f" ({report.trace.where})"
            printed += _output(bot)[len(output) :].removesuffix(getattr(error, "report", ""))
        else:
            printed += _output(bot)[len(output) :]
        if one.id == turns[-1].id and one is not turns[-1]:
            first.append(f"at first:  {one.summary} is recorded, now {answer}")
    close_bots([bot])
    journal = getattr(bot, "journal", None)
    if printed:
        click.echo(printable_lines(printed.rstrip("\n")))
    if journal is not None and (printed or failures):
        click.echo(f"thinking: {journal.decisions[-1].ms:.3f} ms of fuel")
    for reports in failures.values():
        _echo_failure(reports, turns[-1].id)
    click.echo(f"turn {turns[-1].id}, seat {turn['seat']}, legal: {', '.join(turn['legal_actions'])}")
    for line in first:
        click.echo(line)
    click.echo(f"recorded: {turns[-1].summary}")
    click.echo(f"now:      {answer}")
    player = record["canonical"]["players"][turn["seat"]]
    if spec.source in HOUSE_BOTS and player["name"] == spec.name and player["version"] != spec.version:
        played = f"{spec.name} {player['version']}"
        click.echo(f"{played} cannot be run again, because this release has {spec.name} {spec.version}")
    return {"turn": turn, "recorded": turns[-1].summary, "now": answer, "output": printed}


def _output(bot: Bot) -> str:
    """Return what a sandboxed bot has printed so far. Other bots print directly."""
    journal = getattr(bot, "journal", None)
    return "" if journal is None else str(journal.output)


def _report(one: RecordedDecision, error: BaseException) -> FaultReport:
    legal = tuple(one.turn["legal_actions"])
    if isinstance(error, BotFailure):
        return FaultReport(error.type, one.id, legal, str(error), trace_of(error))
    detail = f"{type(error).__name__}: {printable(message_of(error))}"
    return FaultReport("crashed", one.id, legal, detail, trace_of(error, __file__))


def _echo_failure(reports: list[FaultReport], asked: str) -> None:
    """Print the latest of the failures with the same cause."""
    last = reports[-1]
    earlier = "" if last.turn == asked else "earlier "
    more = f"; {len(reports) - 1} more before it" if len(reports) > 1 else ""
    click.echo(f"{last.type} at the {earlier}turn {last.turn}{more}:")
    text = last.trace.text.rstrip() if last.trace is not None else ""
    click.echo(indent(printable_lines(text or last.detail), "    "))


def _decision(text: str) -> int | str:
    """Parse the number of a decision, or the id of a turn."""
    if not (text.isascii() and text.isdecimal()):
        return text
    if int(text) == 0:
        raise click.BadParameter("decisions are numbered from 1", param_hint="--turn")
    return int(text)


def sandboxed(text: str, kind: str) -> BotSpec:
    """Return the bot in a file (``path/to/file.py``, ``file.js``, ``file.wasm``, or one of them with
    ``LABEL=`` before it), to run in the sandbox, or a house bot, which needs no sandbox. Raises
    :class:`~arena.errors.ArenaError`.
    """
    try:
        from arena.sandbox.bot import check_bot, sandboxed_spec
    except ModuleNotFoundError as error:
        raise not_installed("the sandbox", str(error.name)) from None
    if Path(text.rpartition("=")[2]).suffix == ".wasm":
        label, _, path = text.rpartition("=")
        spec = sandboxed_spec(label or Path(path).stem, "wasm", data_of(path))
    elif is_script(text):
        spec = script_in_sandbox(script_spec(text))
    else:
        native = local_bot(text, kind, check=False)
        if isinstance(native, ProgramSpec):
            raise in_sandbox(native)
        if not native.source.endswith(".py"):
            return native
        spec = sandboxed_spec(native.name, native.version, source_of(native.source))
    check_game(text, check_bot(spec), kind)
    return spec
