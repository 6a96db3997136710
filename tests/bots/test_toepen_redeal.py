"""Re-deals of Toepen."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from random import Random
from typing import Any

import pytest

from arena.bots.redeal import redeal
from arena.games.kernel import CHANCE, turn_in
from arena.games.toepen.cards import JACKS, TENS, mask_of
from arena.games.toepen.redeal import InconsistentTurn
from arena.games.toepen.state import TOEPEN, ToepenState
from arena.play.table import Table
from tests.contract.playouts import random_rules
from tests.games.toepen_tables import Table as StatedTable


def turn_of(state: ToepenState, seat: int, rules: dict[str, Any]) -> dict[str, Any]:
    """The turn that ``seat`` would get, as JSON brings it."""
    turn = {**turn_in(state, "toepen", rules, seat), "optional": seat not in state.awaiting()}
    copied: dict[str, Any] = json.loads(json.dumps(turn))
    return copied


def all_cards(state: ToepenState) -> list[str]:
    """Every card of the hand, wherever it lies: each must be there once."""
    masks = [*state.hands, *(laid[1] for laid in state.laid)]
    masks += [1 << (code & 31) for codes in (state.trick, *(t[1] for t in state.tricks)) for code in codes]
    masks.append(mask_of(state.stock[i : i + 2] for i in range(0, len(state.stock), 2)))
    return [f"{number}" for mask in masks for number in range(32) if mask >> number & 1]


def announced(state: ToepenState) -> list[tuple[int, int, int]]:
    """Per seat that has kept: what it said, and the tens and jacks that it had then."""
    played = [0] * len(state.hands)
    for codes in (state.trick, *(trick[1] for trick in state.tricks)):
        for code in codes:
            played[code >> 5] |= 1 << (code & 31)
    hands = [hand | mine for hand, mine in zip(state.hands, played, strict=True)]
    return [
        (said, (hand & TENS).bit_count(), (hand & JACKS).bit_count())
        for said, hand in zip(state.said, hands, strict=True)
    ]


def check(turn: dict[str, Any], real: ToepenState, rng: Random) -> None:
    seat = turn["seat"]
    world = redeal(turn, rng)
    assert isinstance(world, ToepenState)
    assert world.observation(seat) == real.observation(seat)
    assert world.legal_actions(seat) == real.legal_actions(seat)
    assert world.awaiting() == real.awaiting()
    assert sorted(all_cards(world)) == sorted(str(number) for number in range(32))
    suits_led = [(trick[0] >> 3 & 3, code) for _, trick, _ in real.tricks for code in trick]
    suits_led += [(real.trick[0] >> 3 & 3, code) for code in real.trick]
    for led, code in suits_led:
        if code >> 3 & 3 != led:
            assert not world.hands[code >> 5] >> (led << 3) & 255
    if turn["rules"]["whistling"]:
        for said, tens, jacks in announced(world):
            assert said == 0 or (said == 1 and tens < 3) or (said == 2 and 3 in (tens, jacks)) or (
                said == 3 and 4 in (tens, jacks)
            )  # fmt: skip
    asked = world.awaiting()[0]
    assert TOEPEN.deserialise(world.serialise()).legal_actions(asked) == world.legal_actions(asked)


def test_a_redeal_looks_the_same_to_its_seat_at_all_tables() -> None:
    chooser = Random(7)
    seen: Counter[str] = Counter()
    for number in range(28):
        rules = random_rules(TOEPEN, chooser)
        rules["seats"] = 2 + number % 7
        table = Table("g", "toepen", rules, chooser.randbytes(32))
        table.start()
        for _ in range(60):
            if table.is_over():
                break
            state = table.state
            assert isinstance(state, ToepenState)
            for seat in table.seats_with_turns():
                turn = json.loads(json.dumps(table.turn(seat)))
                check(turn, state, chooser)
                seen[turn["observation"]["phase"]] += 1
                seen["right"] += turn["optional"]
                seen["announced"] += any(said > 1 for said in state.said)
            seat = chooser.choice(table.seats_with_turns())
            actions = table.legal_actions(seat)
            calm = [action for action in actions if not action.startswith(("fold", "knock"))]
            action = chooser.choice(calm if calm and chooser.random() < 0.6 else actions)
            table.submit(seat, table.turn_number(seat), action)
    assert set(seen) >= {"exchange", "challenge", "poverty", "play", "knock", "right", "announced"}


def whistling_tables() -> list[StatedTable]:
    tens = StatedTable(2, seats=3, whistling=True).deal("TC TH TS 7D", "JC JH JS 8D", "9C 9H 9S 9D")
    tens.do("0 keep_whistle", "1 keep_whistle", "2 keep")
    stands = StatedTable(2, seats=3, whistling=True).deal("JC JH JS JD", "TC TH TS TD", "9C 9H 9S 9D")
    stands.do("0 keep_stand", "1 keep_stand", "2 keep", "0 play:JC", "1 play:TC")
    return [tens, stands]


@pytest.mark.parametrize("table", whistling_tables())
def test_announcements_of_several_seats_fit_together(table: StatedTable) -> None:
    turn = turn_of(table.state, table.asked, table.rules)
    rng = Random(3)
    for _ in range(50):
        check(turn, table.state, rng)


def test_every_assignment_that_the_rules_allow_is_as_likely() -> None:
    """The last trick at a table of eight: three seats can have nothing but clubs left."""
    table = StatedTable(7, seats=8).deal(
        "TH TS TD 7C", "9H AS 9D TC", "8H KH 8D KD", "7H QH 7D QD", "AH JH AD JD", "JC 9S KS 9C",
        "QC 8S QS 8C", "KC 7S JS AC",
    ).play(
        "TH", "9H", "8H", "7H", "AH", "JC", "QC", "KC",
        "TS", "AS", "KH", "QH", "JH", "9S", "8S", "7S",
        "TD", "9D", "8D", "7D", "AD", "KS", "QS", "JS",
    )  # fmt: skip
    turn = turn_of(table.state, 0, table.rules)
    unseen = [hand.bit_length() - 1 for hand in table.state.hands[1:]]
    allowed = {cards for cards in permutations(unseen) if all(card < 8 for card in cards[4:])}
    assert len(allowed) == 24 * 24
    rng = Random(11)
    draws = 10 * len(allowed)
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(draws):
        world = redeal(turn, rng)
        assert isinstance(world, ToepenState)
        counts[tuple(hand.bit_length() - 1 for hand in world.hands[1:])] += 1
    assert set(counts) <= allowed
    expected = draws / len(allowed)
    chi_square = sum((counts[cards] - expected) ** 2 / expected for cards in allowed)
    freedom = len(allowed) - 1
    assert abs(chi_square - freedom) < 4 * (2 * freedom) ** 0.5


def test_own_and_shown_laid_away_hands_stay_and_the_others_vary() -> None:
    table = StatedTable(0, seats=2).deal("AC KC QC JC", "AH KH QH JH")
    table.do("1 exchange", "0 trust", "1 exchange", "0 challenge", "1 keep", "0 exchange", "1 trust")
    rng = Random(2)
    turn = turn_of(table.state, 0, table.rules)
    laid = [[world.laid[place][1] for place in range(3)] for world in (redeal(turn, rng) for _ in range(9))]  # type: ignore[attr-defined]
    real = [mask for _, mask, _, _ in table.state.laid]
    assert {masks[1] for masks in laid} == {real[1]}
    assert {masks[2] for masks in laid} == {real[2]} == {mask_of(["AC", "KC", "QC", "JC"])}
    assert len({masks[0] for masks in laid}) > 5


def test_the_same_seed_gives_the_same_redeal() -> None:
    state = TOEPEN.new_state(TOEPEN.options.complete())
    state.apply(CHANCE, "dealer:0")
    chance = state.chance()
    assert chance is not None
    state.apply(CHANCE, "deal:" + "".join(chance.items))
    turn = turn_of(state, 1, TOEPEN.options.complete())
    assert redeal(turn, Random(5)).serialise() == redeal(turn, Random(5)).serialise()
    assert redeal(turn, Random(5)).serialise() != redeal(turn, Random(6)).serialise()


def test_a_turn_that_no_deal_explains_is_refused() -> None:
    table = StatedTable(0, seats=2).deal("AC KC QC JC", "AH KH QH JH").keep()
    turn = turn_of(table.state, table.asked, table.rules)
    turn["observation"]["held"] = [5, 4]
    with pytest.raises(InconsistentTurn, match="unseen"):
        redeal(turn, Random(1))
