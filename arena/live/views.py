"""Views of a game for its seats and for spectators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypedDict, TypeVar

import orjson

from arena.errors import ArenaError
from arena.games import game_of
from arena.games.kernel import Turn
from arena.live.game import LiveGame
from arena.live.header import GameHeader, GameNotFound, GameSummary, Viewer
from arena.play.clocks import ServiceClock
from arena.play.table import as_event
from arena.store.rows import shown_or_left_out

T = TypeVar("T")


class ClockView(TypedDict):
    """The clock of a seat. ``runs_out_at_ms`` is when the clock will run out, or None while it is stopped."""

    seat: int
    bank_ms: int
    runs_out_at_ms: int | None


class SeatFault(TypedDict):
    """A fault of a seat. ``after`` is the number of actions logged before it."""

    seat: int
    type: str
    after: int


class TakenSeat(TypedDict):
    """A seat that the table plays to the end, and the reason."""

    seat: int
    reason: str


class TableView(TypedDict):
    """The table as seen from a seat or by a spectator. ``observation`` is the view of the game's state, or
    None if there is no table. ``turn`` is the seat's turn, if it has one.
    """

    awaiting: list[int]
    clocks: list[ClockView]
    faults: list[SeatFault]
    taken_over: list[TakenSeat]
    observation: Mapping[str, object] | None
    turn: Turn | None


class GameView(GameSummary, TableView):
    """The summary and the view of the table. ``seat`` is the seat whose view it is, or None for a spectator's
    view.
    """

    version: int
    seat: int | None


class EventPage(TypedDict):
    """Events with their numbers ``n``. ``next`` is the number of the next event. ``over`` means that no more
    events will follow.
    """

    events: list[dict[str, Any]]
    next: int
    over: bool


class Moderate(Protocol):
    """A function that returns a JSON-serializable value with names and texts as shown to others."""

    def __call__(self, value: T, /) -> T:
        """See the class docstring."""


def as_it_is(value: T, /) -> T:
    """Return the value unchanged."""
    return value


class GameHidden(ArenaError):
    """The game belongs to a mirrored group that is not over."""

    code = "game_hidden"


class NotSeated(ArenaError):
    """The bot does not occupy that seat."""

    code = "not_seated"


def check_visible(header: GameHeader, viewer: Viewer) -> None:
    """Check that the viewer can see the game. Raises :class:`GameHidden`, or :class:`GameNotFound` for a
    private game.
    """
    if not header.is_hidden_from(viewer):
        return
    if header.is_mirrored and header.visibility == "public":
        raise GameHidden(
            f"game {header.game} has the same deals as the other games of its group; "
            "it becomes visible when the group is over",
            field="game",
        )
    raise GameNotFound(f"there is no game {header.game!r}", field="game")


def viewing_seat(header: GameHeader, viewer: Viewer, seat: int | None) -> int | None:
    """Return the seat whose view is shown, or None for a spectator's view. Raises :class:`NotSeated`."""
    own = header.seats_of(viewer.bot)
    if seat is None:
        return own[0] if own else None
    if seat not in own:
        allowed = ", ".join(map(str, own)) or "none of them"
        raise NotSeated(f"seat {seat} is not yours", field="seat", expected=allowed)
    return seat


def game_view(game: LiveGame, seat: int | None, clock: ServiceClock) -> GameView:
    """Return the summary and the view of the table from ``seat`` (None: as a spectator)."""
    return {
        **game.header.summary(),
        "version": game.version,
        "seat": seat,
        **_table_view(game, seat, clock),
    }


def _table_view(game: LiveGame, seat: int | None, clock: ServiceClock) -> TableView:
    table = game.table
    if table is None:
        return past_view()
    settings, table_clock, paused = game.header.clock, game.table_clock(clock), game.is_paused(clock)
    return {
        "awaiting": list(table.awaited()),
        "clocks": [
            {
                "seat": number,
                "bank_ms": own.bank_ms,
                "runs_out_at_ms": own.deadline(settings, table_clock) if own.turn and not paused else None,
            }
            for number, own in enumerate(game.clocks)
        ],
        "faults": [{"seat": f.seat, "type": f.type, "after": f.after} for f in table.faults],
        "taken_over": [{"seat": s, "reason": reason} for s, reason in sorted(table.taken_over.items())],
        "observation": table.state.observation(seat),
        "turn": None if seat is None or not game.is_running else game.turn(seat, clock),
    }


def past_view() -> TableView:
    """Return the table view of a game that has not begun, or of which only the record still exists."""
    return {
        "awaiting": [],
        "clocks": [],
        "faults": [],
        "taken_over": [],
        "observation": None,
        "turn": None,
    }


def project_events(
    kind: str, events: Sequence[bytes], start: int, seat: int | None
) -> list[dict[str, object]]:
    """Return the stored events, numbered from ``start``, as ``seat`` (None: a spectator) may see them."""
    view_event = game_of(kind).view_event
    views = []
    for number, event in enumerate(events, start):
        view = view_event(as_event(orjson.loads(event)), seat)
        if view is not None:
            views.append({"n": number, **view})
    return views


def list_entry(data: bytes, viewer: Viewer) -> tuple[GameHeader, GameSummary | None]:
    """Return the header, and the entry of the game in lists, or None if it is hidden from the viewer."""
    header = GameHeader.loads(data)
    game_of(header.kind)
    return header, None if header.is_unlisted_for(viewer) else header.summary()


def is_running(game: str, data: bytes) -> bool:
    """Return whether a game's header can be read and the game is running."""
    header = shown_or_left_out(f"game {game}", partial(GameHeader.loads, data))
    return header is not None and header.state == "running"
