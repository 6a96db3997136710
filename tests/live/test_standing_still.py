"""Clocks that stand still, because the service had no room for a request of their bot."""

from __future__ import annotations

from typing import Any

import pytest

from arena.live import service
from arena.live.service import LiveGames
from arena.play.clocks import MOST_STILL_MS, STILL_MS, ClockSettings, SeatClock, ServiceClock
from tests.live.clock import skip
from tests.live.conftest import MakeGames
from tests.live.playing import answer, awaited_turn, new_game, quiet

SETTINGS = ClockSettings(per_turn_ms=1000, bank_ms=500)
NOW = 10_000_000
MINUTE = {"per_turn_ms": 60_000, "bank_ms": 600_000}


def at(ms: int) -> ServiceClock:
    return ServiceClock(NOW + ms, 0)


def running() -> SeatClock:
    clock = SeatClock(500)
    clock.run(1, SETTINGS, at(0))
    return clock


def test_a_clock_stands_still_and_runs_on_afterwards() -> None:
    clock = running()
    clock.stand_still(at(300))
    for ms in (300, 400, 300 + STILL_MS):
        assert clock.left(SETTINGS, at(ms)) == (700, 500)
    assert clock.left(SETTINGS, at(400 + STILL_MS)) == (600, 500)
    assert clock.deadline(SETTINGS, at(400)) == NOW + 1500 + STILL_MS


def test_a_refusal_while_the_clock_stands_still_only_prolongs_that() -> None:
    clock = running()
    for ms in (300, 1300, 5300):
        clock.stand_still(at(ms))
    assert clock.left(SETTINGS, at(5300 + STILL_MS)) == (700, 500)
    assert clock.left(SETTINGS, at(5900 + STILL_MS)) == (100, 500)


def test_an_answer_while_the_clock_stands_still_uses_no_bank() -> None:
    clock = running()
    clock.stand_still(at(900))
    clock.run(0, SETTINGS, at(9000))
    assert clock.bank_ms == 500


def test_a_turn_that_begins_meanwhile_has_all_its_time_afterwards() -> None:
    clock = SeatClock(500)
    clock.stand_still(at(0))
    clock.run(1, SETTINGS, at(100))
    assert clock.left(SETTINGS, at(STILL_MS)) == (1000, 500)
    assert clock.deadline(SETTINGS, at(100)) == NOW + STILL_MS + 1500


def test_a_clock_stands_still_for_ten_minutes_of_a_game_at_most() -> None:
    clock = running()
    for ms in range(300, 2 * MOST_STILL_MS, STILL_MS):
        clock.stand_still(at(ms))
    assert clock.deadline(SETTINGS, at(0)) == NOW + 1500 + MOST_STILL_MS


def test_refusals_between_turns_count_as_those_during_turns() -> None:
    clock = SeatClock(500)
    gained, now_ms = 0, 0
    for turn in range(1, 100):
        clock.stand_still(at(now_ms))
        clock.run(turn, SETTINGS, at(now_ms))
        gained += clock.deadline(SETTINGS, at(now_ms)) - (NOW + now_ms + 1000 + clock.bank_ms)
        now_ms += STILL_MS + 500
        clock.run(0, SETTINGS, at(now_ms))
    assert gained == MOST_STILL_MS
    assert clock.bank_ms == 0


def test_what_a_turn_leaves_of_the_time_that_its_clock_stands_still_is_given_back() -> None:
    clock = running()
    clock.stand_still(at(0))
    clock.run(0, SETTINGS, at(2000))
    assert clock.stood_ms == 2000
    clock.run(2, SETTINGS, at(STILL_MS - 1000))
    assert clock.stood_ms == 3000
    assert clock.deadline(SETTINGS, at(STILL_MS)) == NOW + STILL_MS + 1500


@pytest.mark.parametrize("refused", [False, True])
def test_it_is_stored(refused: bool) -> None:
    clock = running()
    if refused:
        clock.stand_still(at(300))
    stored = clock.as_json()
    assert len(stored) == (5 if refused else 4)
    assert SeatClock.restore(stored).as_json() == stored
    assert SeatClock.restore([*stored, "later"]).more == ("later",)


def deadline(games: LiveGames, game: str) -> int:
    view = games.view(game)
    assert view is not None
    ends: list[Any] = [clock["runs_out_at_ms"] for clock in view["clocks"]]
    return int(next(end for end in ends if end is not None))


def test_all_games_of_the_bot_and_no_others(make_games: MakeGames) -> None:
    games, other = make_games(), make_games()
    ids = [new_game(games, kind, clock=MINUTE) for kind in ("truco", "toepen")]
    movers = [awaited_turn(games, game)[0] for game in ids]
    before = [deadline(games, game) for game in ids]
    # A process that has the games in memory notices the change.
    assert [deadline(other, game) for game in ids] == before
    games.stand_still(movers[0])
    expected = [
        end + (STILL_MS if mover == movers[0] else 0) for end, mover in zip(before, movers, strict=True)
    ]
    assert [deadline(games, game) for game in ids] == expected
    assert [deadline(other, game) for game in ids] == expected


def test_a_sweeper_spares_the_seat_until_its_time_has_run_out(games: LiveGames) -> None:
    game = new_game(games, "truco", clock={"per_turn_ms": 3_000_000, "bank_ms": 0})
    bot, turn = awaited_turn(games, game)
    before = deadline(games, game)
    while deadline(games, game) < before + MOST_STILL_MS:
        games.stand_still(bot)
        games._stood_still.clear()
        skip(games, STILL_MS)
    skip(games, 3_000_000 - 300_000)
    games.sweeper().sweep()
    view = games.view(game)
    assert view is not None
    assert view["faults"] == []
    assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"


def test_a_process_stops_the_clocks_of_a_bot_only_now_and_then(
    games: LiveGames, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_STILL_EVERY", 3600.0)
    game = new_game(games, "truco", clock=MINUTE)
    bot, _ = awaited_turn(games, game)
    games.stand_still(bot)
    first = deadline(games, game)
    skip(games, 1000)
    games.stand_still(bot)
    assert deadline(games, game) == first
