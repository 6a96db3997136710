"""Clocks: budgets, banks, late seats, and outages that are nobody's fault."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from arena.live.clocks import ClockSettings, InvalidClock, SeatClock, ServiceClock
from arena.live.games import LiveGames
from arena.live.store import CLOCK, OUTAGE_GAP_MS
from tests.live.conftest import MakeGames, Server
from tests.live.playing import BOTS, SEATS, answer, awaited_turn, checked_record, new_game, play_out, quiet

SETTINGS = ClockSettings(per_turn_ms=1000, bank_ms=500)


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
def test_bad_clocks_are_refused(games: LiveGames, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidClock) as caught:
        games.create("truco", seats=SEATS, clock=bad)
    assert caught.value.field == f"clock.{next(iter(bad))}"


def test_the_time_left_is_told(games: LiveGames) -> None:
    game = new_game(games, clock={"per_turn_ms": 60_000, "bank_ms": 7000})
    _, turn = awaited_turn(games, game)
    assert 55_000 < turn["deadline_ms"] <= 60_000
    assert turn["bank_ms"] == 7000
    optional = next(
        (t for bot in BOTS for t in games.turns(bot).turns if t["optional"]), {"deadline_ms": None}
    )
    assert optional["deadline_ms"] is None
    view = games.view(game)
    assert view is not None
    running = [clock["seat"] for clock in view["clocks"] if clock["runs_out_at_ms"] is not None]
    assert running == view["awaiting"]


def test_a_late_seat_is_played_by_the_clock(games: LiveGames) -> None:
    game = new_game(games, "truco", clock={"per_turn_ms": 1500, "bank_ms": 0})
    bot, turn = awaited_turn(games, game)
    sweeper = games.sweeper()
    sweeper.sweep()
    assert answer(games, bot, turn["turn"], "play:XX")["status"] == "illegal_action"
    time.sleep(1.6)
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
    game = new_game(games, "truco", clock={"per_turn_ms": 100, "bank_ms": 20_000})
    bot, turn = awaited_turn(games, game)
    time.sleep(0.3)
    games.sweeper().sweep()
    assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"
    view = games.view(game)
    assert view is not None
    assert 0 < view["clocks"][turn["seat"]]["bank_ms"] < 19_850
    assert view["faults"] == []


def test_games_whose_players_have_all_gone_end_by_the_clock(make_games: MakeGames) -> None:
    """Several sweepers serve the same games; every late turn counts once."""
    games = make_games()
    ids = [
        new_game(games, kind, clock={"per_turn_ms": 100, "bank_ms": 0}) for kind in ("truco", "toepen") * 2
    ]
    stop = threading.Event()
    sweepers = [threading.Thread(target=make_games().sweeper().run, args=(stop,)) for _ in range(3)]
    for sweeper in sweepers:
        sweeper.start()
    deadline = time.monotonic() + 20
    while any(games.summary(game)["state"] != "finished" for game in ids):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    stop.set()
    for sweeper in sweepers:
        sweeper.join(5)
    for game in ids:
        canonical = checked_record(games, game)["canonical"]
        by_seat = [sum(f["seat"] == seat for f in canonical["faults"]) for seat in range(4)]
        assert max(by_seat) == 3, "the third fault forfeits, and a forfeited seat has no clock"
        clocks = [entry for entry in canonical["actions"] if entry[2:] == ["clock"]]
        forfeits = len(canonical["outcome"]["forfeits"])
        assert len(clocks) == len(canonical["faults"]) - forfeits


def test_an_outage_extends_the_deadlines(single_url: str, server: Server) -> None:
    """Without beats for longer than the gap, the time does not count."""
    games = LiveGames.open(single_url)
    sweeper = games.sweeper()
    sweeper.sweep()
    game = new_game(games, "truco", clock={"per_turn_ms": 1000, "bank_ms": 0})
    _, turn = awaited_turn(games, game)
    # As if the last beat had been long before: everything since is one gap.
    before = int(server.client().hget(CLOCK, "at") or 0)
    gap = OUTAGE_GAP_MS + 60_000
    server.client().hset(CLOCK, "at", before - gap)
    other = LiveGames.open(single_url)
    assert other.store.clock().outage_ms >= gap
    assert other.sweeper().sweep() == 0
    time.sleep(1.1)
    assert other.sweeper().sweep() in (0, 1)
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


def test_three_late_turns_forfeit(games: LiveGames) -> None:
    game = new_game(games, "truco", clock={"per_turn_ms": 100, "bank_ms": 0})
    sweeper = games.sweeper()
    gone, turn = awaited_turn(games, game)
    late = 0
    while not (view := games.view(game))["taken_over"]:  # type: ignore[index]
        assert view is not None
        assert view["state"] == "running"
        bot, current = awaited_turn(games, game)
        if bot == gone:
            time.sleep(0.11)
            sweeper.sweep()
            late += 1
        else:
            answer(games, bot, current["turn"], quiet(current))
    assert late == 3
    play_out(games, [game])
    assert checked_record(games, game)["canonical"]["outcome"]["forfeits"] == [turn["seat"]]
