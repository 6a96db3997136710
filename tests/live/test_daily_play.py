"""Daily play: ranked bots go on playing every day, within a bound, at times that were published before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from arena.accounts.payers import DAILY
from arena.events.daily_play import LOOK_MS, ROUNDS
from arena.events.schedule_states import TURNS, daily_id, turn_of
from arena.games import game_of
from arena.play.board_names import BoardName
from arena.store.amounts import DAY_MS, Compute
from arena.store.boards import BoardState
from tests.live.arenas import Arena
from tests.live.clock import skip
from tests.live.test_resting import locked, online, qualified

HOUR_MS = DAY_MS // 24
TURN_MS = DAY_MS // TURNS
HOUSE = ["random", "rookie", "regular"]
RATING: dict[str, Any] = {
    "name": "Toepen of the house",
    "kind": "toepen",
    "rules": game_of("toepen").duel_rules,
    "format": "rating",
    "house": HOUSE,
    "auto_enter": True,
    "max_entries": 16,
    "entry_s": 30,
}


def opened(url: str, **options: Any) -> Arena:
    """An arena on the morning of a day, so that a day's turns have the groups of one day."""
    arena = Arena(url, **options)
    skip(arena.live, DAY_MS - arena.now_ms() % DAY_MS + 1_000)
    return arena


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    arena = opened(url)
    yield arena
    arena.live.close()


def standing(arena: Arena, name: str = "house-toepen", **template: Any) -> None:
    fields = {"id": name, "cron": "*/5 * * * *", "until_groups": 100, "tournament": {**RATING, **template}}
    arena.schedules.create(fields, "")


def ranked(arena: Arena, bots: Sequence[str], groups: int = 100) -> None:
    """Let the bots have played as many groups on the board."""
    board = BoardName("toepen", "open", "duel@1").key
    known = arena.store.boards.ledger(board)
    place = (known.place or 0) + 1
    assert arena.store.boards.publish(
        board,
        known,
        state=BoardState(b"{}", place, 1, 1, "", place),
        supplement=b"{}",
        head=b"",
        parts={},
        ratings={bot: {"1": [1500.0, 1400.0, 1600.0, groups]} for bot in bots},
        day="2026-11-26",
        points={},
    )


def looked(arena: Arena, bots: Sequence[str], ms: int) -> list[str]:
    """What is announced while the time passes, with the bots online."""
    announced: list[str] = []
    end = arena.now_ms() + ms
    while arena.now_ms() < end:
        skip(arena.live, min(HOUR_MS, end - arena.now_ms()))
        online(arena, *bots)
        announced += arena.service.daily_play.announce()
    return announced


def daily_ms(arena: Arena, name: str = "house-toepen") -> int | None:
    (shown,) = (one for one in arena.schedules.list() if one["id"] == name)
    found: int | None = shown["daily_ms"]
    return found


