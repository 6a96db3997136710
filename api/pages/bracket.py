"""The drawing of a knockout between pairs of players: boxes and elbow lines, from left to right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from api.pages.rounds import Met

MOST_ROUNDS: Final = 6
"""The maximum number of rounds (64 players) for which the bracket is drawn."""

_WIDTH: Final = 198
_HEIGHT: Final = 56
_COLUMN: Final = _WIDTH + 46
_ROW: Final = _HEIGHT + 10
_TOP: Final = 28
"""The top edge of the boxes, below the names of the rounds."""

_NAME: Final = 18
"""The maximum number of characters of a name in a box."""

_FINAL: Final = 1
_THIRD_PLACE: Final = 2
_NAMES: Final = {0: "Final", 1: "Semi-finals", 2: "Quarter-finals"}


class Player(NamedTuple):
    """A line in a box. ``points`` is empty until the first group is over."""

    name: str
    points: str
    won: bool


class Box(NamedTuple):
    """A pairing at ``x``, ``y``. It has no players until they are known."""

    x: int
    y: int
    players: list[Player]
    playing: bool


class BracketDrawing(NamedTuple):
    """Boxes, lines (``points`` of polylines) and labels (``(x, y, text)``), and the size of the drawing in
    pixels. ``titles`` are the names of the rounds. ``third_place`` is the round and the pairing of the match
    for third place, or None. ``winners`` are the players that went on, by round and pairing, and ``has_tie``
    is whether one of them did so after a tie.
    """

    width: int
    height: int
    boxes: list[Box]
    lines: list[str]
    labels: list[tuple[int, int, str]]
    titles: dict[int, str]
    third_place: tuple[int, int] | None
    winners: dict[tuple[int, int], str]
    has_tie: bool


def bracket(
    rounds: Sequence[tuple[int, Sequence[Met]]], entrants: int, places: Mapping[str, int], *, running: bool
) -> BracketDrawing | None:
    """Return the drawing of a bracket, or None if it cannot be drawn.

    ``entrants`` is the number of players known so far. ``places`` are the final places if the knockout is
    over.
    """
    met = {(number, one.pairing): one for number, pairings in rounds for one in pairings}
    if not met or any(len(one.points) != 2 for one in met.values()):
        return None
    third = next((key for key in met if _is_third_place(key, met)), None)
    deepest = max(
        number + (pairing - 1).bit_length() for number, pairing in met if (number, pairing) != third
    )
    count = max(deepest, (entrants - 1).bit_length())
    if count > MOST_ROUNDS:
        return None
    won = {key: winner for key in met if (winner := _winner(key, met, places)) is not None}
    boxes, lines = [], []
    for number in range(1, count + 1):
        for pairing in range(1, 2 ** (count - number) + 1):
            one = met.get((number, pairing))
            # In the first round, an empty place is a bye.
            if one is None and number == 1:
                continue
            x, y = _place(number, pairing)
            boxes.append(_box(x, y, (number, pairing), met, won, running=running))
            for feeder in (2 * pairing - 1, 2 * pairing):
                if number > 1 and (number > 2 or (1, feeder) in met):
                    lines.append(_elbow(number - 1, feeder, x, y))
    titles = {number: _NAMES.get(count - number, f"Round {number}") for number in range(1, count + 1)}
    labels = [((number - 1) * _COLUMN, 14, title) for number, title in titles.items()]
    height = _TOP + 2 ** (count - 1) * _ROW
    if third is not None:
        x, y = _place(count, _FINAL)
        y += _HEIGHT + 48
        boxes.append(_box(x, y, third, met, won, running=running))
        labels.append((x, y - 10, "Third place"))
        height = max(height, y + _ROW)
    width = count * _COLUMN - (_COLUMN - _WIDTH) + 2
    has_tie = any(len(set(met[key].points.values())) == 1 for key in won)
    return BracketDrawing(width, height, boxes, lines, labels, titles, third, won, has_tie)


def _is_third_place(key: tuple[int, int], met: Mapping[tuple[int, int], Met]) -> bool:
    """Return whether a pairing is the match for third place, between the losers of the semi-finals: the
    second pairing of a round, with a player from the first two pairings of the previous round.
    """
    number, pairing = key
    before = [met[number - 1, feeder] for feeder in (1, 2) if (number - 1, feeder) in met]
    return pairing == _THIRD_PLACE and any(name in one.points for name in met[key].points for one in before)


def _place(number: int, pairing: int) -> tuple[int, int]:
    """Return the corner of a box, which is vertically midway between the boxes whose winners meet in it."""
    rows = 2 ** (number - 1)
    y = _TOP + (pairing - 1) * rows * _ROW + (rows - 1) * _ROW // 2
    return (number - 1) * _COLUMN + 1, y


def _elbow(number: int, pairing: int, x: int, y: int) -> str:
    """Return the line from the box of a pairing to the next one at ``x``, ``y``."""
    from_x, from_y = _place(number, pairing)
    middle = from_x + _WIDTH + (_COLUMN - _WIDTH) // 2
    start, end = from_y + _HEIGHT // 2, y + _HEIGHT // 2
    return f"{from_x + _WIDTH},{start} {middle},{start} {middle},{end} {x},{end}"


def _winner(
    key: tuple[int, int], met: Mapping[tuple[int, int], Met], places: Mapping[str, int]
) -> str | None:
    """Return the player that went on, which after a tie is the better seed, or None if it is not known."""
    number, pairing = key
    one = met[key]
    later = met.get((number + 1, (pairing + 1) // 2))
    if later is None and places:
        # After a tie, the better seed has the better place.
        return min(sorted(one.points), key=lambda name: places.get(name, len(places) + 1))
    went_on = [] if later is None else [name for name in one.points if name in later.points]
    return went_on[0] if len(went_on) == 1 else one.best


def _box(
    x: int,
    y: int,
    key: tuple[int, int],
    met: Mapping[tuple[int, int], Met],
    won: Mapping[tuple[int, int], str],
    *,
    running: bool,
) -> Box:
    number, pairing = key
    one = met.get(key)
    if one is None:
        return Box(x, y, [], playing=False)
    came_from = {
        name: before for (round, before), other in met.items() if round == number - 1 for name in other.points
    }
    known = sum(came_from.get(name, 0) for name in one.points)
    # From top to bottom in the order of their boxes; a player with a bye came from the other of the two
    # boxes.
    names = sorted(one.points, key=lambda name: came_from.get(name, 4 * pairing - 1 - known))
    players = [
        Player(
            name if len(name) <= _NAME else name[: _NAME - 1] + "\N{HORIZONTAL ELLIPSIS}",
            f"{one.points[name]:g}" if one.done else "",
            name == won.get(key),
        )
        for name in names
    ]
    return Box(x, y, players, playing=running and one.done < one.planned and key not in won)
