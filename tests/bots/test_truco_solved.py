"""Truco by solved tables: what a seat distinguishes, what the tables say, and how they are made."""

from __future__ import annotations

import random
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from click.testing import CliRunner

from arena.games import game_of
from arena.games.kernel import CHANCE, State, turn_in
from arena.games.truco.bots.manner import REGULAR
from arena.games.truco.bots.regular import kept_hand
from arena.games.truco.bots.solved import Solution, choice, decisions
from arena.games.truco.bots.spots import spot_of
from arena.games.truco.redeal import redeal
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, CHOOSE, PLAY
from benchmarks.solve import PRESETS, Solver, main
from tests.bots.test_truco_bots import deal, dealt
from tests.contract.playouts import choose

GAME = game_of("truco")


def rules_of(preset: str) -> dict[str, Any]:
    return GAME.options.complete({**GAME.preset(preset).rules, "max_hands": 60})


@pytest.mark.parametrize("preset", PRESETS)
def test_a_turn_its_state_and_the_record_of_a_hand_give_the_same_spot(preset: str) -> None:
    """In games of random actions, with hidden cards."""
    source = random.Random(preset)
    rules = rules_of(preset)
    compared = 0
    for _ in range(80 // rules["seats"]):
        state: State = GAME.new_state(rules)
        done: list[tuple[int, tuple[int, list[str]], str]] = []
        while state.awaiting() or state.chance() is not None:
            assert isinstance(state, TrucoState)
            seat, action = choose(state, rules["seats"], source)
            if seat == CHANCE:
                done = []
            elif state.phase in (PLAY, ANSWER):
                spot = spot_of(state)
                assert spot_of(redeal(turn_in(state, "truco", rules, seat), source)) == spot
                past = [(before.actor, spot_of(before), did) for before, did in decisions(state)]
                assert past == done
                compared += len(past)
                done.append((seat, spot, action))
            state.apply(seat, action)
    assert compared > 1000


@pytest.mark.parametrize("preset", PRESETS)
def test_a_table_bluffs_and_stays_with_good_cards(preset: str) -> None:
    """In hands of the table against itself."""
    source = random.Random(1)
    # For weak hands that may call: whether they do. For hands that win what a call is about, the trick (with
    # the zap) or the hand (with two manilhas, nearly always): whether they run.
    bluffs, runs = [], []
    known = decided = 0
    for state in dealt(preset, 24_000 // rules_of(preset)["seats"]):
        assert isinstance(state, TrucoState)
        while state.phase == CHOOSE:
            state.apply(state.actor, kept_hand(state, REGULAR.keep_from))
        hand = state.hand_number
        while state.hand_number == hand and state.phase in (PLAY, ANSWER):
            seat = state.actor
            strengths = [state.order.strength[card] for card in state.hands[seat]]
            action = choice(state, state.legal, REGULAR.sharpness, source)
            decided += 1
            known += action is not None
            action = action or state.legal[0]
            if state.phase == ANSWER:
                wins_trick = 14 in strengths and len(strengths) + len(state.winners) == 3
                wins_two = sum(one > 10 for one in strengths) > 1
                if wins_two if state.rules.whole_hand else wins_trick:
                    runs.append(action.startswith("run"))
            elif state.turn_calls[seat & 1] and max(strengths) < 5:
                bluffs.append(action == state.turn_calls[seat & 1])
            state.apply(seat, action)
    assert known > 0.99 * decided
    assert len(bluffs) > 100
    assert 0.05 < sum(bluffs) / len(bluffs) < 0.4
    assert len(runs) > 10
    assert sum(runs) < 0.06 * len(runs)


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    table = Solution([3, 1 << 40], bytes([255, 0, 7, 0, 1, 2, 3, 4]))
    table.write(tmp_path / "one.bin")
    same = Solution.read(tmp_path / "one.bin")
    assert len(same) == 2
    assert [same.shares(number) for number in (3, 1 << 40)] == [b"\xff\0\7\0", b"\1\2\3\4"]
    assert same.shares(2) == same.shares(1 << 41) == b""


def test_a_card_counts_by_the_unseen_cards_that_beat_it() -> None:
    """With the zap gone, the seven of hearts is the best card, as the zap was."""

    def spot(mine: str, gone: str) -> tuple[int, list[str]]:
        state = GAME.new_state(GAME.options.complete({"cut": "none"}))
        state.apply(CHANCE, "dealer:3")
        state.apply(CHANCE, deal(f"5D6D{mine}", f"4H5S{gone}", "5C5H6H", "4S6S4D"))
        actions = ("keep", "play:5D", f"play:{gone}", "play:5C", "play:4S", "play:4H", "play:5H", "play:4D")
        for action in actions:
            state.apply(state.awaiting()[0], action)
        assert isinstance(state, TrucoState)
        assert state.actor == 0
        return spot_of(state)

    number, actions = spot("7H", "4C")
    assert actions == ["play:6D", "play:7H", "truco"]
    assert number == spot("4C", "7H")[0]
    assert number != spot("7H", "AS")[0]


def test_the_solver_learns_to_run_with_bad_hands_only() -> None:
    solver = Solver("paulista-2@1")
    solver.run(500)
    table = solver.solution()
    runs: dict[bool, list[float]] = {True: [], False: []}
    for state in dealt("paulista-2@1", 2000):
        assert isinstance(state, TrucoState)
        state.apply(0, "truco")
        shares = table.shares(spot_of(state)[0])
        _, middle, best = sorted(state.order.strength[card] for card in state.hands[1])
        if shares and (middle >= 10 or best < 9):
            runs[middle >= 10].append(shares[0] / sum(shares))
    assert min(map(len, runs.values())) > 20
    assert fmean(runs[True]) < 0.25
    assert fmean(runs[False]) > 0.5


def test_the_same_iterations_give_the_same_table(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        given = ["--preset", "mineiro-2@1", "--iterations", "50", "--out", str(tmp_path / name)]
        assert CliRunner().invoke(main, given).exit_code == 0
    one, other = ((tmp_path / name / "mineiro-2.bin").read_bytes() for name in ("one", "other"))
    assert one == other
    assert len(Solution.read(tmp_path / "one" / "mineiro-2.bin")) > 50
