"""Tables whose only person is gone: they are paused, continue when the person is back, and end."""

from __future__ import annotations

from typing import Any

import pytest

from arena.live.header import person_account
from arena.live.service import LiveGames, Viewer
from arena.ops.jobs import Job, JobName
from arena.play.attendance import ENDS_MS, GONE_MS, NOBODY_THERE, Attendance
from arena.play.clocks import ServiceClock
from arena.store.games import DUE, game_key
from tests.live.clock import skip
from tests.live.conftest import MakeGames
from tests.live.playing import NotedJobs, quiet

PERSON = {"person": "p-1", "name": "guest 1", "agrees": False}
HOUSE = {"house": "random"}
CLOCK = {"per_turn_ms": 30_000, "bank_ms": 120_000}
RUN_OUT_MS = 150_000


class Killed(BaseException):
    """The process ends."""


def table(games: LiveGames, *others: dict[str, Any]) -> str:
    """A table of a person with house bots."""
    seats = [PERSON, *(others or (HOUSE, HOUSE, HOUSE))]
    rules = {"lives": 10, "seats": len(seats)}
    options: dict[str, Any] = {"visibility": "private", "clock": CLOCK}
    game = str(games.create("toepen", seats=seats, rules=rules, **options)["game"])
    come(games, game)
    return game


def come(games: LiveGames, game: str) -> bool:
    """A request of the person."""
    return games.attend(games.header(game))


def view_of(games: LiveGames, game: str) -> Any:
    return games.view(game, Viewer("p-1"))


def asked(games: LiveGames, game: str) -> Any:
    """The turn of the person."""
    for _ in range(200):
        games.move_house_bots(game)
        view = view_of(games, game)
        if view["awaiting"] == [0]:
            return view["turn"]
    raise AssertionError("the person has no turn")


def house_asked(games: LiveGames, game: str) -> None:
    """Play until a house bot must move."""
    for _ in range(200):
        turn = asked(games, game)
        games.act("p-1", turn["turn"], quiet(turn))
        if view_of(games, game)["awaiting"] != [0]:
            return
    raise AssertionError("no house bot has a turn")


def test_the_clocks_of_a_paused_table_stand_still(make_games: MakeGames) -> None:
    games = make_games(jobs=NotedJobs())
    game = table(games)
    turn = asked(games, game)
    skip(games, 20_000)
    come(games, game)
    for _ in range(2):
        # Without a pause, the time would run out in the second round.
        skip(games, GONE_MS + 300_000)
        games.finalizer.check(game)
        view = view_of(games, game)
        assert (view["faults"], view["turn"]["turn"]) == ([], turn["turn"])
        assert {clock["runs_out_at_ms"] for clock in view["clocks"]} == {None}
        assert come(games, game)
        assert not come(games, game)
    left = view_of(games, game)["turn"]
    used = 20_000 + 2 * GONE_MS
    assert left["deadline_ms"] + left["bank_ms"] == pytest.approx(RUN_OUT_MS - used, abs=3000)
    # The person is there, but does not answer.
    for _ in range(2):
        skip(games, 30_000)
        come(games, game)
    games.finalizer.check(game)
    assert [fault["type"] for fault in view_of(games, game)["faults"]] == ["late"]


def test_house_bots_do_not_move_at_a_paused_table(make_games: MakeGames) -> None:
    jobs = NotedJobs()
    games = make_games(jobs=jobs)
    game = table(games)
    house_asked(games, game)
    version = view_of(games, game)["version"]
    skip(games, GONE_MS + 1000)
    jobs.requested.clear()
    assert games.move_house_bots(game).moves == 0
    due = games.finalizer.check(game)
    assert jobs.requested == []
    assert due == pytest.approx(games.store.clock().now_ms + ENDS_MS - GONE_MS - 1000, abs=3000)
    assert view_of(games, game)["version"] == version
    assert come(games, game)
    assert jobs.requested == [Job(JobName.MOVE_HOUSE_BOTS, (game, person_account("p-1")))]
    assert games.move_house_bots(game).moves > 0


def test_a_bot_that_is_thinking_finds_the_table_paused(make_games: MakeGames) -> None:
    games = make_games(jobs=NotedJobs())
    game = table(games)
    house_asked(games, game)
    chosen = 0

    def choose(name: str, seat: int, turn: Any, seed: int) -> str:
        nonlocal chosen
        chosen += 1
        skip(games, GONE_MS + 1000)
        return quiet(turn)

    assert games.move_house_bots(game, choose).moves == chosen == 1


