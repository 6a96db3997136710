"""What an owner who has signed in may do with a tournament."""

from __future__ import annotations

from typing import Any, NamedTuple

from api.services import services
from api.sessions import visitor
from arena.accounts.accounts import BotNotFound, Principal
from arena.accounts.versions import BotAccount, VersionNotFound
from arena.bots.transports import UnknownTransport
from arena.errors import CorruptState
from arena.events.tournament import OVER
from arena.games import game_of
from arena.play.players import SEALED


class OwnPart(NamedTuple):
    """``entries``: those that the visitor may withdraw. ``bots`` and ``house``: the names of own bots and of
    house bots that may enter now. ``may_cancel``: whether the visitor may cancel it.
    """

    entries: list[dict[str, Any]]
    bots: list[str]
    house: list[str]
    may_cancel: bool


def own_part(view: dict[str, Any]) -> OwnPart | None:
    """What the visitor may do with the tournament of ``view``; None for nothing."""
    who = visitor().principal
    if who is None or view["state"] in OVER:
        return None
    is_own = view["created_by"] == who.owner
    present = [entry for entry in view["entries"] if entry["status"] not in ("withdrawn", "failed")]
    entries = [
        entry for entry in present if entry["owner"] == who.owner or (is_own and entry["owner"] is None)
    ]
    bots, house = [], []
    if view["state"] == "entry" and services().store.clock().now_ms < view["locks_ms"]:
        names = {entry["bot"] for entry in present}
        bots = [bot for bot in _own_bots(who, view) if bot not in names]
        if is_own and view["who"] != "invited":
            house = [bot for bot in game_of(view["kind"]).house_bots if bot not in names]
    may_cancel = is_own or who.admin
    return OwnPart(entries, bots, house, may_cancel) if entries or bots or house or may_cancel else None


def _own_bots(who: Principal, view: dict[str, Any]) -> list[str]:
    """The own bots that the settings of the tournament let in."""
    if view["who"] == "house":
        return []
    found, _ = services().accounts.bots(who.owner)
    return [
        bot.name
        for bot in found
        if bot.is_active
        and (view["who"] != "invited" or bot.name in view["invited"])
        and _suits(bot, view["division"])
    ]


def _suits(bot: BotAccount, division: str) -> bool:
    try:
        sealed = services().accounts.bot(bot.name).current.runner.sealed
    except (BotNotFound, CorruptState, UnknownTransport, VersionNotFound):
        return False
    return sealed in (None, division == SEALED)
