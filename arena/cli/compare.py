"""``botequim compare``: is one bot better than another?"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from time import monotonic
from typing import Final

import click
from rich.console import Console

from arena.bots import bot_spec
from arena.cli.debug import sandboxed
from arena.cli.play import distinct_names, print_faults
from arena.games import game_of
from arena.tournaments.ladder import margins
from arena.tournaments.local_run import GroupSummary, Plan, check_plan, run
from arena.tournaments.sequential import FLOOR, SequentialTest

UNDECIDED: Final = 3
"""The exit code of a test that has not decided."""
_MOST_VOID: Final = 10
_LINE_EVERY: Final = 10.0
"""Seconds between two lines without a terminal."""

_ELO = click.FloatRange(-2000, 2000)
_SHARE = click.FloatRange(0, 0.5, min_open=True, max_open=True)


@click.command(
    epilog="\b\nFor example:\n"
    "  botequim compare new.py old.py --kind truco\n"
    "  botequim compare new.py shark --kind truco --preset paulista-2@1 --elo0=-5 --elo1 5"
)
@click.argument("new")
@click.argument("old")
@click.option("--kind", required=True, help="The game: truco or toepen.")
@click.option("--preset", help="The rules by the name of a preset, such as paulista-2@1.")
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="A rule option; may be repeated.")
@click.option("--elo0", type=_ELO, default=0.0, show_default=True, help="The difference that is not enough.")
@click.option("--elo1", type=_ELO, default=20.0, show_default=True, help="The difference that is enough.")
@click.option("--alpha", type=_SHARE, default=0.05, show_default=True, help="Errors allowed if elo0 is true.")
@click.option("--beta", type=_SHARE, default=0.05, show_default=True, help="Errors allowed if elo1 is true.")
@click.option(
    "--most", type=click.IntRange(FLOOR), default=5000, show_default=True, help="Groups to give up after."
)
@click.option("--seed", help="Any text; the same seed and bots give the same test. [default: random]")
@click.option("--jobs", default=os.cpu_count() or 1, show_default="the cores", help="Processes.")
@click.option("--think-limit", default=10.0, show_default=True, help="Seconds per decision.")
@click.option("--sandbox", is_flag=True, help="Run files in the sandbox, as the service does.")
def compare(
    new: str,
    old: str,
    kind: str,
    preset: str | None,
    rules: tuple[str, ...],
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    most: int,
    seed: str | None,
    jobs: int,
    think_limit: float,
    sandbox: bool,
) -> None:
    """Play mirrored groups of NEW against OLD until it is known whether NEW is better.

    A sequential test of the margins of groups: it stops when NEW is better by elo1 rather than by elo0, or by
    elo0 rather than by elo1, with the errors alpha and beta. LLR is the logarithm of the likelihood ratio,
    with the bounds at which the test stops, after 60 groups at the earliest. Elo points are those of the
    score of a game: 20 are a margin of 0.058. Do not stop it by hand when you like what it says.

    NEW and OLD are bots as in 'botequim play', and so are the rules without --preset. The exit code is 0 if
    NEW is better, 1 if not, and 3 if that is not decided after --most groups, or the test cannot go on.
    """
    if elo1 <= elo0:
        raise click.BadParameter(f"{elo1:g} is not more than --elo0, {elo0:g}", param_hint="'--elo1'")
    if preset is not None and rules:
        raise click.UsageError("--preset and --rule exclude each other")
    game = game_of(kind)
    given = game.preset(preset).rules if preset else {**game.local_rules, **game.options.parse(rules)}
    complete = game.options.complete(given)
    specs = distinct_names(
        [sandboxed(text, kind) if sandbox else bot_spec(text, kind) for text in (new, old)]
    )
    check_plan(kind, complete, specs, most)
    plan = Plan(kind, complete, tuple(specs), most, seed or secrets.token_hex(8))
    if seed is None:
        click.echo(f"seed {plan.seed}")
    test = SequentialTest(elo0, elo1, alpha, beta)
    played = _play(plan, test, max(1, jobs), think_limit)
    click.echo(_state(test))
    print_faults(plan, played)
    if test.decision == elo1:
        click.echo(f"{specs[0].name} is better than {specs[1].name}: elo1 is accepted")
        return
    if test.decision == elo0:
        click.echo(f"{specs[0].name} is not better than {specs[1].name} by {elo1:g} Elo: elo0 is accepted")
        raise SystemExit(1)
    click.echo(f"not decided after {len(test.margins)} groups")
    raise SystemExit(UNDECIDED)


def _play(plan: Plan, test: SequentialTest, jobs: int, think_limit: float) -> list[GroupSummary]:
    """Play until the test has decided; returns the groups that it has seen."""
    seen: list[GroupSummary] = []
    void = 0
    shown = monotonic()
    status = Console(stderr=True, highlight=False)
    running = run(plan, jobs=jobs, think_limit=think_limit)
    try:
        with status.status(_state(test)) as line:
            for result in _in_order(running):
                seen.append(result)
                void += bool(result.void)
                for margin in margins([result]):
                    test.add(margin)
                if status.is_terminal:
                    line.update(_state(test))
                elif monotonic() - shown > _LINE_EVERY:
                    shown = monotonic()
                    print(_state(test), file=sys.stderr, flush=True)
                if test.decision is not None or void >= _MOST_VOID:
                    break
    except KeyboardInterrupt:
        pass
    finally:
        running.close()
    return seen


def _in_order(results: Iterator[GroupSummary]) -> Iterator[GroupSummary]:
    """The groups in the order of the plan: in that of their completion short games would come first."""
    early: dict[int, GroupSummary] = {}
    next_index = 0
    for result in results:
        early[result.index] = result
        while next_index in early:
            yield early.pop(next_index)
            next_index += 1


def _state(test: SequentialTest) -> str:
    """One line in the words of computer chess; what has no limit is cut."""
    llr = min(99.99, max(-99.99, test.llr))
    lower, upper = test.bounds
    words = [
        f"LLR: {llr:.2f} ({lower:.2f}, {upper:.2f}) <{test.elo0:g}, {test.elo1:g}>",
        f"groups: {len(test.margins)}",
    ]
    if len(test.margins) > 1:
        for name, estimate, form in (("margin", test.margin, "+.3f"), ("Elo", test.elo, "+.0f")):
            value, low, high = (format(min(999, max(-999, number)), form) for number in estimate)
            words.append(f"{name}: {value} ({low} to {high})")
    return ", ".join(words)
