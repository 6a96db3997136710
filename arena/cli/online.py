"""``botequim signup``, ``botequim bot ...`` and ``botequim game ...``: the service from the command line."""

from __future__ import annotations

import signal
import webbrowser
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from arena.bots import InvalidBot, bot_spec
from arena.cli.debug import debug
from arena.cli.submit import qualify_bot, submit_bot
from arena.client import Client, run
from arena.client.http import DEFAULT_URL
from arena.games import GAMES, game_of
from arena.records.record import dumps

Function = TypeVar("Function", bound=Callable[..., Any])

url_option = click.option(
    "--url", envvar="BOTEQUIM_URL", default=DEFAULT_URL, show_default=True, help="The address of the service."
)


PATIENCE: Final = 10.0
"""Seconds for which a command tries to reach the service."""


def token_option(whose: str, *, required: bool = True) -> Callable[[Function], Function]:
    """The option ``--token`` of a command."""
    return click.option(
        "--token",
        envvar="BOTEQUIM_TOKEN",
        required=required,
        help=f"The token of {whose}; safer in BOTEQUIM_TOKEN, as process lists show options.",
    )


def service(url: str, token: str | None = None) -> Client:
    """The client of a command."""
    return Client(url, token, on_retry=retrying, patience=PATIENCE)


def retrying(seconds: float, why: str) -> None:
    """Report on stderr that a request will be retried in ``seconds``."""
    say(f"{why}; trying again in {seconds:.1f} s")


def say(line: str) -> None:
    """Write a line to stderr, with the time."""
    click.echo(f"{datetime.now():%H:%M:%S} {line}", err=True)


@click.command()
@click.argument("name")
@url_option
def signup(name: str, url: str) -> None:
    """Sign up as the owner NAME and print the owner's token, which is shown only once."""
    click.echo(service(url).sign_up(name))


@click.command()
@url_option
@token_option("the owner")
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the link in a browser.")
def web(url: str, token: str, browser: bool) -> None:
    """Print a link that signs a browser in as the owner, and open it.

    The link works once, for five minutes.
    """
    link = service(url, token).sign_in_link()
    click.echo(link)
    if browser:
        webbrowser.open(link)


_PRESET: Final = (
    "a preset for which bots qualify separately, such as paulista@1 of Truco. [default: the game]"
)


@click.group()
def bot() -> None:
    """Register bots, upload them, play online, and debug their decisions."""


bot.add_command(debug)


@bot.command()
@click.argument("name")
@url_option
@token_option("the owner")
@click.option(
    "--tournaments/--no-tournaments",
    default=None,
    help="Whether it takes part in scheduled tournaments. [default: while it is run with --tournaments]",
)
def register(name: str, url: str, token: str, tournaments: bool | None) -> None:
    """Register the bot NAME and print the bot's token, which is shown only once."""
    said = {} if tournaments is None else {"tournaments": tournaments}
    click.echo(service(url, token).register_bot(name, **said))


@bot.command()
@click.argument("name")
@url_option
@token_option("the owner")
@click.option("--people/--no-people", default=None, help="Whether people may play with it.")
@click.option(
    "--tournaments/--no-tournaments", default=None, help="Whether it takes part in scheduled tournaments."
)
def change(name: str, url: str, token: str, people: bool | None, tournaments: bool | None) -> None:
    """Change with whom the bot NAME plays; what is not given stays as it is."""
    given = {"people": people, "tournaments": tournaments}
    service(url, token).change_bot(name, **{key: value for key, value in given.items() if value is not None})


@bot.command()
@click.argument("file", type=click.Path(path_type=Path))
@url_option
@token_option("the owner")
@click.option("--name", required=True, help="The bot's name; an existing bot gets a new version.")
@click.option("--version", "label", help="The version's label. [default: the next number]")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(tuple(GAMES)),
    help="A game that it plays; may be repeated. [default: all games that it can play]",
)
@click.option("--preset", help=f"With one --kind: {_PRESET}")
@click.option(
    "--wait", "seconds", type=click.FloatRange(0), default=600, show_default=True, help="Seconds to wait."
)
@click.option(
    "--tournaments/--no-tournaments",
    default=None,
    help="Whether it takes part in scheduled tournaments. [default: as before; a new bot does]",
)
def submit(
    file: Path,
    url: str,
    token: str,
    name: str,
    label: str | None,
    kinds: tuple[str, ...],
    preset: str | None,
    seconds: float,
    tournaments: bool | None,
) -> None:
    """Upload FILE, a Python source or a WebAssembly component (.wasm), for the arena to run.

    Waits until the bot has qualified against a house bot. Prints the result, the leaderboard to watch, and
    when it plays next. If it failed, prints where and why, and the command that runs it again at that
    decision; the exit code is 2.
    """
    submit_bot(service(url, token), file, name, label, kinds, seconds, tournaments, preset)


