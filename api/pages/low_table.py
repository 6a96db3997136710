"""The smallest drawing of a table, of which several stand side by side: without hands and without the stake,
which its caption says.
"""

from __future__ import annotations

from typing import Final

from api.pages.front_table import FrontTable
from api.pages.small_table import Lying, Seat, SmallTable, place_of, small_table

_SEATS: Final = {
    2: ((50, 90), (50, 10)),
    3: ((50, 90), (17, 36), (83, 36)),
    4: ((50, 90), (15, 50), (50, 10), (85, 50)),
    5: ((50, 90), (15, 64), (21, 18), (79, 18), (85, 64)),
    6: ((50, 90), (15, 66), (15, 30), (50, 10), (85, 30), (85, 66)),
    7: ((50, 91), (15, 78), (15, 44), (25, 10), (75, 10), (85, 44), (85, 78)),
    8: ((50, 92), (15, 82), (15, 51), (15, 20), (50, 8), (85, 20), (85, 51), (85, 82)),
}
"""The centres of the seats in per cent, clockwise from the bottom, by the number of seats."""

_PARTNERS: Final = ((0, 31), (-43, 0), (0, -31), (43, 0))
"""The positions of the cards in games of partners, in pixels from the centre."""

_TOWARDS_SEAT: Final = (0.42, 0.52)
"""The distance of a trick's cards from the centre, as fractions of the distance to their seat."""

_MOST_SPEAKING: Final = 5
"""The maximum number of seats with which there is room for bubbles."""

_WIDTH: Final = 40
_WIDTH_OF_MANY: Final = 27
_NAME: Final = 8
_NAME_WITH_LIVES: Final = 6
"""The maximum number of characters of a name on a plate, and of one beside lives."""


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
    most = _NAME if seat.score is None else _NAME_WITH_LIVES
    short = seat.name if len(seat.name) <= most else f"{seat.name[: most - 1]}\N{HORIZONTAL ELLIPSIS}"
    bubble = "right" if x == 50 else "below" if y < 30 else "above"
    return seat._replace(x=x, y=y, short=short, bubble=bubble, said="" if is_large else seat.said)


def _lying(table: FrontTable, one: Lying) -> Lying:
    place = place_of(table.layout, one.seat)
    if table.is_paired:
        dx, dy = _PARTNERS[place]
        return one._replace(dx=dx, dy=dy)
    x, y = _SEATS[len(table.layout["names"])][place]
    across, down = _TOWARDS_SEAT
    return one._replace(x=50 + across * (x - 50), y=50 + down * (y - 50))
