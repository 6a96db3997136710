"""How bots play is counted from released records, each once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest

from arena.events.styles import BoardStyles, replayed
from arena.games import GAMES
from arena.ops.jobs import Job, JobName
from tests.live.arenas import Arena
from tests.live.snapshots import play_once

WHERE = ("truco", "sealed")


@pytest.fixture
def hall(arena: Arena) -> Arena:
    """A board of four groups of each of three bots."""
    play_once(arena, publish_a_cup)
    return arena


def publish_a_cup(arena: Arena) -> None:
    arena.cup(name="one")
    arena.run("one")
    assert arena.boards.publish(*WHERE)


def counted(hall: Arena) -> dict[str, list[list[int]]]:
    """The sums of the released records, counted at once."""
    style = GAMES["truco"].style
    assert style is not None
    found: dict[str, list[list[int]]] = {}
    for _, line in hall.live.iter_records(kind="truco"):
        canonical: dict[str, Any] = orjson.loads(line)["canonical"]
        events = replayed(GAMES["truco"], canonical)
        rules = GAMES["truco"].options.complete(canonical["rules"])
        for player, counts in zip(canonical["players"], style.count(events, rules), strict=True):
            sums = found.setdefault(player["name"], [[0, 0] for _ in counts])
            for own, (done, of) in zip(sums, counts, strict=True):
                own[0] += done
                own[1] += of
    return found


def test_the_sums_are_those_of_the_records(hall: Arena) -> None:
    own = hall.service.styles
    assert own.read(*WHERE).bots == {}
    while own.update("truco"):
        pass
    found = own.read(*WHERE)
    assert {name: list(map(list, bot.counts)) for name, bot in found.bots.items()} == counted(hall)
    assert {bot.games for bot in found.bots.values()} == {8}
    assert own.read("truco", "open").bots == {}
    assert own.read("truco", "sealed", "no-cut@1").bots == {}
    assert own.read(*WHERE) is found, "it is parsed once"
    other = BoardStyles(hall.store, hall.live.finished, hall.service.moderation)
    assert other.read(*WHERE) == found


def test_only_new_records_are_read(hall: Arena) -> None:
    own = hall.service.styles
    assert own.update("truco", 0) or True
    while own.update("truco"):
        pass
    before = own.read(*WHERE)
    assert not own.update("truco"), "nothing is new"
    assert own.read(*WHERE).version == before.version
    hall.cup(name="two", groups=1)
    hall.run("two")
    read = []
    released = hall.live.finished.released

    def noted(kind: str | None, after: int, count: int) -> Any:
        read.append(after)
        return released(kind, after, count)

    hall.live.finished.released = noted  # type: ignore[method-assign]
    while own.update("truco"):
        pass
    assert min(read) == int(before.version)
    assert {bot.games for bot in own.read(*WHERE).bots.values()} == {12}
    assert {name: list(map(list, bot.counts)) for name, bot in own.read(*WHERE).bots.items()} == counted(hall)


def test_another_way_of_counting_begins_anew(hall: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    own = hall.service.styles
    while own.update("truco"):
        pass
    before = own.read(*WHERE)
    game = GAMES["truco"]
    assert game.style is not None
    newer = replace(game, style=replace(game.style, version=2))
    monkeypatch.setitem(GAMES, "truco", newer)  # type: ignore[arg-type]
    while own.update("truco"):
        pass
    assert own.read(*WHERE).bots == before.bots


def test_what_cannot_be_read_is_left_out(hall: Arena) -> None:
    hall.store.styles.save("truco", version="1", document=b"[]")
    assert hall.service.styles.read(*WHERE).bots == {}
    assert b"boards" not in (hall.store.styles.load("truco", "document")[0] or b"")


def test_the_job_goes_on_while_there_is_more(hall: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.events.styles.RUN_SECONDS", 0.0)
    monkeypatch.setattr(BoardStyles, "update", lambda self, kind: True)
    hall.service.compute_matchups("truco", "sealed", "base@1")
    assert Job(JobName.COMPUTE_MATCHUPS, ("truco", "sealed", "base@1")) in hall.jobs.pending
