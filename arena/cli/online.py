"""The options and clients of commands that use a service."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, Final, TypeVar

import click

from arena.cli.commands import SERVICE
from arena.cli.output import json_option
from arena.cli.profiles import DEFAULT, Profile, config_path, find_profile, is_open_to_others, is_set
from arena.client import Client
from arena.client.http import DEFAULT_URL
from arena.errors import ArenaError

Function = TypeVar("Function", bound=Callable[..., Any])

PATIENCE: Final = 10.0
"""Seconds for which a command keeps trying to reach the service."""

_PROFILE: Final = "arena.cli.profile"
_TOKEN: Final = "BOTEQUIM_TOKEN"
_URL: Final = "BOTEQUIM_URL"


def _name_profile(ctx: click.Context, _: click.Parameter, name: str | None) -> None:
    ctx.meta[_PROFILE] = name
    if name is None or ctx.resilient_parsing:
        return
    find_profile(name)
    for variable in (_URL, _TOKEN):
        if is_set(variable):
            click.echo(f"botequim: {variable} is set and takes precedence over profile {name!r}", err=True)


def _chosen() -> Profile | None:
    ctx = click.get_current_context()
    return None if ctx.resilient_parsing else find_profile(ctx.meta.get(_PROFILE))


def _url() -> str:
    profile = _chosen()
    return DEFAULT_URL if profile is None else profile.url


def _token() -> str | None:
    """Return the profile's token if the service is the one in the profile."""
    profile = _chosen()
    if profile is None or _differs(profile):
        return None
    if is_open_to_others():
        click.echo(f"botequim: other users can read {config_path()}; protect it with chmod 600", err=True)
    return profile.token


def _differs(profile: Profile) -> bool:
    url = click.get_current_context().params.get("url")
    return url is not None and url.rstrip("/") != profile.url.rstrip("/")


def url_option(command: Function) -> Function:
    """Add the options ``--url`` and ``--profile`` to a command, which receives ``url``."""
    options = (
        click.option(
            "--profile",
            envvar="BOTEQUIM_PROFILE",
            expose_value=False,
            is_eager=True,
            callback=_name_profile,
            help=f"A profile stored by 'botequim login'. [default: {DEFAULT}]",
        ),
        click.option(
            "--url",
            envvar=_URL,
            default=_url,
            show_default=f"the profile's, else {DEFAULT_URL}",
            is_eager=True,
            help="The address of the service.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def token_option(whose: str, *, required: bool = True) -> Callable[[Function], Function]:
    """Return a decorator that adds the option ``--token``, whose default is ``BOTEQUIM_TOKEN``, else the
    profile's token. Use it together with :func:`url_option`.
    """

    def check(ctx: click.Context, _: click.Parameter, token: str | None) -> str | None:
        if token or not required or ctx.resilient_parsing:
            return token
        profile = _chosen()
        stored = "" if profile is None else f" (the one in profile {profile.name!r} is for {profile.url})"
        raise click.UsageError(
            f"the token of {whose} is missing{stored}; run 'botequim login', set {_TOKEN} or pass --token",
            ctx=ctx,
        )

    return click.option(
        "--token",
        envvar=_TOKEN,
        default=_token,
        show_default=False,
        callback=check,
        help=f"The token of {whose}. {_TOKEN} or a profile is safer, because process lists show options.",
    )


def online(
    whose: str = "", *, required: bool = True, json: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator for a command that calls the service. It adds the options of :func:`url_option`,
    those of :func:`token_option` if ``whose`` says whose token is sent, and ``--json`` unless ``json`` is
    false. The command receives ``client`` and, with ``--json``, ``as_json``.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(*, url: str, token: str | None = None, **values: Any) -> Any:
            return command(client=service(url, token), **values)

        if json:
            call = json_option(call)
        if whose:
            call = token_option(whose, required=required)(call)
        return url_option(call)

    return decorate


LONGEST_LIST: Final = 1_000_000
"""The maximum number of elements of a list that a command reads."""


def service(url: str, token: str | None = None, *, patience: float = PATIENCE) -> Client:
    """Return a client for a command. Raises ``invalid_url``."""
    if url.rstrip("/").endswith("/v1"):
        raise ArenaError(
            f"{url!r} is the URL of the API, not of the service",
            code="invalid_url",
            field="url",
            expected=url.rstrip("/").removesuffix("/v1"),
        )
    click.get_current_context().meta[SERVICE] = url
    return Client(url, token, on_retry=retrying, patience=patience, longest_list=LONGEST_LIST)


def retrying(seconds: float, why: str) -> None:
    """Report on stderr that a request will be retried in ``seconds``."""
    say(f"{why}; trying again in {seconds:.1f} s")


def say(line: str) -> None:
    """Write a line to stderr, with the time."""
    click.echo(f"{datetime.now():%H:%M:%S} {line}", err=True)
