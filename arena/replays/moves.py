"""The moves of a recorded game as words and pictures, obtained by replaying its actions with the rules."""

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
"""The view of a finished game in which all hands are open."""

View = int | Literal["open"] | None
"""Who looks: a seat, ``OPEN``, or None for a spectator of a game in progress."""


@dataclass(frozen=True)
class ToldLine:
    """One sentence about a move. ``seats`` says who may see the cards in it (None: everybody). ``is_remark``
    says that it was not said at the table.
    """

    text: str
    seats: tuple[int, ...] | None = None
    is_remark: bool = False


@dataclass
class Move:
    """What one seat or chance did, with all that followed from it by the rules.

    ``seat`` is the seat that acted, or ``CHANCE``. ``hand`` is the number of the hand, from 1. ``is_call``
    says whether the move raises the stake. ``ends_hand`` says whether the hand ends with it.
    """

    seat: int
    hand: int
    lines: list[ToldLine]
    is_call: bool
    ends_hand: bool


@dataclass
class ReplayedGame:
    """A recorded game as moves.

    ``pictures`` holds, by view, one picture per move, as :class:`~arena.games.pictures.Picture` shows them.
    ``deals`` lists what chance did, as ``(kind, hand, items, action)`` (see
    :class:`~arena.games.kernel.Chance`).
    """

    game: Game
    rules: Rules
    names: list[str]
    form: Picture
    """Of any view: how the table of this game is laid out."""
    moves: list[Move] = field(default_factory=list)
    pictures: dict[View, list[dict[str, Any]]] = field(default_factory=dict)
    deals: list[tuple[str, int, tuple[str, ...], str]] = field(default_factory=list)


def read_moves(record: Record, remarks: Mapping[int, str] = MappingProxyType({})) -> ReplayedGame:
    """Return the moves of a record whose actions are legal, for every seat and with open hands. ``remarks``
    holds what to say about actions, by their index in the record.

    Raises :class:`~arena.errors.ArenaError`: ``no_picture`` if the game has no tables to show, and what the
    rules raise for a record that cannot be played through.
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
            # The lot for the first dealer and the first deal are one move, and what nobody tells is none.
            _add(replayed, move, shown, joined=lot or not move.lines)
            before = []
            lot = False
        lot = chance is not None and chance.kind == "dealer"
    return replayed


def new_pictures(game: Game, names: Sequence[str], rules: Rules) -> dict[View, Picture]:
    """Return a new picture for ``OPEN`` and for every seat. Raises :class:`~arena.errors.ArenaError`."""
    return {view: new_picture(game, names, rules) for view in (OPEN, *range(len(names)))}


def new_picture(game: Game, names: Sequence[str], rules: Rules) -> Picture:
    """Return a new picture for one viewer. Raises :class:`~arena.errors.ArenaError`: ``no_picture``."""
    if game.picture is None:
        raise ArenaError(f"{game.title} has no replay page", code="no_picture", field="kind")
    return game.picture(names, rules)


def open_view(game: Game, event: Event, seats: int) -> dict[str, object]:
    """Return ``event`` with everything that any seat sees of it. This is for finished games only."""
    seen = dict(game.view_event(event, None) or {})
    for seat in range(seats):
        for name, value in (game.view_event(event, seat) or {}).items():
            if seen.get(name) is None:
                seen[name] = value
    return seen


def _parts(events: list[Event], moves: frozenset[str]) -> list[list[Event]]:
    """Return the events of one action, split before each one that is a separate move."""
    parts: list[list[Event]] = [[]]
    for event in events:
        if parts[-1] and event[0] in moves:
            parts.append([])
        parts[-1].append(event)
    return parts


def _take(
    events: list[Event], game: Game, pictures: Mapping[View, Picture], narrator: Narrator
) -> tuple[list[ToldLine], bool]:
    """Change all pictures, and return the lines about the events, and whether the stake was raised."""
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
    """Add a move with its pictures. If ``joined``, make it a part of the last one."""
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
