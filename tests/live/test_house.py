"""House bots at live tables."""

from __future__ import annotations

import random
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from arena.live.games import LiveGames
from tests.live.conftest import MakeGames
from tests.live.playing import answer, awaited_turn, checked_record, new_game, play_out, quiet

MIXED = [{"bot": "ann"}, {"house": "random"}, {"house": "rookie"}, {"house": "random"}]


def choose(name: str, seat: int, turn: Mapping[str, Any], seed: int) -> str | None:
    if turn["optional"] and name == "random":
        return None
    return str(random.Random(seed).choice(turn["legal_actions"]))


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_house_bots_move_until_somebody_outside_must(make_games: MakeGames, kind: str) -> None:
    told: list[str] = []
    games = make_games(on_house=told.append)
    game = new_game(games, kind, seats=MIXED)
    moves = 0
    while games.summary(game)["state"] == "running":
        moves += games.play_house(game, choose)
        view = games.view(game)
        assert view is not None
        if view["state"] != "running":
            break
        assert view["awaiting"] == [0]
        assert games.play_house(game, choose) == 0
        bot, turn = awaited_turn(games, game)
        told.clear()
        answer(games, bot, turn["turn"], quiet(turn))
        view = games.view(game)
        assert view is not None
        assert told == ([game] if view["awaiting"] and view["awaiting"] != [0] else [])
    canonical = checked_record(games, game)["canonical"]
    assert moves == sum(seat in (1, 2, 3) for seat, *_ in canonical["actions"])
    assert [player["name"] for player in canonical["players"]] == ["ann", "random", "rookie", "random"]


def test_two_workers_at_one_table(make_games: MakeGames) -> None:
    games = make_games()
    game = new_game(games, "toepen", seats=[{"house": "random"}] * 4)
    workers = [threading.Thread(target=lambda: make_games().play_house(game, choose)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(20)
        assert not worker.is_alive()
    assert games.summary(game)["state"] == "finished"
    checked_record(games, game)


def test_the_same_turn_gets_the_same_seed(games: LiveGames) -> None:
    seeds: list[int] = []
    game = new_game(games, "truco", seats=[{"house": "random"}] * 4)

    def note(name: str, seat: int, turn: Mapping[str, Any], seed: int) -> str | None:
        seeds.append(seed)
        raise SystemExit

    for _ in range(2):
        with pytest.raises(SystemExit):
            games.play_house(game, note)
    assert seeds[0] == seeds[1]


def test_a_house_bot_that_fails_is_played_on_for(games: LiveGames) -> None:
    game = new_game(games, "truco", seats=MIXED)

    def fail(name: str, seat: int, turn: Mapping[str, Any], seed: int) -> str | None:
        if seat == 2:
            raise ValueError("oops")
        return "play:XX" if seat == 3 else choose(name, seat, turn, seed)

    while games.summary(game)["state"] == "running":
        games.play_house(game, fail)
        for turn in games.turns("ann", rights=False).turns:
            answer(games, "ann", turn["turn"], quiet(turn))
    faults = checked_record(games, game)["canonical"]["faults"]
    assert {(fault["seat"], fault["type"]) for fault in faults} <= {(2, "crashed"), (3, "crashed")}


def test_a_house_bot_that_never_came_is_called_again(make_games: MakeGames) -> None:
    told: list[str] = []
    games = make_games(on_house=told.append)
    game = new_game(games, "truco", seats=[{"house": "random"}] * 4)
    assert told == [game]
    due = games.endings.look(game)
    assert told == [game, game]
    assert due is not None
    assert due > games.store.clock().now_ms


def test_a_broken_queue_costs_no_answer(make_games: MakeGames) -> None:
    """An answer counts although the house cannot be told; the sweeper tells it later."""

    def broken(game: str) -> None:
        raise OSError("no queue")

    games = make_games(on_house=broken)
    game = new_game(games, "truco", seats=MIXED, rules={"cut": "none"})
    games.play_house(game, choose)
    if games.summary(game)["state"] == "running":
        bot, turn = awaited_turn(games, game)
        assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"


def test_a_seat_of_the_house_has_no_clock(games: LiveGames) -> None:
    game = new_game(games, "truco", seats=MIXED, clock={"per_turn_ms": 100, "bank_ms": 0})
    view = games.view(game)
    assert view is not None
    for clock in view["clocks"]:
        assert (clock["runs_out_at_ms"] is None) == (clock["seat"] != 0 or view["awaiting"] != [0])
    games.resign(game, "ann")
    play_house_to_the_end(games, game)
    checked_record(games, game)


def play_house_to_the_end(games: LiveGames, game: str) -> None:
    games.play_house(game, choose)
    play_out(games, [game], bots=("ann",))
