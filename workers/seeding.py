"""What a new service is given, so that there is something to see: a recurring tournament of each game."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from arena.live.schedules import ScheduleExists, Schedules
from arena.live.store_tournaments import FLAGS, TournamentStore

HOUSE: Final = ("random", "rookie", "regular")

_CRONS: Final = {"truco": "*/5 * * * *", "toepen": "2-59/5 * * * *"}
_NAMES: Final = {"truco": "Truco of the house", "toepen": "Toepen of the house"}
_RULES: Final[dict[str, dict[str, Any]]] = {"truco": {}, "toepen": {"seats": 2}}
_FIRST_GROUPS: Final = 40


def seed(store: TournamentStore, schedules: Schedules) -> None:
    """Give a new service its schedules and first tournaments, once: who deletes them is rid of them."""
    for kind, cron in _CRONS.items():
        if store.field(FLAGS, f"seeded-{kind}") is not None:
            continue
        template = {
            "name": _NAMES[kind],
            "kind": kind,
            "rules": _RULES[kind],
            "format": "round_robin",
            "groups": 10,
            "house": list(HOUSE),
            "auto_enter": True,
            "entry_s": 30,
        }
        # It exists if a process began this and did not come to its end.
        with suppress(ScheduleExists):
            schedules.create({"id": f"house-{kind}", "cron": cron, "tournament": template}, "")
        first = {**template, "name": f"First {_NAMES[kind]}", "groups": _FIRST_GROUPS, "entry_s": 1}
        schedules.announce(first, "", f"first-{kind}")
        store.replace(FLAGS, f"seeded-{kind}", None, b"1")