def used(arena: Arena) -> int:
    return arena.store.budgets.used(DAILY, arena.now_ms() // DAY_MS).groups


def test_ranked_bots_play_a_few_groups_at_the_published_time(arena: Arena) -> None:
    standing(arena)
    bots = qualified(arena, 5)
    ranked(arena, bots[:4])
    assert looked(arena, bots, LOOK_MS) == []
    at_ms = daily_ms(arena)
    assert at_ms is not None
    assert arena.now_ms() < at_ms <= arena.now_ms() + TURN_MS
    assert looked(arena, bots, at_ms - arena.now_ms() - 1_000) == []
    (event,) = looked(arena, bots, 1_000)
    assert event == daily_id("house-toepen", turn_of("house-toepen", at_ms))
    # Other processes, and later looks, do not announce it again.
    assert looked(arena, bots, LOOK_MS) == []
    assert daily_ms(arena) == at_ms + TURN_MS
    view = locked(arena, event, bots)
    assert view["name"] == "Daily Toepen of the house"
    assert (view["created_by"], view["rated"], view["rounds"]) == ("", True, ROUNDS)
    # The bot without a rank has tournaments of its own.
    assert sorted(one["bot"] for one in view["entries"]) == sorted([*bots[:4], *HOUSE])
    # Counted before a group has been played.
    assert used(arena) == view["progress"]["planned"] > 0
    assert view["progress"]["done"] == 0
    for bot in bots[:4]:
        own = [_players(group) for group in arena.tournaments.groups(event, bots=(bot,)).items]
        assert len(own) == ROUNDS
        assert sum(bool(players & set(HOUSE)) for players in own) == ROUNDS // 4


def test_no_time_is_promised_when_nobody_would_play(arena: Arena) -> None:
    standing(arena)
    bots = qualified(arena, 1)
    assert looked(arena, bots, LOOK_MS) == []
    assert daily_ms(arena) is None
    ranked(arena, bots)
    looked(arena, bots, LOOK_MS)
    assert daily_ms(arena) is not None
    looked(arena, [], LOOK_MS)
    assert daily_ms(arena) is None
    # It comes back: the turn of today has passed, so the next one is promised, and held.
    assert looked(arena, [], TURN_MS) == []
    looked(arena, bots, LOOK_MS)
    at_ms = daily_ms(arena)
    assert at_ms is not None
    assert at_ms > arena.now_ms()
    assert len(looked(arena, bots, at_ms - arena.now_ms())) == 1


@pytest.mark.parametrize("change", [{"enabled": False}, {"tournament": {**RATING, "format": "swiss"}}])
def test_a_schedule_that_is_paused_or_of_another_format_has_no_daily_play(
    arena: Arena, change: dict[str, Any]
) -> None:
    standing(arena)
    bots = qualified(arena, 2)
    ranked(arena, bots)
    looked(arena, bots, LOOK_MS)
    assert daily_ms(arena) is not None
    arena.schedules.change("house-toepen", **change)
    assert daily_ms(arena) is None
    assert looked(arena, bots, 2 * TURN_MS) == []
    assert daily_ms(arena) is None


def test_language_models_and_schedules_of_owners_have_no_daily_play(arena: Arena) -> None:
    standing(arena, "models", division="models")
    arena.accounts.sign_up("olga")
    fields = {"id": "mine", "cron": "0 3 * * *", "tournament": {**RATING, "auto_enter": False}}
    arena.schedules.create(fields, "olga", own=True)
    bots = qualified(arena, 2)
    ranked(arena, bots)
    assert looked(arena, bots, 2 * TURN_MS) == []
    assert [one["daily_ms"] for one in arena.schedules.list()] == [None, None]


@pytest.mark.parametrize("most", [0, 15, 40, 150])
def test_the_bound_of_a_day_is_kept(url: str, most: int) -> None:
    arena = opened(url, daily=Compute(most, 600_000))
    standing(arena)
    bots = qualified(arena, 12)
    ranked(arena, bots)
    entered: set[str] = set()
    days: dict[int, int] = {}
    for _ in range(2 * TURNS):
        for event in looked(arena, bots, TURN_MS):
            view = locked(arena, event, bots)
            assert view["state"] == "running"
            entered |= {one["bot"] for one in view["entries"]}
            day = arena.now_ms() // DAY_MS
            days[day] = days.get(day, 0) + view["progress"]["planned"]
            assert used(arena) == days[day] <= most
    assert bool(days) == (most >= ROUNDS * (len(HOUSE) + 1))
    if most == 150:
        # Those who have waited longest come first.
        assert entered == {*bots, *HOUSE}
    arena.live.close()


def test_daily_play_waits_when_its_processor_time_is_used_up(arena: Arena) -> None:
    standing(arena)
    bots = qualified(arena, 2)
    ranked(arena, bots)
    looked(arena, bots, LOOK_MS)
    arena.service.budgets.charge(DAILY, 600_000)
    looked(arena, bots, LOOK_MS)
    assert daily_ms(arena) is None
    skip(arena.live, DAY_MS)
    looked(arena, bots, LOOK_MS)
    assert daily_ms(arena) is not None


def test_a_turn_whose_groups_are_in_a_newer_archive_is_left_out(arena: Arena) -> None:
    standing(arena)
    bots = qualified(arena, 2)
    ranked(arena, bots)
    looked(arena, bots, LOOK_MS)
    at_ms = daily_ms(arena)
    assert at_ms is not None
    skip(arena.live, at_ms - arena.now_ms() + 1_000)
    arena.schedules.pass_over({daily_id("house-toepen", turn_of("house-toepen", at_ms))})
    assert looked(arena, bots, LOOK_MS) == []
    assert daily_ms(arena) == at_ms + TURN_MS


def test_a_new_bot_meets_ten_other_owners_where_there_are_so_many(arena: Arena) -> None:
    """Although some owners have several bots that have played as little."""
    standing(arena, rounds=100, per_owner=4)
    bots = qualified(arena, 11)
    busy = []
    for owner in ("ana", "rui", "eva"):
        for number in range(4):
            busy.append(f"{owner}-{number}")
            arena.bot(f"of-{owner}", busy[-1])
            row = ["qualified", f"q-{busy[-1]}", 1, 0, "", None, ""]
            arena.store.qualifications.add(f"toepen/{busy[-1]}/1", row)
    ranked(arena, bots[1:], 400)
    everybody = [*bots, *busy]
    online(arena, *everybody)
    skip(arena.live, 300_000)
    online(arena, *everybody)
    (event,) = arena.schedules.fire()
    view = locked(arena, event, everybody)
    newcomer = bots[0]
    assert newcomer in [one["bot"] for one in view["entries"]]
    owners = {one["bot"]: one["owner"] for one in view["entries"]}
    groups = arena.tournaments.groups(event, limit=200, bots=(newcomer,)).items
    met = {owners[player] for group in groups for player in _players(group) if player != newcomer}
    assert len(met - {None}) >= 10


def _players(group: Mapping[str, Any]) -> set[str]:
    return set(group["players"])
