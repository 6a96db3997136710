"""Stored rows: those of older versions are read, and what newer versions added is kept."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import orjson
import pytest

from arena.errors import CorruptState
from arena.events.tournament import PlannedGroup, Tournament
from arena.live.header import GameHeader
from arena.live.service import LiveGames
from arena.store.games import game_key
from arena.store.rows import NewerRow
from tests.live.arenas import Arena
from tests.live.playing import answer, awaited_turn, new_game, quiet

OLD_HEADER = {
    "game": "g1",
    "kind": "truco",
    "rules": {"cut": "none"},
    "seats": [{"bot": "ann", "house": None, "version": "1", "nonce": ""}],
    "clock": {"per_turn_ms": 1000, "bank_ms": 0},
    "seed": "00" * 32,
    "created_by": "",
    "created_ms": 1,
    "visibility": "public",
    "rated": False,
    "group": None,
    "state": "waiting",
    "started_ms": None,
    "finished_ms": None,
    "released": False,
    "outcome": None,
    "reason": None,
    "commitment": "c",
}
"""As release 0.1 wrote it."""


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    opened = Arena(url)
    yield opened
    opened.live.close()


def stored(games: LiveGames, game: str) -> tuple[dict[str, object], dict[str, object]]:
    (row,) = games.store.load([game])
    assert row is not None
    return orjson.loads(row.header), orjson.loads(row.table or b"{}")


def overwrite(games: LiveGames, game: str, **fields: object) -> None:
    """Write fields of a game's hash (``m`` header, ``s`` table) as another version of the program would."""
    pairs = [item for name, value in fields.items() for item in (name, orjson.dumps(value))]
    games.store._connection.run([("HSET", game_key(game), *pairs)])


def test_a_header_of_format_1_is_written_as_the_earlier_release_did() -> None:
    data = orjson.dumps(OLD_HEADER)
    assert GameHeader.loads(data).dumps() == data


def test_unknown_fields_are_kept_at_every_level() -> None:
    newer = {
        **OLD_HEADER,
        "seats": [{**OLD_HEADER["seats"][0], "avatar": "owl"}],  # type: ignore[index]
        "clock": {"per_turn_ms": 1000, "bank_ms": 0, "increment_ms": 5},
        "stakes": {"pot": 3},
        "format": 2,
    }
    header = GameHeader.loads(orjson.dumps(newer))
    header.state = "running"
    assert orjson.loads(header.dumps()) == {**newer, "state": "running"}


def test_a_running_game_keeps_what_a_newer_process_wrote(make_games: object) -> None:
    games: LiveGames = make_games()  # type: ignore[operator]
    game = new_game(games, "truco")
    header, table = stored(games, game)
    overwrite(games, game, m={**header, "stakes": 3}, s={**table, "whispers": [1]})
    other: LiveGames = make_games()  # type: ignore[operator]
    bot, turn = awaited_turn(other, game)
    assert answer(other, bot, turn["turn"], quiet(turn))["status"] == "accepted"
    other.resign(game, bot)
    header, table = stored(other, game)
    assert table["logged"] != 0
    assert (header["stakes"], table["whispers"]) == (3, [1])


@pytest.mark.parametrize("part", ["m", "s"])
def test_a_game_of_a_newer_format_is_never_void(
    games: LiveGames, part: str, caplog: pytest.LogCaptureFixture
) -> None:
    game = new_game(games, "truco")
    good, _ = stored(games, game)
    # A new one of its kind, so that the process has nothing in memory.
    broken = {"format": 2, "all": "is new"}
    overwrite(games, game, **{part: broken})
    with caplog.at_level(logging.WARNING):
        due = games.finalizer.check(game)
    assert due is not None
    assert due > games.store.clock().now_ms
    assert "newer" in caplog.text
    overwrite(games, game, m=good)
    assert games.summary(game)["state"] == "running"


def test_a_row_that_cannot_be_read_is_left_out_of_the_list(
    games: LiveGames, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = new_game(games, "truco"), new_game(games, "truco")
    overwrite(games, first, m={"game": first})
    assert [item["game"] for item in games.list().items] == [second]
    assert f"game {first} is left out" in caplog.text
    assert [item["game"] for item in games.list(state="running").items] == [second]


def test_a_tournament_keeps_unknown_fields(arena: Arena) -> None:
    arena.cup()
    (row,) = arena.store.tournaments.load(["cup"])
    assert row is not None
    values = orjson.loads(row.meta)
    assert "format" not in values
    values["spec"]["prize"] = "a cup"
    values["entries"][0]["sponsor"] = "olga"
    newer = orjson.dumps({**values, "stream": "url", "format": 2})
    assert arena.store.tournaments.step("cup", row.version, newer)
    assert arena.run()["state"] == "finished"
    (row,) = arena.store.tournaments.load(["cup"])
    assert row is not None
    after = orjson.loads(row.meta)
    assert (after["stream"], after["format"], after["spec"]["prize"]) == ("url", 2, "a cup")
    assert [entry.get("sponsor") for entry in after["entries"]].count("olga") == 1


def test_a_tournament_that_cannot_be_read_is_left_out_of_the_lists(
    arena: Arena, caplog: pytest.LogCaptureFixture
) -> None:
    arena.cup_in_entry(name="cup")
    arena.cup_in_entry(name="other")
    (row,) = arena.store.tournaments.load(["other"])
    assert row is not None
    assert arena.store.tournaments.step("other", row.version, b'{"format":2,"all":"is new"}')
    assert [item["id"] for item in arena.tournaments.list().items] == ["cup"]
    assert [item["id"] for item in arena.tournaments.present()] == ["cup"]
    assert "a tournament is left out" in caplog.text


def test_corrupt_and_newer_rows_are_distinguished() -> None:
    for data, error in ((b"{}", CorruptState), (b"[]", CorruptState), (b"x", CorruptState)):
        with pytest.raises(error) as caught:
            GameHeader.loads(data)
        assert not isinstance(caught.value, NewerRow)
        with pytest.raises(error):
            Tournament.loads(data)
    with pytest.raises(NewerRow):
        Tournament.loads(b'{"format": 2}')


def test_rows_that_are_arrays_may_grow() -> None:
    group = PlannedGroup("r1-p1-g1", 1, 1, [[0, 1]], True, "c")
    longer = orjson.dumps([*orjson.loads(group.dumps()), "new"])
    assert PlannedGroup.loads(group.id, longer) == group


def test_a_schedule_that_cannot_be_read_is_left_out(arena: Arena, caplog: pytest.LogCaptureFixture) -> None:
    rows = arena.store.schedules
    assert rows.add("good", {"id": "good"})
    assert rows.add("good", {"id": "good"}), "the same command sent twice"
    assert not rows.add("good", {"id": "other"})
    rows._connection.run([("HSET", "{schedules}", "bad", b"{")])
    assert rows.all() == {"good": {"id": "good"}}
    assert "'bad' cannot be read" in caplog.text
    assert rows.change("good", lambda row: {**row, "new": 1}) == {"id": "good", "new": 1}
    assert rows.change("good", lambda row: None) is None
    assert rows.find("good") is None
