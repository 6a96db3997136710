"""Links to bots, owners, tournaments, series, groups and games: a function for each, which all pages use."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from flask import url_for
from markupsafe import Markup

from api.pages.site import blueprint
from api.services import services
from arena.accounts.accounts import FIRST_ADMIN
from arena.bots import POOL

_WON_BY: Final = "won by "
_BETWEEN_NAMES: Final = re.compile("( \N{EN DASH} | and )")
_LINK = Markup('<a href="{}">{}</a>')
_CLIPPED = Markup('<a href="{}" title="{}">{}</a>')


@blueprint.app_template_global()
def bot_address(name: str) -> str | None:
    """Return the address of the page of a bot, given its displayed name, or None if the name is hidden, was
    that of a deleted bot, or is that of the pool.
    """
    if name == POOL or services().moderation.is_replacement("bot", name):
        return None
    return url_for("pages.bot_page", bot=name)


@blueprint.app_template_global()
def bot_link(name: str, clipped: bool = False) -> Markup:
    """Return the displayed name of a bot as a link to its page, or as text if it has none.
    ``clipped``: the name can be cut off, so it is also the title of the link.
    """
    address = bot_address(name)
    if address is None:
        return Markup.escape(name)
    return _CLIPPED.format(address, name, name) if clipped else _LINK.format(address, name)


@blueprint.app_template_global()
def bot_links(names: Sequence[str]) -> Markup:
    """Return the names of bots, separated by commas; see :func:`bot_link`."""
    return Markup(", ").join(bot_link(name) for name in names)


@blueprint.app_template_global()
def with_bot_links(text: str, bots: Collection[str]) -> Markup:
    """Return a title such as ``ana – rookie and rookie 2``, or facts that end with ``won by rookie``, with
    links from the names of ``bots``.
    """
    facts, won_by, names = text.rpartition(_WON_BY)
    parts = []
    for part in _BETWEEN_NAMES.split(names):
        name, space, number = part.partition(" ")
        is_bot = name in bots and (not space or number.isdecimal())
        parts.append(bot_link(name) + space + number if is_bot else Markup.escape(part))
    return Markup.escape(facts + won_by) + Markup("").join(parts)


@blueprint.app_template_global()
def owner_link(name: str) -> Markup:
    """Return the displayed name of an owner as a link to the owner's page, or as text if the name is hidden
    or was that of a deleted owner, or belongs to the first admin, who is no owner.
    """
    if name == FIRST_ADMIN or services().moderation.is_replacement("owner", name):
        return Markup.escape(name)
    return _LINK.format(url_for("pages.owner_page", owner=name), name)


@blueprint.app_template_global()
def owner_links(names: Sequence[str]) -> Markup:
    """Return the names of owners, separated by commas; see :func:`owner_link`."""
    return Markup(", ").join(owner_link(name) for name in names)


@blueprint.app_template_global()
def tournament_link(tournament: str, name: str) -> Markup:
    """Return the displayed name of a tournament as a link to its page."""
    return _LINK.format(url_for("pages.tournament_page", tournament=tournament), name)


@blueprint.app_template_global()
def series_link(series: str, name: str) -> Markup:
    """Return the name of a series as a link to its page."""
    return _LINK.format(url_for("pages.series_page", series=series), name)


@blueprint.app_template_global()
def group_address(tournament: str, group: str, players: Sequence[str]) -> str:
    """Return the address of a group among the groups of its players in a tournament."""
    bot, against = (*dict.fromkeys(players), None, None)[:2]
    return url_for(
        "pages.tournament_page", tournament=tournament, bot=bot, against=against, _anchor=f"group-{group}"
    )


@blueprint.app_template_global()
def group_link(tournament: str, group: str, players: Sequence[str]) -> Markup:
    """Return the id of a group as a link to it; see :func:`group_address`."""
    return _LINK.format(group_address(tournament, group, players), group)


@blueprint.app_template_global()
def game_link(game: str, text: str, of: str | None = None) -> Markup:
    """Return ``text`` as a link to the page of a game. ``of``: the bot in whose list of games the page has
    its place.
    """
    return _LINK.format(url_for("pages.game_page", game=game, of=of), text)
