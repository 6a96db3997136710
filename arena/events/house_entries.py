"""House bots as entries of a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.bots import HOUSE_BOTS
from arena.errors import ArenaError
from arena.events.tournament import Entered
from arena.games import game_of
from arena.play.players import COPY_MARK
from arena.text import printable


def house_names(given: Any, kind: str) -> Sequence[str]:
    """Return the requested house bots, which must play games of ``kind``."""
    playing = game_of(kind).house_bots
    if given is None:
        return []
    is_list = isinstance(given, (list, tuple))
    names: list[Any] = list(given) if is_list else [given]
    wrong = [name for name in names if not isinstance(name, str) or house_source(name) not in playing]
    if wrong or not is_list:
        what = (
            f"{', '.join(printable(repr(name), 40) for name in wrong[:3])} "
            f"{'is not a house bot' if len(wrong) == 1 else 'are not house bots'} of {kind}"
        )
        raise ArenaError(
            what if is_list else "house is not a list",
            code="invalid_tournament",
            field="house",
            expected="a list of " + ", ".join(playing),
        )
    return names


def house_source(name: str) -> str | None:
    """Return the house bot that an entry's name refers to, or None. The name can be that of a copy, such as
    ``rookie+2``.
    """
    source, mark, number = name.partition(COPY_MARK)
    if source in HOUSE_BOTS and (not mark or (number.isascii() and number.isdecimal() and len(number) < 4)):
        return source
    return None


def house_entry(name: str, kind: str, now_ms: int) -> Entered:
    """Return the entry of a house bot in a tournament of ``kind``. Raises
    :class:`~arena.errors.UnknownBot`.
    """
    source = house_source(name)
    assert source is not None
    version = game_of(kind).house_bot(source).version
    return Entered(name, version, source=source, entered_ms=now_ms, status="qualified")
