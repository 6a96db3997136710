"""Narrates and pictures the moves of a recorded game, obtained by replaying its actions with the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from arena.errors import ArenaError
from arena.games import game_of, narration
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
    everybody.
    """

    text: str
    seats: tuple[int, ...] | None = None


@dataclass
class Move:
    """One action of a seat or of chance, with everything that follows from it by the rules.

    ``seat`` is the seat that acted, or ``CHANCE``. ``hand`` is the number of the hand, from 1. ``is_call`` is
    true if the move raises the stake, and ``ends_hand`` if the hand ends with it. ``decisions`` are the
    indexes of the players' actions in the record that begin in this move.
    """

    seat: int
    hand: int
    lines: list[ToldLine]
    is_call: bool
    ends_hand: bool
    decisions: list[int] = field(default_factory=list)


@dataclass
class ReplayedGame:
    """A recorded game, or one hand of it, as a list of moves.

    ``first`` is the number of the first move in the game, from 1. ``pictures`` holds one picture per move for
    each view, in the format of :class:`~arena.games.pictures.Picture`. ``deals`` lists the actions of chance
    as ``(kind, hand, items, action)`` (see :class:`~arena.games.kernel.Chance`).
    """

    game: Game
    rules: Rules
    names: list[str]
    form: Picture
    """The picture of any one view, which describes how the table is laid out."""
    moves: list[Move] = field(default_factory=list)
    pictures: dict[View, list[dict[str, Any]]] = field(default_factory=dict)
    deals: list[tuple[str, int, tuple[str, ...], str]] = field(default_factory=list)
    first: int = 1


def read_moves(record: Record) -> ReplayedGame:
    """Return the moves of a record whose actions are legal, for every seat and for the open view.

    Raises the same errors as :func:`read_hands`.
    """
    hands = read_hands(record)
    whole = next(hands)
    for hand in hands:
        whole.moves += hand.moves
        whole.deals += hand.deals
        for view, pictures in hand.pictures.items():
            whole.pictures[view] += pictures
    return whole


def read_hands(record: Record) -> Iterator[ReplayedGame]:
    """Yield the moves of a record hand by hand, so that a long game needs little memory. There is at least
    one hand.

    Raises :class:`~arena.errors.ArenaError`: ``no_picture`` if the game has no table picture. Rule errors are
    raised unchanged for a record that cannot be replayed.
    """
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    rules = game.options.complete(canonical["rules"])
    names = seat_names(player["name"] for player in canonical["players"])
    pictures = new_pictures(game, names, rules)
    replayed = _new_hand(game, rules, names, pictures, 1)
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
            awaiting = state.awaiting() if place == len(parts) else ()
            shown = {view: picture.shown(awaiting) for view, picture in pictures.items()}
            now = shown[OPEN]
            decisions = [index] if place == 1 and chance is None else []
            move = Move(seat, now["hand"], before + lines, is_call, now["ended"] is not None, decisions)
            # The draw for the first dealer and the first deal are one move. Events without text add no move.
            joined = lot or not move.lines
            if replayed.moves and not joined and move.hand != replayed.moves[-1].hand:
                following = _new_hand(game, rules, names, pictures, replayed.first + len(replayed.moves))
                following.deals = [deal for deal in replayed.deals if deal[1] >= move.hand]
                replayed.deals = [deal for deal in replayed.deals if deal[1] < move.hand]
                yield replayed
                replayed = following
            _add(replayed, move, shown, joined=joined)
            before = []
            lot = False
        lot = chance is not None and chance.kind == "dealer"
    yield replayed


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
    return narration.open_view(game.view_event, event, seats)


def _new_hand(
    game: Game, rules: Rules, names: list[str], pictures: Mapping[View, Picture], first: int
) -> ReplayedGame:
    views: dict[View, list[dict[str, Any]]] = {view: [] for view in pictures}
    return ReplayedGame(game, rules, names, pictures[OPEN], pictures=views, first=first)


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
        lines += [ToldLine(text, knowing) for text in narrator.seen_lines(seen) if text]
    return lines, any(event[0] in pictures[OPEN].calls for event in events)


def _add(
    replayed: ReplayedGame, move: Move, shown: Mapping[View, dict[str, object]], *, joined: bool
) -> None:
    """Add a move with its pictures. If ``joined``, merge it into the previous move."""
    if joined and replayed.moves:
        last = replayed.moves[-1]
        last.lines += move.lines
        last.hand, last.ends_hand = move.hand, move.ends_hand
        last.decisions += move.decisions
        for view, picture in shown.items():
            replayed.pictures[view][-1] = picture
        return
    replayed.moves.append(move)
    for view, picture in shown.items():
        replayed.pictures[view].append(picture)
