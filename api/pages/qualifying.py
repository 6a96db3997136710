"""Qualifications as the owner of a bot sees them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from api.services import services
from arena.accounts.accounts import Principal
from arena.events.qualification import AGAINST
from arena.events.tournament import TournamentNotFound
from arena.games import GAMES
from arena.live.header import Viewer


class ShownQualifications(NamedTuple):
    """The qualifications of a version: as the API has them, with ``games`` that can be looked at.
    ``is_busy``: whether one goes on, or will begin by itself.
    """

    rows: list[dict[str, Any]]
    is_busy: bool
    against: str = AGAINST


def shown_qualifications(who: Principal, found: list[dict[str, Any]]) -> ShownQualifications:
    """The qualifications ``found`` of a bot that ``who`` owns."""
    rows = [{**one, "games": _games(who, one)} for one in found]
    is_busy = len(found) < len(GAMES) or any(one["state"] == "qualifying" for one in found)
    return ShownQualifications(rows, is_busy)


def _games(who: Principal, one: dict[str, Any]) -> list[str]:
    viewer = Viewer(None, who.owner, who.admin)
    with suppress(TournamentNotFound):
        groups = services().tournaments.groups(one["tournament"], viewer=viewer).items
        return [game for group in groups if group["state"] == "done" for game in group["games"]]
    return []
