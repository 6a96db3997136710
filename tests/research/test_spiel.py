"""The games of OpenSpiel: its own random simulations, and checks like its api_test, for every preset."""

from __future__ import annotations

import pickle
import random
from importlib import import_module
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import random_agent
from open_spiel.python.algorithms.sample_some_states import sample_some_states
from open_spiel.python.observation import make_observation

from arena.errors import ArenaError
from arena.games import GAMES
from arena.games.cards import split_cards
from arena.games.kernel import CHANCE
from arena.research.spiel import SpielBot, SpielGame, SpielState

pytestmark = pytest.mark.system

PRESETS = [(kind, preset.name) for kind, game in GAMES.items() for preset in game.presets]
EVERY_PRESET = pytest.mark.parametrize(("kind", "preset"), PRESETS)
VARIANTS = pytest.mark.parametrize(
    "text",
    [
        "python_truco(signals=table,max_hands=4)",
        "python_truco(variant=paulista,pack=clean,truco_from=after_first_trick,max_hands=3,returns=points)",
        "python_truco(both_eleven=open,exchange=0,max_hands=5)",
        "python_toepen(seats=5,lives=3,whistling=1)",
        "python_toepen(preset=table-4@1,lives=2,end=rubber,rubbers=2,returns=points)",
        "python_toepen(seats=8,lives=1,knocking=on_turn)",
    ],
)


def load(kind: str, preset: str, **options: Any) -> Any:
    return pyspiel.load_game(f"python_{kind}", {"preset": preset, **options})


def sampled(state: Any, generator: random.Random) -> int:
    """A random outcome or action."""
    return int(generator.choice(state.legal_actions()))


@pytest.mark.nightly("research")
@EVERY_PRESET
def test_random_simulations(kind: str, preset: str) -> None:
    pyspiel.random_sim_test(load(kind, preset), num_sims=100, serialize=True, verbose=False)


@pytest.mark.nightly("research")
@VARIANTS
def test_random_simulations_of_rule_options(text: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=20, serialize=True, verbose=False)


@pytest.mark.nightly("research")
@EVERY_PRESET
def test_the_interface(kind: str, preset: str) -> None:
    """What OpenSpiel's api_test asks of a part of the tree."""
    game = load(kind, preset)
    generator = random.Random(2)
    random.seed(2)
    states = sample_some_states(game, max_states=200)
    for _ in range(3):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(sampled(state, generator))
            states.append(state.clone())
    players = range(game.num_players())
    assert pickle.loads(pickle.dumps(game)).get_type() == game.get_type()
    assert str(pickle.loads(pickle.dumps(states[-1]))) == str(states[-1])
    for state in states:
        history = state.full_history()
        assert len(history) <= game.max_history_length()
        assert state.move_number() <= game.max_move_number()
        chance = sum(item.player == pyspiel.PlayerId.CHANCE for item in history)
        assert chance <= game.max_chance_nodes_in_history()
        if state.is_terminal():
            assert state.current_player() == pyspiel.PlayerId.TERMINAL
            assert sum(state.returns()) == pytest.approx(game.utility_sum())
            assert [state.legal_actions(player) for player in players] == [[]] * len(players)
            continue
        if state.is_chance_node():
            assert sum(probability for _, probability in state.chance_outcomes()) == pytest.approx(1)
            with pytest.raises(RuntimeError):
                state.information_state_string()
            continue
        for name in (
            "information_state_string",
            "information_state_tensor",
            "observation_string",
            "observation_tensor",
        ):
            for bad in (-1, game.num_players() + 1):
                with pytest.raises(RuntimeError, match="player"):
                    getattr(state, name)(bad)
        for player in players:
            if player != state.current_player():
                assert state.legal_actions(player) == []


@pytest.mark.nightly("research")
@EVERY_PRESET
def test_information_sets_of_two_players_never_overlap(kind: str, preset: str) -> None:
    game = load(kind, preset)
    generator = random.Random(3)
    texts: list[set[str]] = [set() for _ in range(game.num_players())]
    tensors: list[set[bytes]] = [set() for _ in range(game.num_players())]
    for _ in range(3):
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                player = state.current_player()
                texts[player].add(state.information_state_string(player))
                tensors[player].add(np.asarray(state.information_state_tensor(player), np.float32).tobytes())
            state.apply_action(sampled(state, generator))
    for sets in (texts, tensors):
        assert len(set().union(*sets)) == sum(map(len, sets))


