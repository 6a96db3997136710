"""``botequim play``: plays mirrored groups among local bots."""

from __future__ import annotations

import secrets
import tempfile
import webbrowser
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import IO, Final, Literal, TypedDict

import click
from rich import box
from rich.console import Console
from rich.table import Table as TextTable

from arena.bots import BotSpec
from arena.cli.commands import Command
from arena.cli.debug import sandboxed
from arena.cli.local_bots import local_bot
from arena.cli.output import json_option, narrow, redirected, show, with_interval
from arena.cli.params import KIND, PLAYER_FILE, SECONDS, jobs_option, local_rules, preset_option, rules_option
from arena.cli.progress import progress_bar
from arena.cli.replay import write_page
from arena.cli.terminal import console
from arena.play.fault_reports import FaultReport
from arena.play.match import Thinking
from arena.play.stats import mean_interval
from arena.records.record import parse_record
from arena.text import plain_table, printable
from arena.tournaments.local_run import GroupSummary, Plan, check_plan, run

_MOST_REPORTS: Final = 5
"""The maximum number of distinct faults of a bot that are printed."""


@click.command(
    cls=Command,
    examples=(
        "botequim play truco my_bot.py rookie --groups 20 --records out.jsonl",
        "botequim play toepen my_bot.py random rookie --rule seats=3 --rule lives=5 --seed 7",
        "botequim play truco new=my_bot.py old=old_bot.py --json",
        "botequim play truco 'cmd:./my-bot --stdio' rookie",
    ),
    fields={"rules": "--rule"},
)
@click.argument("kind", type=KIND)
@click.argument("bots", nargs=-1, required=True, type=PLAYER_FILE)
@click.option(
    "--groups",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="The number of groups per table of bots.",
)
@click.option("--seed", help="Any text. The same seed and bots reproduce the same records. [default: random]")
@click.option(
    "--records",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the records to this file.",
)
@jobs_option
@preset_option
@rules_option
@click.option(
    "--think-limit", type=SECONDS, default=10.0, show_default=True, help="The maximum seconds per decision."
)
@click.option("--sandbox", is_flag=True, help="Run files in the sandbox, as the service does.")
@click.option("--browser", is_flag=True, help="Show the last game in the browser.")
@json_option
def play(
    kind: str,
    bots: tuple[str, ...],
    groups: int,
    seed: str | None,
    records: Path | None,
    jobs: int,
    preset: str | None,
    rules: tuple[str, ...],
    think_limit: float,
    sandbox: bool,
    browser: bool,
    as_json: bool,
) -> None:
    """Play groups of games of KIND (truco or toepen) among BOTS, and print the results.

    The score of a game is the share of the other teams that a bot beats, where a shared place counts half.
    The margin is its score minus the mean of the others', with its 95% interval over groups. "most" is the
    longest decision in milliseconds. Below the table, each distinct fault is printed once, with the turn, and
    either the error with file and line, or the answer and the legal actions. The exit code is 1 if there was
    a fault or a group is void.

    A bot is a house bot (random, rookie, regular, barfly, shark), path/to/file.py or .js, or a program in any
    language that reads turns as JSON lines, such as 'cmd:./my-bot --stdio'. NAME= before it renames it. In a
    group, the bots play the same deals from every side of the table. Without --preset, the rules are those of
    the game's first leaderboard (base@1 for Truco, duel@1 for Toepen), and --rule changes individual options.
    """
    complete = local_rules(kind, preset, rules)
    specs = distinct_names([sandboxed(text, kind) if sandbox else local_bot(text, kind) for text in bots])
    check_plan(kind, complete, specs, groups)
    plan = Plan(kind, complete, tuple(specs), groups, seed or secrets.token_hex(8))
    with redirected(as_json):
        screen = console(stderr=False)
        if seed is None:
            screen.print(f"seed {plan.seed}")
        results, interrupted = _play_all(plan, records, jobs, think_limit)
        if not as_json:
            _print_summary(screen, plan, results)
        if browser:
            _open_last_game(results)
        failed = print_faults(plan, results)
        if interrupted:
            screen.print(f"interrupted; {len(results)} of {len(plan.all_groups())} groups were kept")
    if as_json:
        show(_as_json(plan, results, interrupted), as_json)
    if interrupted:
        raise SystemExit(130)
    if failed:
        raise SystemExit(1)


def _open_last_game(results: list[GroupSummary]) -> None:
    """Write the replay page of the last game to a temporary file, and open it in a browser."""
    lines = [line for result in results for line in result.records]
    if not lines:
        click.echo("no game was finished, so there is none to show", err=True)
        return
    with tempfile.NamedTemporaryFile(prefix="botequim-", suffix=".html", delete=False) as file:
        path = Path(file.name)
    write_page(parse_record(lines[-1]), path, source="game.json")
    click.echo(f"the last game: {path}")
    if not webbrowser.open(path.as_uri()):
        click.echo("no browser was found; open the file yourself", err=True)


