"""Narrates and pictures the moves of a recorded game, obtained by replaying its actions with the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from arena.errors import ArenaError
from arena.games import game_of
from arena.games.descriptor import Game, Narrator
from arena.games.kernel import Event
from arena.games.options import Rules
from arena.games.pictures import Picture
from arena.records.record import Record
from arena.records.tell import seat_names, told_incidents, told_mark

OPEN: Final = "open"
"""The view of a finished game in which all hands are visible."""

View = int | Literal["open"] | None
"""The viewer: a seat, ``OPEN``, or None for a spectator of a game in progress."""


@dataclass(frozen=True)
class ToldLine:
    """One sentence about a move. ``seats`` are the seats that can see the cards mentioned in it; None means
    everybody. ``is_remark`` marks a remark that was not part of the play at the table.
    """

    text: str
    seats: tuple[int, ...] | None = None
    is_remark: bool = False


@dataclass
class Move:
    """One action of a seat or of chance, with everything that follows from it by the rules.

    ``seat`` is the seat that acted, or ``CHANCE``. ``hand`` is the number of the hand, from 1. ``is_call`` is
    true if the move raises the stake, and ``ends_hand`` if the hand ends with it.
    """

    seat: int
    hand: int
    lines: list[ToldLine]
    is_call: bool
    ends_hand: bool


@dataclass
class ReplayedGame:
    """A recorded game as a list of moves.

    ``pictures`` holds one picture per move for each view, in the format of
    :class:`~arena.games.pictures.Picture`. ``deals`` lists the actions of chance as ``(kind, hand, items,
    action)`` (see :class:`~arena.games.kernel.Chance`).
    """

    game: Game
    rules: Rules
    names: list[str]
    form: Picture
    """The picture of any one view, which describes how the table is laid out."""
    moves: list[Move] = field(default_factory=list)
    pictures: dict[View, list[dict[str, Any]]] = field(default_factory=dict)
    deals: list[tuple[str, int, tuple[str, ...], str]] = field(default_factory=list)


def read_moves(record: Record, remarks: Mapping[int, str] = MappingProxyType({})) -> ReplayedGame:
    """Return the moves of a record whose actions are legal, for every seat and for the open view. ``remarks``
    maps indexes of actions in the record to remarks about them.

    Raises :class:`~arena.errors.ArenaError`: ``no_picture`` if the game has no table picture. Rule errors are
    raised unchanged for a record that cannot be replayed.
    """
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    rules = game.options.complete(canonical["rules"])
    names = seat_names(player["name"] for player in canonical["players"])
    pictures = new_pictures(game, names, rules)
    replayed = ReplayedGame(game, rules, names, pictures[OPEN], pictures={view: [] for view in pictures})
    state = game.new_state(rules)
    narrator = game.narrator(names, rules)
    incidents = told_incidents(canonical, names)
    lot = False
    for index, (seat, action, *mark) in enumerate(canonical["actions"]):
        chance = state.chance()
        if chance is not None:
            replayed.deals.append((chance.kind, chance.hand, tuple(chance.items), action))
        before = [ToldLine(text) for text in incidents.get(index, ())]
        if mark:
            before.append(ToldLine(told_mark(names[seat], mark[0])))
        parts = _parts(state.apply(seat, action), pictures[OPEN].moves)
        for place, part in enumerate(parts, start=1):
            lines, is_call = _take(part, game, pictures, narrator)
            if place == 1 and index in remarks:
                lines.append(ToldLine(remarks[index], is_remark=True))
            awaiting = state.awaiting() if place == len(parts) else ()
            shown = {view: picture.shown(awaiting) for view, picture in pictures.items()}
            now = shown[OPEN]
            move = Move(seat, now["hand"], before + lines, is_call, now["ended"] is not None)
            # The draw for the first dealer and the first deal are one move. Events without text add no move.
            _add(replayed, move, shown, joined=lot or not move.lines)
            before = []
            lot = False
        lot = chance is not None and chance.kind == "dealer"
    return replayed


def new_pictures(game: Game, names: Sequence[str], rules: Rules) -> dict[View, Picture]:
    """Return a new picture for ``OPEN`` and for each seat. Raises the same error as :func:`new_picture`."""
    return {view: new_picture(game, names, rules) for view in (OPEN, *range(len(names)))}


def new_picture(game: Game, names: Sequence[str], rules: Rules) -> Picture:
    """Return a new picture for one viewer. Raises :class:`~arena.errors.ArenaError` (``no_picture``) if the
    game has no table picture.
    """
    if game.picture is None:
        raise ArenaError(f"{game.title} has no replay page", code="no_picture", field="kind")
    return game.picture(names, rules)


def open_view(game: Game, event: Event, seats: int) -> dict[str, object]:
    """Return ``event`` with everything that any seat sees in it. Use this for finished games only."""
    seen = dict(game.view_event(event, None) or {})
    for seat in range(seats):
        for name, value in (game.view_event(event, seat) or {}).items():
            if seen.get(name) is None:
                seen[name] = value
    return seen


def _parts(events: list[Event], moves: frozenset[str]) -> list[list[Event]]:
    """Split the events of one action before each event that starts a separate move."""
    parts: list[list[Event]] = [[]]
    for event in events:
        if parts[-1] and event[0] in moves:
            parts.append([])
        parts[-1].append(event)
    return parts


def _take(
    events: list[Event], game: Game, pictures: Mapping[View, Picture], narrator: Narrator
) -> tuple[list[ToldLine], bool]:
    """Update all pictures. Return the lines about the events, and whether the stake was raised."""
    lines = []
    seats = range(len(pictures) - 1)
    for event in events:
        seen = open_view(game, event, len(seats))
        knowing: tuple[int, ...] | None = None
        if game.view_event(event, None) != seen:
            knowing = tuple(seat for seat in seats if game.view_event(event, seat) == seen)
        for view, picture in pictures.items():
            shown = seen if view == OPEN else game.view_event(event, view if isinstance(view, int) else None)
            if shown is not None:
                picture.take(shown)
        lines += [ToldLine(text, knowing) for text in narrator.line(event) if text]
    return lines, any(event[0] in pictures[OPEN].calls for event in events)


def _add(
    replayed: ReplayedGame, move: Move, shown: Mapping[View, dict[str, object]], *, joined: bool
) -> None:
    """Add a move with its pictures. If ``joined``, merge it into the previous move."""
    if joined and replayed.moves:
        last = replayed.moves[-1]
        last.lines += move.lines
        last.hand, last.ends_hand = move.hand, move.ends_hand
        for view, picture in shown.items():
            replayed.pictures[view][-1] = picture
        return
    replayed.moves.append(move)
    for view, picture in shown.items():
        replayed.pictures[view].append(picture)
