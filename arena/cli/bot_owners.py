"""``botequim bot owners``: the owners who share a bot."""

from __future__ import annotations

import click

from arena.cli.commands import Command
from arena.cli.online import online
from arena.cli.output import show
from arena.client import Client


@click.command(
    cls=Command,
    examples=(
        "botequim bot owners my-bot bia",
        "botequim bot owners my-bot --accept",
        "botequim bot owners my-bot --remove bia",
    ),
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
