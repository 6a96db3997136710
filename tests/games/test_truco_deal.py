"""BT-2: shuffle, cut, the forehand's choice, the other hands."""

from __future__ import annotations

from random import Random

import pytest

from arena.errors import IllegalAction
from arena.games.kernel import CHANCE
from arena.games.truco.cards import PACK
from arena.games.truco.state import TRUCO, TrucoState
from tests.games.truco_play import do, hands, new_game, of_type, pack_of


def dealt(state: TrucoState, seat: int) -> set[str]:
    return set(state.observation(seat)["hand"])


def shuffled(seed: int) -> list[str]:
    return Random(seed).sample(PACK, 40)


@pytest.mark.rule("BT-2.1")
def test_chance_orders_the_whole_pack_once_per_hand_before_the_cut() -> None:
    state = new_game(cut="player")
    chance = state.chance()
    assert chance is not None
    assert sorted(chance.items) == sorted(PACK)
    do(state, "deal:" + "".join(shuffled(1)))
    assert state.chance() is None
    assert state.observation(None)["phase"] == "cut"
    do(state, "no_cut", "burn", "pass", "keep")
    assert state.chance() is None


@pytest.mark.rule("BT-2.2")
@pytest.mark.parametrize("dealer", range(4))
def test_the_seat_on_the_dealers_left_cuts(dealer: int) -> None:
    state = new_game(dealer, cut="player")
    do(state, pack_of())
    assert state.awaiting() == ((dealer + 3) % 4,)
    assert not state.legal_actions(dealer)


@pytest.mark.rule("BT-2.2")
def test_one_cut_of_1_to_39_cards_or_none() -> None:
    state = new_game(cut="player")
    do(state, pack_of())
    expected = {f"cut:{lifted}:{end}" for lifted in range(1, 40) for end in ("top", "bottom")} | {"no_cut"}
    assert set(state.legal_actions(2)) == expected
    for wrong in ("cut:0:top", "cut:40:top", "cut:1", "cut:1:middle", "cut:01:top"):
        with pytest.raises(IllegalAction):
            state.apply(2, wrong)


@pytest.mark.rule("BT-2.2")
@pytest.mark.parametrize("lifted", [1, 2, 17, 38, 39])
def test_the_lifted_packet_goes_under(lifted: int) -> None:
    cards = shuffled(2)
    top = new_game(cut="player")
    do(top, "deal:" + "".join(cards))
    assert do(top, f"cut:{lifted}:top")[0] == ("cut", 2, lifted, "top")
    do(top, "keep")
    as_cut = cards[lifted:] + cards[:lifted]
    assert [dealt(top, seat) for seat in range(4)] == [set(as_cut[3 * n : 3 * n + 3]) for n in range(4)]

    bottom = new_game(cut="player")
    do(bottom, "deal:" + "".join(cards), f"cut:{lifted}:bottom", "keep")
    as_cut.reverse()
    assert [dealt(bottom, seat) for seat in range(4)] == [set(as_cut[3 * n : 3 * n + 3]) for n in range(4)]


@pytest.mark.rule("BT-2.2")
def test_without_a_cut_the_deal_is_from_the_top() -> None:
    cards = shuffled(3)
    nobody, declined = new_game(cut="none"), new_game(cut="player")
    do(nobody, "deal:" + "".join(cards), "keep")
    do(declined, "deal:" + "".join(cards), "no_cut", "keep")
    for state in (nobody, declined):
        assert dealt(state, 0) == set(cards[:3])
        assert dealt(state, 3) == set(cards[9:12])


@pytest.mark.rule("BT-2.3")
@pytest.mark.parametrize("dealer", range(4))
def test_the_forehand_looks_at_three_cards_and_chooses(dealer: int) -> None:
    state = new_game(dealer)
    events = do(state, pack_of("4C7HAS"))
    forehand = (dealer + 1) % 4
    assert events == [("hand", dealer, 1, 0, 0), ("dealt", forehand, ("4C", "7H", "AS"), False)]
    assert state.awaiting() == (forehand,)
    assert set(state.legal_actions(forehand)) == {"keep", "pass", "burn"}
    assert dealt(state, forehand) == {"4C", "7H", "AS"}
    assert all(dealt(state, seat) == set() for seat in range(4) if seat != forehand)


@pytest.mark.rule("BT-2.3")
def test_keep_pass_and_burn() -> None:
    state = new_game()
    do(state, pack_of("4C7HAS", "4D5D6D", "4H5H6H", "JCJHJS"))
    assert do(state, "burn")[0] == ("burned", 0, ("4C", "7H", "AS"))
    assert state.observation(1)["burned"] == [["4C", "7H", "AS"]]
    assert dealt(state, 0) == {"4D", "5D", "6D"}
    assert do(state, "pass")[0] == ("passed", 0, ("4D", "5D", "6D"))
    assert dealt(state, 2) == {"4D", "5D", "6D"}
    assert dealt(state, 0) == {"4H", "5H", "6H"}
    do(state, "keep")
    assert dealt(state, 0) == {"4H", "5H", "6H"}
    assert dealt(state, 2) == {"4D", "5D", "6D"}


