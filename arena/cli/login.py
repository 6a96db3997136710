"""``botequim login``, ``logout`` and ``whoami``: manage profiles, which store a user's services and
tokens.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.commands import Command
from arena.cli.online import service, token_option, url_option
from arena.cli.output import details, json_option, named, show, when
from arena.cli.profiles import DEFAULT, Profile, is_set, profiles, remove_profile, save_profile
from arena.client import ApiError, Client
from arena.client.http import DEFAULT_URL
from arena.inputs.text import clean

if TYPE_CHECKING:
    from arena.client.types import Quota

_BOT: Final = "btq_b_"
"""The prefix of a bot's token. The bot's name follows, up to the next underscore."""


@click.command(
    cls=Command,
    examples=(
        "botequim signup ana | botequim login",
        "botequim bot register ana-bot | botequim login --profile ana-bot",
        "botequim login --url https://botequim.example",
    ),
)
@click.option(
    "--profile", "name", default=DEFAULT, show_default=True, help="The profile to store the token in."
)
@click.option("--url", envvar="BOTEQUIM_URL", default=DEFAULT_URL, show_default=True, help="The service.")
@click.option(
    "--token", help="The token. [default: read from standard input; on a terminal, you are asked for it]"
)
@json_option
def login(name: str, url: str, token: str | None, as_json: bool) -> None:
    """Store a service and the token of an owner, a bot or an admin for later commands.

    The token is checked first. It is stored in botequim/config.ini in $XDG_CONFIG_HOME (by default
    ~/.config), which only you can read. Commands use the profile 'default', or the one set by --profile or
    BOTEQUIM_PROFILE. The variables BOTEQUIM_URL and BOTEQUIM_TOKEN take precedence.
    """
    if token is None:
        token = _entered()
    client = service(url, token)
    who = identity(client, token)
    path = save_profile(Profile(name, client.url, token))
    shown = {"profile": name, "url": client.url, **who}
    show(shown, as_json, f"profile {name}: {_described(who)} at {client.url}, in {path}")
    if is_set("BOTEQUIM_TOKEN"):
        click.echo("botequim: BOTEQUIM_TOKEN is set and takes precedence over the profile", err=True)


def _entered() -> str:
    if sys.stdin.isatty():
        return clean(click.prompt("Token", hide_input=True, err=True))
    token = clean(sys.stdin.readline())
    if not token:
        raise click.UsageError("no token on standard input")
    return token


@click.command(cls=Command, examples=("botequim logout", "botequim logout --profile ana-bot"))
@click.option("--profile", "name", default=DEFAULT, show_default=True, help="The profile to remove.")
@json_option
def logout(name: str, as_json: bool) -> None:
    """Remove a stored profile.

    The token remains valid. To revoke it, use 'botequim owner revoke' or 'botequim bot revoke'.
    """
    path = remove_profile(name)
    show({"profile": name}, as_json, f"removed profile {name} from {path}; its token remains valid")


@click.command(cls=Command, examples=("botequim whoami", "botequim whoami --profile ana-bot --json"))
@url_option
@token_option("an owner, a bot or an admin")
@json_option
def whoami(url: str, token: str, as_json: bool) -> None:
    """Show who the token belongs to, its service, and the use of quotas and budgets."""
    client = service(url, token)
    who = identity(client, token)
    found: dict[str, Any] = {"url": client.url, **who, "profiles": [profile.name for profile in profiles()]}
    shown = {
        "who": _described(who),
        "at": client.url,
        "signed up": when(who["created_ms"]) if "created_ms" in who else None,
        **{name: _used(quota) for name, quota in who.get("quotas", {}).items()},
        "groups today": _used(who["budgets"]["groups"]) if who.get("budgets") else None,
        "bytes today": _used(who["budgets"]["bytes"]) if who.get("budgets") else None,
        "profiles": ", ".join(found["profiles"]),
    }
    show(found, as_json, lambda: details(shown, named(*shown)))


def _used(quota: Quota) -> str:
    return f"{quota['used']} of {quota['most']}"


def identity(client: Client, token: str) -> dict[str, Any]:
    """Return the identity of the token: ``scope`` and ``name``, and for an owner the fields of the API.
    Raises ``invalid_token``.
    """
    token = clean(token)
    if token.startswith(_BOT):
        # Any request fails if the token is invalid.
        next(client.games(limit=1), None)
        return {"scope": "bot", "name": token.removeprefix(_BOT).partition("_")[0]}
    try:
        return {"scope": "owner", **client.me()}
    except ApiError as error:
        if error.status != 403:
            raise
        return {"scope": "admin", "name": "admin"}


def _described(who: Mapping[str, object]) -> str:
    if who["scope"] == "admin":
        return "the admin of the service"
    admin = ", an admin" if who.get("admin") else ""
    return f"{who['scope']} {who['name']}{admin}"
