"""``botequim play``: mirrored groups among local bots."""

from __future__ import annotations

import os
import secrets
import tempfile
import webbrowser
from collections import Counter
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import IO, Final

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as TextTable

from arena.bots import BotSpec, bot_spec
from arena.cli.debug import sandboxed
from arena.cli.replay import write_page
from arena.games import game_of
from arena.play.fault_reports import FaultReport
from arena.play.match import Thinking
from arena.play.stats import mean_interval
from arena.records.record import parse_record
from arena.text import printable, printable_lines
from arena.tournaments.local_run import GroupSummary, Plan, check_plan, run

_MOST_REPORTS: Final = 5
"""How many kinds of faults of a bot are printed."""


@click.command()
@click.argument("kind")
@click.argument("bots", nargs=-1, required=True)
@click.option("--groups", default=100, show_default=True, help="Groups per table of bots.")
@click.option("--seed", help="Any text; the same seed and bots give the same records. [default: random]")
@click.option(
    "--records",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the records to this file.",
)
@click.option("--jobs", default=os.cpu_count() or 1, show_default="the cores", help="Processes.")
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="A rule option; may be repeated.")
@click.option("--independent", is_flag=True, help="Deal every game of a group independently.")
@click.option("--think-limit", default=10.0, show_default=True, help="Seconds per decision.")
@click.option("--sandbox", is_flag=True, help="Run files in the sandbox, as the service does.")
@click.option("--browser", is_flag=True, help="Show the last game in the browser.")
def play(
    kind: str,
    bots: tuple[str, ...],
    groups: int,
    seed: str | None,
    records: Path | None,
    jobs: int,
    rules: tuple[str, ...],
    independent: bool,
    think_limit: float,
    sandbox: bool,
    browser: bool,
) -> None:
    """Play groups of games of KIND among BOTS and print the results.

    The score of a game is the share of the other teams that a bot beats, where a shared place counts half;
    the margin is its score minus the mean of the others', with its 95% interval over groups; "most" is the
    longest decision in milliseconds. Below, the first fault of each kind is printed: what the bot raised,
    with file and line, or its answer and what was legal. The exit code is 1 if there was a fault or a group
    is void.

    A bot is a house bot (random, rookie, regular, shark), path/to/file.py, or NAME=path/to/file.py.
    In a group the bots play the same deals from every side of the table. Truco is dealt without a cut
    unless --rule cut=player is given.
    """
    game = game_of(kind)
    complete = game.options.complete({**game.local_rules, **game.options.parse(rules)})
    specs = distinct_names([sandboxed(text, kind) if sandbox else bot_spec(text, kind) for text in bots])
    check_plan(kind, complete, specs, groups)
    plan = Plan(kind, complete, tuple(specs), groups, seed or secrets.token_hex(8), not independent)
    console = Console(highlight=False)
    if seed is None:
        console.print(f"seed {plan.seed}")
    results, interrupted = _play_all(plan, records, max(1, jobs), think_limit)
    console.print(_summary(plan, results))
    if browser:
        _open_last_game(results)
    failed = print_faults(plan, results)
    if interrupted:
        console.print(f"interrupted: {len(results)} of {len(plan.all_groups())} groups are kept")
        raise SystemExit(130)
    if failed:
        raise SystemExit(1)


def _open_last_game(results: list[GroupSummary]) -> None:
    """Write the replay page of the last game to a temporary file, and open it in the browser."""
    lines = [line for result in results for line in result.records]
    if not lines:
        click.echo("no game was played to its end, so there is none to show", err=True)
        return
    with tempfile.NamedTemporaryFile(prefix="botequim-", suffix=".html", delete=False) as file:
        path = Path(file.name)
    write_page(parse_record(lines[-1]), path, source="game.json")
    click.echo(f"the last game: {path}")
    if not webbrowser.open(path.as_uri()):
        click.echo("no browser was found; open the file yourself", err=True)


def print_faults(plan: Plan, results: list[GroupSummary]) -> bool:
    """Print the first fault of each kind of each bot, and each reason of void groups once.

    Returns whether there was any fault or void group.
    """
    first: dict[int, dict[tuple[str, ...], FaultReport]] = {}
    void: dict[str, list[str]] = {}
    for result in results:
        for (player, kind), report in result.reports.items():
            first.setdefault(player, {}).setdefault(kind, report)
        if result.void:
            void.setdefault(result.void.partition(": ")[2], []).append(result.void)
    for player, reports in sorted(first.items()):
        name = plan.bots[player].name
        for report in list(reports.values())[:_MOST_REPORTS]:
            click.echo(f"{name}: {_described(report)}")
        if len(reports) > _MOST_REPORTS:
            click.echo(f"{name}: {len(reports) - _MOST_REPORTS} more kinds of faults")
    for messages in void.values():
        others = f" (and {len(messages) - 1} more groups)" if len(messages) > 1 else ""
        click.echo(f"void: {printable(messages[0], 1000)}{others}")
    return bool(first or void)


