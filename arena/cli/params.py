"""Types of options and arguments that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from arena.bots import HOUSE_BOTS
from arena.cli.times import seconds
from arena.games import GAMES, game_of
from arena.play.clocks import CLOCKS

if TYPE_CHECKING:
    _Text = click.ParamType[str]
else:
    # Generic since Click 8.5 only.
    _Text = click.ParamType


class KindType(_Text):
    """A kind of game."""

    name = "kind"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        """Return the kinds for an option, or the argument's name for an argument."""
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


class PlayerFile(_Text):
    """A house bot or a file, for shell completion."""

    name = "bot"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the house bots that begin with the text typed so far, and files."""
        house = [CompletionItem(name) for name in HOUSE_BOTS if name.startswith(incomplete)]
        return [*house, CompletionItem(incomplete, type="file")]


Function = TypeVar("Function", bound=Callable[..., Any])


def clock_options(command: Function) -> Function:
    """Add the options that say how much time players have to a command; see :func:`clock_of`."""
    options = (
        click.option(
            "--clock",
            type=click.Choice(tuple(CLOCKS)),
            help="A clock by its name; patient: two minutes per decision and a bank of twenty.",
        ),
        click.option("--turn-seconds", type=seconds, help="The time per decision."),
        click.option("--bank-seconds", type=seconds, help="The bank per game."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def clock_of(
    clock: str | None, turn_seconds: float | None, bank_seconds: float | None
) -> dict[str, str | int] | None:
    """Return the clock of a request from the options of :func:`clock_options`, or None if none is given."""
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
    "--rule", "rules", multiple=True, metavar="NAME=VALUE", help="A rule option; may be repeated."
)


def local_rules(kind: str, preset: str | None, rules: Sequence[str] = ()) -> dict[str, Any]:
    """Return the complete rules of local games: those of ``--preset``, by default the game's first preset
    (the one of its first leaderboard), changed by the options of ``--rule``.
    """
    if preset is not None and rules:
        raise click.UsageError("--preset and --rule cannot be used together")
    game = game_of(kind)
    return game.options.complete({**game.preset(preset).rules, **game.options.parse(rules)})


jobs_option: Final = click.option(
    "--jobs",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="the cores",
    help="The number of processes.",
)

SECONDS: Final = click.FloatRange(0, min_open=True)
"""Some time."""

PLAYER_FILE: Final = PlayerFile()
