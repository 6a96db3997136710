"""The initial data of a new service: recurring tournaments of each game."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from arena.events.schedules import ScheduleExists, Schedules
from arena.games import GAMES, game_of
from arena.play.players import SEALED
from arena.store.documents import Flags

HOUSE: Final = ("random", "rookie", "regular")

UNTIL_GROUPS: Final = 100
"""The recurring tournaments rest when each version that would be entered has this many groups."""

_EVERY_MINUTES: Final = 5
_FIRST_GROUPS: Final = 40


def add_initial_data(flags: Flags, schedules: Schedules) -> None:
    """Add schedules and first tournaments to a new service, once: deleted ones do not come back."""
    for index, kind in enumerate(GAMES):
        name = kind.capitalize()
        if not flags.is_set(f"seeded-{kind}"):
            template = _house(kind, f"{name} of the house")
            _schedule(
                schedules,
                f"house-{kind}",
                cron=cron(2 * index),
                tournament=template,
                until_groups=UNTIL_GROUPS,
            )
            first = {
                **_round_robin(kind, f"First {template['name']}"),
                "groups": _FIRST_GROUPS,
                "entry_s": 1,
            }
            schedules.announce(first, "", f"first-{kind}")
            flags.set(f"seeded-{kind}")
        elif not flags.is_set(f"rests-{kind}"):
            title = f"{name} of the house"
            schedules.replace(f"house-{kind}", _round_robin(kind, title), _house(kind, title), UNTIL_GROUPS)
        flags.set(f"rests-{kind}")
        if not flags.is_set(f"seeded-sealed-{kind}"):
            _schedule(
                schedules,
                f"sealed-{kind}",
                cron=cron(2 * index + 1),
                tournament=_sealed(kind, f"Sealed {name}"),
                until_groups=UNTIL_GROUPS,
            )
            flags.set(f"seeded-sealed-{kind}")


def cron(minute: int) -> str:
    """A cron line for every five minutes; ``minute`` staggers the schedules of a service."""
    first = minute % _EVERY_MINUTES
    return f"{f'{first}-59' if first else '*'}/{_EVERY_MINUTES} * * * *"


def _house(kind: str, name: str) -> dict[str, Any]:
    """A tournament of house bots and of bots that are online, of the same size as :func:`_sealed`."""
    return {**_round_robin(kind, name), "format": "swiss", "rounds": 3}


def _round_robin(kind: str, name: str) -> dict[str, Any]:
    """Everybody against everybody, as the recurring tournaments of 0.1 and 0.2 were: the cost grows with the
    square of the number of bots.
    """
    return {
        "name": name,
        "kind": kind,
        "rules": game_of(kind).duel_rules,
        "format": "round_robin",
        "groups": 10,
        "house": list(HOUSE),
        "auto_enter": True,
        "entry_s": 30,
    }


def _sealed(kind: str, name: str) -> dict[str, Any]:
    """A tournament of house bots and uploaded bots: without a bye a bot plays 30 groups, after which its
    rating is not provisional. The cost grows with the number of bots, not of pairs.
    """
    return {
        "name": name,
        "kind": kind,
        "rules": game_of(kind).duel_rules,
        "format": "swiss",
        "rounds": 3,
        "groups": 10,
        "division": SEALED,
        "house": list(HOUSE),
        "auto_enter": True,
        "max_entries": 32,
        "entry_s": 20,
    }


def _schedule(schedules: Schedules, name: str, **fields: Any) -> None:
    # It exists if an earlier process was killed before the flag was set.
    with suppress(ScheduleExists):
        schedules.create({"id": name, **fields}, "")
