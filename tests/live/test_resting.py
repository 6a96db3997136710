"""The recurring tournaments of a new service: they rest when there is nothing to learn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from croniter import croniter  # type: ignore[import-untyped]

from arena.accounts.uploads import python_upload
from arena.events.schedules import LOOK_MS
from arena.games import GAMES, game_of
from tests.live.arenas import Arena
from tests.live.clock import skip
from workers.initial_data import HOUSE, UNTIL_GROUPS, add_initial_data, recurring_presets

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
OF_PRESETS = ("truco-paulista", "truco-paulista-2", "truco-mineiro")
"""The schedules of presets, after ``house-`` and ``sealed-``."""

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
    """It opens a second after a full hour: which times of schedules come next does not depend on the day."""
    opened = Arena(url)
    skip(opened.live, HOUR_MS - opened.now_ms() % HOUR_MS + 1_000)
    yield opened
    opened.live.close()


def seed(arena: Arena) -> None:
    add_initial_data(arena.store.flags, arena.schedules)


def online(arena: Arena, *bots: str) -> None:
    """The bots poll for turns now."""
    arena.live.presence._noted.clear()
    for bot in bots:
        arena.live.presence.note(bot, tournaments=True)


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
    assert made == {*(f"first-{kind}" for kind in GAMES), *(f"first-{name}" for name in OF_PRESETS)}
    seed(arena)
    assert len(arena.schedules.list()) == 3 * len(GAMES) + 2 * len(recurring_presets())


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


BOT = "def choose(turn):\n    return turn['legal_actions'][0]\n"


@pytest.mark.nightly("boards")
def test_an_upload_has_a_rank_within_minutes(arena: Arena) -> None:
    """It qualifies by itself, plays its first rated group within a minute, and has 30 groups soon after."""
    seed(arena)
    # The schedules have just passed, and nobody needed them.
    assert fire_for(arena, 5) == []
    arena.accounts.sign_up("olga")
    _, _, upload = arena.uploads.register("olga", "newcomer", "1", python_upload(BOT))
    arena.service.check_upload("newcomer", upload.id, "olga")
    # Again, as if the process had died before the end of the job.
    arena.service.tournaments.qualify_added("newcomer", "1")
    known = {one["kind"]: one for one in arena.tournaments.qualifications("newcomer", "1")}
    assert set(known) == set(GAMES)
    for one in known.values():
        arena.run(one["tournament"])
    assert {one["state"] for one in arena.tournaments.qualifications("newcomer", "1")} == {"qualified"}
    qualified_ms = arena.now_ms()
    fired: list[str] = []
    while not any(event.startswith("sealed-toepen") for event in fired):
        skip(arena.live, 2_000)
        fired += arena.schedules.fire()
        assert arena.now_ms() - qualified_ms < MINUTE_MS
    event = next(event for event in fired if event.startswith("sealed-toepen"))
    view = arena.tournaments.view(event)
    assert view["locks_ms"] - qualified_ms < MINUTE_MS
    skip(arena.live, 20_000)
    arena.run(event)
    arena.boards.publish("toepen", "sealed")
    board = arena.boards.read("toepen", "sealed")
    assert board is not None
    (row,) = [row for row in board["rows"] if row["name"] == "newcomer"]
    assert row["groups"] >= 30
    assert row["provisional"] is False
    # Once: it has what it needed, until the next time of the schedule.
    skip(arena.live, 2_000)
    assert not any(name.startswith("sealed-toepen") for name in arena.schedules.fire())


def test_who_takes_part_is_asked_to_qualify_at_once(arena: Arena) -> None:
    seed(arena)
    assert fire_for(arena, 5) == []
    arena.bot("olga", "newcomer")
    online(arena, "newcomer")
    fired = arena.schedules.fire()
    assert {event.rpartition("-")[0] for event in fired} == {f"house-{kind}" for kind in GAMES}
    assert len(arena.tournaments.qualifications("newcomer", "1")) == len(GAMES)
    # They run, and it is still there.
    skip(arena.live, 2_000)
    online(arena, "newcomer")
    assert arena.schedules.fire() == []


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


@pytest.mark.parametrize("number", [3, 13])
def test_a_new_bot_gets_all_its_groups_in_one_tournament(arena: Arena, number: int) -> None:
    seed(arena)
    names = qualified(arena, number)
    events = fire_for(arena, 5, *names)
    assert {event.rpartition("-")[0] for event in events} == {f"house-{kind}" for kind in GAMES}
    for event in events:
        view = locked(arena, event, names)
        assert len(view["entries"]) == number + len(HOUSE)
        met = arena.tournaments.groups(event, limit=2000).items
        played = Counter(name for group in met for name in group["players"])
        assert {played[name] for name in names} == {UNTIL_GROUPS}
        meetings = Counter(tuple(sorted(group["players"])) for group in met)
        pairs = [pair for pair in meetings if set(pair) <= set(names)]
        # At most 15% of the groups with one owner, and three quarters with all.
        counts = [meetings[pair] for pair in pairs]
        assert len(pairs) == number * (number - 1) // 2
        assert min(15, 75 // number) <= min(counts) <= max(counts) <= min(15, 75 // number + 1)
        assert len(pairs) == number * (number - 1) // 2


def test_all_play_in_turn_where_there_is_no_room_for_all(arena: Arena) -> None:
    seed(arena)
    names = qualified(arena, 20)
    seen: list[set[str]] = []
    for _ in range(3):
        event = next(event for event in fire_for(arena, 5, *names) if event.startswith("house-toepen"))
        view = locked(arena, event, names)
        seen.append({entry["bot"] for entry in view["entries"] if not entry["house"]})
        assert len(view["entries"]) == 16
        finish(arena, event)
    assert seen[0] | seen[1] == set(names)
    assert seen[0] != set(names[:13])
    # In the third, again those who have waited longest.
    assert seen[2] >= seen[0] - seen[1]


def test_no_two_schedules_are_due_in_one_minute(arena: Arena) -> None:
    seed(arena)
    # Those of language models share minutes: hardly any has entrants.
    found = [one for one in arena.schedules.list() if not one["id"].startswith("models-")]
    lines = [croniter.expand(schedule["cron"])[0] for schedule in found]
    assert {str(rest) for _, *rest in lines} == {str([["*"]] * 4)}
    minutes = [minute for first, *_ in lines for minute in first]
    assert len(minutes) == len(set(minutes))


@pytest.mark.nightly("boards")
def test_the_boards_of_presets_are_filled(arena: Arena) -> None:
    seed(arena)
    for kind, preset in recurring_presets():
        event = f"first-{kind}-{preset.partition('@')[0]}"
        skip(arena.live, 2_000)
        view = arena.run(event)
        assert (view["state"], view["preset"], view["rated"]) == ("finished", preset, True)
        arena.boards.publish(kind, "sealed", preset)
        board = arena.boards.read(kind, "sealed", preset)
        assert board is not None
        assert {row["name"]: row["provisional"] for row in board["rows"]} == dict.fromkeys(
            ("random", "rookie", "regular", "barfly"), False
        )


def test_a_bot_is_entered_in_the_schedules_of_a_preset_once_it_has_qualified_for_it(arena: Arena) -> None:
    seed(arena)
    (name,) = qualified(arena, 1)
    assert {event.rpartition("-")[0] for event in fire_for(arena, 35, name)} == {
        f"house-{kind}" for kind in GAMES
    }
    row = ["qualified", "q-x", 1, 0, "", None, ""]
    arena.store.qualifications.add(f"truco/{name}/1/mineiro@1", row)
    (event,) = fire_for(arena, 35, name)
    assert event.startswith("house-truco-mineiro-")
    assert name in {entry["bot"] for entry in locked(arena, event, [name])["entries"]}


# What schedules say that they wait for


def waits(arena: Arena, name: str = "again") -> tuple[str | None, str | None]:
    found = arena.schedules.view(name)
    return found["waits_for"], found["current"]


def test_a_schedule_says_that_it_rests_until_a_bot_comes(arena: Arena) -> None:
    made = {"id": "again", "cron": "*/5 * * * *", "tournament": HOUSE_CUP, "until_groups": 2}
    assert arena.schedules.create(made, "")["waits_for"] == "bots"
    # Its times come and go.
    assert fire_for(arena, 12) == []
    assert waits(arena) == ("bots", None)
    arena.bot("olga", "newcomer")
    online(arena, "newcomer")
    (event,) = arena.schedules.fire()
    assert waits(arena) == ("tournament", event)
    finish(arena, event)
    arena.tournaments.step(event)
    # Whether a bot needs the next one is looked at when the groups of the last one are on the board.
    arena.schedules.fire()
    assert waits(arena) == ("bots", None)
    skip(arena.live, 2 * LOOK_MS)
    online(arena, "newcomer")
    assert arena.schedules.fire() == []
    assert waits(arena) == ("time", None)
    # What it says comes true.
    due_ms = arena.schedules.view("again")["next_ms"]
    skip(arena.live, due_ms - arena.now_ms() + 1)
    online(arena, "newcomer")
    assert arena.schedules.fire() == [f"again-{due_ms // 1000}"]


def test_a_schedule_rests_again_when_the_bot_has_left(arena: Arena) -> None:
    made = {"id": "again", "cron": "0 0 1 1 *", "tournament": HOUSE_CUP, "until_groups": 2}
    arena.schedules.create(made, "")
    arena.bot("olga", "newcomer")
    online(arena, "newcomer")
    (event,) = arena.schedules.fire()
    finish(arena, event)
    arena.tournaments.step(event)
    skip(arena.live, 2 * LOOK_MS)
    online(arena, "newcomer")
    arena.schedules.fire()
    assert waits(arena) == ("time", None)
    arena.live.presence.end("newcomer")
    skip(arena.live, LOOK_MS)
    arena.schedules.fire()
    assert waits(arena) == ("bots", None)


def test_other_schedules_wait_for_their_time_or_for_nothing(arena: Arena) -> None:
    cup = {**HOUSE_CUP, "auto_enter": False, "house": ["rookie", "random"]}
    arena.schedules.create({"id": "again", "cron": "*/5 * * * *", "tournament": cup}, "")
    arena.schedules.create({"id": "once", "at_ms": arena.now_ms() + MINUTE_MS, "tournament": cup}, "")
    assert waits(arena) == waits(arena, "once") == ("time", None)
    fire_for(arena, 2)
    assert waits(arena, "once") == (None, f"once-{arena.schedules.view('once')['last_ms'] // 1000}")
    assert arena.schedules.change("again", enabled=False)["waits_for"] is None
    assert arena.schedules.change("again", enabled=True)["waits_for"] == "time"
    assert {one["id"]: one["waits_for"] for one in arena.schedules.list()} == {"again": "time", "once": None}


def test_a_changed_schedule_is_looked_at_again(arena: Arena) -> None:
    made = {"id": "again", "cron": "*/5 * * * *", "tournament": HOUSE_CUP, "until_groups": 2}
    arena.schedules.create(made, "")
    arena.schedules.fire()
    assert arena.store.schedules.find("again")["needed"] is False
    changed = arena.schedules.change("again", tournament={**HOUSE_CUP, "name": "Home"})
    assert "needed" not in changed
    assert "needed" not in arena.store.schedules.find("again")
