"""Tournaments of owners that an earlier release rated: off the boards, and their records say so."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from arena.events.tournament import Tournament
from arena.records.archive.objects import ArchiveUnavailable
from arena.records.verify import verify
from tests.dying import KILLED, counted_to, in_child, status_of
from tests.live.archived import MakeArena, archiver, everything, play_in_hall
from tests.live.arenas import Arena
from tests.live.playing import quiet
from tests.live.test_presets import no_pause, publish, published, recomputed

__all__ = ["no_pause"]

OWNED = ("local", "live")


def own(tournament: Tournament, row: object, by: str = "ann") -> tuple[()]:
    tournament.created_by = by
    return ()


def unrate(hall: Arena) -> None:
    """At once, whatever the pause since the last time."""
    hall.store._connection.run([("DEL", "{arena}:flags:unrated")])
    hall.service.unrating.run()


@pytest.fixture
def hall(make_arena: MakeArena) -> Arena:
    """With two rated tournaments of an owner as an earlier release stored them, and one of an admin."""
    hall = make_arena()
    play_in_hall(hall)
    hall.cup("toepen", "ours")
    hall.run("ours")
    for name in OWNED:
        hall.tournaments.lifecycle.change(name, own)
        for group, data in hall.store.tournaments.all_results(name).items():
            *earlier, preset = json.loads(data)
            assert preset in ("base@1", "duel@1")
            hall.store.tournaments.replace_result(name, group, json.dumps(earlier).encode(), b"")
    hall.accounts.sign_up("ada")
    hall.accounts.set_admin("ada", True)
    hall.tournaments.lifecycle.change("ours", partial(own, by="ada"))
    return hall


def downloaded(hall: Arena) -> dict[str, dict[str, Any]]:
    """The records of tournaments by game."""
    records = [json.loads(line) for _, line in hall.live.iter_records()]
    return {one["canonical"]["game"]: one for one in records if one["canonical"]["group"]}


@pytest.mark.parametrize("archived", ["never", "before", "after"])
def test_they_count_for_no_board(hall: Arena, archived: str) -> None:
    if archived == "before":
        archiver(hall).run()
    before = downloaded(hall)
    assert all(record["info"]["rated"] for record in before.values())
    publish(hall)
    assert recomputed(hall) == published(hall)
    unrate(hall)
    publish(hall)
    (board,) = [one for one in published(hall) if one["records"]]
    assert (board["division"], board["groups"]) == ("sealed", 6)
    if archived == "after":
        archiver(hall).run()
    after = downloaded(hall)
    assert recomputed(hall) == [board]
    for game, record in after.items():
        assert verify(record) == []
        rated = game.startswith("ours-")
        assert record == {**before[game], "info": {**before[game]["info"], "rated": rated}}
    changes = hall.tournaments.record_changes().items
    groups = {record["canonical"]["group"]["id"] for game, record in after.items() if game[:5] != "ours-"}
    assert [change["group"] for change in changes] == sorted(groups)
    assert all(change["info"] == {"rated": False} for change in changes)
    hall.tournaments.annul("local-r1-p1-g1", "admin", "they shared a screen")
    assert hall.tournaments.record_changes().items[: len(changes)] == changes


def test_a_kill_at_any_step_loses_nothing(hall: Arena) -> None:
    connection: Any = hall.store._connection

    def dies_at(step: int) -> None:
        connection.run = counted_to(step)(connection.run)
        unrate(hall)

    archiver(hall).run()
    step = 1
    while status_of(in_child(partial(dies_at, step))) == KILLED:
        step += 1
    assert step > 20
    unrate(hall)
    before = everything(hall)
    rated = {game for game, record in downloaded(hall).items() if record["info"]["rated"]}
    assert {game.partition("-")[0] for game in rated} == {"ours"}
    unrate(hall)
    assert everything(hall) == before


def test_what_an_earlier_release_began_is_not_rated(make_arena: MakeArena) -> None:
    hall = make_arena()
    hall.bot("ann", "able")
    hall.cup_in_entry(name="begun", house=["rookie", "rookie+2"], groups=2)
    hall.tournaments.enter("begun", "able")
    hall.tournaments.lifecycle.change("begun", own)
    hall.skip_entry()
    while hall.tournaments.view("begun")["state"] != "running":
        hall.step("begun", {"able": quiet})
    assert hall.tournaments.view("begun")["rated"] is True
    unrate(hall)
    assert hall.run("begun", {"able": quiet})["rated"] is False
    assert not hall.store.flags.is_set("unrated")
    unrate(hall)
    assert hall.store.flags.is_set("unrated")
    assert {record["info"]["rated"] for record in downloaded(hall).values()} == {False}
    publish(hall)
    assert published(hall) == []


def test_a_process_without_the_archive_leaves_it_to_one_that_has_it(
    hall: Arena, make_arena: MakeArena
) -> None:
    archiver(hall).run()
    bare = make_arena(archive="")
    with pytest.raises(ArchiveUnavailable, match="not configured in this process"):
        bare.service.unrating.run()
    hall.service.unrating.run()
    assert hall.store.flags.is_set("unrated")
    assert sum(record["info"]["rated"] for record in downloaded(hall).values()) == 12
