"""Options and arguments shared by several commands, and their types, such as times and kinds of games."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from arena.bots import HOUSE_BOTS
from arena.errors import ArenaError
from arena.games import GAMES, game_of
from arena.inputs.times import HERE, read_duration, read_time
from arena.play.clocks import CLOCKS

_LATE_MS: Final = 60_000
"""How far in the past a time can be and still count as now."""

_Value = TypeVar("_Value")


def seconds(text: str) -> float:
    """Parse a duration such as ``90``, ``90s``, ``5m``, ``2h`` or ``1d`` into seconds."""
    return _read(lambda: read_duration(text))


def moment(text: str) -> int:
    """Parse a time such as ``+5m``, ``18:00`` or ``2026-12-31 20:00`` into Unix milliseconds. A time without
    an offset is local time.
    """
    return _read(lambda: read_time(text, now_ms(), HERE))


def future(text: str) -> int:
    """Parse a time like :func:`moment`, but refuse times in the past."""
    ms = moment(text)
    if ms < now_ms() - _LATE_MS:
        raise click.BadParameter(f"{text} is in the past; expected a later time, such as +5m or 18:00")
    return ms


def now_ms() -> int:
    """Return the current time in Unix milliseconds."""
    return round(1000 * time.time())


def _read(read: Callable[[], _Value]) -> _Value:
    try:
        return read()
    except ArenaError as error:
        raise click.BadParameter(str(error)) from None


if TYPE_CHECKING:
    Text = click.ParamType[str]
else:
    # ParamType is generic only since Click 8.5.
    Text = click.ParamType
"""The base class of parameter types whose values are texts."""


class KindType(Text):
    """A kind of game."""

    name = "kind"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        """Return the kinds for an option, or the name of an argument."""
        return "|".join(GAMES) if isinstance(param, click.Option) else None

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the kind. Raises :class:`~arena.errors.UnknownGame`."""
        return game_of(str(value)).kind

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the kinds that begin with the text typed so far."""
        return [CompletionItem(kind) for kind in GAMES if kind.startswith(incomplete)]


KIND: Final = KindType()


class PlayerFile(Text):
    """A house bot or a file, for shell completion."""

    name = "bot"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the house bots that begin with the text typed so far, and files."""
        house = [CompletionItem(name) for name in HOUSE_BOTS if name.startswith(incomplete)]
        return [*house, CompletionItem(incomplete, type="file")]


Function = TypeVar("Function", bound=Callable[..., Any])


def clock_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add options for the players' thinking time to a command. It receives ``clock``: the clock for a
    request, or None if no option is passed.
    """

    @wraps(command)
    def call(
        *, clock: str | None, turn_seconds: float | None, bank_seconds: float | None, **others: Any
    ) -> Any:
        return command(clock=_clock_of(clock, turn_seconds, bank_seconds), **others)

    options = (
        click.option(
            "--clock",
            type=click.Choice(tuple(CLOCKS)),
            help="A named clock; 'patient' has two minutes per decision and a bank of twenty.",
        ),
        click.option("--turn-seconds", type=seconds, help="The time per decision."),
        click.option("--bank-seconds", type=seconds, help="The bank per game."),
    )
    for option in reversed(options):
        call = option(call)
    return call


def _clock_of(
    clock: str | None, turn_seconds: float | None, bank_seconds: float | None
) -> dict[str, str | int] | None:
    given: dict[str, str | int] = {
        name: round(1000 * value)
        for name, value in (("per_turn_ms", turn_seconds), ("bank_ms", bank_seconds))
        if value is not None
    }
    if clock is not None:
        if given:
            raise click.UsageError("--clock cannot be used with --turn-seconds or --bank-seconds")
        given = {"preset": clock}
    return given or None


preset_option: Final = click.option(
    "--preset", help="The preset that sets the rules, such as paulista-2@1. [default: the game's first]"
)

preset_in_place: Final = click.option("--preset", help="The preset that sets the rules, in place of rules.")

rules_option: Final = click.option(
    "--rule", "rules", multiple=True, metavar="NAME=VALUE", help="A rule option; repeatable."
)


def local_rules(kind: str, preset: str | None, rules: Sequence[str] = ()) -> dict[str, Any]:
    """Return the complete rules of local games: those of ``--preset``, or those of the game's first preset
    (the one of its first leaderboard) changed by ``--rule``.
    """
    if preset is not None and rules:
        raise click.UsageError("--preset and --rule cannot be used together")
    game = game_of(kind)
    return game.options.complete({**game.preset(preset).rules, **game.options.parse(rules)})


def limit_option(of: str, default: int, most: int | None = None) -> Callable[[Function], Function]:
    """Return a decorator that adds the option ``--limit`` for a list, such as one of ``games``."""
    return click.option(
        "--limit",
        type=click.IntRange(1, most),
        default=default,
        show_default=True,
        help=f"The maximum number of {of}.",
    )


out_option: Final = click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write. [default: standard output]",
)

jobs_option: Final = click.option(
    "--jobs",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="the cores",
    help="The number of processes.",
)

SECONDS: Final = click.FloatRange(0, min_open=True)
"""A positive number of seconds."""

PLAYER_FILE: Final = PlayerFile()
