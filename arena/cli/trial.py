"""``botequim bot test``: tests whether a bot plays every preset without faults, and how long it thinks."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from arena.bots import HOUSE_BOTS, BotSpec, InvalidBot, bot_spec
from arena.bots.games import check_game
from arena.bots.loader import source_of
from arena.cli.commands import Command
from arena.cli.local_bots import local_bot, script_in_sandbox
from arena.cli.output import narrow
from arena.cli.params import SECONDS, jobs_option
from arena.cli.terminal import console
from arena.errors import ArenaError
from arena.games import GAMES
from arena.installation import install_command
from arena.play.javascript import ScriptSpec
from arena.play.programs import ProgramSpec, in_sandbox
from arena.text import plain_table, printable
from arena.tournaments.trial import (
    Trial,
    chosen_presets,
    distinct_reports,
    trial_plan,
    try_out,
    try_sandboxed,
)

_MOST_REPORTS: Final = 5
_SANDBOX_GAMES: Final = 2
"""The number of games of each preset in the sandbox: enough to find forbidden imports and measure thinking
times.
"""


@click.command(
    "test",
    cls=Command,
    fields={"bot": "FILE"},
    examples=(
        "botequim bot test my_bot.py",
        "botequim bot test my_bot.py --kind truco --games 50",
        "botequim bot test my_bot.py --preset paulista-2@1",
    ),
)
@click.argument("file")
@click.option(
    "--games",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="The number of games of each preset.",
)
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(tuple(GAMES)), help="Only this game; repeatable."
)
@click.option(
    "--preset", "presets", multiple=True, help="Only this preset, such as paulista-2@1; repeatable."
)
@click.option("--seed", help="Any text. The same seed reproduces the same games. [default: random]")
@jobs_option
@click.option(
    "--think-limit", type=SECONDS, default=5.0, show_default=True, help="The maximum seconds per decision."
)
@click.option(
    "--sandbox/--no-sandbox",
    default=None,
    help="Whether to also play in the sandbox. [default: if it is installed]",
)
@click.option(
    "--records",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the records of games with failures to this file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def test_bot(
    file: str,
    games: int,
    kinds: tuple[str, ...],
    presets: tuple[str, ...],
    seed: str | None,
    jobs: int,
    think_limit: float,
    sandbox: bool | None,
    records: Path | None,
    as_json: bool,
) -> int:
    """Test the bot in FILE: play 500 games against random bots in every preset of the games that it plays,
    some of them in the sandbox, where uploaded bots run.

    The command prints a table with the median, 99th percentile and maximum time per decision in milliseconds.
    In the sandbox, time is measured in fuel, which is the same on every machine. Below the table, each
    distinct failure is printed once, with the turn, and either the error with file and line, or the answer
    and the legal actions. The exit code is 1 if anything failed.
    """
    try:
        spec = local_bot(file)
    except InvalidBot as error:
        return _not_loaded(error.message, error.expected, as_json)
    for kind in kinds:
        check_game(file, spec.games, kind, "kind")
    chosen = chosen_presets(kinds or spec.games, presets)
    if records is not None:
        # The file is opened before the games, so that errors are reported at once.
        records.write_text("", encoding="utf-8")
    seed = seed or secrets.token_hex(8)
    note = ""
    sandboxed: BotSpec | None = None
    if isinstance(spec, ProgramSpec):
        if sandbox:
            raise in_sandbox(spec)
    elif sandbox is not False and spec.source not in HOUSE_BOTS:
        try:
            sandboxed = _sandboxed(spec)
        except ModuleNotFoundError as error:
            note = (
                f"not played in the sandbox, because it needs the library {error.name}: "
                f"{install_command('server')}"
            )
            if sandbox:
                raise ArenaError(note, code="not_installed") from None
    status = console()
    trials: list[Trial] = []
    failure = ""
    interrupted = False
    # The remaining time is based on the rate of the last minute.
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeRemainingColumn(),
        console=status,
        transient=True,
        disable=not status.is_terminal,
        speed_estimate_period=60,
        redirect_stdout=False,
    ) as progress:
        task = progress.add_task("", total=len(chosen) * (games + (_SANDBOX_GAMES if sandboxed else 0)))

        def over(count: int) -> None:
            progress.advance(task, count)

        try:
            for kind, preset in chosen:
                progress.update(task, description=f"{kind}/{preset}")
                plan = trial_plan(_of_kind(spec, kind), kind, preset, games, seed)
                trials.append(try_out(plan, preset, jobs=jobs, think_limit=think_limit, on_games=over))
                if trials[-1].slow:
                    break
            if sandboxed is not None:
                progress.update(task, description="sandbox")
                if not status.is_terminal:
                    status.print("preparing the sandbox, which takes minutes the first time on a machine")
                failure = _load_failure(sandboxed)
                for kind, preset in [] if failure else chosen:
                    plan = trial_plan(sandboxed, kind, preset, _SANDBOX_GAMES, seed)
                    trials.append(try_sandboxed(plan, preset, over))
                    if trials[-1].slow:
                        break
        except KeyboardInterrupt:
            interrupted = True
            note = note or ("not completed in the sandbox" if sandboxed else "")
    if records is not None:
        lines = [line + "\n" for trial in trials for line in trial.records]
        records.write_text("".join(lines), encoding="utf-8")
    failed = bool(failure) or any(trial.failed for trial in trials)
    if as_json:
        click.echo(json.dumps(_as_json(seed, trials, failure, note, failed)))
    else:
        _show(seed, trials, failure, note, len(chosen), records is not None)
    if interrupted:
        return 130
    return 1 if failed else 0


def _not_loaded(message: str, expected: str | None, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps({"failed": True, "load_failure": message, "presets": [], "failures": []}))
    else:
        click.echo(f"not loaded: {printable(message)}" + (f"; expected {expected}" if expected else ""))
    return 1


def _of_kind(spec: BotSpec, kind: str) -> BotSpec:
    """Return the bot for a game, because a house bot has a different version for each game."""
    return bot_spec(spec.source, kind) if spec.source in HOUSE_BOTS else spec


def _sandboxed(spec: BotSpec) -> BotSpec:
    """Return the bot for the sandbox, without loading it. Raises ModuleNotFoundError."""
    from arena.sandbox.bot import SandboxedSpec, sandboxed_spec

    if isinstance(spec, SandboxedSpec):
        return spec
    if isinstance(spec, ScriptSpec):
        return script_in_sandbox(spec)
    return sandboxed_spec(spec.name, spec.version, source_of(spec.source))


def _load_failure(spec: BotSpec) -> str:
    """Return why the sandbox cannot load the bot, or an empty text if it can."""
    from arena.sandbox.bot import SandboxedSpec, check_bot

    assert isinstance(spec, SandboxedSpec)
    try:
        check_bot(spec)
    except InvalidBot as error:
        return error.message
    return ""


def _show(seed: str, trials: list[Trial], failure: str, note: str, presets: int, with_records: bool) -> None:
    click.echo(_table(trials), nl=False)
    played = sum(not trial.sandbox for trial in trials)
    if note:
        click.echo(note)
    if failure:
        click.echo(f"not loaded in the sandbox: {printable(failure)}")
    reports = distinct_reports(trials)
    for report in reports[:_MOST_REPORTS]:
        click.echo(f"{report.described()}\n")
    if len(reports) > _MOST_REPORTS:
        click.echo(f"{len(reports) - _MOST_REPORTS} more distinct faults")
    for message in dict.fromkeys(why.partition(": ")[2] for trial in trials for why in trial.void):
        click.echo(f"void: {printable(message, 1000)}")
    if played < presets:
        click.echo(f"stopped after {played} of {presets} presets")
    if any(trial.records for trial in trials):
        if with_records:
            click.echo("to run the bot again at a turn: botequim bot debug RECORDS --turn TURN --bot FILE")
        else:
            click.echo(f"to write records for 'botequim bot debug', repeat with --seed {seed} --records FILE")


def _table(trials: list[Trial]) -> str:
    headings = ("preset", "in", "games", "decisions", "median", "99 %", "most", "faults")
    rows = [
        (
            f"{trial.kind}/{trial.preset}",
            "sandbox" if trial.sandbox else "process",
            trial.games,
            trial.thinking.decisions,
            *(_ms(seconds) for seconds in (trial.thinking.within(0.5), trial.thinking.within(0.99))),
            _ms(trial.thinking.longest),
            len(trial.faults) or len(trial.void),
        )
        for trial in trials
    ]
    return plain_table(headings, rows, left=2, most=narrow())


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.3f}" if seconds < 0.01 else f"{1000 * seconds:.1f}"


def _as_json(seed: str, trials: list[Trial], failure: str, note: str, failed: bool) -> Mapping[str, object]:
    return {
        "failed": failed,
        "seed": seed,
        "sandbox": note or failure or any(trial.sandbox for trial in trials),
        "presets": [
            {
                "kind": trial.kind,
                "preset": trial.preset,
                "sandbox": trial.sandbox,
                "games": trial.games,
                "decisions": trial.thinking.decisions,
                "median_ms": round(1000 * trial.thinking.within(0.5), 4),
                "p99_ms": round(1000 * trial.thinking.within(0.99), 4),
                "longest_ms": round(1000 * trial.thinking.longest, 4),
                "faults": {one: trial.faults.count(one) for one in sorted(set(trial.faults))},
                "void": trial.void,
            }
            for trial in trials
        ],
        "failures": [
            {
                "type": report.type,
                "turn": report.turn,
                "legal": list(report.legal),
                "detail": report.detail,
                "where": report.trace.where if report.trace else "",
                "traceback": report.trace.text if report.trace else "",
            }
            for report in distinct_reports(trials)
        ],
    }
