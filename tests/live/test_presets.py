"""One board per preset: games of other rules move none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.play.board_names import BoardName, all_boards
from arena.ratings.board import boards
from arena.ratings.results import collect
from tests.live.arenas import Arena

TABLE = ["random", "rookie", "regular", "random+2"]
FREE = {"seats": 2, "lives": 1}
WHERE = ("toepen", "sealed")


def publish(hall: Arena) -> None:
    """Publish what is due, whatever the pause since the last time."""
    while due := [board for board in hall.boards.due() if hall.boards.publish(*board)]:
        assert due


@pytest.fixture
def hall(make_arena: Callable[[], Arena]) -> Arena:
    return make_arena()


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.events.boards.PUBLISH_EVERY_MS", 0)
    monkeypatch.setattr("arena.events.boards.COST_SHARE", 0)


def play(hall: Arena, name: str, **options: Any) -> dict[str, Any]:
    hall.cup("toepen", name, **options)
    view = hall.run(name)
    assert view["state"] == "finished"
    return view


def published(hall: Arena) -> list[dict[str, Any]]:
    """The published boards with records, without their times."""
    found = [hall.boards.read(*name) for name in sorted(all_boards())]
    shown = [dict(board) for board in found if board is not None and board["records"]]
    for board in shown:
        del board["published_ms"]
    return shown


def recomputed(hall: Arena) -> list[dict[str, Any]]:
    """The boards of the downloaded records."""
    records = [json.loads(record) for _, record in hall.live.iter_records()]
    found: list[dict[str, Any]] = json.loads(json.dumps([one.as_json() for one in boards(collect(records))]))
    return found


def test_every_preset_has_boards_of_its_own(hall: Arena) -> None:
    assert play(hall, "duels")["preset"] == "duel@1"
    view = play(hall, "tables", rules={"seats": 4}, house=TABLE)
    assert (view["preset"], view["rated"]) == ("table-4@1", True)
    assert hall.boards.due() == [BoardName(*WHERE, "duel@1"), BoardName(*WHERE, "table-4@1")]
    publish(hall)
    found = published(hall)
    assert [(board["preset"], board["groups"]) for board in found] == [("duel@1", 6), ("table-4@1", 2)]
    assert found == recomputed(hall)
    assert hall.boards.read(*WHERE) == hall.boards.read(*WHERE, "duel@1")
    (ours,) = hall.boards.history(*WHERE, "table-4@1", bot="regular").items
    assert ours["rating"] != hall.boards.history(*WHERE, bot="regular").items[0]["rating"]
    assert {group.id.split("-")[0] for group in hall.boards.groups(*WHERE, "table-4@1")} == {"tables"}
    with pytest.raises(ArenaError, match="has no preset 'duel@9'") as error:
        hall.boards.read(*WHERE, "duel@9")
    assert error.value.code == "preset_not_found"


def test_games_of_other_rules_move_no_board(hall: Arena) -> None:
    play(hall, "duels")
    publish(hall)
    before = published(hall)
    view = play(hall, "variant", rules=FREE, groups=5)
    assert (view["preset"], view["rated"]) == (None, False)
    play(hall, "three", rules={"seats": 3})
    assert hall.boards.due() == []
    hall.boards.renew(*WHERE)
    publish(hall)
    assert published(hall) == before
    records = [json.loads(record) for _, record in hall.live.iter_records()]
    rated = {record["info"]["rated"] for record in records if record["canonical"]["rules"] != {"seats": 2}}
    assert recomputed(hall) == before
    assert False in rated
    with pytest.raises(ArenaError, match="a tournament whose rules match no preset cannot be rated") as error:
        hall.cup("toepen", "insists", rules=FREE, rated=True)
    assert (error.value.code, error.value.field) == ("invalid_tournament", "rated")
