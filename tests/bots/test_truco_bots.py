"""The house bots at Brazilian Truco."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from arena.bots import HOUSE_BOTS, POOL_BOTS, bot_spec
from arena.games import game_of
from arena.games.kernel import CHANCE, State, turn_in
from arena.games.truco.bots.race import Race
from arena.play.match import play, seat_bot
from arena.play.table import Table
from tests.contract.playouts import random_rules

GAME = game_of("truco")


def deal(*hands: str) -> str:
    """A deal in which the seats get these hands in the order of dealing."""
    state = GAME.new_state(GAME.options.complete())
    state.apply(CHANCE, "dealer:0")
    chance = state.chance()
    assert chance is not None
    top = "".join(hands)
    given = {top[i : i + 2] for i in range(0, len(top), 2)}
    return "deal:" + top + "".join(card for card in chance.items if card not in given)


def turn_after(*actions: tuple[int, str], rules: dict[str, Any] | None = None) -> dict[str, Any]:
    """The turn of the awaited seat after some actions, as JSON brings it. Dealer is seat 3, so 0 leads."""
    complete = GAME.options.complete({"cut": "none", **(rules or {})})
    state = GAME.new_state(complete)
    state.apply(CHANCE, "dealer:3")
    for seat, action in actions:
        state.apply(seat, action)
    copied: dict[str, Any] = json.loads(json.dumps(turn_in(state, "truco", complete, state.awaiting()[0])))
    return copied


def choice(level: str, turn: dict[str, Any], seed: int = 1) -> str | None:
    return bot_spec(level).make(seed).choose(turn)


@pytest.mark.parametrize("level", ["rookie", "regular"])
def test_they_play_by_the_rules_whatever_the_options(level: str) -> None:
    chooser = random.Random(level)
    for number in range(40):
        rules = random_rules(GAME, chooser)
        rules["max_hands"] = min(rules["max_hands"], 40)
        table = Table(f"g{number}", "truco", rules, chooser.randbytes(32))
        play(table, [seat_bot(bot_spec(level), seat) for seat in range(4)])
        assert table.faults == []


@pytest.mark.nightly("simulations")
def test_the_shark_plays_by_the_rules_whatever_the_options() -> None:
    chooser = random.Random(1)
    for number in range(6):
        rules = random_rules(GAME, chooser)
        rules["max_hands"] = 4
        table = Table(f"g{number}", "truco", rules, chooser.randbytes(32))
        play(table, [seat_bot(bot_spec(level), 1) for level in ("shark", "regular", "shark", "rookie")])
        assert table.faults == []


@pytest.mark.parametrize("level", [level for level in HOUSE_BOTS if level != "random"])
def test_the_same_seed_gives_the_same_game(level: str) -> None:
    logs = []
    for _ in range(2):
        table = Table("g", "truco", {"cut": "none", "max_hands": 3}, bytes(32))
        play(table, [seat_bot(bot_spec(level), seat) for seat in range(4)])
        logs.append(table.actions)
    assert logs[0] == logs[1]


@pytest.mark.parametrize("level", ["rookie", "regular", "shark"])
def test_a_winning_card_in_last_place_is_the_cheapest_or_a_call(level: str) -> None:
    """The last player of a trick that the other team has, takes it: the 2 beats the ace."""
    turn = turn_after(
        (CHANCE, deal("AC5D6D", "4D5C6C", "4H5H6H", "2C3D5S")), (0, "keep"), (0, "play:AC"), (1, "play:4D"),
        (2, "play:4H"),
    )  # fmt: skip
    assert choice(level, turn) in ("play:2C", "play:3D", "truco")
    if level == "rookie":
        turn["legal_actions"].remove("truco")
        assert choice(level, turn) == "play:2C"


@pytest.mark.parametrize("level", ["rookie", "regular", "shark"])
def test_a_hopeless_hand_runs_and_the_zap_does_not(level: str) -> None:
    hopeless = turn_after(
        (CHANCE, deal("4C7H3D", "4D5D6D", "4H5H6H", "4S5S6S")), (0, "keep"), (0, "play:7H"), (1, "play:4D"),
        (2, "play:4H"), (3, "play:4S"), (0, "truco"),
    )  # fmt: skip
    assert choice(level, hopeless) in ("run:1", "defer")
    sure = turn_after(
        (CHANCE, deal("4D5D3D", "4C5C6C", "4H5H6H", "4S5S6S")), (0, "keep"), (0, "truco")
    )  # fmt: skip
    answer = choice(level, sure)
    assert answer in ("accept:3", "raise:6")


@pytest.mark.parametrize("level", ["rookie", "regular", "shark"])
def test_rags_are_burned_and_the_best_hand_is_not(level: str) -> None:
    rags = turn_after((CHANCE, deal("4D5D6D", "4H5H6H")))
    assert choice(level, rags) == "burn"
    best = turn_after((CHANCE, deal("4C7HAS", "4H5H6H")))
    assert choice(level, best) in ("keep", "pass")


def test_decisions_depend_only_on_the_turn() -> None:
    """Worlds that look alike to the seat are answered alike: the seat's turn is all the bot gets."""
    one = turn_after((CHANCE, deal("3C5D6D", "4H5H6H", "4S5S6S", "7C6C5C")), (0, "keep"))
    other = turn_after((CHANCE, deal("3C5D6D", "4C7HAS", "7D3D3H", "3S2C2D")), (0, "keep"))
    assert one == other
    for level in ("rookie", "regular", "shark"):
        assert choice(level, one, 5) == choice(level, other, 5)


