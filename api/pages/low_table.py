"""The smallest drawing of a table, of which several stand side by side: without hands and without the stake,
which its caption says.
"""

from __future__ import annotations

from typing import Final

from api.pages.front_table import FrontTable
from api.pages.small_table import (
    WIDE_NAME,
    WIDE_NAME_WITH_LIVES,
    Lying,
    Seat,
    SmallTable,
    place_of,
    small_table,
)

_SEATS: Final = {
    2: ((50, 90), (50, 10)),
    3: ((50, 90), (0, 28), (100, 28)),
    4: ((50, 90), (0, 28), (50, 10), (100, 28)),
    5: ((50, 90), (15, 64), (21, 18), (79, 18), (85, 64)),
    6: ((50, 90), (15, 66), (15, 30), (50, 10), (85, 30), (85, 66)),
    7: ((50, 91), (15, 78), (15, 44), (25, 10), (75, 10), (85, 44), (85, 78)),
    8: ((50, 92), (15, 82), (15, 51), (15, 20), (50, 8), (85, 20), (85, 51), (85, 82)),
}
"""The centres of the seats in per cent, clockwise from the bottom, by the number of seats. With three and
four, the plates at the sides begin at the edge, above the cards of the trick, where there is room for names.
"""

_PARTNERS: Final = ((0, 31), (-43, 0), (0, -31), (43, 0))
"""The positions of the cards in games of partners, in pixels from the centre."""

_TOWARDS_SEAT: Final = (0.42, 0.52)
"""The distance of a trick's cards from the centre, as fractions of the distance to their seat."""

_MOST_SPEAKING: Final = 5
"""The maximum number of seats with which there is room for bubbles."""

_WIDTH: Final = 40
_WIDTH_OF_MANY: Final = 27
_MOST_WIDE: Final = 4
"""The maximum number of seats with which there is room for long names."""

_BELOW_PLATES: Final = 40
"""The height of the uppermost card of the trick with four, in per cent."""

_NAME: Final = 8
_NAME_WITH_LIVES: Final = 6
_SIDE_NAME: Final = 15
"""The maximum number of characters of a name on a plate, of one beside lives, and of one at the edge."""


def low_table(table: FrontTable) -> SmallTable:
    """Draw the position that ``table`` shows."""
    drawn = small_table(table, hands=False)
    is_large = len(drawn.seats) > _MOST_SPEAKING
    return drawn._replace(
        seats=[_seat(table, number, seat, is_large) for number, seat in enumerate(drawn.seats)],
        lying=[_lying(table, one) for one in drawn.lying],
        width=_WIDTH_OF_MANY if is_large else _WIDTH,
        stake="",
    )


def _seat(table: FrontTable, number: int, seat: Seat, is_large: bool) -> Seat:
    x, y = _SEATS[len(table.layout["names"])][place_of(table.layout, number)]
    at_edge = x in (0, 100)
    if at_edge:
        most = _SIDE_NAME
    elif len(table.layout["names"]) <= _MOST_WIDE:
        most = WIDE_NAME if seat.score is None else WIDE_NAME_WITH_LIVES
    else:
        most = _NAME if seat.score is None else _NAME_WITH_LIVES
    bubble = "right" if x == 50 else "below" if y < 30 else "above"
    said = "" if is_large else seat.said
    return seat._replace(x=x, y=y, at_edge=at_edge, bubble=bubble, said=said).named(most)


def _lying(table: FrontTable, one: Lying) -> Lying:
    place = place_of(table.layout, one.seat)
    if table.is_paired:
        dx, dy = _PARTNERS[place]
        return one._replace(dx=dx, dy=dy)
    size = len(table.layout["names"])
    x, y = _SEATS[size][place]
    if size <= _MOST_WIDE and x != 50:
        # The card lies at the height of the middle, below its plate.
        x, y = (15, 50) if x < 50 else (85, 50)
    across, down = _TOWARDS_SEAT
    height = 50 + down * (y - 50)
    if size == _MOST_WIDE:
        height = max(height, _BELOW_PLATES)
    return one._replace(x=50 + across * (x - 50), y=height)
