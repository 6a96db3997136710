"""``botequim bot games``: the latest games of a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.cli.commands import Command
from arena.cli.online import online
from arena.cli.output import Columns, moment, show_rows
from arena.cli.params import KIND
from arena.client import Client
from arena.play.bot_results import GAMES_MOST, RESULTS, opponents, result_words

if TYPE_CHECKING:
    from arena.client.types import BotGame


@click.command(
    "games",
    cls=Command,
    examples=(
        "botequim bot games my-bot --against regular",
        "botequim bot games my-bot --kind truco --result lost --limit 10 --json",
    ),
)
@click.argument("name")
@click.option("--kind", type=KIND, help="Only this game.")
@click.option("--preset", help="Only games by the rules of this preset.")
@click.option("--against", help="Only games with this opponent.")
@click.option(
    "--result",
    type=click.Choice(RESULTS),
    help="Only games with this result; at tables, all places but the first are lost.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, GAMES_MOST),
    default=20,
    show_default=True,
    help="The maximum number of games.",
)
@online("the owner, for private games", required=False)
def bot_games(
    name: str,
    kind: str | None,
    preset: str | None,
    against: str | None,
    result: str | None,
    limit: int,
    client: Client,
    as_json: bool,
) -> None:
    """List the last games of the bot NAME, in tournaments and over HTTP, as it played them.

    'botequim game record ID' prints the record of one; /games/ID of the service replays it.
    """
    found = client.bot_games(name, kind=kind, preset=preset, against=against, result=result, limit=limit)
    columns: Columns[BotGame] = {
        "result": lambda one: result_words(one) + (", annulled" if one["annulled"] else ""),
        "against": lambda one: ", ".join(seat["name"] for seat in opponents(one)),
        "game": "kind",
        "preset": "preset",
        "when": moment("at_ms"),
        "tournament": lambda one: one["tournament"] and one["tournament"]["name"],
        "id": "game",
    }
    show_rows("games", found, columns, as_json)


__all__ = ["bot_games"]
