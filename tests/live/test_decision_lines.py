"""The lines in the log that say what was decided, with the ids that they concern."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from arena.accounts.versions import Suspension
from arena.events.local_groups import void
from arena.events.schedules import LOOK_MS
from arena.games import game_of
from tests.live.arenas import Arena
from tests.live.clock import skip

TEMPLATE = {
    "name": "House",
    "kind": "toepen",
    "rules": game_of("toepen").duel_rules,
    "format": "round_robin",
    "house": ["rookie", "random"],
    "entry_s": 1,
}


@pytest.fixture(autouse=True)
def at_info(caplog: pytest.LogCaptureFixture) -> None:
    """Operators leave this level on."""
    caplog.set_level(logging.INFO)


def lines(caplog: pytest.LogCaptureFixture, **fields: object) -> list[str]:
    """The messages with these fields, oldest first."""
    return [
        record.getMessage()
        for record in caplog.records
        if all(vars(record).get(name) == value for name, value in fields.items())
    ]


def create(arena: Arena, cron: str | None = None, **options: Any) -> None:
    when = {"at_ms": arena.now_ms() + 1000} if cron is None else {"cron": cron}
    arena.schedules.create({"id": "house", **when, "tournament": TEMPLATE, **options}, "")


def test_a_schedule_says_what_it_announced(arena: Arena, caplog: pytest.LogCaptureFixture) -> None:
    create(arena)
    skip(arena.live, 2_000)
    (event,) = arena.schedules.fire()
    said = lines(caplog, tournament=event)
    assert f"schedule house announced tournament {event}" in said
    assert lines(caplog, schedule="house", tournament=event) == [said[-1]]
    assert arena.schedules.fire() == []
    assert lines(caplog, tournament=event) == said


def test_a_schedule_says_once_why_it_rests(arena: Arena, caplog: pytest.LogCaptureFixture) -> None:
    template = {**TEMPLATE, "house": ["rookie"], "auto_enter": True}
    create(arena, "* * * * *", until_groups=10, tournament=template)
    for _ in range(3):
        skip(arena.live, 60_000 + LOOK_MS)
        assert arena.schedules.fire() == []
    assert lines(caplog, schedule="house") == ["schedule house rests: no bot needs groups"]


def test_a_tournament_says_each_state_once(arena: Arena, caplog: pytest.LogCaptureFixture) -> None:
    arena.cup()
    arena.run("cup")
    said = lines(caplog, tournament="cup")
    for text in ("announced", "locked with 3 entries", "finished after round 3"):
        assert said.count(f"tournament cup: {text}") == 1
    before = len(said)
    arena.tournaments.step("cup")
    assert len(lines(caplog, tournament="cup")) == before
    (line,) = [record for record in caplog.records if "locked with" in record.getMessage()]
    assert (vars(line)["state"], vars(line)["entries"]) == ("running", 3)


def test_a_cancelled_tournament_says_why(arena: Arena, caplog: pytest.LogCaptureFixture) -> None:
    arena.cup_in_entry(name="cup")
    arena.tournaments.cancel("cup", reason="rain\nroot: owned")
    (line,) = lines(caplog, tournament="cup", state="cancelled")
    assert line == r"tournament cup: cancelled: rain\nroot: owned"


def test_a_void_group_says_whether_it_is_played_again(arena: Arena, caplog: pytest.LogCaptureFixture) -> None:
    arena.cup()
    while arena.tournaments.step("cup").state != "running":
        skip(arena.live, 1_000)
    group = arena.tournaments.groups("cup").items[0]["id"]
    for attempt, then in ((0, "attempt 1 follows"), (1, "it is stopped")):
        void(arena.store.tournaments, "cup", group, attempt, "a worker crashed", arena.now_ms(), 2)
        line = lines(caplog, tournament="cup", group=group, attempt=attempt)[-1]
        assert line == f"group {group} of cup is void: a worker crashed; {then}"


def test_a_suspension_says_which_bot_and_why(arena: Arena, caplog: pytest.LogCaptureFixture) -> None:
    arena.accounts.register_bot("olga", "sly-bot")
    for _ in range(2):
        arena.service.suspensions.suspend("sly-bot", Suspension("workers hung", 1, "cup", "r1-p1-g1"))
    (line,) = lines(caplog, bot="sly-bot", tournament="cup", group="r1-p1-g1")
    assert line == "suspended bot sly-bot: workers hung"
    arena.service.suspensions.lift("sly-bot")
    assert lines(caplog, bot="sly-bot")[-1] == "lifted the suspension of bot sly-bot"
