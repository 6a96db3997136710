"""The small table on the front page as drawn by the server: the positions of seats, cards and calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from api.pages.front_table import FrontTable

_SEATS: Final = {
    2: ((50, 84), (50, 16)),
    3: ((50, 84), (20, 29), (80, 29)),
    4: ((50, 84), (17, 50), (50, 16), (83, 50)),
    5: ((50, 84), (17, 58), (26, 24), (74, 24), (83, 58)),
    6: ((50, 88), (17, 66), (17, 26), (50, 16), (83, 26), (83, 66)),
    7: ((50, 90), (17, 72), (17, 44), (29, 16), (71, 16), (83, 44), (83, 72)),
    8: ((50, 90), (17, 72), (17, 46), (17, 20), (50, 13), (83, 20), (83, 46), (83, 72)),
}
"""The centres of the seats in per cent of the table, clockwise from the bottom, by the number of seats."""

_TOWARDS_SEAT: Final = 0.42
"""The distance of a trick's cards from the centre, as a fraction of the distance to their seat."""

_PARTNERS: Final = ((0, 42), (-58, 0), (0, -42), (58, 0))
"""The positions of the cards in games of partners, in pixels from the centre."""

_MIDDLE: Final = 50
_ABOVE: Final = 27
"""The height of a plate at a side, and of one above the cards of the trick, in per cent."""

_MOST_HANDS: Final = 5
"""The maximum number of seats with which hands are drawn."""

_WIDTH: Final = 54
_WIDTH_OF_MANY: Final = 31
"""The width of the trick's cards if there are more seats than that: they must not overlap."""

_NAME: Final = 10
"""The maximum number of characters of a name on a plate."""

WIDE_NAME: Final = 16
WIDE_NAME_WITH_LIVES: Final = 13
"""That of a name at the top or the bottom, beside which is only a bubble, and of one beside lives."""

_SIDE_NAMES: Final = {3: (29, 15), 4: (43, 13)}
"""The height of the seats at the sides in per cent, and the maximum number of characters of their names, by
the number of seats at which their plates begin at the edge, above the cards of the trick.
"""

_EDGE: Final = 8
_HALF_HAND: Final = 46
"""The distance of such a plate from the edge, and half the width of the cards below it, in pixels."""


class Seat(NamedTuple):
    """A seat at ``x``, ``y``. ``said`` is the text in its speech bubble, and ``kind`` says whether that is a
    call, an answer or a question. ``bubble`` is the position of the bubble beside the plate. ``at_edge``:
    whether the plate begins at the edge of the table.
    """

    name: str
    short: str
    x: float
    y: float
    side: int | None
    score: int | None
    acts: bool
    dealer: bool
    off: bool
    below: bool
    cards: list[str]
    said: str
    kind: str
    bubble: str
    at_edge: bool = False

    @property
    def dx(self) -> float:
        """The distance of the plate's centre from ``x`` in pixels: a plate ``at_edge`` begins there."""
        return self._inwards(_EDGE + self.width / 2)

    @property
    def hand_dx(self) -> float:
        """The distance of the centre of the cards from ``x`` in pixels."""
        return self._inwards(_EDGE + _HALF_HAND)

    def _inwards(self, distance: float) -> float:
        return 0 if not self.at_edge else distance if self.x < _MIDDLE else -distance

    def named(self, most: int) -> Seat:
        """Return the seat with at most ``most`` characters of its name on the plate."""
        return self._replace(short=shortened(self.name, most))

    @property
    def width(self) -> int:
        """The width of the plate."""
        extra = 16 if self.side is not None else 0
        return 24 + 7 * len(self.short) + extra + (0 if self.score is None else 10 + 8 * len(str(self.score)))

    @property
    def said_width(self) -> int:
        """The width of the bubble."""
        return 24 + 7 * len(self.said)


class Lying(NamedTuple):
    """A card of the trick, or None for the place of the next card, and the seat it belongs to. ``dx`` and
    ``dy`` are in pixels.
    """

    seat: int
    card: str | None
    x: float
    y: float
    dx: int
    dy: int


class SmallTable(NamedTuple):
    """The drawing of a small table, and its description in words. ``width`` is that of the trick's cards."""

    seats: list[Seat]
    lying: list[Lying]
    width: int
    stake: str
    words: str

    def lying_of(self, seat: int) -> Lying | None:
        """Return the card of a seat in the trick, or the place of its next card."""
        return next((one for one in self.lying if one.seat == seat), None)


