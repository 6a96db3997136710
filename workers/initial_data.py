"""The initial data of a new service: recurring tournaments of each game."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from arena.bots import POOL, POOL_BOTS
from arena.events.schedules import ScheduleExists, Schedules
from arena.games import GAMES, game_of
from arena.play.clocks import PATIENT
from arena.play.players import MODELS, SEALED
from arena.store.documents import Flags

HOUSE: Final = ("random", "rookie", POOL)

UNTIL_GROUPS: Final = 100
"""Recurring tournaments pause when each version that would be entered has this many groups, which is as many
as it plays in one of them.
"""

MODEL_GROUPS: Final = 30
"""Like ``UNTIL_GROUPS``, but for language models, which think for minutes."""

_EVERY_MINUTES: Final = 5
_TURNS: Final = 6
_FIRST_GROUPS: Final = 20


def add_initial_data(flags: Flags, schedules: Schedules) -> None:
    """Add schedules and first tournaments to a service. This is done only once, so that deleted ones do not
    reappear.
    """
    for index, kind in enumerate(GAMES):
        house, sealed = _house(kind), _sealed(kind)
        if not flags.is_set(f"seeded-{kind}"):
            _schedule(schedules, f"house-{kind}", cron(2 * index), house)
            schedules.announce(_first(house), "", f"first-{kind}")
            flags.set(f"seeded-{kind}")
        if not flags.is_set(f"seeded-sealed-{kind}"):
            _schedule(schedules, f"sealed-{kind}", cron(2 * index + 1), sealed)
            flags.set(f"seeded-sealed-{kind}")
    for index, (kind, preset) in enumerate(recurring_presets()):
        if not flags.is_set(f"seeded-{kind}/{preset}"):
            name = f"{kind}-{preset.partition('@')[0]}"
            house, sealed = (_of_preset(one, preset) for one in (_house(kind), _sealed(kind)))
            _schedule(schedules, f"house-{name}", preset_cron(2 * index), house)
            _schedule(schedules, f"sealed-{name}", preset_cron(2 * index + 1), sealed)
            schedules.announce(_first(house), "", f"first-{name}")
            flags.set(f"seeded-{kind}/{preset}")
    for index, kind in enumerate(GAMES):
        if not flags.is_set(f"seeded-models-{kind}"):
            _schedule(schedules, f"models-{kind}", preset_cron(index), _models(kind), MODEL_GROUPS)
            flags.set(f"seeded-models-{kind}")


def recurring_presets() -> list[tuple[str, str]]:
    """Return the kinds and names of the presets that have their own recurring tournaments."""
    return [(kind, one.name) for kind, game in GAMES.items() for one in game.presets if one.recurring]


def cron(minute: int) -> str:
    """Return a cron line that runs every five minutes, offset by ``minute`` to stagger the schedules of a
    service.
    """
    first = minute % _EVERY_MINUTES
    return f"{f'{first}-59' if first else '*'}/{_EVERY_MINUTES} * * * *"


def preset_cron(turn: int) -> str:
    """Return a cron line that runs twice an hour, in the minute that :func:`cron` leaves free. ``turn``
    staggers the schedules. A bot that needs groups does not wait for these tournaments.
    """
    return f"{_EVERY_MINUTES * (turn % _TURNS) + _EVERY_MINUTES - 1}-59/{_EVERY_MINUTES * _TURNS} * * * *"


def _house(kind: str) -> dict[str, object]:
    """Return a tournament of house bots and bots that run elsewhere. Its cost is limited by the number of
    entries.
    """
    return {
        "name": f"{kind.capitalize()} of the house",
        "kind": kind,
        "rules": game_of(kind).duel_rules,
        "format": "rating",
        "rounds": UNTIL_GROUPS,
        "house": list(HOUSE),
        "auto_enter": True,
        "max_entries": 16,
        "entry_s": 30,
    }


def _sealed(kind: str) -> dict[str, object]:
    """Return a tournament of house bots and uploaded bots."""
    return {**_house(kind), "name": f"Sealed {kind.capitalize()}", "division": SEALED, "entry_s": 20}


def _models(kind: str) -> dict[str, object]:
    """Return a tournament of language models and house bots."""
    return {
        **_house(kind),
        "name": f"{kind.capitalize()} of language models",
        "division": MODELS,
        "rounds": MODEL_GROUPS,
        "clock": {"preset": PATIENT},
    }


def _of_preset(template: Mapping[str, Any], preset: str) -> dict[str, object]:
    """Return the tournament with the rules of a preset instead of its own."""
    game = template["kind"].capitalize()
    name = template["name"].replace(game, f"{game} {preset.partition('@')[0]}")
    return {
        **{key: value for key, value in template.items() if key != "rules"},
        "name": name,
        "preset": preset,
    }


def _first(house: Mapping[str, object]) -> dict[str, object]:
    """Return the tournament of the house bots that fills a new board."""
    return {
        **{key: value for key, value in house.items() if key not in ("rounds", "max_entries")},
        "name": f"First {house['name']}",
        "format": "round_robin",
        "groups": _FIRST_GROUPS,
        "house": [name for name in HOUSE if name != POOL] + [*POOL_BOTS],
        "entry_s": 1,
    }


def _schedule(
    schedules: Schedules, name: str, cron: str, tournament: Mapping[str, object], groups: int = UNTIL_GROUPS
) -> None:
    # The schedule exists already if an earlier process was killed before setting the flag.
    with suppress(ScheduleExists):
        fields = {"id": name, "cron": cron, "tournament": tournament, "until_groups": groups}
        schedules.create(fields, "")
