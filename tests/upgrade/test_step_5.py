"""The step to format 5: lists of bots contain ids, and results contain scores; kills lose nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from arena.events.bot_games import PlayedGames, games_of_arena
from arena.events.compaction import Compaction
from arena.events.group_results import results_of
from arena.live.header import Viewer
from arena.store.bot_games import group_lists
from arena.store.chunks import from_chunk, to_chunk
from arena.store.embedded import EmbeddedStore
from arena.upgrade import upgrade
from tests.live.archived import archive_now
from tests.live.arenas import Arena
from tests.upgrade.killed import kills_at_each_command

ADMIN = Viewer(admin=True)
BOTS = ("random", "rookie", "regular")


class Former(NamedTuple):
    """A service, and what its lists showed before."""

    arena: Arena
    before: dict[str, Any]


def seen(arena: Arena) -> dict[str, Any]:
    """What the lists show."""
    return {
        bot: (
            arena.service.bot_games.list(bot, limit=100),
            arena.service.bot_games.list(bot, limit=100, viewer=ADMIN),
            list(games_of_arena(arena.store, bot)),
        )
        for bot in BOTS
    }


def row_of(arena: Arena, group_id: str, at_ms: int) -> bytes:
    """The row of a group in format 4."""
    event, group = group_id.split("-r", 1)[0], "r" + group_id.split("-r", 1)[1]
    (result,) = results_of(arena.store.tournaments, [(event, group)])
    players = list(result.players)
    games = [
        [[players.index(own) for own in game.players], game.places, game.scores, game.forfeits]
        for game in result.games
    ]
    head = [event, group, result.kind, result.preset, at_ms, True, result.teams]
    return orjson.dumps([*head, [[*player, True] for player in players], games])


def without_scores(result: bytes | None) -> bytes | None:
    if result is None:
        return None
    values = json.loads(result)
    for game in values[7]:
        del game[11:]
    return json.dumps(values, separators=(",", ":")).encode()


def to_former(arena: Arena) -> None:
    """Convert all data to format 4."""
    connection = arena.store._connection
    rows = {
        key: [(row_of(arena, own.name, own.score), own.score) for own in groups]
        for bot in BOTS
        for key, private in zip(group_lists(bot), (False, True), strict=True)
        if (groups := arena.store.bot_games.groups(bot, private=private))
    }
    for key, members in rows.items():
        added = [("ZADD", key, score, row) for row, score in members]
        connection.run([("DEL", key), *added])
    for found in connection.keys("{t:*}:results"):
        (reply,) = connection.run([("HGETALL", found)])
        for group, result in zip(reply[::2], reply[1::2], strict=True):
            connection.run([("HSET", found, group, without_scores(result))])
    for found in connection.keys("{t:*}:chunks"):
        (reply,) = connection.run([("HGETALL", found)])
        for number, data in zip(reply[::2], reply[1::2], strict=True):
            stored = [own._replace(result=without_scores(own.result)) for own in from_chunk(data)]
            connection.run([("HSET", found, number, to_chunk(stored))])
    arena.store.identity.register()
    arena.store.identity.set_format(4)


@pytest.fixture
def former(clean_store: EmbeddedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Former]:
    """A service of format 4 with groups in chunks, others outside chunks, of a private tournament, and others
    that are not on the lists yet.
    """
    arena = Arena(clean_store.url, archive=str(tmp_path / "archive"))
    arena.cup()
    arena.run()
    assert arena.boards.publish("truco", "sealed")
    archive_now(arena)
    assert Compaction(arena.store, -1000).run(60) == 6
    arena.cup("toepen", "q-hushed", who="invited", hidden=True, rated=False)
    arena.run("q-hushed")
    before = seen(arena)
    arena.cup("toepen", "late", groups=1)
    arena.lock("late")
    with monkeypatch.context() as patch:
        patch.setattr(PlayedGames, "add", lambda *_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            arena.tournaments.play_local_groups("late", 5)
    arena.cup("toepen", "begun", groups=1)
    arena.lock("begun")
    assert arena.store.tournaments.keep_part("begun", "r1-p1-g1", 0, b"the first games")
    to_former(arena)
    yield Former(arena, before)
    arena.live.close()


def check(former: Former) -> None:
    """Everything reads as before, lists are stored compactly, and what was not over continues."""
    arena, before = former
    assert seen(arena) == before
    assert len(before["rookie"][1]) == 16
    keys = [key for pattern in group_lists("*") for key in arena.store._connection.keys(pattern)]
    assert len(keys) == 6
    encodings = arena.store._connection.run([("OBJECT", "ENCODING", key) for key in keys])
    assert set(encodings) == {b"listpack"}
    assert arena.store._connection.keys("*:new") == []
    assert arena.store.tournaments.parts("begun", ["r1-p1-g1"]) == [None]
    for name in ("late", "begun"):
        arena.run(name)
        records = [json.loads(line)["canonical"] for line in arena.tournaments.records(name)]
        outcomes = {record["game"]: record["outcome"] for record in records}
        listed = [own for own in arena.service.bot_games.list("rookie") if own["tournament"]["id"] == name]
        assert {own["game"]: own["outcome"] for own in listed} == {
            own["game"]: outcomes[own["game"]] for own in listed
        }
        assert len(listed) == 4


def test_lists_read_as_before(former: Former) -> None:
    assert upgrade(former.arena.store, None) == [5, 6, 7, 8, 9]
    check(former)
    assert upgrade(former.arena.store, None) == []


def test_a_step_that_is_killed_at_any_command_is_repeated(former: Former, clean_store: EmbeddedStore) -> None:
    assert len(list(kills_at_each_command(clean_store.url))) > 20
    check(former)


def test_damaged_rows_are_left_out(former: Former) -> None:
    arena = former.arena
    arena.store._connection.run([("ZADD", "{b:random}:groups", 1, row) for row in (b'["cup",1', b"[1]")])
    arena.store._connection.run([("ZADD", "{b:lost}:groups", 1, b"[]")])
    assert upgrade(arena.store, None) == [5, 6, 7, 8, 9]
    check(former)
