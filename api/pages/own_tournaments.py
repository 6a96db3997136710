"""What the signed-in owner can do with a tournament."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from api.http.sessions import visitor
from api.pages.fields import time_value
from api.services import services
from arena.accounts.accounts import BotNotFound, Principal
from arena.accounts.versions import BotAccount, VersionNotFound
from arena.bots.transports import UnknownTransport
from arena.errors import CorruptState
from arena.events.house_entries import house_choices
from arena.events.qualification import Discipline
from arena.events.tournament import OVER
from arena.play.players import MODELS, SEALED

_HOUR_MS: Final = 3_600_000
_DRAFT_BYTES: Final = 12


class OwnPart(NamedTuple):
    """What the visitor can do with a tournament.

    ``entries`` are the entries that the visitor can withdraw. ``bots`` and ``house`` are the names of the
    visitor's bots and of the house bots that can enter now. ``may_edit`` and ``may_cancel`` say whether the
    visitor is allowed to do so. ``draft`` and ``starts`` are values of the form to clone the tournament.
    """

    entries: list[dict[str, Any]]
    bots: list[str]
    house: list[str]
    may_edit: bool
    may_cancel: bool
    draft: str
    starts: str


def own_part(view: dict[str, Any]) -> OwnPart | None:
    """Return what the visitor can do with the tournament of ``view``, or None if there is nothing."""
    who = visitor().principal
    if who is None:
        return None
    name = visitor().name_in_views
    powers = services().tournaments.organising.powers(view["id"], who)
    is_own = powers.edits and name in (view["created_by"], *view["organisers"])
    if view["state"] in OVER:
        return OwnPart([], [], [], powers.edits, False, *_clone()) if powers.edits else None
    present = [entry for entry in view["entries"] if entry["status"] not in ("withdrawn", "failed")]
    entries = [
        entry
        for entry in present
        if name in (entry["owner"], *entry["co_owners"]) or (is_own and entry["owner"] is None)
    ]
    bots, house = [], []
    if view["state"] == "entry" and services().store.clock().now_ms < view["locks_ms"]:
        names = {entry["bot"] for entry in present}
        bots = [bot for bot in _own_bots(who, view) if bot not in names]
        if is_own:
            house = [bot for bot in house_choices(view["kind"]) if bot not in names]
    return (
        OwnPart(entries, bots, house, powers.edits, powers.cancels, *_clone())
        if entries or bots or house or any(powers)
        else None
    )


def may_enter(views: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the ids of the tournaments that are open for entry and that a bot of the visitor suits."""
    who = visitor().principal
    is_open = [view for view in views if view["state"] == "entry"]
    if who is None or not is_open:
        return set()
    found = [bot for bot in services().accounts.bots(who.owner)[0] if bot.is_active]
    divisions = {view["division"] for view in is_open}
    suited = {division: {bot.name for bot in found if _suits(bot, division)} for division in divisions}
    return {view["id"] for view in is_open if _admitted(who, view, suited[view["division"]])}


def _admitted(who: Principal, view: Mapping[str, Any], bots: set[str]) -> set[str]:
    """Return which of the owner's bots the tournament is for."""
    if not bots or view["who"] == "anyone":
        return bots
    if services().tournaments.invitations.is_guest(view["id"], who.owner):
        return bots
    organises = visitor().name_in_views in (view["created_by"], *view["organisers"])
    return bots & {*view["invited"], *(view["baseline"] if organises else ())}


def _clone() -> tuple[str, str]:
    soon = services().store.clock().now_ms + _HOUR_MS
    return secrets.token_urlsafe(_DRAFT_BYTES), time_value(soon)


def _own_bots(who: Principal, view: dict[str, Any]) -> list[str]:
    """Return the owner's bots that are eligible under the tournament's settings."""
    found = {bot.name: bot for bot in services().accounts.bots(who.owner)[0] if bot.is_active}
    admitted = _admitted(who, view, set(found))
    return [
        name
        for name, bot in found.items()
        if name in admitted and _suits(bot, view["division"]) and not _has_failed(bot, view)
    ]


def _has_failed(bot: BotAccount, view: dict[str, Any]) -> bool:
    """Return whether the version of the bot has failed to qualify for what the tournament plays."""
    needed = Discipline.of(view["kind"], view["rules"])
    found = services().tournaments.qualifications(bot.name, bot.version)
    return any((one["kind"], one["preset"], one["state"]) == (*needed, "failed") for one in found)


def _suits(bot: BotAccount, division: str) -> bool:
    try:
        sealed = services().accounts.bot(bot.name).current.runner.sealed
    except (BotNotFound, CorruptState, UnknownTransport, VersionNotFound):
        return False
    return sealed in (None, division == SEALED) and (division != MODELS or bool(bot.model))
