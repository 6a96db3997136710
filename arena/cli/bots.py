"""``botequim bot ...``: register bots, upload them, run them, and look after them."""

from __future__ import annotations

import signal
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.accounts.records import NOT_AT_FIRST, BotSettings
from arena.bots import InvalidBot, bot_spec
from arena.cli.bot_versions import add_version, log, notes, publish, qualifications, source, upload, uploads
from arena.cli.commands import Commands
from arena.cli.debug import debug
from arena.cli.derived import fields_of, options
from arena.cli.online import online, retrying, say, token_option, url_option
from arena.cli.output import Columns, details, moment, named, redirected, show, show_rows, table
from arena.cli.params import KIND, PLAYER_FILE, limit_option
from arena.cli.submit import QUALIFYING, RANKING, NotQualified, Patience, Submitted, qualify_bot, submit_bot
from arena.cli.trial import test_bot
from arena.client import ApiError, Client, run
from arena.declarations import settings_of
from arena.play.bot_results import GAMES_MOST, RESULTS, opponents, result_words

if TYPE_CHECKING:
    from arena.client.types import Bot, BotGame, BotSummary, Version


_PRESET: Final = (
    "a preset for which bots qualify separately, such as paulista@1 of Truco. [default: the game]"
)
_name = click.argument("name")
_wait = click.option(
    "--wait",
    "seconds",
    type=click.FloatRange(0),
    help=f"Seconds to wait in all; 0: not at all. [default: {QUALIFYING:.0f} for the qualification, then "
    f"{RANKING:.0f} for a rank]",
)


@click.group(
    cls=Commands,
    examples=(
        "botequim bot submit my_bot.py --name my-bot",
        "botequim bot register my-bot | botequim login --profile my-bot",
        "botequim bot run my_bot.py --profile my-bot",
    ),
)
def bot() -> None:
    """Register bots, upload them, play online, and debug their decisions."""


for _command in (debug, test_bot, add_version, uploads, upload, source, publish, qualifications, log, notes):
    bot.add_command(_command)


@bot.command(
    examples=(
        "botequim bot register my-bot | botequim login --profile my-bot",
        "botequim bot register my-hook --webhook https://bots.example/turns --secret whsec_...",
    ),
    fields={"url": "--webhook", "transport": "--webhook"},
)
@_name
@click.option("--webhook", metavar="URL", help="Post turns to URL, which must answer a ping now.")
@click.option(
    "--secret",
    envvar="BOTEQUIM_WEBHOOK_SECRET",
    help="With --webhook: your signing secret. [default: a new one]",
)
@click.option("--rights", is_flag=True, help="With --webhook: post optional turns as well.")
@options(BotSettings, without=NOT_AT_FIRST)
@online("the owner")
def register(
    name: str,
    client: Client,
    webhook: str | None,
    secret: str | None,
    rights: bool,
    as_json: bool,
    **settings: object,
) -> None:
    """Register the bot NAME and print the bot's token, which is shown only once.

    With --webhook, a signing secret that the service made is printed on stderr, once.
    """
    if webhook is None and (rights or secret):
        raise click.UsageError("--secret and --rights require --webhook")
    given = fields_of(settings)
    if webhook is not None:
        given |= {"transport": "webhook", "url": webhook, "rights": rights, **fields_of({"secret": secret})}
    try:
        made = client.create_bot(name, **given)
    except ApiError as error:
        if error.code == "webhook_failed":
            error.message += (
                "; 'botequim webhook test URL --secret ...' posts the same from here"
                if secret
                else "; a receiver that checks signatures needs --secret here, the secret that it has"
            )
        raise
    show(made, as_json, made["token"])
    if made.get("webhook_secret") and not as_json:
        click.echo(f"the signing secret, shown once: {made['webhook_secret']}", err=True)