def test_the_race_is_even_at_even_scores_and_over_at_twelve() -> None:
    state = next(dealt("base@1", 1))
    race = Race(state, 0)
    assert race.chance_at(4, 4) == 0.5
    assert race.chance_at(13, 3) == 1.0
    assert race.chance_at(3, 12) == 0.0
    assert race.chance_at(9, 3) > 0.7
    state.hand_number = state.rules.max_hands
    assert Race(state, 0).chance_at(5, 4) == 1.0
    state.score = [4, 5]
    assert Race(state, 1).chance_in(state) == 1.0


def dealt(preset: str, count: int) -> Iterator[State]:
    """Hands at the start of a game of this preset, which seat 0 leads."""
    rules = {**GAME.options.complete(GAME.preset(preset).rules), "cut": "none"}
    for number in range(count):
        state = GAME.new_state(rules)
        state.apply(CHANCE, f"dealer:{rules['seats'] - 1}")
        chance = state.chance()
        assert chance is not None
        cards = list(chance.items)
        random.Random(number).shuffle(cards)
        state.apply(CHANCE, "deal:" + "".join(cards))
        yield state


@pytest.mark.parametrize("level", POOL_BOTS)
@pytest.mark.parametrize(
    ("preset", "most"),
    [("paulista@1", 0.59), ("paulista-2@1", 0.53), ("mineiro@1", 0.5), ("mineiro-2@1", 0.5)],
)
def test_the_pool_runs_from_about_half_of_the_first_calls_with_any_hand(
    preset: str, most: float, level: str
) -> None:
    """A call that wins the stake or loses three times as much as a lost hand pays if more than half of the
    hands run from it, and if it can still win, a little earlier. Version 0.1.0 ran from 77% at paulista-2.
    """
    rules = {**GAME.options.complete(GAME.preset(preset).rules), "cut": "none"}
    runs = 0
    for number, state in enumerate(dealt(preset, 2000)):
        answer: str | None = "truco"
        while answer is not None and answer.startswith(("truco", "defer")):
            state.apply(state.awaiting()[0], answer)
            seat = state.awaiting()[0]
            answer = choice(level, turn_in(state, "truco", rules, seat), number)
        runs += str(answer).startswith("run")
    assert 0.3 <= runs / 2000 <= most