def small_table(table: FrontTable, *, hands: bool = True) -> SmallTable:
    """Draw the position that ``table`` shows. A low drawing has no room for ``hands``: without them, the
    plates at the sides are above the cards of the trick.
    """
    picture, layout = table.picture, table.layout
    size = len(layout["names"])
    seats = [_seat(table, seat) for seat in range(size)]
    if not hands:
        seats = [seat._replace(cards=[], y=_ABOVE if seat.y == _MIDDLE else seat.y) for seat in seats]
    lying = [_lying(table, seat, card) for seat, card, _ in picture["lying"]]
    taken = {seat for seat, *_ in picture["lying"]}
    if not picture["question"]:
        lying += [_lying(table, seat, None) for seat in picture["awaiting"] if seat not in taken]
    unit = layout["unit"][picture["stake"] != 1]
    words = [f"{table.title}: {_score_words(table)}", f"hand {picture['hand']}"]
    if picture["trick"]:
        words.append(f"trick {picture['trick']}")
    words.append(f"{picture['stake']} {unit} at stake")
    words += [
        f"{seat.name} {'is asked' if seat.kind == 'question' else 'says'}: {seat.said}"
        for seat in seats
        if seat.said
    ]
    width = _WIDTH if size <= _MOST_HANDS else _WIDTH_OF_MANY
    return SmallTable(seats, lying, width, f"{picture['stake']} {unit}", ", ".join(words))


def with_wide_names(drawn: SmallTable) -> SmallTable:
    """Return a table of at most four seats with names as wide as there is room for beside the cards."""
    size = len(drawn.seats)
    if size > max(_SIDE_NAMES):
        return drawn

    def widen(seat: Seat) -> Seat:
        if seat.x == _MIDDLE:
            return seat.named(WIDE_NAME if seat.score is None else WIDE_NAME_WITH_LIVES)
        y, most = _SIDE_NAMES[size]
        return seat._replace(x=0 if seat.x < _MIDDLE else 100, y=y, at_edge=True).named(most)

    return drawn._replace(seats=[widen(seat) for seat in drawn.seats])


def shortened(name: str, most: int) -> str:
    """Return at most ``most`` characters of a name."""
    return name if len(name) <= most else f"{name[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def _score_words(table: FrontTable) -> str:
    scores = table.picture["score"]
    if table.has_sides:
        return f"{scores[0]} to {scores[1]}"
    names = table.layout["names"]
    return ", ".join(f"{name} {score}" for name, score in zip(names, scores, strict=True))


def place_of(layout: Mapping[str, Any], seat: int) -> int:
    """Return the place of a seat, clockwise from the bottom."""
    size = len(layout["names"])
    return (size - seat) % size if layout["ccw"] else seat


def _seat(table: FrontTable, seat: int) -> Seat:
    picture, layout = table.picture, table.layout
    name: str = layout["names"][seat]
    x, y = _SEATS[len(layout["names"])][place_of(layout, seat)]
    said, kind = _said(picture, seat)
    sides = table.has_sides
    return Seat(
        name=name,
        short=shortened(name, _NAME),
        x=x,
        y=y,
        side=next(at for at, team in enumerate(layout["teams"]) if seat in team) if sides else None,
        score=None if sides else picture["score"][seat],
        acts=seat in picture["awaiting"],
        dealer=picture["dealer"] == seat,
        off=picture[f"state{seat}"] != "",
        # A seat's cards lie between its plate and the trick.
        below=y > 80,
        cards=picture[f"cards{seat}"] if len(layout["names"]) <= _MOST_HANDS else [],
        said=said,
        kind=kind,
        bubble="above" if 30 <= y <= 80 else "left" if x > 50 else "right",
    )


def _said(picture: Mapping[str, Any], seat: int) -> tuple[str, str]:
    """Return the text in the bubble of a seat and its kind, or empty strings if there is none."""
    if seat in picture["awaiting"] and picture["question"]:
        return picture["question"], "question"
    said = picture[f"said{seat}"]
    if said is None:
        return "", ""
    kind, text, value, _ = said
    return (text if value is None else f"{text} {value}"), kind


def _lying(table: FrontTable, seat: int, card: str | None) -> Lying:
    place = place_of(table.layout, seat)
    if table.is_paired:
        return Lying(seat, card, 50, 50, *_PARTNERS[place])
    x, y = _SEATS[len(table.layout["names"])][place]
    return Lying(seat, card, 50 + _TOWARDS_SEAT * (x - 50), 50 + _TOWARDS_SEAT * (y - 50), 0, 0)
