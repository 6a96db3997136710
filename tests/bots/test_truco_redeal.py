"""Re-deals of one turn of Truco, drawn from one state."""

from __future__ import annotations

from collections import Counter
from random import Random

from arena.games import game_of
from arena.games.kernel import CHANCE, State, turn_in
from arena.games.truco.redeal import TrucoRedealer, redeal
from arena.games.truco.state import TrucoState
from tests.contract.playouts import choose, random_rules

GAME = game_of("truco")


def test_a_redealer_draws_the_same_redeals_as_are_read_from_the_turn() -> None:
    """In games of random rules and actions, with hidden, burned and passed cards."""
    source = Random(1)
    phases: Counter[str] = Counter()
    hidden = passed = 0
    for _ in range(40):
        rules = {**random_rules(GAME, source), "max_hands": 12}
        state: State = GAME.new_state(rules)
        while state.awaiting() or state.chance() is not None:
            assert isinstance(state, TrucoState)
            seat, action = choose(state, rules["seats"], source)
            if seat != CHANCE:
                turn = turn_in(state, "truco", rules, seat)
                redealer = TrucoRedealer(turn)
                for number in range(3):
                    world = redealer.draw(Random(number))
                    assert world.serialise() == redeal(turn, Random(number)).serialise()
                    assert turn_in(world, "truco", rules, seat) == turn
                phases[turn["observation"]["phase"]] += 1
                hidden += any(p["card"] is None for t in turn["observation"]["tricks"] for p in t["plays"])
                passed += bool(turn["observation"]["passed_cards"])
            state.apply(seat, action)
    assert set(phases) == {"cut", "choose", "play", "answer", "eleven"}
    assert min(phases.values(), default=0) > 10
    assert hidden > 50
    assert passed > 10