@bot.command()
@click.argument("name")
@click.argument("kind", type=click.Choice(tuple(GAMES)))
@url_option
@token_option("the owner")
@click.option("--preset", help=_PRESET[0].upper() + _PRESET[1:])
@click.option("--version", "label", help="The version's label. [default: the current one]")
@click.option(
    "--wait", "seconds", type=click.FloatRange(0), default=600, show_default=True, help="Seconds to wait."
)
def qualify(
    name: str, kind: str, url: str, token: str, preset: str | None, label: str | None, seconds: float
) -> None:
    """Let the bot NAME qualify in the game KIND, and wait until that is over.

    A bot that runs elsewhere must be running. If it does not qualify, prints where and why; the exit code
    is 2.
    """
    qualify_bot(service(url, token), name, kind, preset, label, seconds)


@bot.command("run")
@click.argument("file")
@url_option
@token_option("the bot")
@click.option("--join", "joined", multiple=True, metavar="GAME", help="First take an open seat of GAME.")
@click.option(
    "--games",
    type=click.IntRange(1),
    help="Stop after this many games and those begun by then. [default: never]",
)
@click.option(
    "--tournaments", is_flag=True, help="Take part in scheduled tournaments, which are rated, while it runs."
)
def run_bot(
    file: str, url: str, token: str, joined: tuple[str, ...], games: int | None, tournaments: bool
) -> None:
    """Play all games of the bot online until Ctrl-C. FILE: its Python file, or the name of a house bot.

    When it stops, no other game begins for the bot, and those that have begun are played to their end; a
    second Ctrl-C leaves at once. Restarts of the service or of this command do no harm: unanswered turns are
    sent again. If the bot raises an error, the default action is played for it.
    """
    spec = bot_spec(file)
    try:
        spec.make(0)
    except Exception as error:
        message = f"{file} does not make a bot: {type(error).__name__}: {error}"
        raise InvalidBot(message, field="file") from error
    # Supervisors stop programs by this signal.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    client = Client(url, token, on_retry=retrying, patience=float("inf"))
    for game in joined:
        seat = client.join(game)["seat"]
        say(f"{game}: seat {seat}")
    say(f"{spec.name} plays at {client.url}")

    run(partial(spec.make, 0), client, games=games, say=say, tournaments=tournaments)


@click.group()
def game() -> None:
    """Create games online."""


@game.command()
@click.argument("kind")
@click.argument("seats", nargs=-1, required=True, metavar="SEAT...")
@url_option
@token_option("the owner or a bot")
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="A rule option; may be repeated.")
@click.option("--turn-seconds", type=float, help="Seconds per decision.")
@click.option("--bank-seconds", type=float, help="Seconds of bank per game.")
def create(
    kind: str,
    seats: tuple[str, ...],
    url: str,
    token: str,
    rules: tuple[str, ...],
    turn_seconds: float | None,
    bank_seconds: float | None,
) -> None:
    """Create a game of KIND and print its id. A SEAT is house:rookie, open, or the name of a bot."""
    given = game_of(kind).options.parse(rules)
    clock = {
        name: round(1000 * seconds)
        for name, seconds in (("per_turn_ms", turn_seconds), ("bank_ms", bank_seconds))
        if seconds is not None
    }
    options: dict[str, Any] = {"rules": given, **({"clock": clock} if clock else {})}
    made = service(url, token).create_game(kind, [_seat(text) for text in seats], **options)
    click.echo(made["game"])


def _seat(text: str) -> dict[str, Any]:
    if text == "open":
        return {"open": True}
    if text.startswith("house:"):
        return {"house": text.removeprefix("house:")}
    return {"bot": text}


@game.command()
@click.argument("game_id", metavar="GAME")
@url_option
@token_option("the owner or a bot, for a private game", required=False)
@click.option("--wait", is_flag=True, help="Wait until the game is over.")
def record(game_id: str, url: str, token: str | None, wait: bool) -> None:
    """Print the record of the finished game GAME, one line of JSON."""
    click.echo(dumps(service(url, token).record(game_id, wait=wait)))
