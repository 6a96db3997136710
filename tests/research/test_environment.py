"""The environments: PettingZoo's own tests, and that a game in them is the game at a table."""

from __future__ import annotations

import pickle
import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test, test_save_obs

from arena.bots import bot_spec
from arena.errors import ArenaError, IllegalAction
from arena.games import GAMES
from arena.games.features import DECLINE
from arena.play.dealing import SEED_BYTES, bot_seed
from arena.play.match import play
from arena.play.table import Table
from arena.research import toepen_v0, truco_v0
from arena.research.environment import RawEnvironment

test_save_obs.__test__ = False

MODULES: dict[str, ModuleType] = {"truco": truco_v0, "toepen": toepen_v0}
PRESETS = [(kind, preset.name) for kind in MODULES for preset in GAMES[kind].presets]
EVERY_PRESET = pytest.mark.parametrize(("kind", "preset"), PRESETS)
FIRST_PRESETS = pytest.mark.parametrize(
    ("kind", "preset"), [("truco", "paulista-2@1"), ("toepen", "table-4@1")]
)


def test_every_game_has_an_environment() -> None:
    assert GAMES.keys() == MODULES.keys()


@FIRST_PRESETS
def test_it_is_an_environment(kind: str, preset: str) -> None:
    make = MODULES[kind].env
    api_test(make(preset), num_cycles=50)
    seed_test(lambda: make(preset), num_cycles=50)
    render_test(lambda render_mode: make(preset, render_mode=render_mode))


@pytest.mark.nightly("research")
@EVERY_PRESET
def test_every_preset_passes_the_tests_of_pettingzoo(kind: str, preset: str) -> None:
    make = MODULES[kind].env
    for arguments in ({}, {"bots": {1: "rookie"}, "rewards": "hands"}):
        api_test(make(preset, **arguments), num_cycles=1000)
        seed_test(lambda arguments=arguments: make(preset, **arguments), num_cycles=500)
        test_save_obs(make(preset, **arguments))
        render_test(
            lambda render_mode, arguments=arguments: make(preset, render_mode=render_mode, **arguments)
        )
    performance_benchmark(make(preset))


def choose(environment: Any, generator: random.Random) -> int:
    """A random legal action of the agent that is asked."""
    mask = environment.observe(environment.agent_selection)["action_mask"]
    return int(generator.choice(np.flatnonzero(mask).tolist()))


def finish(environment: Any, generator: random.Random) -> None:
    """Play to the end."""
    while not all(environment.terminations.values()):
        environment.step(choose(environment, generator))


@EVERY_PRESET
def test_a_game_among_bots_is_the_one_that_they_play_at_a_table(kind: str, preset: str) -> None:
    """All but one sit in the environment; that one is asked through it."""
    level = "rookie" if kind == "truco" else "regular"
    seats = GAMES[kind].seats(GAMES[kind].options.complete(GAMES[kind].preset(preset).rules))
    environment: RawEnvironment = MODULES[kind].raw_env(preset, bots=dict.fromkeys(range(1, seats), level))
    environment.reset(seed=3)
    seed = random.Random(3).randbytes(SEED_BYTES)
    bot = bot_spec(level, kind).make(bot_seed(seed, 0))
    while not environment.terminations["player_0"]:
        turn = environment.turn("player_0")
        action = DECLINE if turn["optional"] else bot.choose(turn)
        environment.step(environment.actions.index(action))
    table = Table("game", kind, environment.rules, seed)
    play(table, [bot_spec(level, kind).make(bot_seed(seed, seat)) for seat in range(seats)])
    assert table.faults == []
    assert environment.play.state.serialise() == table.state.serialise()


def test_seats_are_asked_for_their_rights_in_order() -> None:
    """TP-5.1: after each card all others with a right, the seat to play last."""
    environment = toepen_v0.raw_env("table-4@1", max_exchanges=0)
    environment.reset(seed=1)
    asked = []
    while len(asked) < 8:
        names = [
            environment.actions[n]
            for n in np.flatnonzero(environment.observe(environment.agent_selection)["action_mask"])
        ]
        asked.append((environment.agent_selection, DECLINE in names))
        environment.step(
            environment.actions.index(DECLINE) if DECLINE in names else environment.actions.index(names[0])
        )
    first = int(asked[3][0][-1])
    order = [f"player_{(first + step) % 4}" for step in (1, 2, 3, 0)]
    assert asked[:4] == [(agent, number < 3) for number, agent in enumerate(order)]
    # The next one to play comes last now.
    assert asked[4:] == [(agent, number < 3) for number, agent in enumerate([*order[1:], order[0]])]


