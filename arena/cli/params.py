"""Types of options and arguments that several commands have."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem

from arena.bots import HOUSE_BOTS
from arena.games import GAMES, game_of

if TYPE_CHECKING:
    _Text = click.ParamType[str]
else:
    # Generic since Click 8.5 only.
    _Text = click.ParamType


class KindType(_Text):
    """A kind of game."""

    name = "kind"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        """The kinds as an option shows them; an argument has its name."""
        return "|".join(GAMES) if isinstance(param, click.Option) else None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The kind. Raises :class:`~arena.errors.UnknownGame`."""
        return game_of(str(value)).kind

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The kinds that begin so."""
        return [CompletionItem(kind) for kind in GAMES if kind.startswith(incomplete)]


KIND: Final = KindType()


class PlayerFile(_Text):
    """A house bot or a file, for the completion of shells."""

    name = "bot"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """House bots that begin so, and files."""
        house = [CompletionItem(name) for name in HOUSE_BOTS if name.startswith(incomplete)]
        return [*house, CompletionItem(incomplete, type="file")]


jobs_option: Final = click.option(
    "--jobs",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="the cores",
    help="Processes.",
)

SECONDS: Final = click.FloatRange(0, min_open=True)
"""Some time."""

PLAYER_FILE: Final = PlayerFile()
