"""``docs/architecture.md`` is a map of this tree."""

from __future__ import annotations

import re

from tests.docs.test_readme import ROOT
from tests.test_layers import ALLOWED

MAP = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
MOST_LINES = 6000
"""A larger room needs a reason."""


def rooms() -> list[str]:
    """The packages that have a purpose of their own: those of ``arena`` and ``api``, and the top level."""
    found = [path.parent for top in ("arena", "api") for path in (ROOT / top).glob("*/__init__.py")]
    found += [ROOT / name for name in ("queues", "workers", "botequim", "benchmarks")]
    return sorted(str(path.relative_to(ROOT)) for path in found)


def test_it_has_every_room_once() -> None:
    assert sorted(re.findall(r"^\| `([\w/]+)` \|", MAP, re.M)) == rooms()


def test_a_large_room_has_a_reason() -> None:
    for room in rooms():
        lines = sum(
            len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / room).rglob("*.py")
        )
        (row,) = re.findall(rf"^\| `{room}` \| (.*) \|$", MAP, re.M)
        assert ("Large because" in row) == (lines > MOST_LINES), (room, lines)


def test_a_room_imports_only_from_rooms_further_down() -> None:
    order = re.findall(r"^\| `arena/(\w+)` \|", MAP, re.M)
    for room, allowed in ALLOWED.items():
        if room in order:
            above = order[: order.index(room)]
            assert allowed.isdisjoint(above), room