@bot.command(examples=("botequim bot change my-bot --people", "botequim bot change my-bot --state withdrawn"))
@_name
@options(BotSettings, edits=True)
@click.option("--state", type=click.Choice(("active", "withdrawn")), help="withdrawn: it gets no new games.")
@online("the owner")
def change(name: str, client: Client, as_json: bool, **given: object) -> None:
    """Change who the bot NAME plays with, or its description; other settings stay as they are."""
    changes = fields_of(given)
    if not changes:
        raise click.UsageError("nothing to change; expected an option such as --people or --description")
    changed = client.change_bot(name, **changes)
    show(
        changed,
        as_json,
        lambda: "".join(f"{key}: {_word(value)}\n" for key, value in sorted(changes.items())),
    )


def _word(value: object) -> object:
    return ("yes" if value else "no") if isinstance(value, bool) else value


@bot.command("list", examples=("botequim bot list --mine", "botequim bot list --owner ana --json"))
@click.option("--owner", help="Only bots of this owner.")
@click.option("--mine", is_flag=True, help="Only your own.")
@limit_option("bots", 100)
@online("the owner, for --mine", required=False)
def list_bots(owner: str | None, mine: bool, limit: int, client: Client, as_json: bool) -> None:
    """List bots by name."""
    if mine:
        if owner is not None:
            raise click.UsageError("--mine and --owner cannot be used together")
        owner = client.me()["name"]
    columns: Columns[BotSummary] = {
        **named("name", "owner", "version", "state"),
        "registered": moment("created_ms"),
        "description": "description",
    }
    show_rows("bots", islice(client.bots(owner=owner, limit=min(limit, 100)), limit), columns, as_json)


@bot.command("show", examples=("botequim bot show my-bot", "botequim bot show my-bot --json"))
@_name
@online("the owner, for what only it sees", required=False)
def show_bot(name: str, client: Client, as_json: bool) -> None:
    """Show the bot NAME, its versions and, to its owner, its webhook."""
    found = client.bot(name)
    show(found, as_json, lambda: _shown(found))


def _shown(found: Bot) -> str:
    hook, suspended = found["webhook"], found["suspended"]
    columns: Columns[Bot] = {
        "name": "name",
        "owner": "owner",
        "co-owners": lambda one: ", ".join(one["co_owners"]) or None,
        "state": "state",
        "registered": moment("created_ms"),
        **{one.label.lower(): name for name, one in settings_of(BotSettings).items()},
        "suspended": lambda _: suspended["reason"] if suspended else None,
        "webhook": lambda _: hook["url"] if hook else None,
        "circuit": lambda _: hook["circuit"] if hook else None,
        "last error": lambda _: hook["last_error"] if hook else None,
    }
    versions: Columns[Version] = {
        "version": "label",
        "transport": "transport",
        "language": "language",
        "games": lambda one: ", ".join(one["games"]) or None,
        "added": moment("created_ms"),
        "published": "published",
    }
    return f"{details(found, columns)}\n{table(found['versions'], versions)}"


@bot.command(examples=("botequim bot delete my-bot",))
@_name
@online("the owner or an admin")
def delete(name: str, client: Client, as_json: bool) -> None:
    """Delete the bot NAME for good, even if it has played; to retire it, use 'bot change --state withdrawn'.

    It leaves its tournaments and resigns its games, and nobody can take its name again. If it has played a
    rated group, it stays listed as a withdrawn bot, with its results.
    """
    listed = client.delete_bot(name)
    stays = "; it has played rated groups, and stays listed as withdrawn" if listed else ""
    show({"deleted": name, "listed": listed is not None}, as_json, f"{name} is deleted{stays}")


@bot.command(examples=("botequim bot rotate my-bot | botequim login --profile my-bot",))
@_name
@online("the owner")
def rotate(name: str, client: Client, as_json: bool) -> None:
    """Replace the token of the bot NAME and print the new one, which is shown only once."""
    new = client.replace_bot_token(name)
    show({"token": new}, as_json, new)