def trail(game: Any, history: list[int], player: int) -> list[tuple[str, bytes, int]]:
    """What a player knew at each of its decisions, and what it did."""
    state = game.new_initial_state()
    steps = []
    for action in history:
        if state.current_player() == player:
            tensor = np.asarray(state.information_state_tensor(player), np.float32).tobytes()
            steps.append((state.information_state_string(player), tensor, action))
        state.apply_action(action)
    return steps


@pytest.mark.nightly("research")
@EVERY_PRESET
def test_perfect_recall(kind: str, preset: str) -> None:
    """A tree of games in which players share a past and then part: equal information states have equal pasts,
    as text and as tensor. That those of other deals are equal where they should is tested below.
    """
    game = load(kind, preset, **({"max_hands": 3} if kind == "truco" else {"lives": 3}))
    generator = random.Random(4)
    pasts: dict[tuple[int, str], list[tuple[str, bytes, int]]] = {}
    by_tensor: dict[tuple[int, bytes], str] = {}

    def visit(state: Any, own: list[list[tuple[str, bytes, int]]], branches: int) -> None:
        while not state.is_terminal():
            player = state.current_player()
            legal = state.legal_actions()
            if not state.is_chance_node():
                text = state.information_state_string(player)
                tensor = np.asarray(state.information_state_tensor(player), np.float32).tobytes()
                assert pasts.setdefault((player, text), own[player][:]) == own[player]
                assert by_tensor.setdefault((player, tensor), text) == text
            if branches and len(legal) > 1:
                for action in generator.sample(legal, 2):
                    visit_child(state, own, branches - 1, action)
                return
            action = int(generator.choice(legal))
            if not state.is_chance_node():
                own[player].append((text, tensor, action))
            state.apply_action(action)

    def visit_child(state: Any, own: list[list[tuple[str, bytes, int]]], branches: int, action: int) -> None:
        branch = [past[:] for past in own]
        if not state.is_chance_node():
            player = state.current_player()
            tensor = np.asarray(state.information_state_tensor(player), np.float32).tobytes()
            branch[player].append((state.information_state_string(player), tensor, action))
        visit(state.child(action), branch, branches)

    # From one deal, with all branches in the play; and from the beginning, with branches in the deal.
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(sampled(state, generator))
    visit(state, [[] for _ in range(game.num_players())], 7)
    visit(game.new_initial_state(), [[] for _ in range(game.num_players())], 5)
    assert len(pasts) > 500


@pytest.mark.nightly("research")
@EVERY_PRESET
def test_hidden_cards_are_in_no_information_state_and_no_observation(kind: str, preset: str) -> None:
    game = load(kind, preset)
    redeal = import_module(f"tests.contract.redeal_{kind}").alternative_log
    generator = random.Random(6)
    compared = 0
    for _ in range(20):
        log = played(game, generator, generator.randrange(5, 60))
        for viewer in range(game.num_players()):
            other = redeal(log, viewer, generator, game.rules)
            if other is None:
                continue
            first, second = state_of(game, log), state_of(game, other)
            compared += first.play.state.content() != second.play.state.content()
            for name in (
                "information_state_string",
                "information_state_tensor",
                "observation_string",
                "observation_tensor",
            ):
                assert getattr(first, name)(viewer) == getattr(second, name)(viewer)
            # Perfect recall: all that it knew and did before is the same, too.
            assert trail(game, first.history(), viewer) == trail(game, second.history(), viewer)
    assert compared > 5


def played(game: Any, generator: random.Random, moves: int) -> list[tuple[int, str]]:
    """A random log of the kernel, of whole deals."""
    state = game.new_initial_state()
    log: list[tuple[int, str]] = []
    while not state.is_terminal() and (len(log) < moves or state.is_chance_node()):
        action = sampled(state, generator)
        play = state.play
        name = state.action_to_string(state.current_player(), action)
        chance = play.state.chance()
        if chance is None:
            if name != "decline":
                log.append((state.current_player(), name))
        elif chance.kind == "dealer":
            log.append((CHANCE, name))
        elif len(play.pack) + 1 == game.features.dealt:
            numbers = [*play.pack, action]
            numbers += [number for number in range(len(chance.items)) if number not in numbers]
            log.append((CHANCE, "deal:" + "".join(chance.items[number] for number in numbers)))
        state.apply_action(action)
    return log


