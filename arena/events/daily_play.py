"""Daily play: bots that are ranked go on playing at a slow pace, so that the boards move every day.

Each standing schedule of the arena (one with ``until_groups`` and the format ``rating``) has
:data:`~arena.events.schedule_states.TURNS` turns a day, at times of its own. In a turn, the ranked bots that
its tournaments would enter play :data:`ROUNDS` groups each. The bots that have waited longest come first.
Language models have none, because their games cost their owners money.

Daily play has an account with a budget (:data:`~arena.accounts.payers.DAILY`), from which the groups of a
tournament are taken at its lock. No tournament is announced that could need more groups than are left.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from arena.accounts.accounts import OwnerSuspended
from arena.accounts.allowances import Budgets
from arena.accounts.payers import DAILY
from arena.errors import ArenaError
from arena.events.schedule_states import DAILY_TURN, TURNS, Schedule, daily_id, turn_of, turn_starts_ms
from arena.events.schedules import Schedules, timed
from arena.events.service import Tournaments
from arena.play.players import MODELS, OPEN
from arena.store.connection import StoreUnavailable
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out
from arena.tournaments.settings import MAX_ENTRIES

log = logging.getLogger(__name__)

ROUNDS: Final = 4
"""The number of groups of a bot in a turn: two with house bots and two with bots of other owners."""

LOOK_MS: Final = 600_000
"""How often, in milliseconds, it is checked whether bots wait for the next turn of a schedule."""


class DailyPlay:
    """Announces the tournaments of daily play. Any number of processes can call :meth:`announce`."""

    def __init__(
        self, store: Store, schedules: Schedules, tournaments: Tournaments, budgets: Budgets
    ) -> None:
        self._rows = store.schedules
        self._flags = store.flags
        self._clock = store.clock
        self._schedules = schedules
        self._tournaments = tournaments
        self._budgets = budgets

    def announce(self) -> Sequence[str]:
        """Announce the tournaments whose turn has come, and return their ids. A turn begins only if bots
        were waiting for it, so that it was published before.
        """
        now_ms = self._clock().now_ms
        rows = {name: row for name, row in self._schedules.readable().items() if _is_standing(row)}
        waiting = sum(row.get(DAILY_TURN) is not None for row in rows.values())
        announced = []
        for name, row in rows.items():
            last = row.get(DAILY_TURN)
            is_due = last is not None and now_ms >= turn_starts_ms(name, last + 1)
            if is_due or self._flags.first(f"daily-{name}-{now_ms // LOOK_MS}", LOOK_MS):
                act = partial(self._look, name, row, now_ms, is_due, max(1, waiting))
                event = shown_or_left_out(self._rows.named(name), act)
                if event is not None:
                    announced.append(event)
        return announced

    def _look(self, name: str, row: Schedule, now_ms: int, is_due: bool, waiting: int) -> str | None:
        """Store whether bots wait for the next turn of a schedule. If a turn ``is_due``, announce its
        tournament and return its id. ``waiting``: the number of schedules with bots that wait.
        """
        last, turn = row.get(DAILY_TURN), turn_of(name, now_ms)
        event = None
        try:
            fields = self._fields(row, now_ms, waiting)
            if fields is not None and is_due:
                event = daily_id(name, turn)
                self._tournaments.create(fields, "", tournament_id=event, daily=True)
                log.info("daily play of schedule %s: tournament %s", name, event, extra={"tournament": event})
        except StoreUnavailable:
            raise
        except OwnerSuspended:
            fields = None
        except ArenaError:
            log.exception("daily play of schedule %s cannot be announced", name, extra={"schedule": name})
            fields, event = None, None
        next_turn = None if fields is None else turn if is_due or last is None else last
        if next_turn != last:
            self._rows.change(name, lambda found: None if found is None else {**found, DAILY_TURN: next_turn})
        return event

    def _fields(self, row: Schedule, now_ms: int, waiting: int) -> Mapping[str, Any] | None:
        """The fields of a turn's tournament, or None if no bot waits or too few groups are left."""
        if not self._schedules.may_be_rated(row):
            return None
        template = row["tournament"]
        fields = timed({**template, "name": f"Daily {template['name']}", "rounds": ROUNDS}, now_ms)
        ranked = len(self._tournaments.ranked(fields))
        left, share = self._budgets.left(DAILY) or 0, self._budgets.most_groups(DAILY) // (TURNS * waiting)
        house = len(template.get("house", ()))
        # The boards share the groups of a day; one with few bots leaves its share to nobody.
        places = min(left, max(share, ROUNDS * (house + 1))) // ROUNDS
        if not ranked or places <= house or not self._budgets.has_time(DAILY):
            return None
        return {**fields, "max_entries": min(places, MAX_ENTRIES)}


def _is_standing(row: Schedule) -> bool:
    template = row["tournament"]
    return (
        row["enabled"]
        and not row["own"]
        and row["until_groups"] is not None
        and template.get("format") == "rating"
        and template.get("division", OPEN) != MODELS
    )