@pytest.mark.rule("BT-2.3")
def test_burned_cards_are_out_of_play() -> None:
    state = new_game()
    do(state, pack_of("4C7HAS"), "burn", "keep")
    for seat in range(4):
        assert not {"4C", "7H", "AS"} & dealt(state, seat)


@pytest.mark.rule("BT-2.4")
def test_one_pass_per_hand() -> None:
    state = new_game()
    do(state, pack_of(), "pass")
    assert set(state.legal_actions(0)) == {"keep", "burn"}
    do(state, "keep")
    while state.awaiting()[0] != CHANCE:
        do(state, state.default_action(state.awaiting()[0]))
    do(state, pack_of())
    assert "pass" in state.legal_actions(1)


@pytest.mark.rule("BT-2.4")
@pytest.mark.parametrize("limit", range(10))
def test_burns_are_limited_by_max_burns(limit: int) -> None:
    state = new_game(max_burns=limit)
    do(state, pack_of())
    for _ in range(limit):
        assert "burn" in state.legal_actions(0)
        do(state, "burn")
    assert set(state.legal_actions(0)) == {"keep", "pass"}
    assert len(state.observation(None)["burned"]) == limit


@pytest.mark.rule("BT-2.4", "BT-7.4")
@pytest.mark.parametrize("limit", [0, 1, 9])
def test_with_no_pass_and_no_burn_left_the_forehand_keeps(limit: int) -> None:
    state = new_game(max_burns=limit)
    do(state, pack_of(), *["burn"] * limit)
    events = do(state, "pass")
    assert [event[0] for event in events] == ["passed", "dealt", "kept", "dealt", "dealt"]
    assert state.observation(None)["phase"] == "play"
    assert state.observation(None)["held"] == [3, 3, 3, 3]


@pytest.mark.rule("BT-2.5")
@pytest.mark.parametrize("dealer", range(4))
def test_the_other_hands_in_order(dealer: int) -> None:
    state = new_game(dealer)
    do(state, pack_of("4C5C6C", "4D5D6D", "4H5H6H", "4S5S6S"))
    events = do(state, "keep")
    order = [(dealer + step) % 4 for step in (2, 3, 4)]
    assert [event[1] for event in of_type(events, "dealt")] == order
    assert [dealt(state, seat) for seat in order] == [
        {"4D", "5D", "6D"},
        {"4H", "5H", "6H"},
        {"4S", "5S", "6S"},
    ]
    assert state.awaiting() == ((dealer + 1) % 4,)


@pytest.mark.rule("BT-2.5")
def test_a_partner_who_was_passed_a_hand_gets_no_other() -> None:
    state = new_game()
    do(state, pack_of("4C5C6C", "4D5D6D", "4H5H6H", "4S5S6S"), "pass")
    events = do(state, "keep")
    assert [event[1] for event in of_type(events, "dealt")] == [1, 3]
    assert [dealt(state, seat) for seat in range(4)] == [
        {"4D", "5D", "6D"},
        {"4H", "5H", "6H"},
        {"4C", "5C", "6C"},
        {"4S", "5S", "6S"},
    ]


@pytest.mark.rule("BT-2.6")
def test_the_forehand_and_its_partner_know_the_hand_passed() -> None:
    state = new_game()
    events = do(state, pack_of("4C5C6C"), "pass")
    passed = of_type(events, "passed")[0]
    for seat in (0, 2):
        assert state.observation(seat)["passed_cards"] == ["4C", "5C", "6C"]
        assert TRUCO.view_event(passed, seat) == {"type": "passed", "seat": 0, "cards": ["4C", "5C", "6C"]}
    for other in (1, 3, None):
        assert state.observation(other)["passed_cards"] == []
        assert state.observation(other)["passed"] is True
        assert TRUCO.view_event(passed, other) == {"type": "passed", "seat": 0, "cards": None}
    assert state.observation(2)["hand"] == ["4C", "5C", "6C"]


@pytest.mark.rule("BT-2.6")
def test_the_forehand_does_not_learn_which_passed_card_its_partner_hides() -> None:
    seen = []
    for hidden in ("4C", "6C"):
        state = new_game()
        do(state, pack_of("4C5C6C", "4D5D6D", "7CQCJC", "4S5S6S"), "pass", "keep")
        do(state, "4D", "7C", "x" + hidden)
        seen.append(state.observation(0))
        assert state.observation(0)["passed_cards"] == ["4C", "5C", "6C"]
        assert state.observation(2)["tricks"][0]["plays"][2]["card"] == hidden
    assert seen[0] == seen[1]


def test_hands_are_as_stated() -> None:
    state = new_game(1)
    do(state, hands("4C7HAS", "7D", "3C3D", "2S", dealer=1), "keep")
    assert dealt(state, 0) == {"4C", "7H", "AS"}
    assert "7D" in dealt(state, 1)
    assert {"3C", "3D"} < dealt(state, 2)