def print_faults(plan: Plan, results: list[GroupSummary]) -> bool:
    """Print each distinct fault of each bot once, and each reason for void groups once.

    Return whether there was any fault or void group.
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
            click.echo(f"{name}: {report.described()}\n")
        if len(reports) > _MOST_REPORTS:
            click.echo(f"{name}: {len(reports) - _MOST_REPORTS} more distinct faults")
    for messages in void.values():
        others = f" (and {len(messages) - 1} more groups)" if len(messages) > 1 else ""
        click.echo(f"void: {printable(messages[0], 1000)}{others}")
    return bool(first or void)


def _play_all(
    plan: Plan, path: Path | None, jobs: int, think_limit: float
) -> tuple[list[GroupSummary], bool]:
    """Return all results in planned order, and whether Ctrl-C interrupted the run."""
    results: dict[int, GroupSummary] = {}
    out = path.open("w", encoding="utf-8") if path else None
    # Number of groups in the file and its size, in one value because Ctrl-C can come between any two steps.
    written = (0, 0)
    is_file = out is not None and out.seekable()
    interrupted = False
    running = run(plan, jobs=jobs, think_limit=think_limit)
    try:
        with progress_bar(plan.kind, len(plan.all_groups()), "groups") as shown:
            for result in running:
                results[result.index] = result
                while written[0] in results:
                    _write(out, results[written[0]])
                    written = (written[0] + 1, out.tell() if out and is_file else 0)
                shown(len(results))
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
    """Return the bots with unique names. The second bot with a name is renamed ``name-2``, and so on."""
    seen: Counter[str] = Counter()
    named = []
    for spec in specs:
        seen[spec.name] += 1
        name = spec.name if seen[spec.name] == 1 else f"{spec.name}-{seen[spec.name]}"
        named.append(replace(spec, name=name))
    return named


class _Row(TypedDict):
    """The results of a bot. Values are None if there are no games, and so is the interval of a single
    group.
    """

    name: str
    version: str
    score: float | None
    margin: float | None
    half_width: float | None
    wins: float | None
    games: int
    mean_ms: float | None
    longest_ms: float
    faults: Mapping[str, int]


def _rows(plan: Plan, results: list[GroupSummary]) -> list[_Row]:
    """Return the results of each bot."""
    counted = [result for result in results if not result.void]
    rows: list[_Row] = []
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
        rows.append(
            {
                "name": bot.name,
                "version": bot.version,
                "score": score if tallies else None,
                "margin": margin if tallies else None,
                "half_width": half if isfinite(half) else None,
                "wins": sum(wins) / len(wins) if wins else None,
                "games": len(wins),
                "mean_ms": 1000 * thinking.seconds / thinking.decisions if thinking.decisions else None,
                "longest_ms": 1000 * thinking.longest,
                "faults": dict(sorted(faults.items())),
            }
        )
    return rows


def _as_json(plan: Plan, results: list[GroupSummary], interrupted: bool) -> Mapping[str, object]:
    counted = [result for result in results if not result.void]
    return {
        "kind": plan.kind,
        "rules": dict(plan.rules),
        "seed": plan.seed,
        "groups": len(counted),
        "games": sum(len(result.records) for result in counted),
        "voids": [result.void for result in results if result.void],
        "interrupted": interrupted,
        "bots": _rows(plan, results),
    }


_HEADINGS: Final = ("bot", "score", "margin, 95%", "wins", "games", "ms each", "most", "faults")


def _print_summary(screen: Console, plan: Plan, results: list[GroupSummary]) -> None:
    counted = [result for result in results if not result.void]
    games = sum(len(result.records) for result in counted)
    title = f"{plan.kind}: {games} games in {len(counted)} mirrored groups"
    lines = [
        (
            row["name"],
            _number(row["score"], ".3f"),
            with_interval(row["margin"], row["half_width"]),
            _number(row["wins"], ".1%"),
            str(row["games"]),
            _number(row["mean_ms"], ".3f"),
            f"{row['longest_ms']:.1f}",
            ", ".join(f"{count} {fault}" for fault, count in row["faults"].items()) or "0",
        )
        for row in _rows(plan, results)
    ]
    if (columns := narrow()) is not None:
        click.echo(f"{title}\n\n{plain_table(_HEADINGS, lines, most=columns)}", nl=False)
        return
    table = TextTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in _HEADINGS:
        justify: Literal["left", "right"] = "left" if heading == "bot" else "right"
        table.add_column(heading, justify=justify, no_wrap=heading != "faults")
    for line in lines:
        table.add_row(*line)
    screen.print(table)


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
