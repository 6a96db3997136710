"""The rules of paulista and mineiro, number by number: variants, table, cards, deal and tricks."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from arena.errors import ArenaError, IllegalAction
from arena.games.cards import split_cards
from arena.games.kernel import CHANCE
from arena.games.truco.cards import PACK
from arena.games.truco.options import OPTIONS, rules_from
from arena.games.truco.state import TRUCO
from arena.games.truco.view import unplaced_cards
from tests.games.truco_play import (
    MINEIRO,
    PAULISTA,
    THIRD,
    TWO,
    TWO_TRICKS,
    deck,
    do,
    first_hand,
    game_at,
    last_result,
    legal,
    new_game,
    of_type,
    pack_of,
    score,
    seen,
    started,
)

TIES = ("3S2SAS", "3H2HAH", "4H7SKC", "JCJDJH")


def refused(**given: Any) -> str:
    with pytest.raises(ArenaError) as error:
        OPTIONS.complete(given)
    assert error.value.code == "invalid_option"
    return f"{error.value.field} {error.value}"


# 1. Variants


@pytest.mark.rule("TV-1.1")
def test_a_variant_sets_the_defaults_of_the_other_options() -> None:
    paulista, mineiro = (OPTIONS.complete({"variant": name}) for name in ("paulista", "mineiro"))
    assert set(paulista) == set(OPTIONS.by_name)
    assert paulista == OPTIONS.complete() | {
        "variant": "paulista",
        "manilhas": "turned",
        "cut": "none",
        "exchange": False,
        "max_burns": 0,
        "truco_scope": "hand",
        "face_down": "after_first_trick",
    }
    assert mineiro == paulista | {"variant": "mineiro", "manilhas": "fixed", "stakes": "2-4-6-10-12"}
    given = OPTIONS.complete({**PAULISTA, "manilhas": "fixed", "face_down": "never"})
    assert given == paulista | {"manilhas": "fixed", "face_down": "never"}


@pytest.mark.rule("TV-1.2")
def test_rules_without_a_variant_are_those_of_the_base_game() -> None:
    old = {"cut": "player", "max_burns": 3, "face_down": "any", "signals": "off", "max_hands": 100}
    assert OPTIONS.complete(old) == OPTIONS.complete() == OPTIONS.complete({"variant": "base"})
    assert OPTIONS.stored(OPTIONS.complete(old)) == old
    assert TRUCO.version == 1
    state = started(pack_of())
    stored = json.loads(state.serialise())
    assert stored["rules"] == {**old, "cut": "none"}
    assert "vira" not in stored


@pytest.mark.rule("TV-1.3")
@pytest.mark.parametrize(
    ("given", "field", "named"),
    [
        ({"seats": 3}, "seats", ("seats=3",)),
        ({"seats": 2}, "exchange", ("exchange=true", "seats=2")),
        ({**PAULISTA, "exchange": True}, "exchange", ("exchange=true", "manilhas=turned")),
        ({"pack": "clean"}, "exchange", ("exchange=true", "pack=clean")),
        ({**MINEIRO, "max_burns": 3}, "max_burns", ("max_burns=3", "exchange=false")),
        ({**MINEIRO, "pack": "clean"}, "pack", ("pack=clean", "manilhas=fixed")),
        ({**TWO, "signals": "table"}, "signals", ("signals=table", "seats=2")),
        # Several apply: the first is named.
        ({"seats": 2, "pack": "clean", "signals": "table"}, "exchange", ("exchange=true", "seats=2")),
    ],
)
def test_combinations_that_make_no_sense(given: dict[str, Any], field: str, named: tuple[str, ...]) -> None:
    message = refused(**given)
    assert message.startswith(f"rules.{field} ")
    assert all(option in message for option in named)


@pytest.mark.rule("TV-1.3")
def test_completing_completed_rules_changes_nothing() -> None:
    for given in ({}, PAULISTA, MINEIRO, TWO, {**PAULISTA, "pack": "clean"}, {**MINEIRO, "exchange": True}):
        rules = OPTIONS.complete(given)
        assert OPTIONS.complete(rules) == rules


@pytest.mark.rule("TV-1.4")
def test_changed_options_are_those_that_differ_from_the_variant() -> None:
    rules = OPTIONS.complete({**PAULISTA, "seats": 2})
    assert OPTIONS.changed(rules) == {"variant": "paulista", "seats": 2}
    assert OPTIONS.complete({**rules, "variant": "mineiro"})["stakes"] == "1-3-6-9-12"


@pytest.mark.rule("TV-1.5")
def test_burns_follow_the_exchange() -> None:
    assert OPTIONS.complete({**MINEIRO, "exchange": True})["max_burns"] == 3
    assert OPTIONS.complete({"exchange": False})["max_burns"] == 0
    assert OPTIONS.complete({**MINEIRO, "exchange": True, "max_burns": 7})["max_burns"] == 7


# 2. The table


@pytest.mark.rule("TV-2.1")
def test_two_seats_are_two_teams() -> None:
    rules = OPTIONS.complete(TWO)
    assert (TRUCO.seats(rules), TRUCO.teams(rules)) == (2, ((0,), (1,)))
    four = OPTIONS.complete(PAULISTA)
    assert (TRUCO.seats(four), TRUCO.teams(four)) == (4, ((0, 2), (1, 3)))
    state = first_hand("3SAS4C", "3HAH4H", vira="5D", dealer=1, **TWO)
    assert seen(state)["held"] == [3, 3]
    do(state, "truco")
    assert legal(state) == ["run:1", "accept:3", "raise:6"]
    events = do(state, "accept:3", "AS", "3H")
    assert of_type(events, "trick") == [("trick", 1, 1, 1)]
    do(state, "4H", "3S")
    assert state.awaiting() == (0,)
    assert last_result(do(state, "4C", "AH")) == (1, 3)


@pytest.mark.rule("TV-2.1", "TV-7.2")
def test_nobody_sees_another_hand_with_two_seats() -> None:
    state = first_hand(dealer=1, points=(11, 4), **TWO)
    assert legal(state) == ["run:1", "accept:3"]
    assert seen(state, 0)["partner_dealt"] == []
    assert seen(state, 1)["partner_dealt"] == []
    do(state, "accept:3")
    assert seen(state, 0)["partner_dealt"] == []


@pytest.mark.rule("TV-2.2")
def test_the_deal_passes_to_the_next_seat() -> None:
    for seats, rules in ((2, TWO), (4, PAULISTA)):
        for dealer in range(seats):
            state = first_hand(dealer=dealer, **rules)
            assert seen(state)["forehand"] == state.awaiting()[0] == (dealer + 1) % seats
            events = do(state, "truco", "run:1")
            assert last_result(events)[1] == 1
            assert seen(state)["dealer"] == (dealer + 1) % seats
    chance = TRUCO.new_state(OPTIONS.complete(TWO)).chance()
    assert chance is not None
    assert list(chance.items) == ["0", "1"]


@pytest.mark.rule("TV-2.3")
def test_twelve_points_win_and_no_more_are_counted() -> None:
    state = first_hand(*THIRD, vira="5D", points=(8, 10), **MINEIRO)
    assert legal(state) == ["run:2", "accept:4", "defer"]
    do(state, "accept:4")
    while state.outcome() is None:
        do(state, state.default_action(state.awaiting()[0]))
    assert max(score(state)) == 12
    outcome = state.outcome()
    assert outcome is not None
    assert sorted(outcome.places) == [1, 1, 2, 2]
    short = first_hand(max_hands=1, **PAULISTA)
    do(short, "truco", "run:1")
    assert short.outcome() is not None


# 3. The cards


@pytest.mark.rule("TV-3.1")
def test_the_clean_pack_has_24_cards() -> None:
    state = new_game(pack="clean", **PAULISTA)
    assert {card[0] for card in deck(state)} == set("QJKA23")
    assert len(deck(state)) == 24
    assert len(deck(new_game(**PAULISTA))) == 40


@pytest.mark.rule("TV-3.2", "TV-8.2")
def test_fixed_manilhas_and_nothing_turned() -> None:
    for rules in (MINEIRO, {**PAULISTA, "manilhas": "fixed"}):
        state = first_hand("3S4C7D", "7H5S6S", "AS5H6H", "7S5C6C", **rules)
        assert of_type(do(state.clone(), "4C"), "vira") == []
        assert (seen(state)["vira"], seen(state)["manilhas"]) == (None, ["4C", "7H", "AS", "7D"])
        events = do(state, "3S", "7H", "AS", "7S")
        assert of_type(events, "trick") == [("trick", 1, 1, 1)]
        events = do(state, "5S", "5H", "5C", "7D")
        assert of_type(events, "trick")[0][3] == 0


@pytest.mark.rule("TV-3.3")
@pytest.mark.parametrize("pack", ["full", "clean"])
def test_the_rank_after_the_vira_makes_the_manilhas(pack: str) -> None:
    ranks, following = {"full": ("4567QJKA23", "567QJKA234"), "clean": ("QJKA23", "JKA23Q")}[pack]
    for suit in "CHSD":
        for rank, manilha in zip(ranks, following, strict=True):
            state = first_hand(vira=rank + suit, pack=pack, **PAULISTA)
            assert seen(state)["vira"] == rank + suit
            assert seen(state)["manilhas"] == [manilha + each for each in "CHSD"]


@pytest.mark.rule("TV-3.4")
def test_turned_manilhas_beat_all_by_their_suits() -> None:
    strongest_first = split_cards("7C7H7S7D3S2SASKSJSQS5S4S")
    for stronger, weaker in pairwise(strongest_first):
        state = first_hand(weaker, stronger, dealer=1, vira="6S", **TWO)
        assert of_type(do(state, weaker, stronger), "trick") == [("trick", 1, 1, 1)]
        state = first_hand(stronger, weaker, dealer=1, vira="6S", **TWO)
        assert of_type(do(state, stronger, weaker), "trick") == [("trick", 0, 1, 0)]


@pytest.mark.rule("TV-3.4")
@pytest.mark.parametrize("old", ["4C", "7H", "AS", "7D"])
def test_the_old_manilhas_are_plain_cards(old: str) -> None:
    equal = old[0] + ("D" if old[1] != "D" else "C")
    state = first_hand(old, equal, dealer=1, vira="2D" if old == "AS" else "KD", **TWO)
    assert of_type(do(state, old, equal), "trick") == [("trick", 0, 1, -1)]


@pytest.mark.rule("TV-3.5")
def test_the_vira_is_out_of_play() -> None:
    state = first_hand(*THIRD, vira="5D", **PAULISTA)
    assert all("5D" not in seen(state, seat)["hand"] for seat in range(4))
    with pytest.raises(IllegalAction):
        do(state, "play:5D")
    assert "5D" not in seen(state)["manilhas"]
    for seat in range(4):
        assert "5D" not in unplaced_cards(OPTIONS.complete(PAULISTA), seen(state, seat))


@pytest.mark.rule("TV-3.6")
def test_a_trick_with_a_manilha_is_never_tied() -> None:
    for given, vira in ((PAULISTA, "5D"), (MINEIRO, "")):
        order = rules_from(OPTIONS.complete(given)).order(PACK.index(vira) if vira else -1)
        strengths = [order.strength[PACK.index(card)] for card in order.manilhas]
        others = [order.strength[n] for n, card in enumerate(PACK) if card not in order.manilhas]
        assert len(set(strengths)) == 4
        assert min(strengths) > max(others)
    state = first_hand("3S", "3H", "6D", "3C", vira="5D", **PAULISTA)
    assert of_type(do(state, "3S", "3H", "6D", "3C"), "trick") == [("trick", 2, 1, 0)]


# 4. The deal


@pytest.mark.rule("TV-4.1")
def test_chance_orders_the_pack_in_use() -> None:
    state = new_game(pack="clean", **PAULISTA)
    cards = list(deck(state))
    assert cards == [card for card in PACK if card[0] in "QJKA23"]
    assert cards[:8] == ["QC", "JC", "KC", "AC", "2C", "3C", "QH", "JH"]
    for wrong in (pack_of(), pack_of(cards=[*cards[:-1], "4C"]), pack_of(cards=cards[:-1])):
        with pytest.raises(IllegalAction) as error:
            state.apply(CHANCE, wrong)
        assert "24 cards" in str(error.value.expected)
    do(state, pack_of(cards=cards))


@pytest.mark.rule("TV-4.2")
def test_the_seat_before_the_dealer_cuts() -> None:
    for seats in (2, 4):
        for dealer in range(seats):
            state = new_game(dealer, pack="clean", seats=seats, **{**PAULISTA, "cut": "player"})
            do(state, pack_of(cards=deck(state)))
            assert state.awaiting() == ((dealer + 3) % seats,)
            assert legal(state)[0] == "no_cut"
            assert len(legal(state)) == 1 + 2 * 23
            for beyond in ("cut:24:top", "cut:24:bottom", "cut:0:top"):
                with pytest.raises(IllegalAction):
                    do(state.clone(), beyond)
            do(state, "cut:23:bottom")


@pytest.mark.rule("TV-4.3")
def test_three_cards_each_and_nobody_chooses() -> None:
    for seats, rules in ((2, TWO), (4, PAULISTA)):
        state = new_game(0, **rules)
        events = do(state, pack_of())
        dealt = of_type(events, "dealt")
        assert [event[1] for event in dealt] == [(1 + step) % seats for step in range(seats)]
        assert [card for event in dealt for card in event[2]] == list(PACK[: 3 * seats])
        assert of_type(events, "kept") == []
        assert legal(state)[0].startswith("play:")
        for choice in ("keep", "pass", "burn"):
            with pytest.raises(IllegalAction):
                do(state, choice)


@pytest.mark.rule("TV-4.4")
def test_the_vira_is_the_next_card_from_either_end() -> None:
    for seats, place in ((2, 6), (4, 12)):
        for cut, pack in (
            ("cut:7:top", PACK[7:] + PACK[:7]),
            ("cut:7:bottom", (PACK[7:] + PACK[:7])[::-1]),
            ("no_cut", PACK),
        ):
            state = new_game(0, seats=seats, cut="player", **PAULISTA)
            do(state, pack_of())
            assert (seen(state)["vira"], seen(state)["manilhas"]) == (None, None)
            events = do(state, cut)
            assert of_type(events, "vira") == [("vira", -1, pack[place])]
            assert [event[0] for event in events][-2:] == ["dealt", "vira"]
            assert seen(state)["vira"] == pack[place]


@pytest.mark.rule("TV-4.4", "TV-7.5")
def test_the_vira_is_turned_before_anybody_is_asked() -> None:
    one = [event[0] for event in do(game_at(11, 9, **PAULISTA), pack_of())]
    assert one.index("vira") == one.index("shown") - 1
    both = [event[0] for event in do(game_at(11, 11, **PAULISTA), pack_of())]
    assert both.index("vira") == both.index("play") - 1


# 5. Tricks and hands


@pytest.mark.rule("TV-5.1")
def test_tricks_without_obligation_to_follow() -> None:
    state = first_hand("3S4D5C", "4HKS6S", "2C7D7S", "4CJHQD", vira="3D", **PAULISTA)
    events = do(state, "3S", "4H", "2C", "4C")
    assert of_type(events, "trick") == [("trick", 3, 1, 1)]
    assert state.awaiting() == (3,)
    assert {"play:JH", "play:QD"} <= set(legal(state))


@pytest.mark.rule("TV-5.2")
def test_nothing_is_hidden_in_the_first_trick() -> None:
    state = first_hand("6C4S7D", "4C", "4H", "4D", vira="5D", **PAULISTA)
    for card in ("6C", "4C", "4H", "4D"):
        assert not any(action.startswith("hide:") for action in legal(state))
        with pytest.raises(IllegalAction):
            do(state.clone(), "x" + card)
        do(state, card)
    assert set(legal(state)) == {"play:4S", "play:7D", "hide:4S", "hide:7D", "truco"}
    do(state, "x4S")
    for _ in range(3):
        assert any(action.startswith("hide:") for action in legal(state))
        do(state, next(action for action in legal(state) if action.startswith("hide:")))


@pytest.mark.rule("TV-5.2", "TV-5.3")
def test_a_hidden_card_has_no_strength() -> None:
    state = first_hand(*THIRD, vira="5D", **PAULISTA)
    do(state, *TWO_TRICKS)
    # 6C, the strongest card, lies face down: the two fours of team 1 are the best cards.
    events = do(state, "x6C", "4S", "x3S", "4H")
    assert last_result(events) == (1, 1)
    assert of_type(events, "trick")[0][3] == 1


@pytest.mark.rule("TV-5.3", "TV-5.4")
def test_all_cards_hidden_tie_the_trick() -> None:
    state = first_hand("KD4C7S", "3H4H7C", "3S6D4S", "ACJCQC", vira="5D", **PAULISTA)
    do(state, "KD", "3H", "3S", "AC")
    events = do(state, "x4H", "x4S", "xJC", "x4C")
    assert of_type(events, "trick") == [("trick", 1, 2, -1)]
    assert state.awaiting() == (1,)


@pytest.mark.rule("TV-5.4")
@pytest.mark.parametrize(("tie_lead", "leader"), [("first_best", 1), ("opener", 0)])
def test_who_leads_after_a_tied_trick(tie_lead: str, leader: int) -> None:
    state = first_hand("KD", "3H", "3S", "AC", vira="5D", tie_lead=tie_lead, **PAULISTA)
    assert of_type(do(state, "KD", "3H", "3S", "AC"), "trick") == [("trick", leader, 1, -1)]
    assert state.awaiting() == (leader,)
    # Two equal cards of one team win the trick: their first player leads in either case.
    state = first_hand("KD", "3H", "7S", "3C", vira="5D", tie_lead=tie_lead, **PAULISTA)
    assert of_type(do(state, "KD", "3H", "7S", "3C"), "trick") == [("trick", 1, 1, 1)]


@pytest.mark.rule("TV-5.5")
def test_three_ties() -> None:
    for all_tied, result in (("nobody", (-1, 0)), ("forehand", (0, 3))):
        state = first_hand(*TIES, vira="5D", all_tied=all_tied, **PAULISTA)
        do(state, "truco", "accept:3", "3S", "3H", "4H", "JC", "2S", "2H", "7S", "JD")
        events = do(state, "AS", "AH", "KC", "JH")
        assert last_result(events) == result
        assert of_type(events, "trick")[-1][3] == -1
        assert events[-1][0] == "hand_over"
        assert events[-1][-1] == "tricks"


@pytest.mark.rule("TV-5.5")
def test_the_hand_is_worth_the_value_in_force_and_ends_early() -> None:
    state = first_hand(*TIES, vira="5D", **PAULISTA)
    events = do(state, "truco", "raise:6", "accept:6", "3S", "3H", "4H", "JC", "2S", "AH", "7S", "JD")
    assert last_result(events) == (0, 6)
    state = first_hand(*TIES, vira="5D", **PAULISTA)
    events = do(state, "2S", "AH", "4H", "JC", "3S", "3H", "7S", "JD")
    assert last_result(events) == (0, 1)
