"""House bots at live tables."""

from __future__ import annotations

import random
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from arena.live.service import LiveGames
from arena.ops.jobs import Job, JobName, Jobs
from tests.live.conftest import MakeGames
from tests.live.playing import NotedJobs, answer, awaited_turn, checked_record, new_game, play_out, quiet
from tests.waiting import PATIENCE

MIXED = [{"bot": "ann"}, {"house": "random"}, {"house": "rookie"}, {"house": "random"}]


def choose(name: str, seat: int, turn: Mapping[str, Any], seed: int) -> str | None:
    if turn["optional"] and name == "random":
        return None
    return str(random.Random(seed).choice(turn["legal_actions"]))


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_house_bots_move_until_the_game_waits_for_another_player(make_games: MakeGames, kind: str) -> None:
    jobs = NotedJobs()
    games = make_games(jobs=jobs)
    game = new_game(games, kind, seats=MIXED)
    moves = 0
    while games.summary(game)["state"] == "running":
        jobs.requested.clear()
        moves += games.move_house_bots(game, choose).moves
        view = games.view(game)
        assert view is not None
        if view["state"] != "running":
            assert jobs.requested == [Job(JobName.FINISH_GAME, (game,))]
            break
        # Whoever moves them goes on by himself.
        assert jobs.requested == []
        assert view["awaiting"] == [0]
        assert games.move_house_bots(game, choose) == (0, False)
        bot, turn = awaited_turn(games, game)
        jobs.requested.clear()
        answer(games, bot, turn["turn"], quiet(turn))
        view = games.view(game)
        assert view is not None
        if view["state"] != "running":
            assert jobs.requested == [Job(JobName.FINISH_GAME, (game,))]
            break
        house_must = view["awaiting"] and view["awaiting"] != [0]
        assert jobs.requested == ([Job(JobName.MOVE_HOUSE_BOTS, (game, ""))] if house_must else [])
    canonical = checked_record(games, game)["canonical"]
    assert moves == sum(seat in (1, 2, 3) for seat, *_ in canonical["actions"])
    assert [player["name"] for player in canonical["players"]] == ["ann", "random", "rookie", "random"]


def test_a_call_ends_after_its_processor_time(games: LiveGames) -> None:
    game = new_game(games, "truco", seats=[{"house": "random"}] * 4)
    moves = 0
    # The time is over after the first move.
    while (done := games.move_house_bots(game, choose, seconds=0)).more:
        assert done.moves == 1
        moves += done.moves
    assert games.summary(game)["state"] == "finished"
    actions = checked_record(games, game)["canonical"]["actions"]
    assert moves + done.moves == sum(seat >= 0 for seat, *_ in actions)


def test_two_workers_at_one_table(make_games: MakeGames) -> None:
    games = make_games()
    game = new_game(games, "toepen", seats=[{"house": "random"}] * 4)
    workers = [threading.Thread(target=lambda: make_games().move_house_bots(game, choose)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(PATIENCE)
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
            games.move_house_bots(game, note)
    assert seeds[0] == seeds[1]


def test_the_table_plays_for_a_failing_house_bot(games: LiveGames) -> None:
    game = new_game(games, "truco", seats=MIXED)

    def fail(name: str, seat: int, turn: Mapping[str, Any], seed: int) -> str | None:
        if seat == 2:
            raise ValueError("oops")
        return "play:XX" if seat == 3 else choose(name, seat, turn, seed)

    while games.summary(game)["state"] == "running":
        games.move_house_bots(game, fail)
        for turn in games.turns("ann", rights=False).turns:
            answer(games, "ann", turn["turn"], quiet(turn))
    faults = checked_record(games, game)["canonical"]["faults"]
    assert {(fault["seat"], fault["type"]) for fault in faults} == {(2, "crashed"), (3, "illegal")}


def test_a_missing_move_of_a_house_bot_is_requested_again(make_games: MakeGames) -> None:
    jobs = NotedJobs()
    games = make_games(jobs=jobs)
    game = new_game(games, "truco", seats=[{"house": "random"}] * 4)
    asked = Job(JobName.MOVE_HOUSE_BOTS, (game, ""))
    assert jobs.requested == [asked]
    due = games.finalizer.check(game)
    assert jobs.requested == [asked, asked]
    assert due is not None
    assert due > games.store.clock().now_ms


def test_a_broken_queue_loses_no_answer(make_games: MakeGames) -> None:
    """An answer counts although the house cannot be told; the sweeper tells it later."""

    class Broken(Jobs):
        def request(self, job: Job) -> None:
            raise OSError("no queue")

    games = make_games(jobs=Broken())
    game = new_game(games, "truco", seats=MIXED, rules={"cut": "none"})
    games.move_house_bots(game, choose)
    if games.summary(game)["state"] == "running":
        bot, turn = awaited_turn(games, game)
        assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"


def test_house_bots_have_no_clock(games: LiveGames) -> None:
    game = new_game(games, "truco", seats=MIXED, clock={"per_turn_ms": 100, "bank_ms": 0})
    view = games.view(game)
    assert view is not None
    for clock in view["clocks"]:
        assert (clock["runs_out_at_ms"] is None) == (clock["seat"] != 0 or view["awaiting"] != [0])
    games.resign(game, "ann")
    play_house_to_the_end(games, game)
    checked_record(games, game)


def play_house_to_the_end(games: LiveGames, game: str) -> None:
    games.move_house_bots(game, choose)
    play_out(games, [game], bots=("ann",))
