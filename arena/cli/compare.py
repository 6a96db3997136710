"""``botequim compare``: tests whether one bot is better than another."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from math import isfinite
from time import monotonic
from typing import TYPE_CHECKING, Final

import click
from rich.text import Text

from arena.bots import BotSpec
from arena.cli.commands import Command
from arena.cli.debug import sandboxed
from arena.cli.local_bots import local_bot
from arena.cli.online import service, token_option, url_option
from arena.cli.output import Columns, json_option, moment, named, redirected, show, show_rows
from arena.cli.params import KIND, PLAYER_FILE, jobs_option, local_rules, preset_option, rules_option
from arena.cli.play import distinct_names, print_faults
from arena.cli.terminal import console
from arena.client import ApiError, Client
from arena.client.http import path
from arena.errors import ArenaError
from arena.luck.share import LuckShare
from arena.text import printable
from arena.tournaments.local_run import GroupSummary, Plan, check_plan, lucks_in_margins, margins, run
from arena.tournaments.sequential import FLOOR, SequentialTest, estimate_of

if TYPE_CHECKING:
    from arena.client.types import Comparison


UNDECIDED: Final = 3
"""The exit code if the test is undecided."""
_MOST_VOID: Final = 10
_MOST: Final[Mapping[str, int]] = {"+.3f": 1, "+.0f": 999}
"""The largest margin and Elo difference that is shown, by format."""
_LINE_EVERY: Final = 10.0
"""Seconds between two lines if the output is not a terminal."""

_OF_ONLINE: Final = {"bot": "--online", "comparison": "--follow"}
"""The options for API fields with ``--online``; locally, a bot is an argument."""

_ELO = click.FloatRange(-2000, 2000)
_SHARE = click.FloatRange(0, 0.5, min_open=True, max_open=True)


@click.command(
    cls=Command,
    examples=(
        "botequim compare new.py old.py --kind truco",
        "botequim compare new.py shark --kind truco --preset paulista-2@1 --elo0=-5 --elo1 5",
        "botequim compare --online my-bot --new 2 --old 1 --kind toepen",
        "botequim compare --list",
    ),
    fields={"rules": "--rule", "new": "--new", "old": "--old"},
)
@click.argument("new", type=PLAYER_FILE, required=False)
@click.argument("old", type=PLAYER_FILE, required=False)
@click.option("--online", metavar="BOT", help="Have the service compare two uploaded versions of BOT.")
@click.option("--new", "new_version", metavar="VERSION", help="With --online: the new version.")
@click.option("--old", "old_version", metavar="VERSION", help="With --online: the old version.")
@click.option("--follow", metavar="ID", help="Follow a comparison started with --online until it is over.")
@click.option(
    "--list", "listed", is_flag=True, help="List your comparisons started with --online, newest first."
)
@click.option("--kind", type=KIND, help="The game.")
@preset_option
@rules_option
@click.option(
    "--elo0", type=_ELO, default=0.0, show_default=True, help="The Elo difference that is not enough."
)
@click.option("--elo1", type=_ELO, default=20.0, show_default=True, help="The Elo difference that is enough.")
@click.option(
    "--alpha", type=_SHARE, default=0.05, show_default=True, help="The error rate allowed if elo0 is true."
)
@click.option(
    "--beta", type=_SHARE, default=0.05, show_default=True, help="The error rate allowed if elo1 is true."
)
@click.option(
    "--most",
    type=click.IntRange(FLOOR),
    default=5000,
    show_default=True,
    help="Give up after this many groups.",
)
@click.option("--seed", help="Any text. The same seed and bots reproduce the same test. [default: random]")
@click.option("--plain", is_flag=True, help="Do not remove the luck of the cards.")
@jobs_option
@click.option("--sandbox", is_flag=True, help="Run files in the sandbox, as the service does.")
@url_option
@token_option("the owner", required=False)
@json_option
def compare(
    new: str | None,
    old: str | None,
    online: str | None,
    new_version: str | None,
    old_version: str | None,
    follow: str | None,
    listed: bool,
    kind: str | None,
    preset: str | None,
    rules: tuple[str, ...],
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    most: int,
    seed: str | None,
    plain: bool,
    jobs: int,
    sandbox: bool,
    url: str,
    token: str | None,
    as_json: bool,
) -> None:
    """Play mirrored groups of NEW against OLD until a test decides whether NEW is better.

    The command runs a sequential test on the margins of groups. It stops when the evidence favours a
    difference of elo1 over elo0, or of elo0 over elo1, with the error rates alpha and beta. LLR is the
    log-likelihood ratio, shown with the bounds at which the test stops, after 60 groups at the earliest. Elo
    points refer to the score of a game: 20 points correspond to a margin of 0.058. Stopping the test early
    because you like the result invalidates it.

    If the luck of the cards can be measured (see 'botequim luck'), it is subtracted from the margins, so that
    fewer groups are needed; the plain margin is also shown. With --plain, luck is not subtracted.

    NEW, OLD and the rules are specified as in 'botequim play'. The exit code is 0 if NEW is better, 1 if not,
    and 3 if the test is undecided after --most groups or cannot continue.

    With --online, the service plays two uploaded versions of one of your bots against each other, unrated and
    from your budget. Ctrl-C does not stop the comparison. --follow follows it again, and --list lists all
    your comparisons.
    """
    if listed:
        if new or old or online or follow:
            raise click.UsageError("--list cannot be used with bots, --online or --follow")
        show_comparisons(service(url, token), as_json)
        return
    if follow is None and kind is None:
        raise click.UsageError("Missing option '--kind'.")
    if elo1 <= elo0:
        raise click.BadParameter(f"{elo1:g} is not greater than --elo0 ({elo0:g})", param_hint="'--elo1'")
    if online is not None or follow is not None:
        client = service(url, token)
        try:
            if online is not None:
                if not (new_version and old_version) or new or old or rules or follow:
                    raise click.UsageError(
                        "--online BOT requires --new and --old, and takes --preset but no other rules"
                    )
                found = client.create_comparison(
                    online,
                    new_version,
                    old_version,
                    str(kind),
                    preset=preset,
                    elo0=elo0,
                    elo1=elo1,
                    alpha=alpha,
                    beta=beta,
                    most=most,
                )
                follow = found["id"]
                page = path("comparisons", follow).removeprefix("/v1")
                click.echo(f"{follow}: {client.url}{page}", err=True)
            assert follow is not None
            text, code = verdict(watched := follow_online(client, follow, as_json))
        except ApiError as error:
            error.field = _OF_ONLINE.get(error.field or "", error.field)
            raise
        if watched["state"] in _OVER and not as_json:
            click.echo(text)
        raise SystemExit(code)
    if new is None or old is None or kind is None:
        raise click.UsageError("Missing argument 'OLD'." if new else "Missing argument 'NEW'.")
    complete = local_rules(kind, preset, rules)
    specs = distinct_names([_loaded(new, "NEW", kind, sandbox), _loaded(old, "OLD", kind, sandbox)])
    check_plan(kind, complete, specs, most)
    plan = Plan(kind, complete, tuple(specs), most, seed or secrets.token_hex(8), luck=not plain)
    test = SequentialTest(elo0, elo1, alpha, beta)
    with redirected(as_json):
        if seed is None:
            click.echo(f"seed {plan.seed}")
        played = _play(plan, test, jobs)
        click.echo(_state(test, plan, played))
        print_faults(plan, played)
    names = [spec.name for spec in specs]
    show(_as_json(plan, test, names, played), as_json, _verdict(test, names))
    if test.decision != elo1:
        raise SystemExit(1 if test.decision == elo0 else UNDECIDED)


def _loaded(text: str, argument: str, kind: str, sandbox: bool) -> BotSpec:
    try:
        return sandboxed(text, kind) if sandbox else local_bot(text, kind)
    except ArenaError as error:
        error.field = argument if error.field == "bot" else error.field
        raise


def _verdict(test: SequentialTest, names: list[str]) -> str:
    new, old = names
    if test.decision == test.elo1:
        return f"{new} is better than {old}: elo1 is accepted"
    if test.decision == test.elo0:
        return f"{new} is not better than {old} by {test.elo1:g} Elo: elo0 is accepted"
    return f"not decided after {len(test.margins)} groups"


def _as_json(
    plan: Plan, test: SequentialTest, names: list[str], played: Sequence[GroupSummary]
) -> Mapping[str, object]:
    estimates = {"margin": test.margin, "elo": test.elo} if len(test.margins) > 1 else {}
    if estimates and plan.measures_luck:
        estimates["plain_margin"] = estimate_of(margins(played))
    return {
        "kind": plan.kind,
        "rules": dict(plan.rules),
        "seed": plan.seed,
        "new": names[0],
        "old": names[1],
        "elo0": test.elo0,
        "elo1": test.elo1,
        "llr": test.llr if isfinite(test.llr) else None,
        "bounds": list(test.bounds),
        "luck_adjusted": plan.measures_luck,
        "groups": len(test.margins),
        "better": None if test.decision is None else test.decision == test.elo1,
        **{
            name: dict(zip(("estimate", "low", "high"), map(_finite, found), strict=True))
            for name, found in estimates.items()
        },
    }


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _play(plan: Plan, test: SequentialTest, jobs: int) -> list[GroupSummary]:
    """Play until the test decides, and return the groups that it has used."""
    seen: list[GroupSummary] = []
    fitted = LuckShare()
    void = 0
    shown = monotonic()
    status = console()
    running = run(plan, jobs=jobs)
    try:
        with status.status(Text(_state(test, plan, seen))) as line:
            for result in _in_order(running):
                seen.append(result)
                void += bool(result.void)
                lucks = lucks_in_margins([result]) if plan.measures_luck else repeat(0.0)
                for margin, luck in zip(margins([result]), lucks, strict=False):
                    test.add(margin - fitted.share * luck)
                    fitted.add(margin, luck)
                if status.is_terminal:
                    line.update(Text(_state(test, plan, seen)))
                elif monotonic() - shown > _LINE_EVERY:
                    shown = monotonic()
                    print(_state(test, plan, seen), file=sys.stderr, flush=True)
                if test.decision is not None or void >= _MOST_VOID:
                    break
    except KeyboardInterrupt:
        pass
    finally:
        running.close()
    return seen


def _in_order(results: Iterator[GroupSummary]) -> Iterator[GroupSummary]:
    """Yield the groups in planned order. In order of completion, short games would come first."""
    early: dict[int, GroupSummary] = {}
    next_index = 0
    for result in results:
        early[result.index] = result
        while next_index in early:
            yield early.pop(next_index)
            next_index += 1


def _state(test: SequentialTest, plan: Plan, played: Sequence[GroupSummary]) -> str:
    """Return one line in the style of computer-chess tests, without infinite values."""
    llr = min(99.99, max(-99.99, test.llr))
    lower, upper = test.bounds
    words = [
        f"LLR: {llr:.2f} ({lower:.2f}, {upper:.2f}) <{test.elo0:g}, {test.elo1:g}>",
        f"groups: {len(test.margins)}",
    ]
    if len(test.margins) > 1:
        estimates = [("margin", test.margin, "+.3f"), ("Elo", test.elo, "+.0f")]
        if plan.measures_luck:
            estimates.insert(1, ("plain margin", estimate_of(margins(played)), "+.3f"))
        words += [f"{name}: {interval_text(estimate, form)}" for name, estimate, form in estimates]
    return ", ".join(words)


def interval_text(estimate: Sequence[float], form: str) -> str:
    """Return an estimate with its bounds, which are omitted if they exclude nothing."""
    most = _MOST[form]
    value, low, high = (min(most, max(-most, number)) for number in estimate)
    bounds = "" if high - low == 2 * most else f" ({low:{form}} to {high:{form}})"
    return f"{value:{form}}{bounds}"


_WAIT: Final = 20.0
_OVER: Final = ("finished", "cancelled")


def follow_online(client: Client, comparison: str, as_json: bool) -> Comparison:
    """Follow a comparison until it is over, or until Ctrl-C, and print its state. Ctrl-C does not stop the
    comparison.
    """
    found = client.comparison(comparison)
    assert found is not None
    status = console()
    shown = monotonic()
    try:
        with status.status(Text(online_state(found))) as line:
            while found["state"] not in _OVER:
                newer = client.comparison(comparison, since=found["version"], wait=_WAIT)
                found = newer or found
                if status.is_terminal:
                    line.update(Text(online_state(found)))
                elif monotonic() - shown > _LINE_EVERY:
                    shown = monotonic()
                    print(online_state(found), file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        click.echo(
            f"the comparison continues; to follow it, run 'botequim compare --follow {comparison}'", err=True
        )
    click.echo(json.dumps(found, indent=2) if as_json else online_state(found))
    return found


def online_state(found: Comparison) -> str:
    """Return one line about a comparison, in the style of computer-chess tests."""
    lower, upper = found["bounds"]
    words = [
        f"LLR: {found['llr']:.2f} ({lower:.2f}, {upper:.2f}) <{found['elo0']:g}, {found['elo1']:g}>",
        f"groups: {found['groups']}",
    ]
    for name, estimate, form in (("margin", found["margin"], "+.3f"), ("Elo", found["elo"], "+.0f")):
        if estimate is not None:
            numbers = (estimate["value"], estimate["low"], estimate["high"])
            words.append(f"{name}: {interval_text(numbers, form)}")
    if found["state"] not in _OVER and found["played"] != found["groups"]:
        words.append(f"{found['played']} played")
    return ", ".join(words)


def verdict(found: Comparison) -> tuple[str, int]:
    """Return the result as a sentence, and the exit code."""
    new, old = (f"{found['bot']} {printable(version)}" for version in (found["new"], found["old"]))
    if found["decision"] == "elo1":
        return f"{new} is better than {old}: elo1 is accepted", 0
    if found["decision"] == "elo0":
        return f"{new} is not better than {old} by {found['elo1']:g} Elo: elo0 is accepted", 1
    if found["state"] == "cancelled":
        return f"cancelled: {printable(found['reason'] or '')}", 3
    return f"not decided after {found['groups']} groups", 3


_WORDS: Final = {"elo0": "not better", "elo1": "better", None: "not decided"}


def show_comparisons(client: Client, as_json: bool) -> None:
    """Print the owner's comparisons."""
    columns: Columns[Comparison] = {
        **named("id", "bot", "new", "old"),
        "preset": lambda one: f"{one['kind']}/{one['preset']}",
        "state": "state",
        "result": lambda one: _WORDS[one["decision"]] if one["state"] in _OVER else "",
        "groups": "groups",
        "requested": moment("created_ms"),
    }
    show_rows("comparisons", client.comparisons(), columns, as_json)