def test_a_game_ends_when_nobody_comes_back(make_games: MakeGames) -> None:
    games, other = make_games(jobs=NotedJobs()), make_games(jobs=NotedJobs())
    game = table(games)
    asked(games, game)
    for one in (games, other):
        skip(one, ENDS_MS - 5000)
        one.finalizer.check(game)
    assert games.header(game).state == "running"
    for one in (games, other):
        skip(one, 6000)
        assert one.finalizer.check(game) is None
    header = games.header(game)
    assert (header.state, header.reason) == ("void", NOBODY_THERE)
    assert not come(games, game)


def test_requests_of_all_processes_count(make_games: MakeGames) -> None:
    games, other = make_games(jobs=NotedJobs()), make_games(jobs=NotedJobs())
    game = table(games)
    asked(games, game)
    for _ in range(40):
        for one in (games, other):
            skip(one, 30_000)
        other.attend(other.header(game))
    assert games.header(game).state == "running"
    # The person was there all the time, but has not answered.
    games.finalizer.check(game)
    assert [fault["type"] for fault in view_of(games, game)["faults"]] == ["late"]


def test_few_requests_are_stored(make_games: MakeGames) -> None:
    games = make_games(jobs=NotedJobs())
    game = table(games)
    stored = games.store.load([game])[0]
    for _ in range(20):
        come(games, game)
        skip(games, 400)
    assert games.store.load([game])[0] == stored
    skip(games, 3000)
    come(games, game)
    after = games.store.load([game])[0]
    assert stored is not None
    assert after == stored._replace(attendance=after.attendance if after else None)
    assert after != stored


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_a_kill_while_the_person_comes_back(
    make_games: MakeGames, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    """The process is killed after each of its calls in turn; the next request, or a sweeper, continues."""
    jobs = NotedJobs()
    games, other = make_games(jobs=NotedJobs()), make_games(jobs=jobs)
    game = table(games)
    house_asked(games, game)
    for one in (games, other):
        skip(one, GONE_MS + 100_000)
    other.store.settle(game, _due(other, game), other.finalizer.check(game))
    header, now = games.header(game), games.store.clock()
    run, made = games.store._connection.run, 0

    def dying(commands: Any) -> Any:
        nonlocal made
        reply = run(commands)
        made += 1
        if made == calls:
            raise Killed
        return reply

    monkeypatch.setattr(games.store, "clock", lambda: now)
    monkeypatch.setattr(games.store._connection, "run", dying)
    with pytest.raises(Killed):
        games.attend(header)
    monkeypatch.undo()
    if calls < 3:
        assert jobs.requested == []
        assert other.attend(header)
    else:
        assert not other.attend(header)
        jobs.requested.clear()
        skip(other, 2000)
        other.sweeper().sweep()
    assert jobs.requested == [Job(JobName.MOVE_HOUSE_BOTS, (game, person_account("p-1")))]
    assert _due(other, game) <= other.store.clock().now_ms + 20_000


def _due(games: LiveGames, game: str) -> int:
    (score,) = games.store._connection.run([("ZSCORE", DUE, game)])
    return int(float(score))


def test_only_tables_of_one_person_and_house_bots_are_paused(make_games: MakeGames) -> None:
    games = make_games(jobs=NotedJobs())
    for other in ({"bot": "ann"}, {"person": "p-2", "name": "guest 2", "agrees": False}):
        game = table(games, HOUSE, other)
        assert games.store.load([game])[0][-1] is None  # type: ignore[index]
        games.move_house_bots(game)
        skip(games, ENDS_MS + 1)
        games.finalizer.check(game)
        view = view_of(games, game)
        assert view["state"] == "running"
        assert [fault["type"] for fault in view["faults"]] == ["late"]


def test_a_game_without_attendance_counts_from_the_first_check(make_games: MakeGames) -> None:
    games = make_games(jobs=NotedJobs())
    game = table(games)
    games.store._connection.run([("HDEL", game_key(game), "p")])
    games.store._attended.clear()
    skip(games, 2 * ENDS_MS)
    games.finalizer.check(game)
    assert games.header(game).state == "running"
    skip(games, ENDS_MS + 1)
    games.finalizer.check(game)
    assert games.header(game).state == "void"


def test_an_outage_is_no_absence() -> None:
    one = Attendance(seen_ms=1_000_000)
    assert not one.is_paused(ServiceClock(1_500_000, 450_000))
    assert one.is_paused(ServiceClock(1_500_000, 430_000))
    assert one.table_clock(ServiceClock(1_500_000, 430_000)) == (1_500_000, 440_000)
    assert one.pauses_at_ms(ServiceClock(1_020_000, 5000)) == 1_065_001
    later = Attendance(1_500_000, 70_000, 1_500_000, 70_000)
    assert later.notice(ServiceClock(1_501_000, 0)).startswith("The table was paused for 1:10 minutes")
    assert later.notice(ServiceClock(1_570_000, 0)) == ""