def test_the_knock_of_another_seat_comes_before_the_card() -> None:
    environment = toepen_v0.raw_env("duel@1", max_exchanges=0)
    environment.reset(seed=1)
    asked = environment.agent_selection
    environment.step(environment.actions.index("knock:2"))
    assert environment.agent_selection != asked
    mask = environment.observe(environment.agent_selection)["action_mask"]
    assert [environment.actions[n] for n in np.flatnonzero(mask)] == ["stay:2", "fold:1"]


@EVERY_PRESET
def test_rewards(kind: str, preset: str) -> None:
    for rewards in ("game", "hands"):
        environment = MODULES[kind].raw_env(preset, rewards=rewards)
        environment.reset(seed=8)
        generator = random.Random(8)
        sums = dict.fromkeys(environment.agents, 0.0)
        paid = 0
        while not all(environment.terminations.values()):
            environment.step(choose(environment, generator))
            paid += any(environment.rewards.values())
            assert sum(environment.rewards.values()) == pytest.approx(0)
            for agent, reward in environment.rewards.items():
                sums[agent] += reward
        outcome = environment.play.state.outcome()
        assert outcome is not None
        best = max(sums, key=sums.__getitem__)
        assert outcome.places[int(best[-1])] == 1
        assert paid == 1 if rewards == "game" else paid > 1
        if rewards == "hands" and kind == "truco":
            ours, theirs = outcome.scores[:2]
            assert sums["player_0"] == pytest.approx((ours - theirs) / 12, abs=1)


def test_what_it_is_made_of() -> None:
    environment = truco_v0.raw_env("paulista-2@1", max_hands=3, bots={0: "rookie"})
    assert environment.possible_agents == ["player_1"]
    assert environment.rules["max_hands"] == 3
    assert str(truco_v0.env()) == "truco_v0"
    copy = pickle.loads(pickle.dumps(environment))
    assert copy.rules == environment.rules
    assert copy.possible_agents == environment.possible_agents
    for kind, preset, arguments, code in (
        ("truco", "paulista-9@1", {}, "preset_not_found"),
        ("truco", "paulista-2", {}, "preset_not_found"),
        ("truco", "base@1", {"lives": 3}, "invalid_option"),
        ("truco", "base@1", {"bots": {0: "nobody"}}, "bot_not_found"),
        ("truco", "base@1", {"bots": {4: "rookie"}}, "invalid_argument"),
        ("toepen", "duel@1", {"bots": {0: "rookie", 1: "rookie"}}, "invalid_argument"),
        ("toepen", "duel@1", {"rewards": "tricks"}, "invalid_argument"),
        ("toepen", "duel@1", {"render_mode": "rgb_array"}, "invalid_argument"),
    ):
        with pytest.raises(ArenaError) as raised:
            MODULES[kind].raw_env(preset, **arguments)
        assert raised.value.code == code


def test_illegal_actions() -> None:
    raw = truco_v0.raw_env("no-cut@1")
    raw.reset(seed=1)
    before = raw.play.state.serialise()
    with pytest.raises(IllegalAction):
        raw.step(raw.actions.index("accept:3"))
    assert raw.play.state.serialise() == before
    with pytest.raises(ArenaError):
        raw.turn(next(agent for agent in raw.agents if agent != raw.agent_selection))
    wrapped = truco_v0.env("no-cut@1")
    wrapped.reset(seed=1)
    loser = wrapped.agent_selection
    wrapped.step(raw.actions.index("accept:3"))
    assert wrapped.rewards[loser] == -1
    assert all(wrapped.terminations.values())


def test_pictures() -> None:
    shown = {}
    for mode in ("ansi", "html"):
        environment = truco_v0.env("paulista-2@1", render_mode=mode)
        environment.reset(seed=2)
        shown[mode] = environment.render()
        finish(environment, random.Random(1))
        assert "The game is over. seat 0: place" in environment.render()
    assert "truco (paulista-2@1), you are seat" in shown["ansi"]
    assert '<b style="color:' in shown["html"]
    assert shown["html"].startswith("<pre")
