"""What a game shows to whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from arena.errors import ArenaError
from arena.games import game_of
from arena.live.clocks import ServiceClock
from arena.live.game import LiveGame
from arena.live.sheet import GameNotFound, Sheet, Viewer
from arena.table import as_event


class GameHidden(ArenaError):
    """A game of a mirrored group that is not over."""

    code = "game_hidden"


class NotSeated(ArenaError):
    """The bot does not sit there."""

    code = "not_seated"


def check_visible(sheet: Sheet, viewer: Viewer) -> None:
    """Raises :class:`GameHidden`, or :class:`GameNotFound` for a private game."""
    if not sheet.is_hidden_from(viewer):
        return
    if sheet.is_mirrored and sheet.visibility == "public":
        raise GameHidden(
            f"game {sheet.game} has the same deals as the other games of its group; "
            "it is shown when the group is over",
            field="game",
        )
    raise GameNotFound(f"there is no game {sheet.game!r}", field="game")


def own_seat(sheet: Sheet, viewer: Viewer, seat: int | None) -> int | None:
    """The seat from which the viewer looks, None for a spectator. Raises :class:`NotSeated`."""
    own = sheet.seats_of(viewer.bot)
    if seat is None:
        return own[0] if own else None
    if seat not in own:
        allowed = ", ".join(map(str, own)) or "none of them"
        raise NotSeated(f"seat {seat} is not yours", field="seat", expected=allowed)
    return seat


def game_view(game: LiveGame, seat: int | None, clock: ServiceClock) -> dict[str, Any]:
    """The summary and what ``seat`` (None: a spectator) sees of the table now."""
    return {
        **game.sheet.summary(),
        "version": game.version,
        "seat": seat,
        **_table_view(game, seat, clock),
    }


def _table_view(game: LiveGame, seat: int | None, clock: ServiceClock) -> dict[str, Any]:
    table = game.table
    if table is None:
        return past_view()
    settings = game.sheet.clock
    return {
        "awaiting": list(table.awaited()),
        "clocks": [
            {
                "seat": number,
                "bank_ms": own.bank_ms,
                "runs_out_at_ms": own.deadline(settings, clock) if own.turn else None,
            }
            for number, own in enumerate(game.clocks)
        ],
        "faults": [{"seat": f.seat, "type": f.type, "after": f.after} for f in table.faults],
        "taken_over": [{"seat": s, "reason": reason} for s, reason in sorted(table.taken_over.items())],
        "observation": table.state.observation(seat),
        "turn": None if seat is None or not game.is_running else game.turn(seat, clock),
    }


def past_view() -> dict[str, Any]:
    """The table of a game that has not begun, or of which only the record is left."""
    return {
        "awaiting": [],
        "clocks": [],
        "faults": [],
        "taken_over": [],
        "observation": None,
        "turn": None,
    }


def project_events(kind: str, events: Sequence[bytes], start: int, seat: int | None) -> list[dict[str, Any]]:
    """What ``seat`` (None: a spectator) saw of stored events, the first of which has number ``start``."""
    view_event = game_of(kind).view_event
    views = []
    for number, event in enumerate(events, start):
        view = view_event(as_event(orjson.loads(event)), seat)
        if view is not None:
            views.append({"n": number, **view})
    return views


__all__ = ["GameHidden", "NotSeated", "check_visible", "game_view", "own_seat", "past_view", "project_events"]