def state_of(game: Any, log: list[tuple[int, str]]) -> Any:
    """The state after a log; rights that nobody used are declined."""
    state = game.new_initial_state()
    for seat, action in log:
        if action.startswith("dealer:"):
            state.apply_action(int(action[7:]))
        elif seat == CHANCE:
            for card in split_cards(action[5:])[: game.features.dealt]:
                state.apply_action(game.pack.index(card))
        else:
            while state.current_player() != seat:
                state.apply_action(game.number["decline"])
            state.apply_action(game.number[action])
    return state


@pytest.mark.nightly("research")
@EVERY_PRESET
def test_observers(kind: str, preset: str) -> None:
    """Private information alone, public information alone, and both."""
    game = load(kind, preset)
    generator = random.Random(7)
    state = game.new_initial_state()
    while state.is_chance_node() or not state.play.state.observation(0)["hand"]:
        state.apply_action(sampled(state, generator))
    private, public, both = (
        make_observation(
            game, pyspiel.IIGObservationType(public_info=shown, perfect_recall=False, private_info=own)
        )
        for shown, own in (
            (False, pyspiel.PrivateInfoType.SINGLE_PLAYER),
            (True, pyspiel.PrivateInfoType.NONE),
            (True, pyspiel.PrivateInfoType.SINGLE_PLAYER),
        )
    )
    texts = [public.string_from(state, player) for player in range(game.num_players())]
    assert len(set(texts)) == 1
    for player in range(game.num_players()):
        seen = state.play.state.observation(player)
        assert private.string_from(state, player).split() == seen["hand"]
        private.set_from(state, player)
        assert [game.pack[place] for place in np.flatnonzero(private.dict["hand"])] == sorted(
            seen["hand"], key=game.pack.index
        )
        public.set_from(state, player)
        assert not public.dict["hand"].any()
        both.set_from(state, player)
        assert np.array_equal(both.tensor, np.asarray(state.observation_tensor(player), np.float32))


def test_house_bots_play() -> None:
    game = pyspiel.load_game("python_truco(preset=paulista-2@1,max_hands=6,returns=points)")
    bots = [SpielBot(0, "regular", 1), SpielBot(1, "random", 2)]
    generator = random.Random(8)
    total = 0.0
    for _ in range(60):
        for bot in bots:
            bot.restart()
        state = game.new_initial_state()
        while not state.is_terminal():
            player = state.current_player()
            state.apply_action(sampled(state, generator) if player < 0 else bots[player].step(state))
        total += state.returns()[0]
    assert total > 5


@pytest.mark.nightly("research")
def test_the_reinforcement_learning_environment_of_openspiel_runs() -> None:
    environment = rl_environment.Environment(
        "python_toepen", lives=3, observation_type=rl_environment.ObservationType.OBSERVATION
    )
    agents = [random_agent.RandomAgent(player, environment.action_spec()["num_actions"]) for player in (0, 1)]
    step = environment.reset()
    while not step.last():
        step = environment.step([agents[step.current_player()].step(step).action])
    assert sorted(step.rewards) == [-1, 1]


def test_parameters() -> None:
    game = pyspiel.load_game("python_truco(preset=paulista-2@1,max_hands=4)")
    assert isinstance(game, SpielGame)
    assert (game.rules["variant"], game.rules["seats"], game.rules["max_hands"]) == ("paulista", 2, 4)
    assert isinstance(game.new_initial_state(), SpielState)
    assert game.max_game_length() == 4 * 20
    assert pyspiel.load_game(str(game)).rules == game.rules
    for parameters in (
        {"preset": "paulista-9"},
        {"max_hands": 0},
        {"returns": "tricks"},
        {"variant": "basic"},
    ):
        with pytest.raises(ArenaError):
            pyspiel.load_game("python_truco", parameters)