def _described(report: FaultReport) -> str:
    """A fault as lines: its reason, the traceback if something was raised, the turn."""
    what = f"{report.type}, {printable(report.detail)}"
    if report.trace is not None and report.trace.where:
        what += f" ({report.trace.where})"
    lines = [what]
    if report.trace is not None and report.trace.text:
        lines.append(indent(printable_lines(report.trace.text.rstrip()), "    "))
    legal = ", ".join(report.legal)
    lines.append(f"    at turn {report.turn}; legal: {legal}")
    return "\n".join(lines) + "\n"


def _play_all(
    plan: Plan, path: Path | None, jobs: int, think_limit: float
) -> tuple[list[GroupSummary], bool]:
    """All results in the order of the plan, and whether Ctrl-C interrupted them."""
    results: dict[int, GroupSummary] = {}
    out = path.open("w", encoding="utf-8") if path else None
    # The groups in the file and its size then, in one value: Ctrl-C may come between any two steps.
    written = (0, 0)
    is_file = out is not None and out.seekable()
    interrupted = False
    progress = Progress(
        TextColumn(f"{plan.kind}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("groups"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    running = run(plan, jobs=jobs, think_limit=think_limit)
    try:
        with progress:
            task = progress.add_task("", total=len(plan.all_groups()))
            for result in running:
                results[result.index] = result
                while written[0] in results:
                    _write(out, results[written[0]])
                    written = (written[0] + 1, out.tell() if out and is_file else 0)
                progress.advance(task)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        running.close()
        count, size = written
        if out and is_file:
            out.seek(size)
            out.truncate()
        for index in sorted(index for index in results if index >= count):
            _write(out, results[index])
        if out:
            out.close()
    return [results[index] for index in sorted(results)], interrupted


def _write(out: IO[str] | None, result: GroupSummary) -> None:
    if out:
        out.writelines(line + "\n" for line in result.records)
        out.flush()


def distinct_names(specs: list[BotSpec]) -> list[BotSpec]:
    """The bots with unique names: the second with a name becomes ``name-2``."""
    seen: Counter[str] = Counter()
    named = []
    for spec in specs:
        seen[spec.name] += 1
        name = spec.name if seen[spec.name] == 1 else f"{spec.name}-{seen[spec.name]}"
        named.append(replace(spec, name=name))
    return named


def _summary(plan: Plan, results: list[GroupSummary]) -> TextTable:
    counted = [result for result in results if not result.void]
    games = sum(len(result.records) for result in counted)
    kind_of_groups = "mirrored" if plan.mirrored else "independent"
    table = TextTable(
        title=f"{plan.kind}: {games} games in {len(counted)} {kind_of_groups} groups",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("bot", no_wrap=True)
    for heading in ("score", "margin, 95%", "wins", "games", "ms each", "most", "faults"):
        table.add_column(heading, justify="right", no_wrap=heading != "faults")
    for player, bot in enumerate(plan.bots):
        tallies = [result.tallies[player] for result in counted if player in result.tallies]
        score, _ = mean_interval([sum(tally.points) / len(tally.points) for tally in tallies])
        margin, half = mean_interval([sum(tally.margins) / len(tally.margins) for tally in tallies])
        wins = [win for tally in tallies for win in tally.wins]
        thinking = Thinking()
        for tally in tallies:
            thinking.merge(tally.thinking)
        faults = Counter(
            fault for result in results if player in result.tallies for fault in result.tallies[player].faults
        )
        table.add_row(
            bot.name,
            f"{score:.3f}",
            f"{margin:+.3f} ± {half:.3f}",
            f"{sum(wins) / len(wins):.1%}" if wins else "-",
            str(len(wins)),
            f"{1000 * thinking.seconds / thinking.decisions:.3f}" if thinking.decisions else "-",
            f"{1000 * thinking.longest:.1f}",
            ", ".join(f"{count} {fault}" for fault, count in sorted(faults.items())) or "0",
        )
    return table
