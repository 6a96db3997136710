"""BT-1: seats, cards, strength, partners, the end of a game; and the options."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from arena.errors import ArenaError, IllegalAction, InvalidOption
from arena.games.kernel import CHANCE
from arena.games.truco.cards import CARD_NUMBER, FIXED, PACK, partners_by_draw
from arena.games.truco.state import TRUCO
from tests.games.truco_play import (
    do,
    game_at,
    give_stake,
    hands,
    last_result,
    new_game,
    of_type,
    pack_of,
    score,
    started,
)


def card_strength(card: str) -> int:
    return FIXED.strength[CARD_NUMBER[card]]


@pytest.mark.rule("BT-1.1")
def test_four_seats_in_two_teams() -> None:
    rules = TRUCO.options.complete()
    assert TRUCO.seats(rules) == 4
    assert TRUCO.teams(rules) == ((0, 2), (1, 3))


@pytest.mark.rule("BT-1.1")
@pytest.mark.parametrize("dealer", range(4))
def test_play_and_deal_run_to_the_next_seat(dealer: int) -> None:
    state = new_game(dealer)
    do(state, pack_of(), "keep")
    turns = []
    for _ in range(4):
        turns.append(state.awaiting()[0])
        do(state, state.default_action(turns[-1]))
    assert turns == [(dealer + step) % 4 for step in (1, 2, 3, 4)]


@pytest.mark.rule("BT-1.2")
def test_the_pack_has_forty_cards_and_no_8_9_10() -> None:
    assert len(PACK) == len(set(PACK)) == 40
    assert {card[0] for card in PACK} == set("A234567JQK")
    assert {card[1] for card in PACK} == set("CHSD")
    chance = new_game().chance()
    assert chance is not None
    assert (chance.kind, chance.hand, tuple(chance.items)) == ("deal", 1, PACK)


@pytest.mark.rule("BT-1.3")
def test_the_manilhas_beat_all_others_in_order() -> None:
    order = ["4C", "7H", "AS", "7D", "3C"]
    assert [card_strength(card) for card in order] == sorted(map(card_strength, order), reverse=True)
    assert len({card_strength(card) for card in order}) == 5
    assert all(card_strength("7D") > card_strength(card) for card in PACK if card not in order[:4])


@pytest.mark.rule("BT-1.3", "BT-1.4")
@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        ("4C", "7H"),
        ("7H", "AS"),
        ("AS", "7D"),
        ("7D", "3S"),
        ("3D", "2C"),
        ("2H", "AC"),
        ("AH", "KS"),
        ("KC", "JD"),
        ("JC", "QD"),
        ("QS", "7C"),
        ("7S", "6H"),
        ("6D", "5C"),
        ("5H", "4S"),
    ],
)
def test_the_stronger_card_wins_the_trick_from_either_side(strong: str, weak: str) -> None:
    fillers = iter(["4D", "4H"])
    first = started(hands(strong, weak, next(fillers), next(fillers)))
    trick = of_type(do(first, strong, weak, "4D", "4H"), "trick")[0]
    assert trick == ("trick", 0, 1, 0)
    second = started(hands(weak, "4D", "4H", strong))
    trick = of_type(do(second, weak, "4D", "4H", strong), "trick")[0]
    assert trick == ("trick", 3, 1, 1)


@pytest.mark.rule("BT-1.4")
@pytest.mark.parametrize(
    "equal",
    [
        "3C3H3S3D",
        "2C2H2S2D",
        "ACAHAD",
        "KCKHKSKD",
        "JCJHJSJD",
        "QCQHQSQD",
        "7C7S",
        "6C6H6S6D",
        "5C5H5S5D",
        "4H4S4D",
    ],
)
def test_suits_do_not_matter_outside_the_manilhas(equal: str) -> None:
    cards = [equal[start : start + 2] for start in range(0, len(equal), 2)]
    assert {card for card in PACK if card_strength(card) == card_strength(cards[0])} == set(cards)


@pytest.mark.rule("BT-1.5")
@pytest.mark.parametrize(
    ("drawn", "pairs"),
    [
        (["AC", "KD", "2S", "3H"], ((0, 1), (2, 3))),
        (["2C", "AD", "3S", "KH"], ((1, 3), (0, 2))),
        (["QC", "KD", "JS", "7H"], ((0, 1), (2, 3))),
        (["4C", "7H", "6S", "5D"], ((1, 2), (0, 3))),
        (["AC", "AD", "2S", "2H"], ((0, 1), (2, 3))),
        (["KC", "QD", "QS", "2H"], None),
        (["KC", "KD", "KS", "2H"], None),
        (["KC", "KD", "KS", "KH"], None),
        (["AC", "2D", "2S", "2H"], None),
    ],
)
def test_partners_by_draw(drawn: list[str], pairs: object) -> None:
    assert partners_by_draw(drawn) == pairs


@pytest.mark.rule("BT-1.5")
def test_the_order_of_the_draw_is_not_the_order_of_play() -> None:
    for high, low in combinations("AKQJ765432", 2):
        pair = partners_by_draw([f"{low}C", f"{high}C", f"{low}D", f"{high}D"])
        assert pair == ((1, 3), (0, 2))


@pytest.mark.parametrize(
    "drawn", [[], ["AC", "KC", "QC"], ["AC", "AC", "KC", "QC"], ["AC", "KC", "QC", "8C"]]
)
def test_a_wrong_draw_is_refused(drawn: list[str]) -> None:
    with pytest.raises(ArenaError) as raised:
        partners_by_draw(drawn)
    assert raised.value.code == "invalid_draw"


@pytest.mark.rule("BT-1.5")
@pytest.mark.parametrize("seat", range(4))
def test_the_first_dealer_is_drawn_by_lot(seat: int) -> None:
    state = TRUCO.new_state(TRUCO.options.complete())
    chance = state.chance()
    assert chance is not None
    assert (chance.kind, list(chance.items)) == ("dealer", ["0", "1", "2", "3"])
    assert state.awaiting() == (CHANCE,)
    assert state.apply(CHANCE, f"dealer:{seat}") == [("dealer", seat)]
    assert state.observation(None)["dealer"] == seat
    with pytest.raises(IllegalAction):
        state.apply(CHANCE, f"dealer:{seat}")


@pytest.mark.rule("BT-1.5")
def test_the_deal_passes_to_the_right_after_every_hand() -> None:
    state = new_game(2)
    dealers = []
    for number in range(6):
        dealers.append(state.observation(None)["dealer"])
        give_stake(state, number % 2)
    assert dealers == [2, 3, 0, 1, 2, 3]


@pytest.mark.rule("BT-1.6")
def test_twelve_points_win_and_more_are_cut() -> None:
    state = game_at(10, 4)
    events = do(state, hands("4C7HAS", "4D4H4S"), "keep", "truco", "raise:6", "accept:6", "4C", "4D")
    seats = state.awaiting()
    events += do(state, state.default_action(seats[0]))
    events += do(state, state.default_action(state.awaiting()[0]))
    assert last_result(events) == (0, 6)
    assert events[-1] == ("game_over", -1, 0, 12, 4)
    assert score(state) == [12, 4]
    assert state.awaiting() == ()
    assert state.chance() is None
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.places == (1, 2, 1, 2)
    assert outcome.scores == (12, 4, 12, 4)


@pytest.mark.rule("BT-1.6")
def test_the_game_goes_on_below_twelve() -> None:
    state = game_at(11, 3)
    assert state.outcome() is None
    assert state.awaiting() == (CHANCE,)


@pytest.mark.rule("BT-1.7")
@pytest.mark.parametrize(
    ("winners", "places", "scores"),
    [
        ([0, 0, 1], (1, 2, 1, 2), (2, 1, 2, 1)),
        ([1, 1, 0], (2, 1, 2, 1), (1, 2, 1, 2)),
        ([0, 1, 1, 0], (1, 1, 1, 1), (2, 2, 2, 2)),
    ],
)
def test_max_hands_ends_the_game(
    winners: list[int], places: tuple[int, ...], scores: tuple[int, ...]
) -> None:
    state = new_game(max_hands=len(winners))
    for team in winners:
        assert state.outcome() is None
        give_stake(state, team)
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.places, outcome.scores) == (places, scores)
    assert state.awaiting() == ()


@pytest.mark.rule("BT-1.7")
def test_four_players_who_always_hide_end_in_a_draw() -> None:
    state = new_game(max_hands=7)
    hidden = 0
    while state.awaiting():
        seat = state.awaiting()[0]
        if seat == CHANCE:
            do(state, pack_of(), "keep")
            continue
        do(state, next(action for action in state.legal_actions(seat) if action.startswith("hide:")))
        hidden += 1
    assert hidden == 7 * 12
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.places == (1, 1, 1, 1)
    assert outcome.scores == (0, 0, 0, 0)


@pytest.mark.rule("BT-1.7")
def test_a_hand_that_nobody_won_counts_as_played() -> None:
    state = started(hands("4D", "4H", "5D", "5H"), max_hands=1)
    events = do(state, *["x" + card for card in ("4D", "4H", "5D", "5H")])
    assert not of_type(events, "hand_over")
    while state.awaiting():
        seat = state.awaiting()[0]
        events = do(state, next(action for action in state.legal_actions(seat) if action.startswith("hide:")))
    assert last_result(events) == (-1, 0)
    assert events[-1] == ("game_over", -1, -1, 0, 0)


def test_the_default_options() -> None:
    complete = TRUCO.options.complete()
    assert {name: value for name, value in complete.items() if not TRUCO.options.by_name[name].later} == {
        "cut": "player",
        "max_burns": 3,
        "max_hands": 100,
        "face_down": "any",
        "signals": "off",
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cut", "nobody"),
        ("cut", True),
        ("max_burns", -1),
        ("max_burns", 10),
        ("max_burns", "3"),
        ("max_burns", True),
        ("max_hands", 0),
        ("max_hands", 1001),
        ("face_down", "sometimes"),
        ("face_down", False),
        ("signals", "on"),
        ("signals", None),
        ("colour", "red"),
    ],
)
def test_wrong_options_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InvalidOption) as raised:
        TRUCO.options.complete({name: value})
    assert raised.value.code == "invalid_option"
    assert raised.value.field == f"rules.{name}"
    assert raised.value.expected


@pytest.mark.parametrize(
    "action",
    [
        "dealer:1",
        "deal:",
        "deal:4C",
        pack_of()[:-2],
        pack_of() + "4C",
        pack_of()[:-2] + pack_of()[5:7],
        pack_of()[:-2] + "8C",
        pack_of()[:-2] + "C4",
        pack_of()[:-2] + "é",
        pack_of().replace("deal:", "Deal:"),
        "keep",
    ],
)
def test_a_wrong_deal_is_refused(action: str) -> None:
    state = new_game()
    before = state.serialise()
    with pytest.raises(IllegalAction) as raised:
        state.apply(CHANCE, action)
    assert raised.value.expected is not None
    assert "40 cards" in raised.value.expected
    assert state.serialise() == before


def test_chance_has_no_action_while_a_seat_is_awaited() -> None:
    state = started(pack_of())
    with pytest.raises(IllegalAction, match="is not a legal action for chance now"):
        state.apply(CHANCE, pack_of())
    with pytest.raises(IllegalAction, match="'truco' is not a legal action for seat 1 now"):
        state.apply(1, "truco")
