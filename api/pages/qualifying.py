"""Qualifications as shown to the owner of a bot."""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import suppress
from typing import Any, Final, NamedTuple

from api.services import services
from arena.accounts.accounts import Principal
from arena.events.qualification import AGAINST, Discipline, disciplines
from arena.events.tournament import TournamentNotFound
from arena.games import game_of
from arena.live.header import Viewer

BEGINS_MS: Final = 600_000
"""How long after an upload its qualification should begin automatically, unless the budget is used up."""


class ShownQualifications(NamedTuple):
    """The qualifications of a version as the API returns them, with a ``title`` and the ``games`` that can be
    viewed. ``open`` holds those that can be requested now, because they failed or have not begun. ``is_busy``
    says whether one is in progress or will begin automatically.
    """

    rows: list[dict[str, Any]]
    open: list[dict[str, str]]
    is_busy: bool
    against: str = AGAINST


def shown_qualifications(
    who: Principal, found: list[dict[str, Any]], uploaded_ms: int | None, games: Collection[str]
) -> ShownQualifications:
    """Prepare the qualifications ``found`` of a bot that ``who`` owns for display.

    ``uploaded_ms`` is when the version was uploaded, or None for other transports, whose qualifications begin
    when they are needed. ``games`` are the games that the version says it plays; if empty, it plays all.
    """
    states = {Discipline(one["kind"], one["preset"]): one["state"] for one in found}
    rows = [
        {**one, "title": _title(discipline), "games": _games(who, one)}
        for discipline, one in zip(states, found, strict=True)
    ]
    failed = [discipline for discipline, state in states.items() if state == "failed"]
    missing = [
        discipline
        for discipline in disciplines()
        if discipline not in states and (not games or discipline.kind in games)
    ]
    now_ms = time.time_ns() // 1_000_000
    awaited = any(not discipline.apart for discipline in missing)
    begins = awaited and uploaded_ms is not None and now_ms < uploaded_ms + BEGINS_MS
    again = [{**one._asdict(), "title": _title(one)} for one in (*failed, *missing)]
    return ShownQualifications(rows, again, begins or "qualifying" in states.values())


def _title(discipline: Discipline) -> str:
    if not discipline.apart:
        return discipline.kind.capitalize()
    return game_of(discipline.kind).preset(discipline.preset).title


def _games(who: Principal, one: dict[str, Any]) -> list[str]:
    viewer = Viewer(None, who.owner, who.admin)
    with suppress(TournamentNotFound):
        groups = services().tournaments.groups(one["tournament"], viewer=viewer).items
        return [game for group in groups if group["state"] == "done" for game in group["games"]]
    return []
