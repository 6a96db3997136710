"""The rules of paulista and mineiro (docs/rules/truco-variants.md), number by number."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from arena.bots.redeal import redeal
from arena.errors import ArenaError, IllegalAction
from arena.games.cards import split_cards
from arena.games.kernel import CHANCE
from arena.games.truco.cards import PACK
from arena.games.truco.options import OPTIONS, rules_from
from arena.games.truco.state import TRUCO, TrucoState
from arena.games.truco.view import unplaced_cards
from tests.games.truco_play import (
    deck,
    do,
    first_hand,
    game_at,
    last_result,
    new_game,
    of_type,
    pack_of,
    score,
    started,
)

PAULISTA = {"variant": "paulista"}
MINEIRO = {"variant": "mineiro"}
TWO = {"variant": "paulista", "seats": 2}
TIES = ("3S2SAS", "3H2HAH", "4H7SKC", "JCJDJH")
THIRD = ("KS6H6C", "6S7C4S", "JSJC3S", "QSQC4H")
TWO_TRICKS = ("KS", "6S", "JS", "QS", "7C", "JC", "QC", "6H")
"""Two tricks of the hands ``THIRD`` with vira 5D, one for each team; seat 0 leads the third."""


def legal(state: TrucoState) -> list[str]:
    """What the awaited seat may do."""
    return list(state.legal_actions(state.awaiting()[0]))


def seen(state: TrucoState, seat: int | None = None) -> dict[str, Any]:
    return state.observation(seat)


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
    assert "partner_dealt" not in seen(state, 0)
    assert "partner_dealt" not in seen(state, 1)
    do(state, "accept:3")
    assert "partner_dealt" not in seen(state, 0)


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


# 6. The stakes


@pytest.mark.rule("TV-6.1")
@pytest.mark.parametrize("stakes", OPTIONS.by_name["stakes"].choices)
def test_the_stakes_are_those_of_the_ladder(stakes: str) -> None:
    ladder = [int(stake) for stake in stakes.split("-")]
    state = first_hand(stakes=stakes, **PAULISTA)
    assert seen(state)["stake"] == ladder[0]
    do(state, "truco")
    for stake, proposed, higher in zip(ladder, ladder[1:], [*ladder[2:], 0], strict=False):
        more = [f"raise:{higher}"] if higher else []
        assert legal(state) == [f"run:{stake}", f"accept:{proposed}", *more, "defer"]
        assert seen(state)["stake"] == stake
        do(state, more[0] if more else f"accept:{proposed}")
    assert seen(state)["stake"] == 12
    one = first_hand(points=(12 - ladder[0], 0), stakes=stakes, **PAULISTA)
    assert seen(one)["stake"] == ladder[1]


@pytest.mark.rule("TV-6.2", "TV-8.1")
def test_whose_the_right_to_raise_is() -> None:
    state = first_hand("4C5C7C", "4H5H7H", "4S5S7S", "4D5D7D", vira="3D", **PAULISTA)

    def rights(*steps: str) -> list[Any]:
        found = []
        for step in steps:
            do(state, step)
            found.append(seen(state)["right"])
        return found

    assert seen(state)["right"] == "either"
    assert rights("truco", "accept:3", "5C", "5H", "5S") == [1, 1, 1, 1, 1]
    assert rights("raise:6", "accept:6") == [0, 0]
    assert rights("7D") == [0]
    state = first_hand(**PAULISTA)
    assert rights("truco", "raise:6", "raise:9", "raise:12", "accept:12") == [1, 0, 1, None, None]
    assert seen(first_hand(points=(11, 9), **PAULISTA))["right"] is None
    assert seen(new_game(**PAULISTA))["right"] is None
    state = first_hand(truco_scope="trick", **MINEIRO)
    assert seen(state)["right"] == "either"
    assert rights("truco", "raise:6", "accept:6") == [1, 0, None]
    cutting = new_game(cut="player", **PAULISTA)
    do(cutting, pack_of())
    assert seen(cutting)["right"] == "either"
    late = first_hand(truco_from="after_first_trick", **PAULISTA)
    assert seen(late)["right"] == "either"


@pytest.mark.rule("TV-6.3")
def test_who_may_call_on_the_own_turn() -> None:
    state = first_hand("4C5C7C", "4H5H7H", "4S5S7S", "4D5D7D", vira="3D", **PAULISTA)
    assert legal(state)[-1] == "truco"
    assert state.legal_actions(1) == ()
    with pytest.raises(IllegalAction):
        state.apply(1, "truco")
    do(state, "truco", "accept:3", "5C")
    assert legal(state)[-1] == "raise:6"
    do(state, "5H")
    assert not any(action.startswith(("truco", "raise")) for action in legal(state))
    for call in ("truco", "raise:6", "raise:9"):
        with pytest.raises(IllegalAction):
            do(state.clone(), call)
    do(state, "5S")
    for call in ("truco", "raise:9"):
        with pytest.raises(IllegalAction):
            do(state.clone(), call)
    assert do(state, "raise:6") == [("raise", 3, 6)]


@pytest.mark.rule("TV-6.4")
def test_the_other_team_answers_and_nobody_plays() -> None:
    state = first_hand(**PAULISTA)
    assert do(state, "truco") == [("truco", 0, 3)]
    assert legal(state) == ["run:1", "accept:3", "raise:6", "defer"]
    with pytest.raises(IllegalAction):
        state.apply(0, "play:" + seen(state, 0)["hand"][0])
    do(state, "defer")
    assert state.awaiting() == (3,)
    assert legal(state) == ["run:1", "accept:3", "raise:6"]
    do(state, "raise:6")
    assert state.awaiting() == (0,)
    do(state, "defer")
    assert state.awaiting() == (2,)


@pytest.mark.rule("TV-6.5")
def test_running_gives_the_value_in_force() -> None:
    state = first_hand(**PAULISTA)
    events = do(state, "truco", "run:1")
    assert last_result(events) == (0, 1)
    assert events[-1][-1] == "run"
    state = first_hand(**PAULISTA)
    assert last_result(do(state, "truco", "raise:6", "raise:9", "raise:12", "run:9")) == (1, 9)


@pytest.mark.rule("TV-6.6")
def test_accepting_brings_the_turn_and_the_right() -> None:
    state = first_hand("4C5C7C", vira="3D", **PAULISTA)
    do(state, "truco", "accept:3")
    assert state.awaiting() == (0,)
    assert legal(state) == ["play:4C", "play:5C", "play:7C"]
    # Its own team accepted last: it may call again at once.
    state = first_hand("4C5C7C", vira="3D", **PAULISTA)
    do(state, "truco", "raise:6", "accept:6")
    assert legal(state) == ["play:4C", "play:5C", "play:7C", "raise:9"]
    assert last_result(do(state, "raise:9", "run:6")) == (0, 6)


@pytest.mark.rule("TV-6.7")
def test_raising_puts_the_proposal_in_force() -> None:
    state = first_hand(**PAULISTA)
    do(state, "truco")
    assert seen(state)["stake"] == 1
    assert do(state, "raise:6") == [("raise", 1, 6)]
    assert (seen(state)["stake"], state.awaiting()) == (3, (2,))
    do(state, "raise:9", "raise:12")
    assert legal(state) == ["run:9", "accept:12", "defer"]


@pytest.mark.rule("TV-6.8")
def test_a_call_changes_the_value_and_nothing_else() -> None:
    cards = ("4C", "6C", "4H", "4S")
    state = first_hand(*cards, vira="5D", **PAULISTA)
    do(state, "truco", "accept:3", *cards)
    assert (score(state), state.awaiting(), seen(state)["stake"]) == ([0, 0], (1,), 3)
    assert seen(state)["extra_trick"] is False
    # With the trick as scope the hand is over.
    trick = first_hand(*cards, vira="5D", truco_scope="trick", **PAULISTA)
    assert last_result(do(trick, "truco", "accept:3", *cards)) == (1, 3)
    # A tie means what it means without a call (BT-4.7 does not apply).
    tied = first_hand("3S", "3H", "4D", "5D", vira="6D", **PAULISTA)
    do(tied, "3S", "truco", "accept:3", "3H", "4D", "5D")
    assert (score(tied), tied.awaiting()) == ([0, 0], (0,))


@pytest.mark.rule("TV-6.9")
@pytest.mark.parametrize(
    ("limit", "points", "raises"),
    [
        ("none", (10, 9), True),
        ("own", (10, 9), False),
        ("own", (10, 8), True),
        ("both", (10, 9), False),
        ("both", (9, 9), False),
        ("both", (10, 0), True),
        ("own", (0, 9), False),
        ("both", (0, 9), True),
    ],
)
def test_limits_of_raising(limit: str, points: tuple[int, int], raises: bool) -> None:
    state = first_hand(points=points, raise_limit=limit, **PAULISTA)
    assert "truco" in legal(state)
    do(state, "truco")
    assert ("raise:6" in legal(state)) == raises
    assert legal(state)[-1] == "defer"


@pytest.mark.rule("TV-6.9")
def test_the_limit_concerns_calls_too() -> None:
    hands = ("4C5C7C", "6C6H6S")
    state = first_hand(*hands, vira="5D", points=(6, 6), raise_limit="own", **PAULISTA)
    do(state, "truco", "raise:6", "accept:6")
    # 6 + 6 is enough for team 0, whose right it is.
    assert legal(state) == ["play:4C", "play:5C", "play:7C"]
    free = first_hand(*hands, vira="5D", points=(5, 6), raise_limit="own", **PAULISTA)
    do(free, "truco", "raise:6", "accept:6")
    assert legal(free)[-1] == "raise:9"


@pytest.mark.rule("TV-6.10")
def test_truco_from_the_second_trick() -> None:
    rules = {**PAULISTA, "truco_from": "after_first_trick"}
    state = first_hand("6C4S7D", "4C", "4H", "4D", vira="5D", **rules)
    for card in ("6C", "4C", "4H", "4D"):
        assert "truco" not in legal(state)
        with pytest.raises(IllegalAction):
            do(state.clone(), "truco")
        do(state, card)
    assert legal(state)[-1] == "truco"
    do(state, "truco", "raise:6")
    scope = first_hand("6C4S7D", "4C", "4H", "4D", vira="5D", truco_scope="trick", **rules)
    assert "truco" not in legal(scope)
    do(scope, "6C", "4C", "4H", "4D")
    assert "truco" in legal(scope)


@pytest.mark.rule("TV-6.11")
def test_the_order_of_actions() -> None:
    state = first_hand("7D6C4S", "4C", "4H", "4D", vira="5D", signals="table", **PAULISTA)
    assert legal(state)[:4] == ["play:6C", "play:4S", "play:7D", "truco"]
    assert all(action.startswith("signal:") for action in legal(state)[4:])
    do(state, "6C", "4C", "4H", "4D")
    assert legal(state)[:5] == ["play:4S", "play:7D", "hide:4S", "hide:7D", "truco"]
    do(state, "truco")
    assert legal(state)[:4] == ["run:1", "accept:3", "raise:6", "defer"]
    assert legal(first_hand(points=(11, 9), **PAULISTA)) == ["run:1", "accept:3", "defer"]


# 7. The threshold


@pytest.mark.rule("TV-7.1")
def test_the_threshold_is_eleven_or_ten() -> None:
    assert seen(first_hand(points=(11, 0), **PAULISTA))["elevens"] == [0]
    assert seen(first_hand(points=(10, 0), **PAULISTA))["elevens"] == []
    assert seen(first_hand(points=(0, 10), **MINEIRO))["elevens"] == [1]
    assert seen(first_hand(points=(0, 8), **MINEIRO))["elevens"] == []


@pytest.mark.rule("TV-7.2")
def test_the_team_at_the_threshold_decides() -> None:
    state = first_hand(
        "4C5C7C", "QSJS6C", "KHKS6D", "KDKC6S", dealer=0, points=(11, 9), vira="3D", **PAULISTA
    )
    assert state.awaiting() == (2,)
    assert legal(state) == ["run:1", "accept:3", "defer"]
    assert set(seen(state, 0)["partner_dealt"]) == {"QS", "JS", "6C"} == set(seen(state, 2)["hand"])
    assert set(seen(state, 2)["partner_dealt"]) == set(seen(state, 0)["hand"])
    assert "partner_dealt" not in seen(state, 1)
    assert "partner_dealt" not in seen(state, 3)
    do(state, "defer")
    assert (state.awaiting(), legal(state)) == ((0,), ["run:1", "accept:3"])
    done = state.clone()
    events = do(done, "run:1")
    assert (last_result(events), score(done)) == ((1, 1), [11, 10])
    do(state, "accept:3")
    assert (state.awaiting(), seen(state)["stake"]) == ((1,), 3)
    mineiro = first_hand(points=(10, 8), **MINEIRO)
    assert legal(mineiro) == ["run:2", "accept:4", "defer"]


@pytest.mark.rule("TV-7.3")
def test_nobody_raises_at_the_threshold() -> None:
    state = first_hand(*THIRD, vira="5D", points=(11, 9), **PAULISTA)
    do(state, "accept:3")
    for card in (*TWO_TRICKS, "6C", "4S", "3S", "4H"):
        assert {action.split(":")[0] for action in legal(state)} <= {"play", "hide"}
        for call in ("truco", "raise:6"):
            with pytest.raises(IllegalAction):
                do(state.clone(), call)
        do(state, card)
        if state.chance() is not None or state.outcome() is not None:
            break


@pytest.mark.rule("TV-7.4")
def test_running_never_ends_the_game_and_losing_may() -> None:
    for rules, low, threshold in ((PAULISTA, 1, 11), (MINEIRO, 2, 10)):
        points = (threshold, threshold - low)
        state = first_hand(points=points, **rules)
        do(state, f"run:{low}")
        assert state.outcome() is None
        assert score(state) == [threshold, threshold]
    state = first_hand("4D5S5H", "6C6H7C", vira="5D", points=(11, 9), **PAULISTA)
    do(state, "accept:3")
    do(state, "4D", "6C")
    while state.outcome() is None:
        seat = state.awaiting()[0]
        do(state, "6H" if "6H" in seen(state, seat)["hand"] else state.default_action(seat))
    assert score(state) == [11, 12]


@pytest.mark.rule("TV-7.5")
def test_both_at_the_threshold_blind() -> None:
    hands = ("5CKD7S", "4HAD2S", "6H6SJC", "3DQH4C")
    for rules in (PAULISTA, {**PAULISTA, "signals": "table"}):
        state = first_hand(*hands, vira="5H", points=(11, 11), **rules)
        # 5C 4H 6H 3D goes to the six, then 6S QH KD AD: nobody was asked anything.
        assert score(state) == [12, 11]
        assert state.outcome() is not None
    events = do(game_at(11, 11, **PAULISTA), pack_of())
    assert [event[3] for event in of_type(events, "dealt")] == [True] * 4
    assert of_type(events, "shown") == []
    played = [event for event in events if event[0] == "play"]
    first = {event[1]: event[2][0] for event in of_type(events, "dealt")}
    assert {event[1]: event[2] for event in played[:4]} == first


@pytest.mark.rule("TV-7.5")
def test_both_at_the_threshold_open() -> None:
    hands = ("5CKD7S", "4HAD2S", "6H6SJC", "3DQH4C")
    rules = {**PAULISTA, "both_eleven": "open", "signals": "table"}
    state = first_hand(*hands, vira="5H", points=(11, 11), **rules)
    assert legal(state)[:3] == ["play:5C", "play:7S", "play:KD"]
    assert all(action.startswith("signal:") for action in legal(state)[3:])
    assert len(legal(state)) > 3
    assert seen(state)["elevens"] == [0, 1]
    assert set(seen(state, 1)["hand"]) == {"4H", "AD", "2S"}
    assert all("partner_dealt" not in seen(state, seat) for seat in range(4))
    assert (seen(state)["stake"], seen(state)["right"]) == (1, None)
    dealt = of_type(do(game_at(11, 11, both_eleven="open", **PAULISTA), pack_of()), "dealt")
    assert [event[3] for event in dealt] == [False] * 4
    do(state, "5C", "4H", "6H", "3D")
    assert any(action.startswith("hide:") for action in legal(state))
    assert "truco" not in legal(state)


@pytest.mark.rule("TV-7.6")
def test_the_forehand_keeps_at_the_threshold() -> None:
    state = first_hand(points=(10, 0), exchange=True, **MINEIRO)
    # Keeping was the only choice, so it was made for the forehand (TV-9.2).
    assert seen(state)["phase"] == "eleven"
    state = first_hand(points=(10, 0), exchange=True, signals="table", **MINEIRO)
    assert (seen(state)["phase"], legal(state)[0]) == ("choose", "keep")
    assert "burn" not in legal(state)
    assert "pass" not in legal(state)


# 8. What is seen


@pytest.mark.rule("TV-8.1", "TV-8.2")
def test_everybody_sees_the_vira_and_the_stakes() -> None:
    state = first_hand(vira="5D", **PAULISTA)
    do(state, "truco")
    for viewer in (None, 0, 1, 2, 3):
        view = seen(state, viewer)
        assert view["vira"] == "5D"
        assert view["manilhas"] == ["6C", "6H", "6S", "6D"]
        assert (view["stake"], view["right"]) == (1, 1)
        assert (view["truco"]["value"], view["truco"]["pending"]) == (3, True)
        assert TRUCO.view_event(("vira", -1, "5D"), viewer) == {"type": "vira", "card": "5D"}
    do(state, "run:1")
    assert (seen(state)["vira"], seen(state)["manilhas"], seen(state)["right"]) == (None, None, None)


@pytest.mark.rule("TV-8.2")
def test_the_latest_exchange_is_seen() -> None:
    state = first_hand("4C5C7C", "4H5H7H", "4S5S7S", "4D5D7D", vira="3D", **PAULISTA)
    assert seen(state)["truco"] is None
    do(state, "truco", "accept:3", "5C", "5H", "5S")
    assert seen(state)["truco"] == {
        "seat": 0,
        "team": 0,
        "trick": 0,
        "on_table": 0,
        "proposer": 0,
        "value": 3,
        "pending": False,
        "deferred": False,
    }
    do(state, "raise:6", "defer")
    assert seen(state)["truco"] == {
        "seat": 3,
        "team": 1,
        "trick": 0,
        "on_table": 3,
        "proposer": 3,
        "value": 6,
        "pending": True,
        "deferred": True,
    }


@pytest.mark.rule("TV-8.3")
def test_cards_of_unknown_place() -> None:
    rules = OPTIONS.complete({**PAULISTA, "pack": "clean"})
    state = first_hand("QCJCKC", "QHJHKH", "QSJSKS", "QDJDKD", vira="2D", pack="clean", **PAULISTA)
    do(state, "QC", "QH", "QS", "QD")
    do(state, next(action for action in legal(state) if action.startswith("hide:")))
    mine = set(seen(state, 0)["hand"])
    unknown = set(unplaced_cards(rules, seen(state, 0)))
    leader = seen(state)["tricks"][1]["leader"]
    own_hidden = {seen(state, 0)["tricks"][1]["plays"][0]["card"]} if leader == 0 else set()
    assert unknown == set(deck(new_game(pack="clean", **PAULISTA))) - mine - own_hidden - {
        "QC",
        "QH",
        "QS",
        "QD",
        "2D",
    }
    cutting = new_game(cut="player", **PAULISTA)
    do(cutting, pack_of())
    assert len(unplaced_cards(OPTIONS.complete({**PAULISTA, "cut": "player"}), seen(cutting, 3))) == 40


@pytest.mark.rule("TV-8.3")
@pytest.mark.parametrize("given", [PAULISTA, TWO, MINEIRO, {**PAULISTA, "pack": "clean"}])
def test_redeals_show_what_was_observed(given: dict[str, Any]) -> None:
    rng = Random(8)
    state = first_hand(dealer=1, **given)
    do(state, "truco")
    for _ in range(20):
        seat = state.awaiting()[0]
        turn = {
            "kind": "truco",
            "rules": OPTIONS.complete({**given, "cut": "none"}),
            "seat": seat,
            "observation": seen(state, seat),
            "legal_actions": list(state.legal_actions(seat)),
        }
        again = redeal(turn, rng)
        assert again.observation(seat) == seen(state, seat)
        assert again.legal_actions(seat) == state.legal_actions(seat)
        actions = [action for action in state.legal_actions(seat) if not action.startswith("run:")]
        do(state, rng.choice(actions))
        if state.chance() is not None or state.outcome() is not None:
            break


# 9. Late and forced


@pytest.mark.rule("TV-9.1")
def test_what_the_table_does_for_a_late_seat() -> None:
    assert first_hand("4D5S5H", vira="3C", **PAULISTA).default_action(0) == "play:5S"
    assert first_hand("5C5S5D", vira="3C", **PAULISTA).default_action(0) == "play:5D"
    assert first_hand("4D5S5H", **MINEIRO).default_action(0) == "play:4D"
    called = first_hand(**PAULISTA)
    do(called, "truco")
    assert called.default_action(1) == "run:1"
    do(called, "raise:6")
    assert called.default_action(2) == "run:3"
    assert first_hand(points=(11, 0), **PAULISTA).default_action(0) == "run:1"
    cutting = new_game(cut="player", **PAULISTA)
    do(cutting, pack_of())
    assert cutting.default_action(2) == "no_cut"
    choosing = new_game(exchange=True, **MINEIRO)
    do(choosing, pack_of())
    assert choosing.default_action(0) == "keep"


@pytest.mark.rule("TV-9.2")
def test_only_proven_decisions_are_skipped() -> None:
    # With 12 in force the last card may still be hidden: the seat is asked.
    state = first_hand(*THIRD, vira="5D", **PAULISTA)
    do(state, "truco", "raise:6", "raise:9", "raise:12", "accept:12", *TWO_TRICKS)
    assert (state.awaiting(), legal(state)) == ((0,), ["play:6C", "hide:6C"])
    # It may not: the card is played at once. The next seat may raise, so it is asked.
    state = first_hand(*THIRD, vira="5D", face_down="never", **PAULISTA)
    do(state, "truco", "accept:3", *TWO_TRICKS)
    assert (state.awaiting(), legal(state)) == ((1,), ["play:4S", "raise:6"])
    # A limit that forbids the call proves it as well.
    limited = first_hand(*THIRD, vira="5D", face_down="never", raise_limit="own", points=(10, 10), **PAULISTA)
    events = do(limited, "truco", "accept:3", *TWO_TRICKS)
    assert limited.outcome() is not None
    assert of_type(events, "trick")[-1][2] == 3
