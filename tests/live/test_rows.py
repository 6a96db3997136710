"""Stored rows: what newer versions added is kept, and what is always written has to be there."""

from __future__ import annotations

import logging
from typing import Any

import orjson
import pytest

from arena.errors import CorruptState, NewerFormat
from arena.events.tournament import PlannedGroup, Tournament
from arena.live.header import GameHeader
from arena.live.service import LiveGames
from arena.store.games import game_key
from arena.store.rows import FORMAT, LEFT_OUT
from tests.live.arenas import Arena
from tests.live.playing import answer, awaited_turn, new_game, quiet

HEADER = {
    "game": "g1",
    "kind": "truco",
    "rules": {"cut": "none", "max_burns": 3, "face_down": "any", "signals": "off", "max_hands": 100},
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
"""As it is stored."""


@pytest.fixture(autouse=True)
def nothing_left_out() -> None:
    LEFT_OUT.clear()


def stored(games: LiveGames, game: str) -> tuple[dict[str, Any], dict[str, Any]]:
    (row,) = games.store.load([game])
    assert row is not None
    return orjson.loads(row.header), orjson.loads(row.table or b"{}")


def state_of(games: LiveGames, game: str) -> dict[str, Any]:
    """The stored state of a game."""
    (row,) = games.store.load([game])
    assert row is not None
    state: dict[str, Any] = orjson.loads(row.state or b"")
    return state


def overwrite(games: LiveGames, game: str, **fields: object) -> None:
    """Write fields of a game's hash as another version would: ``m`` header, ``s`` table, ``t`` state."""
    pairs = [item for name, value in fields.items() for item in (name, orjson.dumps(value))]
    games.store._connection.run([("HSET", game_key(game), *pairs)])


def test_a_header_is_written_as_it_was_read() -> None:
    data = orjson.dumps(HEADER)
    assert GameHeader.loads(data).dumps() == data


@pytest.mark.parametrize("name", sorted(HEADER))
def test_every_field_of_a_header_has_to_be_there(name: str) -> None:
    with pytest.raises(CorruptState, match=name):
        GameHeader.loads(orjson.dumps({key: value for key, value in HEADER.items() if key != name}))


def test_unknown_fields_are_kept_at_every_level() -> None:
    newer = {
        **HEADER,
        "seats": [{**HEADER["seats"][0], "avatar": "owl"}],  # type: ignore[index]
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


def newer_parts(games: LiveGames, game: str) -> dict[str, dict[str, Any]]:
    """What a newer process may have written that this one cannot read: fields of a game's hash by name."""
    header, table = stored(games, game)
    state = state_of(games, game)
    clocks = [{"bank": 5} for _ in header["seats"]]
    return {
        "header": {"m": {"format": 2, "all": "is new"}},
        "table": {"s": {"format": 2, "all": "is new"}},
        "table without a format": {"s": {**table, "clocks": clocks, "increments": [1, 2]}},
        "game": {"m": {**header, "kind": "canasta"}},
        "rule option": {"m": {**header, "rules": {**header["rules"], "wild": 2}}},
        "version of the state": {"t": {**state, "version": 2}},
        "field of the state": {"t": {**state, "wild": [2]}},
        "rules of the state": {"t": {**state, "rules": {"wild": 2}}},
    }


@pytest.mark.parametrize(
    "part",
    [
        "header",
        "table",
        "table without a format",
        "game",
        "rule option",
        "version of the state",
        "field of the state",
        "rules of the state",
    ],
)
@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_a_game_of_a_newer_format_is_never_void(
    games: LiveGames, kind: str, part: str, caplog: pytest.LogCaptureFixture
) -> None:
    game = new_game(games, kind)
    good, _ = stored(games, game)
    overwrite(games, game, **newer_parts(games, game)[part])
    with caplog.at_level(logging.WARNING):
        due = games.finalizer.check(game)
    assert due is not None
    assert due > games.store.clock().now_ms
    assert "newer" in caplog.text
    overwrite(games, game, m=good)
    assert games.summary(game)["state"] == "running"


def test_what_looks_corrupt_is_left_alone_while_a_newer_version_writes_to_the_store(games: LiveGames) -> None:
    game = new_game(games, "truco")
    _, table = stored(games, game)
    overwrite(games, game, s={**table, "clocks": "elsewhere"})
    games.store._connection.run([("HSET", "{arena}:store", "format", FORMAT + 1)])
    assert games.finalizer.check(game) is not None
    assert games.summary(game)["state"] == "running"
    games.store._connection.run([("HSET", "{arena}:store", "format", FORMAT)])
    assert games.finalizer.check(game) is None
    assert games.summary(game)["reason"] == "corrupt_state"


def test_clocks_seats_faults_and_answers_keep_additional_values(make_games: object) -> None:
    games: LiveGames = make_games()  # type: ignore[operator]
    game = new_game(games, "truco")
    for _ in range(3):
        bot, turn = awaited_turn(games, game)
        assert answer(games, bot, turn["turn"], "play:XX")["status"] == "illegal_action"
        assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"
    _, table = stored(games, game)
    newer: dict[str, Any] = {
        **table,
        "clocks": [[*clock, 7] for clock in table["clocks"]],
        "seats": [[*seat, {"mood": "calm"}] for seat in table["seats"]],
        "faults": [{**fault, "weight": 2} for fault in table["faults"]],
        "marks": [[*mark, "later"] for mark in table["marks"]],
    }
    overwrite(games, game, s=newer)
    other: LiveGames = make_games()  # type: ignore[operator]
    bot, turn = awaited_turn(other, game)
    assert answer(other, bot, turn["turn"], quiet(turn))["status"] == "accepted"
    _, after = stored(other, game)
    assert after["logged"] == table["logged"] + 1
    assert [clock[4:] for clock in after["clocks"]] == [[7]] * len(table["clocks"])
    assert [seat[4:] for seat in after["seats"]] == [[{"mood": "calm"}]] * len(table["seats"])
    assert [fault["weight"] for fault in after["faults"]] == [2] * len(table["faults"])
    assert len(after["faults"]) == 3


def test_a_row_that_cannot_be_read_is_left_out_of_the_list(
    games: LiveGames, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = new_game(games, "truco"), new_game(games, "truco")
    overwrite(games, first, m={"game": first})
    assert [item["game"] for item in games.list().items] == [second]
    assert f"game {first} cannot be read and is left out" in caplog.text
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
    assert [item["id"] for item in arena.tournaments.present().items] == ["cup"]
    assert "tournament other cannot be read and is left out" in caplog.text


def test_corrupt_and_newer_rows_are_distinguished() -> None:
    for data, error in ((b"{}", CorruptState), (b"[]", CorruptState), (b"x", CorruptState)):
        with pytest.raises(error) as caught:
            GameHeader.loads(data)
        assert not isinstance(caught.value, NewerFormat)
        with pytest.raises(error):
            Tournament.loads(data)
    with pytest.raises(NewerFormat):
        Tournament.loads(b'{"format": %d}' % (FORMAT + 1))


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
    assert "schedules 'bad' cannot be read and is left out" in caplog.text
    assert rows.change("good", lambda row: {**row, "new": 1}) == {"id": "good", "new": 1}
    assert rows.change("good", lambda row: None) is None
    assert rows.find("good") is None
