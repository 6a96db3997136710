"""House bots as entries of a tournament, and the pool, from which one is drawn by lot at the lock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from arena.bots import HOUSE_BOTS, POOL, POOL_BOTS
from arena.errors import ArenaError
from arena.events.tournament import Entered, Tournament
from arena.games import game_of
from arena.play.players import COPY_MARK
from arena.text import printable
from arena.tournaments.entry import lot

_NOT_DRAWN: Final = "by lot"


def house_choices(kind: str) -> list[str]:
    """Return what can be entered as a house bot in tournaments of ``kind``."""
    bots = list(game_of(kind).house_bots)
    return [*bots, POOL] if set(bots) & {*POOL_BOTS} else bots


def house_names(given: Any, kind: str) -> Sequence[str]:
    """Return the requested house bots, which must play games of ``kind``."""
    playing = house_choices(kind)
    if given is None:
        return []
    is_list = isinstance(given, (list, tuple))
    names: list[Any] = list(given) if is_list else [given]
    wrong = [name for name in names if not isinstance(name, str) or entry_source(name) not in playing]
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


def entry_source(name: str) -> str | None:
    """Return what an entry's name refers to: a house bot, or the pool. None: neither."""
    return POOL if name == POOL else house_source(name)


def house_entry(name: str, kind: str, now_ms: int) -> Entered:
    """Return the entry of a house bot in a tournament of ``kind``. Raises
    :class:`~arena.errors.UnknownBot`.
    """
    source = entry_source(name)
    assert source is not None
    version = _NOT_DRAWN if source == POOL else game_of(kind).house_bot(source).version
    return Entered(name, version, source=source, entered_ms=now_ms, status="qualified")


def draw_from_pool(tournament: Tournament) -> None:
    """Let a bot of the pool take over the entry of the pool, if there is one. The bot is drawn by lot from
    those that have not entered themselves; if all have, the entry fails.
    """
    entry = tournament.find(POOL)
    if entry is None or entry.status != "qualified":
        return
    playing = game_of(tournament.spec.kind).house_bots
    left = [name for name in POOL_BOTS if name in playing and tournament.find(name) is None]
    if not left:
        entry.status, entry.reason = "failed", "all bots of the pool have entered themselves"
        return
    seed = bytes.fromhex(tournament.seed)
    entry.name = entry.source = min(left, key=lambda name: lot(seed, "pool", name))
    entry.version, entry.drawn = playing[entry.name].version, True
