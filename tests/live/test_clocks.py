"""Clocks: budgets, banks, late seats, and outages that are nobody's fault."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from arena.live.service import LiveGames
from arena.live.sweeper import STALL
from arena.play.clocks import ClockSettings, InvalidClock, SeatClock, ServiceClock
from arena.store.games import CLOCK, OUTAGE_GAP_MS
from tests.live.clock import skip
from tests.live.conftest import MakeGames, Server
from tests.live.playing import (
    BOTS,
    SEATS,
    answer,
    awaited_turn,
    checked_record,
    new_game,
    open_games,
    play_out,
    quiet,
)
from tests.waiting import wait_until

SETTINGS = ClockSettings(per_turn_ms=1000, bank_ms=500)
MINUTE = {"per_turn_ms": 60_000, "bank_ms": 0}


def at(now_ms: int, outage_ms: int = 0) -> ServiceClock:
    return ServiceClock(now_ms, outage_ms)


def test_time_beyond_the_budget_comes_from_the_bank() -> None:
    clock = SeatClock(500)
    clock.run(1, SETTINGS, at(10_000))
    assert clock.left(SETTINGS, at(10_400)) == (600, 500)
    assert clock.left(SETTINGS, at(11_200)) == (0, 300)
    assert clock.left(SETTINGS, at(99_000)) == (0, 0)
    assert clock.deadline(SETTINGS, at(10_400)) == 11_500
    clock.run(2, SETTINGS, at(11_200))
    assert clock.left(SETTINGS, at(11_200)) == (1000, 300)
    clock.run(0, SETTINGS, at(11_300))
    assert clock.bank_ms == 300
    clock.run(3, SETTINGS, at(50_000))
    assert clock.deadline(SETTINGS, at(50_000)) == 51_300


def test_a_clock_that_runs_for_a_turn_goes_on_running() -> None:
    clock = SeatClock(500)
    clock.run(1, SETTINGS, at(10_000))
    clock.run(1, SETTINGS, at(10_900))
    assert clock.deadline(SETTINGS, at(10_900)) == 11_500


def test_an_outage_stops_the_clock() -> None:
    clock = SeatClock(500)
    clock.run(1, SETTINGS, at(10_000, outage_ms=7000))
    later = at(70_000, outage_ms=66_500)
    assert clock.left(SETTINGS, later) == (500, 500)
    assert clock.deadline(SETTINGS, later) == 71_000
    clock.run(0, SETTINGS, later)
    assert clock.bank_ms == 500


@pytest.mark.parametrize(
    "bad",
    [
        {"per_turn_ms": 99},
        {"per_turn_ms": 1000.0},
        {"per_turn_ms": True},
        {"per_turn_ms": "1000"},
        {"bank_ms": -1},
        {"bank_ms": 10**12},
        {"increment_ms": 5},
    ],
)
def test_invalid_clocks_are_rejected(games: LiveGames, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidClock) as caught:
        games.create("truco", seats=SEATS, clock=bad)
    assert caught.value.field == f"clock.{next(iter(bad))}"


def test_a_turn_shows_the_time_left(games: LiveGames) -> None:
    clock = {"per_turn_ms": 60_000, "bank_ms": 600_000}
    game = new_game(games, rules={"max_exchanges": 0}, clock=clock)
    _, turn = awaited_turn(games, game)
    assert 0 < turn["deadline_ms"] <= 60_000
    skip(games, 59_000)
    assert awaited_turn(games, game)[1]["deadline_ms"] <= 1000
    assert turn["bank_ms"] == 600_000
    optional = [turn for bot in BOTS for turn in games.turns(bot).turns if turn["optional"]]
    assert optional, "the right to knock is a turn without a clock"
    assert {turn["deadline_ms"] for turn in optional} == {None}
    view = games.view(game)
    assert view is not None
    running = [clock["seat"] for clock in view["clocks"] if clock["runs_out_at_ms"] is not None]
    assert running == view["awaiting"]


def test_the_table_acts_for_a_late_seat(games: LiveGames) -> None:
    game = new_game(games, "truco", clock=MINUTE)
    bot, turn = awaited_turn(games, game)
    sweeper = games.sweeper()
    sweeper.sweep()
    assert answer(games, bot, turn["turn"], "play:XX")["status"] == "illegal_action"
    skip(games, 60_001)
    sweeper.sweep()
    late = answer(games, bot, turn["turn"], turn["legal_actions"][0])
    assert late["status"] == "stale_turn"
    assert late["reason"] == "clock"
    view = games.view(game)
    assert view is not None
    assert [(f["seat"], f["type"]) for f in view["faults"]] == [
        (turn["seat"], "illegal"),
        (turn["seat"], "late"),
    ]


def test_the_bank_is_used_up_before_a_seat_is_late(games: LiveGames) -> None:
    game = new_game(games, "truco", clock={"per_turn_ms": 60_000, "bank_ms": 600_000})
    bot, turn = awaited_turn(games, game)
    skip(games, 61_000)
    games.sweeper().sweep()
    assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"
    view = games.view(game)
    assert view is not None
    assert 0 < view["clocks"][turn["seat"]]["bank_ms"] <= 599_000
    assert view["faults"] == []


def test_abandoned_games_end_by_the_clock(make_games: MakeGames) -> None:
    """Several sweepers serve the same games; every late turn counts once."""
    games = make_games()
    ids = [
        new_game(games, kind, clock={"per_turn_ms": 100, "bank_ms": 0}) for kind in ("truco", "toepen") * 2
    ]
    stop = threading.Event()
    sweepers = [threading.Thread(target=make_games().sweeper().run, args=(stop,)) for _ in range(3)]
    for sweeper in sweepers:
        sweeper.start()
    wait_until(lambda: all(games.summary(game)["state"] == "finished" for game in ids))
    stop.set()
    for sweeper in sweepers:
        sweeper.join()
    for game in ids:
        canonical = checked_record(games, game)["canonical"]
        by_seat = [sum(f["seat"] == seat for f in canonical["faults"]) for seat in range(4)]
        assert max(by_seat) == 3, "the third fault forfeits, and a forfeited seat has no clock"
        clocks = [entry for entry in canonical["actions"] if entry[2:] == ["clock"]]
        forfeits = len(canonical["outcome"]["forfeits"])
        assert len(clocks) == len(canonical["faults"]) - forfeits


def test_an_outage_extends_the_deadlines(single_url: str, server: Server) -> None:
    """Without beats for longer than the gap, the time does not count."""
    games = open_games(single_url)
    sweeper = games.sweeper()
    sweeper.sweep()
    game = new_game(games, "truco", clock={"per_turn_ms": 1000, "bank_ms": 0})
    _, turn = awaited_turn(games, game)
    # As if the last beat had been long before: everything since is one gap.
    before = int(server.client().hget(CLOCK, "at") or 0)
    gap = OUTAGE_GAP_MS + 60_000
    server.client().hset(CLOCK, "at", before - gap)
    other = open_games(single_url)
    assert other.store.clock().outage_ms >= gap
    other.sweeper().sweep()
    skip(other, 1_100)
    other.sweeper().sweep()
    view = other.view(game)
    assert view is not None
    assert view["faults"] == []
    assert view["awaiting"] == [turn["seat"]]
    total = other.store.beat().outage_ms
    assert total >= gap
    assert other.store.beat().outage_ms == total, "beats in time add nothing"
    assert view["clocks"][turn["seat"]]["runs_out_at_ms"] > before + gap - 60_000
    games.close()
    other.close()


class StandsStill(threading.Event):
    """Ends its second wait late, as a loop does that serves nothing meanwhile."""

    waits = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.waits += 1
        if self.waits > 1:
            time.sleep((timeout or 0) + 2 * STALL)
            self.set()
        return self.is_set()


def test_time_in_which_a_process_stood_still_stops_every_clock(games: LiveGames) -> None:
    before = games.store.beat().outage_ms
    games.sweeper().run(StandsStill())
    assert games.store.beat().outage_ms - before >= 2000 * STALL


def test_time_in_which_two_processes_stood_still_counts_once(games: LiveGames) -> None:
    before = games.store.beat()
    hour = 3_600_000
    once = games.store.beat(hour).outage_ms - before.outage_ms
    assert once == hour
    twice = games.store.beat(hour)
    assert twice.outage_ms - before.outage_ms - once <= twice.now_ms - before.now_ms + 1


def test_three_late_turns_forfeit(games: LiveGames) -> None:
    game = new_game(games, "truco", clock=MINUTE)
    sweeper = games.sweeper()
    gone, turn = awaited_turn(games, game)
    late = 0
    while not (view := games.view(game))["taken_over"]:  # type: ignore[index]
        assert view is not None
        assert view["state"] == "running"
        bot, current = awaited_turn(games, game)
        if bot == gone:
            skip(games, 60_001)
            sweeper.sweep()
            late += 1
        else:
            answer(games, bot, current["turn"], quiet(current))
    assert late == 3
    play_out(games, [game])
    assert checked_record(games, game)["canonical"]["outcome"]["forfeits"] == [turn["seat"]]
