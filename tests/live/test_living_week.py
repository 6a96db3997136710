"""A week of a service that is left alone with ten uploaded bots: its boards move every day, within the bound.

With ``-s``, it prints the groups, the processor time and what moved on each day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from arena.accounts.payers import DAILY
from arena.events.daily_play import ROUNDS
from arena.events.schedule_states import TURNS
from arena.games import game_of
from arena.play.board_names import BoardName
from arena.store.amounts import DAY_MS, Compute
from tests.live.arenas import Arena
from tests.live.clock import skip

HOUR_MS = DAY_MS // 24
BOTS = 10
GROUPS = 32
"""How many groups a new bot plays; a rank needs 30."""
BOUND = Compute(groups=250, fuel_ms=600_000)
SOURCE = """
def choose(turn):
    actions = turn["legal_actions"]
    return actions[{number} * len(turn["observation"]) % len(actions)] if {number} % 3 else actions[0]
"""


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    arena = Arena(url, daily=BOUND)
    skip(arena.live, DAY_MS - arena.now_ms() % DAY_MS + 1_000)
    yield arena
    arena.live.close()


class Week:
    """The service, which runs with a clock that goes an hour at a time."""

    def __init__(self, arena: Arena, kinds: list[str]) -> None:
        self.arena = arena
        self.kinds = kinds
        self.promised: dict[str, int] = {}
        self.played: Counter[int] = Counter()
        for kind in kinds:
            tournament = {
                "name": f"Sealed {kind}",
                "kind": kind,
                "rules": game_of(kind).duel_rules,
                "format": "rating",
                "rounds": GROUPS,
                "house": ["random", "rookie", "regular"],
                "auto_enter": True,
                "division": "sealed",
                "max_entries": 16,
                "entry_s": 20,
            }
            fields = {"id": f"sealed-{kind}", "cron": "*/5 * * * *", "tournament": tournament}
            arena.schedules.create({**fields, "until_groups": GROUPS - 2}, "")
        for number in range(BOTS):
            arena.upload(f"bot-{number}", SOURCE.format(number=number), owner=f"owner-{number}")
            for kind in kinds:
                row = ["qualified", f"q-{number}", 1, 0, "", None, ""]
                arena.store.qualifications.add(f"{kind}/bot-{number}/1", row)

    @property
    def day(self) -> int:
        return self.arena.now_ms() // DAY_MS

    def hour(self) -> None:
        """What the ticks of an hour start, with all that follows from it."""
        arena = self.arena
        skip(arena.live, HOUR_MS)
        arena.schedules.fire()
        for event in arena.service.daily_play.announce():
            schedule = event.removeprefix("daily-").rpartition("-")[0]
            # Its time was on the list, and has come.
            assert self.promised[schedule] <= arena.now_ms()
        self.promised = {one["id"]: one["daily_ms"] for one in arena.schedules.list() if one["daily_ms"]}
        if arena.store.tournaments.active():
            skip(arena.live, 21_000)
        while active := arena.store.tournaments.active():
            for event in active:
                arena.jobs.step_tournament(event)
            arena.jobs.run_pending(arena.service)
        for board in arena.boards.due():
            arena.boards.publish(*board)

    def rows(self, kind: str) -> dict[str, dict[str, Any]]:
        board = arena_board(self.arena, kind)
        return {row["name"]: row for row in board["rows"]}


def arena_board(arena: Arena, kind: str) -> Any:
    return arena.boards.read(kind, "sealed") or {"rows": []}


@pytest.mark.nightly("boards")
@pytest.mark.costly(80, "2,000 groups in the sandbox")
def test_a_week(arena: Arena) -> None:
    week = Week(arena, ["truco", "toepen"])
    bots = {f"bot-{number}" for number in range(BOTS)}
    for _ in range(2):
        week.hour()
    for kind in week.kinds:
        rows = week.rows(kind)
        assert all(rows[bot]["rank"] is not None for bot in bots)
        groups = sum(row["groups"] for row in rows.values())
        print(f"\n{kind}: {groups} groups of {len(rows)} bots in the first hours")
    while arena.now_ms() % DAY_MS >= 2 * HOUR_MS:
        week.hour()
    print("day         groups  processor s  bot: groups a day  changes of ratings")
    for _ in range(7):
        before = {kind: week.rows(kind) for kind in week.kinds}
        day = week.day
        while week.day == day:
            week.hour()
        used = arena.store.budgets.used(DAILY, day)
        assert 0 < used.groups <= BOUND.groups
        assert used.fuel_ms <= BOUND.fuel_ms
        for kind in week.kinds:
            now = week.rows(kind)
            played = [now[bot]["groups"] - before[kind][bot]["groups"] for bot in sorted(bots)]
            changes = [now[bot]["rating"] - before[kind][bot]["rating"] for bot in sorted(bots)]
            assert min(played) >= ROUNDS
            assert max(played) <= ROUNDS * (TURNS + 1)
            assert any(round(change) for change in changes)
            moved = services_moved(arena, kind)
            assert set(bots) <= set(moved)
            date = datetime.fromtimestamp(day * DAY_MS / 1000, UTC).date()
            shown = " ".join(f"{change:+.0f}" for change in changes)
            spent = f"{used.groups:>6}  {used.fuel_ms / 1000:>11.1f}"
            print(f"{date}  {spent}  {kind}: {min(played)} to {max(played)}  {shown}")


def services_moved(arena: Arena, kind: str) -> list[str]:
    """The bots of whose movement the board's page has something to say."""
    name = BoardName.of(kind, "sealed", None)
    found = arena.service.movements.of(name, arena_board(arena, kind)["rows"])
    return [] if found is None else [bot for bot, one in found.bots.items() if one.is_any]
