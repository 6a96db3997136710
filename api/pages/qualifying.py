"""Qualifications as the owner of a bot sees them."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any, Final, NamedTuple

from api.services import services
from arena.accounts.accounts import Principal
from arena.events.qualification import AGAINST
from arena.events.tournament import TournamentNotFound
from arena.games import GAMES
from arena.live.header import Viewer

BEGINS_MS: Final = 600_000
"""How long after an upload a qualification is expected to begin by itself: the budget may be used up."""


class ShownQualifications(NamedTuple):
    """The qualifications of a version: as the API has them, with ``games`` that can be looked at.
    ``missing``: the games in which none has begun. ``is_busy``: whether one goes on, or will begin by itself.
    """

    rows: list[dict[str, Any]]
    missing: list[str]
    is_busy: bool
    against: str = AGAINST


def shown_qualifications(
    who: Principal, found: list[dict[str, Any]], uploaded_ms: int | None
) -> ShownQualifications:
    """The qualifications ``found`` of a bot that ``who`` owns. ``uploaded_ms``: when the version was
    uploaded, None for other transports, whose qualifications begin when they are needed.
    """
    rows = [{**one, "games": _games(who, one)} for one in found]
    missing = [kind for kind in GAMES if kind not in {one["kind"] for one in found}]
    now_ms = time.time_ns() // 1_000_000
    begins = bool(missing) and uploaded_ms is not None and now_ms < uploaded_ms + BEGINS_MS
    is_busy = begins or any(one["state"] == "qualifying" for one in found)
    return ShownQualifications(rows, missing, is_busy)


def _games(who: Principal, one: dict[str, Any]) -> list[str]:
    viewer = Viewer(None, who.owner, who.admin)
    with suppress(TournamentNotFound):
        groups = services().tournaments.groups(one["tournament"], viewer=viewer).items
        return [game for group in groups if group["state"] == "done" for game in group["games"]]
    return []
