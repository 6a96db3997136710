"""Toepen, sections 6 and 7: poverty, the ends of games and rubbers, titles."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from arena.errors import IllegalAction
from arena.games.toepen.titles import Style, styles
from tests.games.toepen_tables import FOUR, Table, exchanging, playing

STOCK = "AC AH AS AD KC KH KS KD QC QH QS QD JC JH JS JD"


def impoverished(pelt: Collection[int], dealer: int = 3) -> Table:
    """A hand of FOUR, two lives each, in which the seats of ``pelt`` lose one by a bluff."""
    table = exchanging(*FOUR, dealer=dealer, lives=2, max_exchanges=1, stock=STOCK)
    while table.phase == "exchange":
        seat = table.asked
        if seat in pelt:
            table.do(f"{seat} exchange")
            table.do(f"{table.asked} challenge")
        else:
            table.do(f"{seat} keep")
    return table


def poor_trio(**options: Any) -> Table:
    """Seat 0 of three, who leads, has lost two lives of three by bluffs and holds the aces."""
    table = exchanging(
        *FOUR[:3], stock="7S 7H 9C TD AC AH AS AD", dealer=2, lives=3, max_exchanges=2, **options
    )
    table.do("0 exchange", "1 challenge", "0 exchange", "1 challenge", "1 keep", "2 keep")
    assert table.lives == [1, 3, 3]
    return table


@pytest.mark.rule("TP-6.1")
@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("pelt", range(4))
def test_one_pelt_player_leads_and_the_others_are_asked(pelt: int, dealer: int) -> None:
    table = impoverished([pelt], dealer)
    assert table.of_type("poverty") == [("poverty", pelt, (pelt,), 2)]
    seen = table.seen()
    assert (seen["value"], seen["pelt"], seen["leader"], seen["phase"]) == (2, [pelt], pelt, "poverty")
    asked = []
    while table.phase == "poverty":
        asked.append(table.asked)
        assert table.legal(table.asked) == ["stay:2", "fold:1"]
        assert table.state.answer_pending()
        table.do(f"{table.asked} stay:2")
    assert asked == [seat for step in range(1, 5) if (seat := (dealer + step) % 4) != pelt]
    assert table.asked == pelt


@pytest.mark.rule("TP-6.1")
def test_leaving_poverty_costs_one_life_at_once() -> None:
    table = poor_trio().do("1 fold:1")
    assert table.lives == [1, 2, 3]
    assert table.of_type("fold") == [("fold", 1, 1)]
    assert table.seen()["in_hand"] == [True, False, True]
    assert table.do("2 stay:2").asked == 0
    assert table.legal(1) == []


@pytest.mark.rule("TP-6.1", "TP-4.4")
def test_staying_in_poverty_plays_for_two() -> None:
    table = poor_trio().do("1 stay:2", "2 stay:2")
    table.play("AC", "8C", "TC", "8S", "AS", "9S", "TH", "8H", "AH", "7D", "9D", "AD")
    assert table.of_type("result") == [("result", 2, 2, (3, 2, 0), (0, 1, 3))]


@pytest.mark.rule("TP-6.1")
def test_poverty_is_fixed_for_the_hand_when_the_exchanges_are_over() -> None:
    table = impoverished([2], dealer=0).do("1 fold:1", "3 stay:2", "0 stay:2")
    assert table.lives == [2, 1, 1, 2]
    assert table.seen()["pelt"] == [2]
    assert table.asked == 2


@pytest.mark.rule("TP-6.1")
def test_no_poverty_with_two_lives() -> None:
    table = exchanging(*FOUR, lives=2).keep()
    assert table.phase == "play"
    assert (table.seen()["value"], table.seen()["pelt"]) == (1, [])


@pytest.mark.rule("TP-5.4", "TP-5.7", "TP-6.1")
def test_knocking_in_a_hand_with_poverty_starts_from_two() -> None:
    table = poor_trio().do("1 stay:2", "2 stay:2")
    assert table.knocks() == [1, 2]
    table.do("1 knock:3", "2 fold:2")
    assert table.legal(0) == ["stay:3", "fold:1"]
    table.do("0 fold:1")
    assert table.of_type("result") == [("result", 1, 3, (3, 0, 2), (0, 3, 1))]


@pytest.mark.rule("TP-6.2")
def test_if_all_others_leave_the_pelt_player_wins() -> None:
    table = poor_trio().do("1 fold:1")
    assert table.asked == 2
    table.do("2 fold:1")
    assert table.of_type("result") == [("result", 0, 2, (2, 1, 1), (1, 2, 2))]
    assert table.seen()["dealer"] == 0


@pytest.mark.rule("TP-6.2")
@pytest.mark.parametrize("dealer", range(4))
def test_with_several_pelt_the_first_from_the_dealers_left_leads(dealer: int) -> None:
    table = impoverished([0, 2], dealer)
    leader = 0 if dealer in (2, 3) else 2
    assert table.of_type("poverty") == [("poverty", leader, (0, 2), 2)]
    asked = []
    while table.phase == "poverty":
        asked.append(table.asked)
        table.do(f"{table.asked} stay:2")
    assert asked == ([1, 3] if dealer in (0, 3) else [3, 1])
    assert table.asked == leader


@pytest.mark.rule("TP-6.2")
def test_several_pelt_players_play_on_when_all_others_leave() -> None:
    table = impoverished([0, 2]).do("1 fold:1", "3 fold:1")
    assert (table.phase, table.asked) == ("play", 0)
    assert table.seen()["in_hand"] == [True, False, True, False]
    assert table.knocks() == []


@pytest.mark.rule("TP-6.3")
def test_when_all_are_pelt_nobody_is_asked_and_all_but_the_winner_go_out() -> None:
    table = playing(*FOUR, lives=1)
    assert (table.phase, table.asked, table.seen()["value"]) == ("play", 0, 2)
    assert table.of_type("poverty") == [("poverty", 0, (0, 1, 2, 3), 2)]
    table.play("TS", "9S", "8S", "7S", "9H", "TH", "8H", "7H", "8C", "TC", "9C", "7C")
    assert table.lives == [0, 0, 0, 1]
    assert table.outcome is not None
    assert table.outcome.places == (2, 2, 2, 1)


@pytest.mark.rule("TP-6.3")
def test_all_pelt_among_those_left_in_the_game() -> None:
    table = exchanging(*FOUR[:3], lives=1, dealer=2, stock=STOCK).do("0 exchange", "1 challenge")
    assert table.lives == [0, 1, 1]
    table.keep()
    assert (table.phase, table.asked, table.seen()["pelt"]) == ("play", 1, [1, 2])


# The end of the game


@pytest.mark.rule("TP-7.1")
def test_places_by_the_order_of_going_out() -> None:
    table = playing(*FOUR[:3], lives=2, dealer=2).do("0 knock:2", "1 fold:1", "2 stay:2")
    table.play("TS", "8S", "9H", "8H", "8D", "9D")
    assert table.lives == [0, 1, 2]
    assert table.outcome is None
    table.deal(*FOUR[:2])
    assert table.seen()["in_game"] == [False, True, True]
    table.do("2 stay:2").play("TS", "9S", "9H", "TH", "8C", "7C")
    assert table.lives == [0, 1, 0]
    assert table.outcome is not None
    assert table.outcome == ((3, 1, 2), (-1, 1, 0))
    assert table.state.awaiting() == ()
    assert [table.legal(seat) for seat in range(3)] == [[], [], []]
    assert table.state.chance() is None


@pytest.mark.rule("TP-7.1")
def test_going_out_in_the_same_hand_shares_a_place() -> None:
    """Seat 0 goes out in the exchange, seats 2 and 3 at the end of the hand."""
    table = exchanging(*FOUR, lives=1, stock=STOCK).do("0 exchange", "1 challenge").keep()
    assert table.asked == 1
    table.play("TH", "8H", "7H", "7D", "9D", "TD", "9C", "8C", "TC")
    assert table.outcome == ((2, 1, 2, 2), (0, 1, 0, 0))


@pytest.mark.rule("TP-7.1", "TP-5.7")
def test_a_last_life_lost_by_folding_counts_for_the_same_hand() -> None:
    table = poor_trio().do("1 stay:2", "2 stay:2", "2 knock:3", "0 fold:1", "1 stay:3")
    assert table.of_type("out") == [("out", 0)]
    assert table.outcome is None
    table.play("9S", "8S", "TH", "8H", "8C", "TC")
    assert table.lives == [0, 0, 3]
    assert table.outcome == ((2, 2, 1), (0, 0, 3))
    assert table.of_type("over") == [("over", 2, (2, 2, 1), (0, 0, 3))]


@pytest.mark.rule("TP-7.1")
def test_the_winner_may_have_one_life_and_nobody_else_any() -> None:
    table = playing(*FOUR[:2], lives=1, dealer=1).play("TS", "9S", "9H", "TH", "8C", "7C")
    assert table.outcome is not None
    assert sorted(table.outcome.places) == [1, 2]
    with pytest.raises(IllegalAction):
        table.do("0 play:8D")


@pytest.mark.rule("TP-7.1")
def test_elimination_goes_on_while_two_have_lives() -> None:
    table = playing(*FOUR, lives=3).do("0 knock:2", "1 fold:1", "2 fold:1", "3 fold:1")
    assert table.outcome is None
    assert table.seen()["phase"] == "deal"


RUBBER = {"end": "rubber", "max_exchanges": 0}


@pytest.mark.rule("TP-7.2")
def test_players_that_are_out_buy_the_drinks_and_lives_are_reset() -> None:
    table = playing(*FOUR, lives=2, **RUBBER).do("0 knock:2", "1 fold:1", "2 fold:1", "3 stay:2")
    table.play("TS", "7S", "9H", "7H", "8D", "TD")
    assert table.of_type("result", "out", "drinks") == [
        ("result", 3, 2, (2, 1, 1, 0), (0, 1, 1, 2)),
        ("out", 0),
        ("drinks", 0, 1, 1),
    ]
    seen = table.seen()
    assert (seen["lives"], seen["drinks"], seen["rubber"]) == ([2, 2, 2, 2], [1, 0, 0, 0], 2)
    assert seen["dealer"] == 3
    table.deal(*FOUR)
    assert table.events[0] == ("hand", 3, 2, 2, 1, (2, 2, 2, 2))
    assert table.seen()["out_in_hand"] == [None] * 4


@pytest.mark.rule("TP-7.2")
def test_all_who_go_out_in_one_hand_buy() -> None:
    table = playing(*FOUR, lives=1, rubbers=2, **RUBBER)
    table.play("TS", "9S", "8S", "7S", "9H", "TH", "8H", "7H", "8C", "TC", "9C", "7C")
    assert table.of_type("drinks") == [("drinks", 0, 1, 1), ("drinks", 1, 1, 1), ("drinks", 2, 1, 1)]
    assert table.outcome is None


@pytest.mark.rule("TP-7.2")
@pytest.mark.parametrize("rubbers", [1, 2, 5])
def test_the_game_ends_after_its_rubbers(rubbers: int) -> None:
    table = Table(1, seats=2, lives=1, rubbers=rubbers, **RUBBER)
    for number in range(1, rubbers + 1):
        assert table.outcome is None
        assert table.seen()["rubber"] == number
        table.deal(*FOUR[:2])
        while table.phase == "play":
            table.do(f"{table.asked} {table.legal(table.asked)[0]}")
    assert table.outcome is not None
    assert sum(table.seen()["drinks"]) == rubbers
    assert table.outcome.scores == tuple(-drinks for drinks in table.seen()["drinks"])
    assert table.state.awaiting() == ()


@pytest.mark.rule("TP-7.2")
def test_a_last_life_lost_in_the_exchange_ends_the_rubber_at_once() -> None:
    table = exchanging(*FOUR, lives=1, end="rubber").do("0 exchange", "1 trust", "2 challenge")
    assert table.of_type("result") == [("result", -1, 1, (1, 0, 0, 0), (0, 1, 1, 1))]
    assert table.of_type("new_cards") == []
    seen = table.seen()
    assert (seen["phase"], seen["rubber"], seen["drinks"]) == ("deal", 2, [1, 0, 0, 0])
    assert (seen["hands_won"], seen["lives"]) == ([0, 0, 0, 0], [1, 1, 1, 1])


@pytest.mark.rule("TP-7.2")
def test_a_last_life_lost_in_the_exchange_of_a_duel_has_no_winner_either() -> None:
    table = exchanging(*FOUR[:2], lives=1, end="rubber", rubbers=1, dealer=1)
    table.do("0 exchange", "1 challenge")
    assert table.seen()["hands_won"] == [0, 0]
    assert table.outcome is not None
    assert (table.outcome.places, table.outcome.scores) == ((2, 1), (-1, 0))


@pytest.mark.rule("TP-7.2")
def test_a_last_life_lost_by_folding_ends_the_rubber_with_the_hand() -> None:
    table = poor_trio(end="rubber").do("1 stay:2", "2 stay:2", "2 knock:3", "0 fold:1", "1 stay:3")
    assert table.of_type("out", "drinks", "result") == [("out", 0)]
    assert table.phase == "play"
    assert table.lives == [0, 3, 3]
    table.play("9S", "8S", "TH", "8H", "8C", "TC")
    assert table.of_type("drinks") == [("drinks", 0, 1, 1), ("drinks", 1, 1, 1)]
    assert table.lives == [3, 3, 3]


@pytest.mark.rule("TP-7.2")
def test_equal_drinks_and_equal_hands_share_a_place() -> None:
    table = playing(*FOUR, lives=2, rubbers=1, **RUBBER)
    table.do("2 knock:2", "3 fold:1", "0 fold:1", "1 fold:1").deal(*FOUR).do("2 fold:1")
    table.play("7S", "TS", "9S", "9H", "TH", "7H", "7D", "TD", "8D")
    assert table.seen()["drinks"] == [1, 1, 0, 0]
    assert table.seen()["hands_won"] == [0, 0, 1, 1]
    assert table.outcome == ((3, 3, 1, 1), (-1, -1, 0, 0))


@pytest.mark.rule("TP-7.2")
def test_of_two_with_equal_drinks_the_one_with_more_hands_is_first() -> None:
    table = playing(*FOUR[:3], lives=3, rubbers=1, dealer=2, **RUBBER)
    table.do("1 knock:2", "2 fold:1", "0 fold:1").deal(*FOUR[:3])
    table.do("1 knock:2", "2 fold:1", "0 fold:1").deal(*FOUR[:3])
    table.do("1 fold:1").play("9D", "8D", "8S", "TS", "9H", "8H")
    assert table.seen()["hands_won"] == [0, 2, 1]
    assert table.seen()["drinks"] == [1, 0, 0]
    assert table.outcome == ((3, 1, 2), (-1, 0, 0))


# Titles


@pytest.mark.rule("TP-7.3")
def test_three_hands_in_a_row_make_a_king() -> None:
    table = Table(3, max_exchanges=0)
    for winner in (1, 1, 0, 1, 1, 1):
        table.deal(*FOUR).do(f"{winner} knock:2")
        while table.phase == "knock":
            table.do(f"{table.asked} fold:1")
    found = styles(table.history, 4)
    assert [style.longest_run for style in found] == [1, 3, 0, 0]
    assert [style.hands_won for style in found] == [1, 5, 0, 0]
    assert [style.is_toepkoning for style in found] == [False, True, False, False]
    assert not styles(table.history[: len(table.history) * 4 // 6], 4)[1].is_toepkoning


@pytest.mark.rule("TP-7.3")
def test_a_hand_without_a_winner_ends_a_row() -> None:
    won = ("result", 1, 1, (1, 0), (9, 10))
    nobody = ("result", -1, 1, (1, 0), (0, 10))
    assert styles([won, won, nobody, won], 2) == (Style(), Style(3, 2, 0, 0))


@pytest.mark.rule("TP-7.3")
def test_the_fold_rate_counts_knocks_and_poverty() -> None:
    table = poor_trio().do("1 stay:2", "2 stay:2", "1 knock:3", "2 fold:2", "0 stay:3")
    found = styles(table.history, 3)
    assert [(style.folds, style.fold_opportunities) for style in found] == [(0, 1), (0, 1), (1, 2)]
    assert [style.fold_rate for style in found] == [0.0, 0.0, 0.5]
    assert Style().fold_rate is None
