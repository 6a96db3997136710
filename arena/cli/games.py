"""``botequim game ...``: creates, shows and watches games online."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from arena.cli.commands import Commands
from arena.cli.online import online
from arena.cli.output import Columns, details, json_line, moment, named, show, show_rows, table
from arena.cli.params import KIND, clock_options, limit_option, rules_option
from arena.client import Client, Unreachable
from arena.client.games import LIVE_STATES
from arena.client.http import given
from arena.errors import ArenaError
from arena.games import game_of
from arena.records.record import dumps
from arena.text import printable

if TYPE_CHECKING:
    from arena.client.types import BotSeat, Game, HouseSeat, OpenSeat, View

_viewer = online("the owner or a bot, for a private game", required=False)
_seat = click.option("--seat", type=click.IntRange(min=0), help="The seat of your bot.")
_game = click.argument("game_id", metavar="GAME")


@click.group(
    cls=Commands, examples=("botequim game create toepen my-bot house:rookie", "botequim game watch GAME")
)
def game() -> None:
    """Create, join, show and watch games online."""


@game.command(
    examples=(
        "botequim game create toepen my-bot house:rookie --rule lives=5",
        "botequim game create truco my-bot open open open",
    ),
    fields={
        "rules": "--rule",
        "bot": "SEAT",
        **dict.fromkeys(("seats", "seats.bot", "seats.house", "seats.open"), "SEAT"),
    },
)
@click.argument("kind", type=KIND)
@click.argument("seats", nargs=-1, required=True, metavar="SEAT...")
@rules_option
@clock_options
@click.option(
    "--visibility",
    type=click.Choice(("public", "private")),
    help="private: visible only to its creator and the bots seated in it. [default: public]",
)
@online("the owner or a bot")
def create(
    kind: str,
    seats: tuple[str, ...],
    client: Client,
    rules: tuple[str, ...],
    clock: dict[str, str | int] | None,
    visibility: str | None,
    as_json: bool,
) -> None:
    """Create a game of KIND (truco or toepen) and print its id.

    A SEAT is house:rookie, open, or the name of a bot.
    """
    rules_of = game_of(kind)
    options: dict[str, Any] = given(rules=rules_of.options.parse(rules), clock=clock, visibility=visibility)
    try:
        made = client.create_game(kind, [_seat_of(text) for text in seats], **options)
    except ArenaError as error:
        # Local commands use the names of house bots without a prefix.
        house = next((text for text in seats if text in rules_of.house_bots), None)
        if house is not None and f"{house!r}" in error.message:
            error.expected = f"house:{house} for the house bot"
        wrong = [text for text in seats if text.startswith("house:") and text[6:] not in rules_of.house_bots]
        if wrong and (error.field or "").startswith("seats"):
            error.message = f"there is no house bot {wrong[0][6:]!r}"
            error.expected = "one of " + ", ".join(rules_of.house_bots)
        raise
    show(made, as_json, made["game"])


def _seat_of(text: str) -> BotSeat | HouseSeat | OpenSeat:
    if text == "open":
        return {"open": True}
    if text.startswith("house:"):
        # The service reports which values are valid.
        house: Any = text.removeprefix("house:")
        return {"house": house}
    return {"bot": text}


def _players(view: Game) -> str:
    return ", ".join(seat["name"] or "(open)" for seat in view["seats"])


def _result(view: Game | View) -> str | None:
    outcome = view["outcome"]
    if not outcome:
        return str(view["reason"]) if view["reason"] else None
    places = outcome["places"]
    order = sorted(range(len(places)), key=lambda seat: (places[seat], seat))
    return ", ".join(f"{places[seat]}. {view['seats'][seat]['name']}" for seat in order)


@game.command(
    "list", examples=("botequim game list --state running", "botequim game list --bot my-bot --json")
)
@click.option("--kind", type=KIND, help="Only this game.")
@click.option(
    "--state",
    type=click.Choice(("waiting", "running", "finished", "cancelled", "void")),
    help="Only games in this state.",
)
@click.option("--bot", help="Only games of this bot.")
@limit_option("games", 20)
@_viewer
def list_games(
    kind: str | None, state: str | None, bot: str | None, limit: int, client: Client, as_json: bool
) -> None:
    """List the newest games that are public or your own."""
    found = client.games(kind=kind, state=state, bot=bot, limit=min(limit, 100))
    columns: Columns[Game] = {
        "id": "game",
        "game": "kind",
        "state": "state",
        "players": _players,
        "result": _result,
        "created": moment("created_ms"),
    }
    show_rows("games", islice(found, limit), columns, as_json)


@game.command("show", examples=("botequim game show GAME", "botequim game show GAME --seat 0 --json"))
@_game
@_seat
@_viewer
def show_game(game_id: str, seat: int | None, client: Client, as_json: bool) -> None:
    """Show GAME: its players, state, clocks, faults and result."""
    view = client.game(game_id, seat=seat)
    assert view is not None
    show(view, as_json, lambda: _shown(view))


def _shown(view: View) -> str:
    options = game_of(view["kind"]).options
    rules = options.changed(options.complete(view["rules"]))
    columns: Columns[View] = {
        "game": "game",
        "kind": "kind",
        "rules": lambda one: ", ".join(f"{name}={value}" for name, value in rules.items()),
        "state": "state",
        "result": _result,
        "awaiting": lambda one: ", ".join(str(seat) for seat in one["awaiting"]),
        "rated": "rated",
        "created": moment("created_ms"),
        "commitment": "commitment",
    }
    banks = {clock["seat"]: clock["bank_ms"] for clock in view["clocks"]}
    rows = [
        {
            **seat,
            "bank": f"{banks[seat['seat']] / 1000:.12g} s" if seat["seat"] in banks else "",
            "faults": ", ".join(fault["type"] for fault in view["faults"] if fault["seat"] == seat["seat"]),
        }
        for seat in view["seats"]
    ]
    seats = table(rows, named("seat", "type", "name", "version", "bank", "faults"))
    return f"{details(view, columns)}\n{seats}"


@game.command(examples=("botequim game watch GAME", "botequim game watch GAME --json"))
@_game
@_seat
@_viewer
def watch(game_id: str, seat: int | None, client: Client, as_json: bool) -> None:
    """Print the events of GAME, one per line, until it is over.

    With --json, each line is an event as sent by the API.
    """
    view = client.game(game_id, seat=seat)
    assert view is not None
    names = [one["name"] or f"seat {one['seat']}" for one in view["seats"]]
    for event in _events(client, game_id, seat):
        if "n" in event:
            click.echo(json_line(event) if as_json else _event_line(event, names))
    over = client.game(game_id, seat=seat)
    assert over is not None
    if not as_json:
        click.echo(f"{over['state']}: {_result(over) or ''}".rstrip(": "))


def _events(client: Client, game_id: str, seat: int | None) -> Iterator[Mapping[str, object]]:
    """Yield the events of a game, reconnecting as often as necessary."""
    last = None
    while True:
        try:
            for event in client.stream_events(game_id, seat=seat, last_event_id=last):
                last = event.id or last
                yield event.data
        except Unreachable:
            # The service may be restarting. If it is not, the next request fails.
            pass
        view = client.game(game_id, seat=seat)
        if view is not None and view["state"] not in LIVE_STATES:
            return


def _event_line(event: Mapping[str, object], names: list[str]) -> str:
    """Return a line with the number and type of an event, its seat, and its other fields."""
    seat = event.get("seat")
    who = names[seat] if isinstance(seat, int) and 0 <= seat < len(names) else ""
    rest = {
        name: value
        for name, value in event.items()
        if name not in ("n", "type", "seat") and value is not None
    }
    fields = " ".join(
        f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in rest.items()
    )
    return printable(" ".join(filter(None, (f"{event['n']:>4}", str(event["type"]), who, fields))), 500)


@game.command(examples=("botequim game events GAME --start 20", "botequim game events GAME --json"))
@_game
@_seat
@click.option("--start", type=click.IntRange(min=0), default=0, help="The number of the first event.")
@click.option("--limit", type=click.IntRange(1, 1000), help="The maximum number of events.")
@_viewer
def events(
    game_id: str, seat: int | None, start: int, limit: int | None, client: Client, as_json: bool
) -> None:
    """Print one page of the events of GAME so far."""
    page = client.events(game_id, seat=seat, start=start, limit=limit)
    if as_json:
        show(page, as_json)
        return
    view = client.game(game_id, seat=seat)
    assert view is not None
    names = [one["name"] or f"seat {one['seat']}" for one in view["seats"]]
    for event in page["events"]:
        click.echo(_event_line(event, names))


@game.command(examples=("botequim game join GAME --profile my-bot",))
@_game
@_seat
@click.option("--nonce", help="Any text of yours, mixed into every shuffle.")
@online("the bot")
def join(game_id: str, seat: int | None, nonce: str | None, client: Client, as_json: bool) -> None:
    """Take an open seat in GAME for the token's bot, and print the number of the seat."""
    joined = client.join(game_id, seat, nonce)
    show(joined, as_json, str(joined["seat"]))


