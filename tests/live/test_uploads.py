"""Uploaded bots: they qualify and play in the sandbox, and only their owners learn what went wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.accounts.uploads import InvalidSource, python_upload
from arena.accounts.versions import NoSource
from arena.errors import ArenaError
from arena.events.schedules import Schedules
from arena.records.verify import verify
from arena.sandbox.runtime import runtime_id
from tests.live.arenas import Arena
from tests.waiting import wait_until

pytestmark = pytest.mark.system

FIRST = "def choose(turn):\n    print('my turn', turn['seat'])\n    return turn['legal_actions'][0]\n"
BROKEN = "def choose(turn):\n    secret = 41\n    return turn['no such field']\n"
ENDLESS = "def choose(turn):\n    while True:\n        pass\n"


def qualify(arena: Arena, name: str, kind: str = "toepen", version: str = "1") -> dict[str, Any]:
    begun = arena.tournaments.qualify(kind, name, version)
    assert begun["state"] == "qualifying"
    arena.run(begun["tournament"])
    told = arena.tournaments.qualifications(name, version)
    return next(one for one in told if one["kind"] == kind)


def records_of(arena: Arena, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in arena.tournaments.records(name)]


def test_an_uploaded_bot_qualifies_and_is_rated_with_the_sealed(arena: Arena) -> None:
    arena.upload("first", FIRST)
    told = qualify(arena, "first")
    assert (told["state"], told["reason"], told["detail"]) == ("qualified", None, None)
    records = records_of(arena, told["tournament"])
    assert len(records) == 2
    for record in records:
        assert verify(record) == []
        assert record["info"]["sandbox"] == runtime_id()
        seat = [player["name"] for player in record["canonical"]["players"]].index("first")
        assert record["info"]["house"][seat] is False
        (journal,) = arena.tournaments.journals.find("first", record["canonical"]["game"]) or ()
        assert journal["seat"] == seat
        assert journal["output"].startswith(f"my turn {seat}\n")
        assert len(journal["decisions"]) == journal["output"].count("\n")
    # The qualification does not count.
    assert not arena.boards.publish("toepen", "sealed")
    arena.cup(kind="toepen", division="sealed", auto_enter=True, house=["rookie"], groups=1)
    arena.run()
    arena.boards.publish("toepen", "sealed")
    board = arena.boards.read("toepen", "sealed")
    assert {row["name"] for row in (board or {})["rows"]} == {"first", "rookie"}


def test_only_the_owner_sees_why_a_bot_failed(arena: Arena) -> None:
    arena.upload("broken", BROKEN)
    told = qualify(arena, "broken")
    assert told["state"] == "failed"
    assert "crashed" in told["reason"]
    assert "no such field" not in told["reason"]
    assert "no such field" in told["detail"]
    assert "line 3" in told["detail"]
    (failed,) = arena.tournaments.groups(told["tournament"]).items
    journals = [arena.tournaments.journals.find("broken", game) for game in failed["games"]]
    (seat,) = journals[0] or ()
    last = seat["decisions"][-1]["turn"]
    assert f"forfeited game {failed['games'][0]} on seat {seat['seat']}" in told["reason"]
    assert (
        f"the last was crashed at turn {last}, after {seat['faults'][-1]['after']} actions" in told["reason"]
    )
    for record in records_of(arena, told["tournament"]):
        assert "no such field" not in json.dumps(record)
    assert arena.tournaments.qualify("toepen", "broken", "1")["state"] == "qualifying"


def test_an_endless_loop_is_a_late_fault_of_the_bot(arena: Arena) -> None:
    arena.upload("endless", ENDLESS)
    told = qualify(arena, "endless")
    assert told["state"] == "failed"
    assert told["detail"].startswith("late: no answer within")
    for record in records_of(arena, told["tournament"]):
        limits = {"no answer within 2000 ms of thinking (fuel)"} if record["canonical"]["faults"] else set()
        assert set(record["info"].get("fault_details", [])) == limits
    view = arena.tournaments.view(told["tournament"])
    assert (view["state"], view["voids"]) == ("finished", [])


def test_divisions_are_kept_apart(arena: Arena) -> None:
    by = arena.bot("olga", "runs-elsewhere")
    arena.upload("first", FIRST)
    arena.cup_in_entry(name="open", kind="toepen")
    arena.cup_in_entry(name="sealed", kind="toepen", division="sealed")
    for name, bot in (("open", "first"), ("sealed", "runs-elsewhere")):
        with pytest.raises(ArenaError) as caught:
            arena.tournaments.enter(name, bot, by=by)
        assert caught.value.code == "wrong_division"
    assert arena.tournaments.enter("sealed", "first", by=by)["status"] == "qualifying"


def test_qualified_uploaded_bots_are_entered_automatically(arena: Arena) -> None:
    arena.upload("first", FIRST)
    arena.upload("never-asked", FIRST, owner="pia")
    assert qualify(arena, "first")["state"] == "qualified"
    arena.cup(kind="toepen", division="sealed", auto_enter=True, house=["random", "rookie"])
    view = arena.run()
    assert {entry["bot"] for entry in view["entries"]} == {"first", "random", "rookie"}
    assert (view["state"], view["voids"]) == ("finished", [])
    records = records_of(arena, "cup")
    assert len(records) == 12
    assert all(verify(record) == [] for record in records)
    assert sum("sandbox" in record["info"] for record in records) == 8


def due_now(arena: Arena, name: str) -> None:
    """Let a schedule be due, as if its time had come."""
    due = {"next_ms": arena.now_ms() - 1000}
    arena.store.schedules.change(name, lambda schedule: {**schedule, **due})


def test_a_schedule_fires_until_its_bots_have_played_enough(arena: Arena) -> None:
    schedules = Schedules(arena.store, arena.tournaments)
    cup = {
        "name": "Sealed cup",
        "kind": "toepen",
        "rules": {"seats": 2},
        "format": "round_robin",
        "division": "sealed",
        "auto_enter": True,
        "house": ["random", "rookie"],
        "entry_s": 1,
    }

    def fired() -> list[str]:
        due_now(arena, "again")
        return list(schedules.fire())

    made = schedules.create({"id": "again", "cron": "0 0 1 1 *", "tournament": cup, "until_groups": 2}, "")
    assert made["until_groups"] == 2
    # Nobody has qualified.
    arena.upload("first", FIRST)
    assert fired() == []
    assert schedules.view("again")["last_ms"] is None
    assert qualify(arena, "first")["state"] == "qualified"
    (event,) = fired()
    # Its groups are still to come.
    assert fired() == []
    view = arena.run(event)
    assert {entry["bot"] for entry in view["entries"]} == {"first", "random", "rookie"}
    arena.boards.publish("toepen", "sealed")
    # Two groups in the tournament; that of the qualification does not count.
    assert fired() == []
    arena.upload("first", FIRST + "\n", "2")
    assert fired() == []
    assert qualify(arena, "first", version="2")["state"] == "qualified"
    (second,) = fired()
    assert second != event
    arena.accounts.change_bot("first", "withdrawn")
    arena.run(second)
    assert fired() == []


def test_bots_take_turns_when_a_tournament_is_full(arena: Arena) -> None:
    for name in ("amy", "bea", "cat"):
        arena.upload(name, FIRST)
        assert qualify(arena, name)["state"] == "qualified"
    seen = []
    for number in range(3):
        arena.boards.publish("toepen", "sealed")
        arena.cup(
            name=f"cup-{number}",
            kind="toepen",
            division="sealed",
            auto_enter=True,
            house=["rookie"],
            groups=1,
            per_owner=1,
        )
        view = arena.run(f"cup-{number}")
        seen += [entry["bot"] for entry in view["entries"] if not entry["house"]]
    assert sorted(seen) == ["amy", "bea", "cat"]


def test_a_deleted_bot_loses_its_games(arena: Arena, url: str) -> None:
    arena.upload("first", FIRST)
    qualify(arena, "first")
    arena.cup(kind="toepen", division="sealed", auto_enter=True, house=["rookie"], groups=1)
    wait_until(lambda: arena.tournaments.step("cup").state == "running")
    arena.accounts.delete_bot("first")
    # Another worker, which has not loaded it.
    other = Arena(url)
    other.run()
    other.live.close()
    for record in records_of(arena, "cup"):
        (loser,) = record["canonical"]["outcome"]["forfeits"]
        assert record["canonical"]["players"][loser]["name"] == "first"


def test_sources_are_kept_per_version(arena: Arena) -> None:
    accounts = arena.accounts
    arena.upload("first", FIRST)
    arena.upload("first", ENDLESS, "2")
    accounts.add_version("first", "3")
    assert accounts.upload_of("first", "1").source == FIRST
    assert accounts.upload_of("first", "2").source == ENDLESS
    with pytest.raises(NoSource):
        accounts.upload_of("first", "3")
    assert [version.published for version in accounts.bot("first").versions] == [False] * 3
    assert accounts.publish("first", "2", True).published
    assert [version.published for version in accounts.bot("first").versions] == [False, True, False]
    assert not accounts.publish("first", "2", False).published


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("", "empty"),
        ("x = '\0'", "null"),
        ("#" * 1_048_577, "at most 1048576 bytes"),
        ("x = '\ud800'", "text"),
    ],
)
def test_invalid_uploads_are_rejected(source: str, told: str) -> None:
    with pytest.raises(InvalidSource, match=told):
        python_upload(source)
