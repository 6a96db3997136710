"""What a new service is given, so that there is something to see: recurring tournaments of each game."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from arena.live.schedules import ScheduleExists, Schedules
from arena.live.store_tournaments import FLAGS, TournamentStore
from arena.ratings.results import SEALED

HOUSE: Final = ("random", "rookie", "regular")

HOUSE_CRONS: Final = {"truco": "*/5 * * * *", "toepen": "2-59/5 * * * *"}
SEALED_CRONS: Final = {"truco": "1-59/5 * * * *", "toepen": "3-59/5 * * * *"}
UNTIL_GROUPS: Final = 100
"""An uploaded bot is entered in tournaments of its own until it has so many groups."""

_GAMES: Final = {"truco": "Truco", "toepen": "Toepen"}
_RULES: Final[dict[str, dict[str, Any]]] = {"truco": {}, "toepen": {"seats": 2}}
_FIRST_GROUPS: Final = 40


def seed(store: TournamentStore, schedules: Schedules) -> None:
    """Give a new service its schedules and first tournaments, once: who deletes them is rid of them."""
    for kind, name in _GAMES.items():
        if store.field(FLAGS, f"seeded-{kind}") is None:
            template = _house(kind, f"{name} of the house")
            _schedule(schedules, f"house-{kind}", cron=HOUSE_CRONS[kind], tournament=template)
            first = {
                **template,
                "name": f"First {template['name']}",
                "groups": _FIRST_GROUPS,
                "entry_s": 1,
            }
            schedules.announce(first, "", f"first-{kind}")
            store.replace(FLAGS, f"seeded-{kind}", None, b"1")
        if store.field(FLAGS, f"seeded-sealed-{kind}") is None:
            _schedule(
                schedules,
                f"sealed-{kind}",
                cron=SEALED_CRONS[kind],
                tournament=_sealed(kind, f"Sealed {name}"),
                until_groups=UNTIL_GROUPS,
            )
            store.replace(FLAGS, f"seeded-sealed-{kind}", None, b"1")


def _house(kind: str, name: str) -> dict[str, Any]:
    """The house among itself, and who is online."""
    return {
        "name": name,
        "kind": kind,
        "rules": _RULES[kind],
        "format": "round_robin",
        "groups": 10,
        "house": list(HOUSE),
        "auto_enter": True,
        "entry_s": 30,
    }


def _sealed(kind: str, name: str) -> dict[str, Any]:
    """The house and uploaded bots: 30 groups for whoever has no bye, with which a rating is not provisional.
    Its cost grows with the number of bots, not with that of their pairs.
    """
    return {
        "name": name,
        "kind": kind,
        "rules": _RULES[kind],
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
    # It exists if a process began this and did not come to its end.
    with suppress(ScheduleExists):
        schedules.create({"id": name, **fields}, "")
