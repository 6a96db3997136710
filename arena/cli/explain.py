"""``botequim explain``: shows where the strongest house bot would have chosen differently, and what that
cost.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

import click

from arena.bots import HOUSE_BOTS, Bot, bot_spec
from arena.cli.commands import Command
from arena.cli.local_bots import local_bot
from arena.cli.progress import progress_bar
from arena.cli.replay import proven_record
from arena.errors import ArenaError
from arena.games.kernel import Turn
from arena.records.costs import PLAYED_BY, Cost, Until, cost_of
from arena.records.decisions import RecordedDecision
from arena.records.record import Record
from arena.records.remarks import REVIEWER, Remark, own_decisions, remark_on
from arena.text import printable


@click.command(
    cls=Command,
    examples=(
        "botequim play truco my_bot.py rookie --groups 1 --records games.jsonl",
        "botequim explain games.jsonl --number 1 --bot my_bot.py",
        "botequim game record GAME | botequim explain - --seat 0",
    ),
)
@click.argument("file", metavar="RECORD")
@click.option(
    "--bot",
    "bot_name",
    help="Explain the decisions of this bot, which played in the game: a house bot, path/to/file.py or .js, "
    "or 'cmd:COMMAND'.",
)
@click.option("--player", help="Explain the decisions of the player with this name in the record.")
@click.option("--seat", type=click.IntRange(min=0), help="Explain the decisions of the player on this seat.")
@click.option("--game", "game_id", metavar="ID", help="The game with this id.")
@click.option("--number", type=click.IntRange(min=1), help="The game with this number in the file, from 1.")
@click.option(
    "--worlds",
    type=click.IntRange(2, 100_000),
    default=100,
    show_default=True,
    help="The number of re-deals per decision.",
)
@click.option(
    "--until",
    type=click.Choice(("hand", "game")),
    default="hand",
    show_default=True,
    help="Play on to the end of the hand, for points or lives, or to the end of the game, for a share of it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def explain(
    file: str,
    bot_name: str | None,
    player: str | None,
    seat: int | None,
    game_id: str | None,
    number: int | None,
    worlds: int,
    until: Until,
    as_json: bool,
) -> None:
    """Show where shark would have chosen differently in the game recorded in RECORD (- is stdin), with an
    estimate of the cost.

    The cost is how much more shark's action would have gained than the chosen one, with its 95% interval.
    Both are tried in the same re-deals of what the seat could not see, and regular plays on from there on
    every seat. The cost is in points or lives, the seat's own minus those of the others. Shark looks further
    ahead than this estimate, and uses what calls reveal about cards, so neither is proven wrong where they
    disagree.
    """
    record = proven_record(file, game_id, number)
    seats = _seats(record, bot_name, player, seat)
    reviewers: dict[int, Bot] = {}

    def choose(name: str, seat: int, turn: Turn, seed: int) -> str | None:
        # One bot plays the whole game, because it remembers what it has seen.
        if seat not in reviewers:
            reviewers[seat] = bot_spec(name, turn["kind"]).make(seed)
        return reviewers[seat].choose(turn)

    found: list[tuple[Remark, Cost | None]] = []
    mine = list(own_decisions(record, seats))
    with progress_bar(record["canonical"]["kind"], len(mine), "decisions") as shown:
        for one in mine:
            remark = remark_on(record, one, choose)
            cost = None if remark.same else cost_of(remark, record["canonical"]["seed"], worlds, until)
            found.append((remark, cost))
            shown(len(found))
    if as_json:
        click.echo(json.dumps(_as_json(record, seats, found)))
    else:
        for line in _lines(record, seats, found):
            click.echo(line)


def _seats(record: Record, bot_name: str | None, player: str | None, seat: int | None) -> list[int]:
    """Return the seats whose decisions are explained. Raises :class:`~arena.errors.ArenaError`."""
    players = record["canonical"]["players"]
    if sum(one is not None for one in (bot_name, player, seat)) > 1:
        raise click.UsageError("use only one of --bot, --player and --seat")
    names = [one["name"] for one in players]
    if seat is not None:
        found = [seat] if seat < len(players) else []
    elif player is not None:
        found = [place for place, name in enumerate(names) if name == player]
    elif bot_name is not None:
        spec = local_bot(bot_name, check=False)
        found = [
            place for place, one in enumerate(players) if spec.version and one["version"] == spec.version
        ]
        # An uploaded bot has a different name and version, and a changed bot has a different version.
        alike = spec.name.replace("_", "-")
        found = found or [place for place, name in enumerate(names) if name.replace("_", "-") == alike]
    else:
        others = {name for name in names if name not in HOUSE_BOTS}
        found = [place for place, name in enumerate(names) if name in others] if len(others) == 1 else []
    if found:
        return found
    counted = Counter(names)
    raise ArenaError(
        "choose whose decisions to explain"
        if (bot_name, player, seat) == (None, None, None)
        else "the record has no such player",
        code="unknown_player",
        field="bot" if bot_name is not None else "seat" if seat is not None else "player",
        expected="--seat 0 to "
        + f"{len(players) - 1}, or --player with one of "
        + ", ".join(printable(name) for name in counted),
    )


def _lines(record: Record, seats: Sequence[int], found: Sequence[tuple[Remark, Cost | None]]) -> list[str]:
    canonical = record["canonical"]
    name = printable(canonical["players"][seats[0]]["name"])
    places = ("seat " if len(seats) == 1 else "seats ") + " and ".join(map(str, seats))
    other = [(remark, cost) for remark, cost in found if cost is not None]
    lines = [
        f"{canonical['kind']}, game {canonical['game']}, {places} ({name}): {REVIEWER} would have chosen "
        f"differently at {len(other)} of {len(found)} decisions"
    ]
    for remark, cost in other:
        one = remark.decision
        hand = one.turn["observation"].get("hand_number")
        where = f"turn {one.id}" + (f", hand {hand}" if hand is not None else "")
        instead = "nothing" if remark.action is None else remark.action
        lines.append(f"{where}: {one.action}; {REVIEWER}: {instead}; cost {shown_cost(cost)}")
    if other:
        _, first = other[0]
        total = sum(cost.value for _, cost in other)
        lines.append(
            f"together {total:+.2f} {first.unit}; means of {first.worlds} re-deals played on by {PLAYED_BY}, "
            "with 95% intervals"
        )
    return lines


def shown_cost(cost: Cost) -> str:
    """Return a cost with its 95% interval as text."""
    clear = "" if cost.low > 0 or cost.high < 0 else ", no clear difference"
    return f"{cost.value:+.2f} {cost.unit} ({cost.low:+.2f} to {cost.high:+.2f}{clear})"


def _as_json(
    record: Record, seats: Sequence[int], found: Sequence[tuple[Remark, Cost | None]]
) -> Mapping[str, object]:
    return {
        "game": record["canonical"]["game"],
        "kind": record["canonical"]["kind"],
        "seats": list(seats),
        "reviewer": REVIEWER,
        "decisions": len(found),
        "same": sum(cost is None for _, cost in found),
        "others": [_remark_json(remark.decision, remark.action, cost) for remark, cost in found if cost],
    }


def _remark_json(one: RecordedDecision, action: str | None, cost: Cost) -> Mapping[str, object]:
    return {
        "turn": one.id,
        "seat": one.seat,
        "after": one.after,
        "action": one.action,
        "reviewer_action": action,
        "cost": {
            "value": round(cost.value, 4),
            "low": round(cost.low, 4),
            "high": round(cost.high, 4),
            "unit": cost.unit,
            "worlds": cost.worlds,
        },
    }
