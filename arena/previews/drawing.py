"""Draws sketches: a template in SVG, which resvg turns into a PNG with the fonts in ``fonts``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final

import resvg_py

from arena.previews.sketches import RowSketch, SeatSketch, SideSketch, Sketch
from arena.replays.page import static

WIDTH: Final = 1200
HEIGHT: Final = 630

_FOLDER: Final = Path(__file__).parent
_TEMPLATE: Final = _FOLDER / "image.svg"
_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)\}\}")
_FONTS: Final = [str(_FOLDER / "fonts" / f"Inter-{weight}.otf") for weight in ("Regular", "Bold")]

_EDGE: Final = 56
_FELT: Final = (40, 148, 1120, 386)
"""The left, top, width and height of the felt."""

_ROWS_TOP: Final = 272
_ROW: Final = 56
_MOST_ROWS: Final = 5
_BAR: Final = (640, 340)
"""The left end and the width of the axis of intervals."""

_FEW: Final = 4
"""The number of places up to which the stake has the left of the felt for itself."""

_STEP: Final = 260
"""The largest distance between two places."""

_CARD: Final = (150, 196)
_CARD_WITH_LIVES: Final = (124, 186)
_CARD_ALONE: Final = (190, 193)
"""The largest width of a card and where its centre is under the edge of the felt, for places with a name,
with lives under it, and without a name.
"""

_NARROW: Final = frozenset(" .,:;'|!ijlIft()[]-–·")
_WIDE: Final = frozenset("mwMW@%&—")
_SMALLEST: Final = 0.72
"""How much smaller a text may be set before it is cut off."""

_LIVE: Final = (
    '<circle cx="314" cy="582" r="8" class="accent"/><text x="332" y="592" font-size="28">live</text>'
)


@cache
def version() -> str:
    """Return a text that changes when the same sketches are drawn in another way."""
    return sha256(Path(__file__).read_bytes() + _TEMPLATE.read_bytes()).hexdigest()[:16]


def png(sketch: Sketch) -> bytes:
    """Return the image of a sketch as PNG, which takes some 60 ms."""
    return resvg_py.svg_to_bytes(
        svg_string=svg(sketch),
        skip_system_fonts=True,
        font_files=_FONTS,
    )


def svg(sketch: Sketch) -> str:
    """Return the image of a sketch as SVG."""
    parts = {
        "symbols": re.sub(r"^<svg[^>]*>|</svg>\s*$", "", static("sprite.html")),
        "inside": "".join(_table(sketch) if "places" in sketch else _list(sketch)),
        "foot": _foot(sketch),
    }
    return _PLACEHOLDER.sub(lambda found: parts[found[1]], _TEMPLATE.read_text(encoding="utf-8"))


def _text(
    text: str, x: float, y: float, size: float, most: float, style: str = "", anchor: str = "start"
) -> str:
    """Return a text that is at most ``most`` wide: set smaller if it must be, and then cut off."""
    fit = min(1.0, most / max(1.0, _width(text, size)))
    size *= max(_SMALLEST, fit)
    if _width(text, size) > most:
        while text and _width(text + "…", size) > most:
            text = text[:-1]
        text = text.rstrip() + "…"
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:.1f}" class="{style}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )


def _width(text: str, size: float) -> float:
    """Return about how wide a text is in bold."""
    return size * sum(0.34 if one in _NARROW else 0.92 if one in _WIDE else 0.63 for one in text)


def _foot(sketch: Sketch) -> str:
    text = _text(sketch["foot"], WIDTH - _EDGE, 592, 28, 700, "soft", "end")
    return text + _LIVE if sketch.get("live") else text


def _heading(sketch: Sketch) -> Iterator[str]:
    yield _text(sketch["title"], _EDGE, 88, 60, WIDTH - 2 * _EDGE, "bold")
    yield _text(sketch["lead"], _EDGE, 130, 28, WIDTH - 2 * _EDGE, "soft")


# A table


def _table(sketch: Sketch) -> Iterator[str]:
    x, y, width, height = _FELT
    sides = sketch.get("sides")
    yield from _score(sides) if sides else _heading(sketch)
    yield f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="28" class="felt"/>'
    places = sketch["places"]
    left, right = x + 24, x + width - 24
    if "stake" in sketch:
        # Many places need the whole width: the stake is then in one line above them.
        is_beside = len(places) <= _FEW
        figure, unit = sketch["stake"]
        yield f'<text x="{x + 32}" y="{y + 76}" font-size="64" class="bold">{escape(figure)}</text>'
        unit_x, unit_y = (x + 32, y + 110) if is_beside else (x + 44 + _width(figure, 64), y + 76)
        yield _text(unit, unit_x, unit_y, 24, 190, "soft")
        left += 180 if is_beside else 0
    if sketch.get("turned"):
        yield _text("vira", x + width - 76, y + 44, 24, 90, "soft", "middle")
        yield _card(sketch["turned"], x + width - 76, y + 118, 84)
        right -= 120
    step = min(_STEP, (right - left) / len(places))
    first = (left + right - step * (len(places) - 1)) / 2
    for number, place in enumerate(places):
        yield from _place(place, first + number * step, step, y)


def _score(sides: Sequence[SideSketch]) -> Iterator[str]:
    score = "–".join(str(side["score"]) for side in sides)
    yield f'<text x="{WIDTH / 2:g}" y="112" font-size="84" class="bold" text-anchor="middle">{score}</text>'
    for number, side in enumerate(sides):
        names = side["names"]
        edge, anchor, towards = (_EDGE, "start", 1) if number == 0 else (WIDTH - _EDGE, "end", -1)
        yield _mark(number, edge + towards * 12, 88 if len(names) == 1 else 65)
        for line, name in enumerate(names):
            y = 102 if len(names) == 1 else 78 + 46 * line
            yield _text(name, edge + towards * 40, y, 38, 330, "bold", anchor)


def _mark(side: int, x: float, y: float) -> str:
    if side == 0:
        return f'<circle cx="{x:g}" cy="{y:g}" r="12" class="a"/>'
    return f'<rect x="{x - 9.5:g}" y="{y - 9.5:g}" width="19" height="19" rx="2" class="b"/>'


def _place(place: SeatSketch, x: float, step: float, y: float) -> Iterator[str]:
    """Draw what a seat has played, with its name, in a column of the width ``step`` around ``x``. ``y`` is
    the top of the felt.
    """
    most, middle = _CARD_WITH_LIVES if "lives" in place else _CARD if place["name"] else _CARD_ALONE
    width = min(most, step * 0.7)
    height = width * 1.4
    y += middle
    top = y - height / 2
    if place["card"] is not None:
        yield _card(place["card"], x, y, width)
        if place.get("won"):
            yield _frame("won", x, y, width + 12, height + 12)
    else:
        yield _frame("next" if place.get("acts") else "empty", x, y, width, height)
    if place["name"]:
        yield from _plate(place, x, y + height / 2 + 42, min(step - 12, 250))
    said = place.get("said")
    if said:
        wide = min(_width(said, 24) + 36, step + 30)
        yield _pill("bubble", x, top - 33, wide)
        yield _text(said, x, top - 25, 24, wide - 24, "bold said", "middle")


def _pill(style: str, x: float, y: float, width: float) -> str:
    return (
        f'<rect x="{x - width / 2:g}" y="{y - 23:g}" width="{width:g}" height="46" rx="23" class="{style}"/>'
    )


def _frame(style: str, x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect x="{x - width / 2:g}" y="{y - height / 2:g}" width="{width:g}" height="{height:g}" '
        f'rx="{width * 0.11:g}" class="{style}"/>'
    )


def _plate(place: SeatSketch, x: float, y: float, most: float) -> Iterator[str]:
    side, lives = place.get("side"), place.get("lives")
    mark = 0 if side is None else 30
    wide = min(most, _width(place["name"], 26) + 36 + mark)
    frame = "plate acts" if place.get("acts") else "plate"
    yield _pill(frame, x, y, wide)
    style = "soft" if place.get("off") else "bold"
    yield _text(place["name"], x + mark / 2, y + 9, 26, wide - 30 - mark, style, "middle")
    if side is not None:
        yield f'<g transform="translate({x - wide / 2 + 26:g} {y:g}) scale(.75)">{_mark(side, 0, 0)}</g>'
    if lives is not None:
        word = "life" if lives == 1 else "lives"
        yield _text(f"{lives} {word}", x, y + 52, 24, most, "soft", "middle")


def _card(card: str, x: float, y: float, width: float) -> str:
    """Return a card around ``x``, ``y``, as :file:`arena/replays/static/cards.js` draws it."""
    place = f'transform="translate({x:g} {y:g}) scale({width / 60:.4f}) translate(-30 -42)"'
    paper = '<rect class="paper" x=".5" y=".5" width="59" height="83" rx="6.5"/>'
    if not card:
        inner = 'x="4" y="4" width="52" height="76" rx="3"'
        return f'<g {place}>{paper}<rect class="frame" {inner}/><rect class="tiles" {inner}/></g>'
    rank = "10" if card[0] == "T" else card[0]
    squeezed = ' textLength="31" lengthAdjust="spacingAndGlyphs"' if card[0] == "T" else ""
    suit = f'href="#suit-{card[1]}"'
    return (
        f'<g {place} class="{"red" if card[1] in "HD" else "black"}">{paper}'
        f'<text x="5.5" y="29.5" font-size="31" class="bold"{squeezed}>{escape(rank)}</text>'
        f'<use {suit} x="6" y="33" width="17" height="17"/>'
        f'<use {suit} x="24" y="47" width="31" height="31"/></g>'
    )


# A list


def _list(sketch: Sketch) -> Iterator[str]:
    yield _text(sketch.get("over", ""), _EDGE, 84, 28, WIDTH - 2 * _EDGE, "soft")
    yield _text(sketch["title"], _EDGE, 160, 68, WIDTH - 2 * _EDGE, "bold")
    yield _text(sketch["lead"], _EDGE, 214, 30, WIDTH - 2 * _EDGE, "soft")
    for number, row in enumerate(sketch.get("rows", ())[:_MOST_ROWS]):
        yield from _row(row, _ROWS_TOP + number * _ROW)


def _row(row: RowSketch, y: float) -> Iterator[str]:
    left, width = _BAR
    interval = row.get("interval")
    yield f'<line x1="{_EDGE}" x2="{WIDTH - _EDGE}" y1="{y - 38}" y2="{y - 38}" class="line"/>'
    yield _text(row["rank"], 116, y, 32, 70, "bold", "end")
    yield _text(row["name"], 140, y, 32, 480 if interval else 740, "bold")
    yield _text(row["figure"], WIDTH - _EDGE, y, 32, 150 if interval else 260, "bold", "end")
    if interval:
        low, at, high = (left + width * value for value in interval)
        middle = y - 11
        yield f'<line x1="{low:g}" x2="{high:g}" y1="{middle}" y2="{middle}" class="range"/>'
        for end in (low, high):
            yield f'<line x1="{end:g}" x2="{end:g}" y1="{middle - 9}" y2="{middle + 9}" class="range"/>'
        yield f'<circle cx="{at:g}" cy="{middle}" r="9" class="ink"/>'