@bot.command(examples=("botequim bot revoke my-bot",))
@_name
@online("the owner or an admin")
def revoke(name: str, client: Client, as_json: bool) -> None:
    """Revoke the token of the bot NAME; 'bot rotate' issues another."""
    client.revoke_bot_token(name)
    show({"revoked": name}, as_json, f"the token of {name} is revoked")


@bot.command(examples=("botequim bot secret my-hook", "botequim bot secret my-hook --secret whsec_..."))
@_name
@click.option("--secret", envvar="BOTEQUIM_WEBHOOK_SECRET", help="Your new secret. [default: a new one]")
@online("the owner")
def secret(name: str, secret: str | None, client: Client, as_json: bool) -> None:
    """Replace the signing secret of the webhook of NAME and print the new one.

    For one day, messages are signed with both secrets.
    """
    made = client.replace_webhook_secret(name, **({"secret": secret} if secret else {}))
    show(made, as_json, made["secret"] or "replaced")


@bot.command(
    examples=(
        "botequim bot submit my_bot.py --name my-bot",
        "botequim bot submit my_bot.py --name my-bot --kind truco --preset paulista@1 --wait 0",
    ),
    fields={"version": "--version", "label": "--version", "source": "FILE", "component": "FILE"},
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="The bot's name; an existing bot gets a new version.")
@click.option("--version", "label", help="The version's label. [default: the next number]")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=KIND,
    help="A game that it plays; may be repeated. [default: all games that it can play]",
)
@click.option("--preset", help=f"With one --kind: {_PRESET}")
@_wait
@click.option(
    "--tournaments/--no-tournaments",
    default=None,
    help="Whether it takes part in scheduled tournaments. [default: as before; a new bot does]",
)
@online("the owner")
def submit(
    file: Path,
    client: Client,
    name: str,
    label: str | None,
    kinds: tuple[str, ...],
    preset: str | None,
    seconds: float | None,
    tournaments: bool | None,
    as_json: bool,
) -> None:
    """Upload FILE, a Python source or a WebAssembly component (.wasm), for the arena to run.

    The command waits until the bot has qualified against a house bot, and then until it has a rank: about a
    minute if it need not wait for another tournament. It prints both, or what the rank waits for; the exit
    code is 0 once the bot has qualified. If the bot failed, it prints where and why, and the command that
    runs the bot again at that decision; the exit code is 2.
    """
    try:
        with redirected(as_json):
            found = submit_bot(client, file, name, label, kinds, Patience(seconds), tournaments, preset)
    except NotQualified as error:
        if seconds != 0 or error.over:
            raise
        # Whoever does not want to wait has made no mistake.
        later = (
            f"'botequim bot uploads {name}' and 'botequim bot qualifications {name}' show what becomes of it"
        )
        show({"bot": name, "pending": error.message}, as_json, f"{error.message}; {later}")
        return
    _show_submitted(client, name, found, as_json)


