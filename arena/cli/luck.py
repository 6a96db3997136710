"""``botequim luck``: shows how much of a recorded game was luck, hand by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from arena.cli.commands import Command
from arena.cli.output import json_option, show, table
from arena.cli.replay import proven_record
from arena.luck.games import luck_json
from arena.text import printable


@click.command(
    cls=Command,
    examples=(
        "botequim play truco my_bot.py rookie --groups 1 --records games.jsonl",
        "botequim luck games.jsonl --number 1",
        "botequim game record GAME | botequim luck - --json",
    ),
)
@click.argument("file", metavar="RECORD")
@click.option("--game", "game_id", metavar="ID", help="The game with this id.")
@click.option("--number", type=click.IntRange(min=1), help="The game with this number in the file, from 1.")
@json_option
def luck(file: str, game_id: str | None, number: int | None, as_json: bool) -> None:
    """Show how much of the game recorded in RECORD (- is stdin) was luck of the cards, hand by hand.

    'par', a pinned house bot, plays the pack of each hand on all seats, from the score at which the hand
    began. The luck of the hand is the chance to win the game after this, minus the chance before, according
    to a published table. Its mean is about 0 for all players, so results without luck need fewer games to
    show who is better. Luck is measured for games of two players or two teams under the rules of a preset.
    """
    found = luck_json(proven_record(file, game_id, number))
    show(found, as_json, lambda: _text(found))


def _text(found: Mapping[str, Any]) -> str:
    names = [" and ".join(map(printable, team["players"])) for team in found["teams"]]
    teams = [{"name": name, **team} for name, team in zip(names, found["teams"], strict=True)]
    hands = [{"score": "-".join(map(str, hand["points"])), **hand} for hand in found["hands"]]
    parts = [
        f"game {found['game']}, table {found['table']}, hash {found['table_hash']}\n",
        table(
            teams,
            {
                "team": "name",
                "points": lambda team: f"{team['points']:.3f}",
                "luck": lambda team: f"{team['luck']:+.3f}",
                f"points less {found['weight']:g} luck": lambda team: f"{team['adjusted']:+.3f}",
            },
            right=3,
        ),
        f"{names[0]}'s chances of winning, and the luck of each hand; the draw of the first dealer "
        f"brought {found['lot']:+.3f}\n",
        table(
            hands,
            {
                "hand": "hand",
                "score": "score",
                "before": lambda hand: f"{hand['before']:.3f}",
                "par": lambda hand: f"{hand['par']:.3f}",
                "after": lambda hand: f"{hand['after']:.3f}",
                "luck": lambda hand: f"{hand['luck']:+.3f}",
            },
            right=6,
        ),
    ]
    return "\n".join(parts)
