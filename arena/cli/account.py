"""``botequim account``: what the service stores about an owner, and its deletion."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena.cli.online import service, token_option, url_option


@click.group()
def account() -> None:
    """Export or delete the account of an owner."""


@account.command()
@url_option
@token_option("the owner")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="A file. [default: standard output]"
)
def export(url: str, token: str, out: Path | None) -> None:
    """Print everything that the service stores about the owner, as JSON: bots, versions with sources,
    settings, logs, tournaments and the ids of games.
    """
    text = json.dumps(service(url, token).export_owner(), indent=2, ensure_ascii=False)
    if out is None:
        click.echo(text)
    else:
        out.write_text(text + "\n", encoding="utf-8")


@account.command()
@url_option
@token_option("the owner")
@click.option("--confirm", metavar="NAME", help="The name of the owner; asked for if it is left out.")
def delete(url: str, token: str, confirm: str | None) -> None:
    """Delete the owner and all its bots; it cannot be undone.

    Bots leave their tournaments and resign their games; tokens, sources and logs are erased. Records stay,
    and elsewhere a name such as deleted-1f2e3d4c stands in place of those of the owner and its bots.
    """
    if confirm is None:
        confirm = click.prompt("Type the name of the owner to delete it", err=True)
    shown = service(url, token).delete_owner(confirm)
    click.echo(f"deleted; {shown} is shown in its place")