@bot.command(
    examples=("botequim bot qualify my-bot truco", "botequim bot qualify my-bot truco --preset paulista@1"),
    fields={"version": "--version"},
)
@_name
@click.argument("kind", type=KIND)
@click.option("--preset", help=_PRESET[0].upper() + _PRESET[1:])
@click.option("--version", "label", help="The version's label. [default: the current one]")
@_wait
@online("the owner")
def qualify(
    name: str,
    kind: str,
    client: Client,
    preset: str | None,
    label: str | None,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Let the bot NAME qualify in the game KIND, and wait until that is over.

    A bot that runs elsewhere must be running. For an uploaded bot, the command then waits for a rank, as 'bot
    submit' does. If the bot does not qualify, it prints where and why; the exit code is 2.
    """
    with redirected(as_json):
        found = qualify_bot(client, name, kind, preset, label, Patience(seconds))
    _show_submitted(client, name, found, as_json)


def _show_submitted(client: Client, name: str, found: Submitted, as_json: bool) -> None:
    if as_json:
        qualifications = client.qualifications(name, found.version)
        value = {"bot": name, "version": found.version, "qualifications": qualifications}
        show({**value, "ranks": found.ranks}, as_json)


@bot.command(
    "run",
    examples=(
        "botequim bot run my_bot.py --profile my-bot",
        "botequim bot run my_bot.py --join GAME --games 1",
    ),
)
@click.argument("file", type=PLAYER_FILE)
@click.option("--join", "joined", multiple=True, metavar="GAME", help="First take an open seat of GAME.")
@click.option(
    "--games",
    type=click.IntRange(1),
    help="Stop after this many games, and finish those begun by then. [default: never]",
)
@click.option(
    "--tournaments", is_flag=True, help="Take part in scheduled tournaments, which are rated, while it runs."
)
@url_option
@token_option("the bot")
def run_bot(
    file: str, joined: tuple[str, ...], games: int | None, tournaments: bool, url: str, token: str
) -> None:
    """Play all games of the bot online until Ctrl-C. FILE is its Python file, or the name of a house bot.

    When the command stops, no other game begins for the bot, and those that have begun are played to their
    end; a second Ctrl-C leaves at once. Restarts of the service or of this command do no harm: unanswered
    turns are sent again. If the bot raises an error, the default action is played for it.
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


@bot.command(
    "games",
    examples=(
        "botequim bot games my-bot --against regular",
        "botequim bot games my-bot --kind truco --result lost --limit 10 --json",
    ),
)
@_name
@click.option("--kind", type=KIND, help="Only this game.")
@click.option("--preset", help="Only games by the rules of this preset.")
@click.option("--against", help="Only games with this opponent.")
@click.option(
    "--result",
    type=click.Choice(RESULTS),
    help="Only games with this result; at tables, all places but the first are lost.",
)
@limit_option("games", 20, GAMES_MOST)
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


@bot.command(
    examples=(
        "botequim bot owners my-bot bia",
        "botequim bot owners my-bot --accept",
        "botequim bot owners my-bot --remove bia",
    )
)
@click.argument("name", required=False)
@click.argument("owners", nargs=-1)
@click.option(
    "--remove", multiple=True, metavar="OWNER", help="Remove a co-owner or an invitation; repeatable."
)
@click.option("--accept", is_flag=True, help="Accept the invitation to share the bot.")
@click.option("--leave", is_flag=True, help="Stop sharing the bot, or decline the invitation.")
@online("an owner, a co-owner or an invited owner of the bot")
def owners(
    name: str | None,
    owners: tuple[str, ...],
    remove: tuple[str, ...],
    accept: bool,
    leave: bool,
    client: Client,
    as_json: bool,
) -> None:
    """Invite OWNERS to share the bot NAME, or list its owners if no OWNERS are given.

    An owner who accepts becomes a co-owner, who adds versions, reads sources and logs, and enters the bot.
    Without NAME, the command lists the bots that you are invited to share.
    """
    if name is None:
        if remove or accept or leave:
            raise click.UsageError("Missing argument 'NAME'.")
        found = client.me()["bot_invitations"]
        show({"bot_invitations": found}, as_json, "\n".join(found) or "no invitations")
        return
    if accept and leave:
        raise click.UsageError("--accept and --leave cannot be used together")
    for owner in owners:
        client.add_bot_owner(name, owner)
    for owner in remove:
        client.remove_bot_owner(name, owner)
    if accept:
        client.add_bot_owner(name, client.me()["name"])
    if leave:
        client.remove_bot_owner(name, client.me()["name"])
        show({"left": name}, as_json, f"you no longer share {name}")
        return
    view = client.bot_owners(name)
    lines = [
        f"{view['owner']}: owner",
        *(f"{owner}: co-owner" for owner in view["co_owners"]),
        *(f"{owner}: invited" for owner in view["invited"]),
    ]
    show(view, as_json, "\n".join(lines))
