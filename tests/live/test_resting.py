"""The recurring tournaments of a new service: they rest when there is nothing to learn, and their cost grows
with the bots that take part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.games import GAMES, game_of
from tests.live.arenas import Arena
from tests.live.clock import skip
from workers.initial_data import HOUSE, UNTIL_GROUPS, add_initial_data

MINUTE_MS = 60_000
HOUSE_CUP = {
    "name": "House",
    "kind": "toepen",
    "rules": game_of("toepen").duel_rules,
    "format": "round_robin",
    "house": ["rookie"],
    "auto_enter": True,
    "entry_s": 1,
}


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    opened = Arena(url)
    yield opened
    opened.live.close()


def seed(arena: Arena) -> None:
    add_initial_data(arena.store.flags, arena.schedules)


def online(arena: Arena, *bots: str) -> None:
    """The bots poll for turns now."""
    arena.live.presence._noted.clear()
    for bot in bots:
        arena.live.presence.note(bot)


def qualified(arena: Arena, number: int) -> list[str]:
    """Bots of as many owners, which have qualified in all games."""
    names = [f"bot-{index:03d}" for index in range(number)]
    for name in names:
        arena.accounts.register_bot(f"of-{name}", name)
        for kind in GAMES:
            row = ["qualified", f"q-{name}", 1, 0, "", None, ""]
            arena.store.qualifications.add(f"{kind}/{name}/1", row)
    return names


def fire_for(arena: Arena, minutes: int, *bots: str) -> list[str]:
    """What is announced while the time passes, minute by minute, with ``bots`` online."""
    fired: list[str] = []
    for _ in range(minutes):
        skip(arena.live, MINUTE_MS)
        online(arena, *bots)
        fired += arena.schedules.fire()
    return fired


def locked(arena: Arena, tournament: str, bots: list[str]) -> dict[str, Any]:
    """The tournament after its lock."""
    arena.tournaments.step(tournament)
    skip(arena.live, 31_000)
    online(arena, *bots)
    arena.lock(tournament)
    return arena.tournaments.view(tournament)


def finish(arena: Arena, tournament: str) -> None:
    """End it as if it had been played, without a group on any board."""
    arena.tournaments.cancel(tournament)


def test_a_service_that_nobody_uses_rests(arena: Arena) -> None:
    seed(arena)
    assert fire_for(arena, 120) == []
    made = {item["id"] for item in arena.tournaments.list().items}
    assert made == {f"first-{kind}" for kind in GAMES}
    seed(arena)
    assert len(arena.schedules.list()) == 2 * len(GAMES)


def test_a_new_bot_wakes_the_schedule_until_it_has_played_enough(arena: Arena) -> None:
    made = {"id": "again", "cron": "*/5 * * * *", "tournament": HOUSE_CUP, "until_groups": 2}
    assert arena.schedules.create(made, "")["until_groups"] == 2
    assert fire_for(arena, 6) == []
    arena.bot("olga", "newcomer")
    (first,) = fire_for(arena, 6, "newcomer")
    # It still runs.
    assert fire_for(arena, 12, "newcomer") == []
    players = {"newcomer": lambda turn: turn["legal_actions"][0]}
    (known,) = arena.tournaments.qualifications("newcomer", "1")
    arena.run(known["tournament"], players)
    arena.run(first, players)
    groups = 0
    while groups < 2:
        (event,) = fire_for(arena, 5, "newcomer")
        skip(arena.live, MINUTE_MS)
        online(arena, "newcomer")
        assert len(arena.run(event, players)["entries"]) == 2
        arena.boards.publish("toepen", "open")
        board = arena.boards.read("toepen", "open")
        assert board is not None
        (groups,) = [row["groups"] for row in board["rows"] if row["name"] == "newcomer"]
    assert fire_for(arena, 30, "newcomer") == []
    arena.accounts.add_version("newcomer", "2")
    assert len(fire_for(arena, 6, "newcomer")) == 1


def test_a_bot_that_does_not_qualify_does_not_keep_it_awake(arena: Arena) -> None:
    seed(arena)
    arena.bot("olga", "silent")
    for kind in GAMES:
        row = ["failed", f"q-{kind}", 1, arena.now_ms(), "crashed", None, ""]
        arena.store.qualifications.add(f"{kind}/silent/1", row)
    assert fire_for(arena, 60, "silent") == []
    # It was given other chances.
    (known,) = arena.store.qualifications.many(["toepen/silent/1"])
    assert (known[0], known[2]) == ("qualifying", 2)


@pytest.mark.parametrize("number", [8, 20, 61])
def test_the_cost_grows_with_the_bots_and_not_with_their_pairs(arena: Arena, number: int) -> None:
    seed(arena)
    names = qualified(arena, number)
    events = fire_for(arena, 5, *names)
    assert {event.rpartition("-")[0] for event in events} == {f"house-{kind}" for kind in GAMES}
    for event in events:
        view = locked(arena, event, names)
        entrants = number + len(HOUSE)
        assert len(view["entries"]) == entrants
        assert view["progress"]["planned"] <= 15 * entrants


def test_all_play_in_turn_where_there_is_no_room_for_all(arena: Arena) -> None:
    seed(arena)
    names = qualified(arena, 100)
    seen: list[set[str]] = []
    for _ in range(3):
        event = next(event for event in fire_for(arena, 5, *names) if event.startswith("house-toepen"))
        view = locked(arena, event, names)
        seen.append({entry["bot"] for entry in view["entries"] if not entry["house"]})
        assert len(view["entries"]) == 64
        finish(arena, event)
    assert seen[0] | seen[1] == set(names)
    assert seen[0] != set(names[:61])
    # In the third, again those who have waited longest.
    assert seen[2] >= seen[0] - seen[1]


def test_the_schedules_of_an_earlier_release_rest_as_well(arena: Arena) -> None:
    seed(arena)
    former = {}
    for kind in GAMES:
        row = arena.store.schedules.find(f"house-{kind}")
        template = {**row["tournament"], "format": "round_robin"}
        del template["rounds"]
        former[kind] = {**row, "tournament": template, "until_groups": None, "enabled": kind == "truco"}
        arena.store.schedules.change(f"house-{kind}", lambda _, kind=kind: former[kind])
        arena.store._connection.run([("HDEL", "{arena}:flags", f"rests-{kind}")])
    seed(arena)
    for kind in GAMES:
        row = arena.schedules.view(f"house-{kind}")
        assert (row["tournament"]["format"], row["until_groups"]) == ("swiss", UNTIL_GROUPS)
        assert row["enabled"] is (kind == "truco")
    # Once: an admin may change it back, and what somebody else has made stays.
    arena.store.schedules.change("house-truco", lambda _: former["truco"])
    seed(arena)
    assert arena.schedules.view("house-truco")["tournament"]["format"] == "round_robin"