@game.command(examples=("botequim game resign GAME --profile my-bot",))
@_game
@_seat
@online("the bot")
def resign(game_id: str, seat: int | None, client: Client, as_json: bool) -> None:
    """Give up a bot's seat in GAME. The table then plays the seat to the end."""
    view = client.resign(game_id, seat)
    show(view, as_json, f"{game_id}: resigned; the game is {view['state']}")


@game.command(examples=("botequim game cancel GAME",))
@_game
@click.option("--reason", help="The reason, which is public.")
@online("the owner who created it, or an admin")
def cancel(game_id: str, reason: str | None, client: Client, as_json: bool) -> None:
    """Cancel GAME. If it is running, it is void, and all bots in it must be yours or house bots."""
    view = client.cancel_game(game_id, **given(reason=reason))
    show(view, as_json, f"{game_id}: {view['state']}")


@game.command(
    examples=("botequim game record GAME --wait > game.json", "botequim game record GAME | botequim replay -")
)
@_game
@click.option("--wait", is_flag=True, help="Wait until the game is over.")
@online("the owner or a bot, for a private game", required=False, json=False)
def record(game_id: str, client: Client, wait: bool) -> None:
    """Print the record of the finished game GAME as one line of JSON."""
    click.echo(dumps(client.record(game_id, wait=wait)))
