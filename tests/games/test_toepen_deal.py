"""Toepen, sections 1 and 2: the table, the deal, the exchange and its challenges."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from arena.errors import IllegalAction, InvalidOption
from arena.games.kernel import CHANCE
from arena.games.toepen.state import TOEPEN
from tests.games.toepen_tables import FOUR, Table, exchanging, playing

LAUNDRY = ("AS KS QS JS", "TH 9H 8H 7H", "TC 9C 8C 7C", "TD 9D 8D 7D")
"""Seat 0 holds dirty laundry, the others hold none."""


@pytest.mark.rule("TP-1.1")
@pytest.mark.parametrize("seats", range(2, 9))
def test_two_to_eight_players_sit_clockwise(seats: int) -> None:
    table = Table(seats - 1, seats=seats, max_exchanges=0).deal()
    for seat in range(seats):
        assert table.asked == seat
        table.do(f"{seat} {table.legal(seat)[0]}")
    assert TOEPEN.seats(table.rules) == seats
    assert TOEPEN.teams(table.rules) == tuple((seat,) for seat in range(seats))


@pytest.mark.rule("TP-1.1", "TP-1.3", "TP-2.3", "TP-7.2")
@pytest.mark.parametrize(
    ("options", "field", "expected"),
    [
        ({"seats": 1}, "rules.seats", "a whole number from 2 to 8"),
        ({"seats": 9}, "rules.seats", "a whole number from 2 to 8"),
        ({"seats": True}, "rules.seats", "a whole number from 2 to 8"),
        ({"lives": 0}, "rules.lives", "a whole number from 1 to 30"),
        ({"lives": 31}, "rules.lives", "a whole number from 1 to 30"),
        ({"max_exchanges": -1}, "rules.max_exchanges", "a whole number from 0 to 6"),
        ({"max_exchanges": 7}, "rules.max_exchanges", "a whole number from 0 to 6"),
        ({"whistling": 1}, "rules.whistling", "true or false"),
        ({"knocking": "always"}, "rules.knocking", "one of anytime, on_turn"),
        ({"end": "never"}, "rules.end", "one of elimination, rubber"),
        ({"rubbers": 0}, "rules.rubbers", "a whole number from 1 to 20"),
        ({"rubbers": 21}, "rules.rubbers", "a whole number from 1 to 20"),
        (
            {"cut": "player"},
            "rules.cut",
            "one of seats, lives, max_exchanges, whistling, knocking, end, rubbers",
        ),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], field: str, expected: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        TOEPEN.options.complete(options)
    assert (caught.value.field, caught.value.expected) == (field, expected)


def test_default_options() -> None:
    assert TOEPEN.options.complete() == {
        "seats": 4,
        "lives": 10,
        "max_exchanges": 6,
        "whistling": False,
        "knocking": "anytime",
        "end": "elimination",
        "rubbers": 3,
    }


@pytest.mark.rule("TP-1.2")
@pytest.mark.parametrize("suit", "CHSD")
def test_the_ten_is_highest_and_the_jack_lowest(suit: str) -> None:
    strongest_first = "T987AKQJ"
    for stronger, weaker in pairwise(strongest_first):
        low, high = weaker + suit, stronger + suit
        rest = [rank + other for rank in "T98" for other in "CHSD" if other != suit]
        table = playing(f"{low} {' '.join(rest[:3])}", f"{high} {' '.join(rest[3:6])}", dealer=1)
        assert table.play(low, high).of_type("trick") == [("trick", 1, 1)]
        table = playing(f"{high} {' '.join(rest[:3])}", f"{low} {' '.join(rest[3:6])}", dealer=1)
        assert table.play(high, low).of_type("trick") == [("trick", 0, 1)]


@pytest.mark.rule("TP-1.2", "TP-4.1")
def test_there_is_no_trump() -> None:
    table = playing("JC 9H 8D 7S", "TH TD TS 9S", dealer=1)
    assert table.play("JC", "TH").of_type("trick") == [("trick", 0, 1)]


@pytest.mark.rule("TP-1.2", "TP-2.1")
@pytest.mark.parametrize(
    "deal",
    [
        "deal:",
        "deal:" + "TS" * 32,
        "deal:" + "".join(rank + suit for suit in "CHSD" for rank in "JQKA7896"),
        "deal:" + "".join(rank + suit for suit in "CHS" for rank in "JQKA789T"),
        "deal:" + "".join(rank + suit for suit in "CHSD" for rank in "JQKA789T") + "TS",
        "DEAL:" + "".join(rank + suit for suit in "CHSD" for rank in "JQKA789T"),
        "deal:" + "".join(rank + suit for suit in "CHSé" for rank in "JQKA789T"),
        "deal:\ud800",
        "dealer:0",
    ],
)
def test_a_deal_is_the_whole_pack(deal: str) -> None:
    table = Table(0)
    before = table.state.serialise()
    with pytest.raises(IllegalAction):
        table.state.apply(CHANCE, deal)
    assert table.state.serialise() == before


@pytest.mark.rule("TP-1.3")
@pytest.mark.parametrize("lives", [1, 10, 15, 30])
def test_everybody_starts_with_the_same_lives(lives: int) -> None:
    assert Table(0, lives=lives).lives == [lives] * 4


@pytest.mark.rule("TP-1.3")
def test_a_player_without_lives_is_out() -> None:
    table = playing(*FOUR, lives=2)
    table.do("0 knock:2", "1 fold:1", "2 fold:1", "3 stay:2").play("TS", "7S", "8D", "TD")
    table.play("9C", "7C")
    assert table.lives == [2, 1, 1, 0]
    assert table.of_type("out") == [("out", 3)]
    assert table.seen()["in_game"] == [True, True, True, False]


@pytest.mark.rule("TP-1.4")
def test_the_first_dealer_is_drawn_by_lot() -> None:
    state = TOEPEN.new_state(TOEPEN.options.complete({"seats": 3}))
    chance = state.chance()
    assert chance is not None
    assert (chance.kind, list(chance.items), state.awaiting()) == ("dealer", ["0", "1", "2"], (CHANCE,))
    for wrong in ("dealer:3", "dealer:", "dealer:-1", "2"):
        with pytest.raises(IllegalAction):
            state.apply(CHANCE, wrong)
    assert state.apply(CHANCE, "dealer:2") == [("dealer", 2)]
    assert state.observation(None)["dealer"] == 2


@pytest.mark.rule("TP-1.4")
def test_the_winner_deals_next() -> None:
    table = playing(*FOUR).do("1 knock:2", "2 fold:1", "3 fold:1", "0 fold:1")
    assert table.seen()["dealer"] == 1
    assert table.deal(*FOUR).asked == 2


@pytest.mark.rule("TP-1.4", "TP-2.1")
def test_seats_that_are_out_are_passed_over() -> None:
    table = playing(*FOUR, lives=2)
    table.do("0 knock:2", "1 fold:1", "2 fold:1", "3 stay:2").play("TS", "7S", "8D", "TD")
    table.play("9C", "7C")
    table.deal("AC KC QC JC", "AH KH QH JH", "AS KS QS JS")
    assert table.of_type("dealt") == [
        ("dealt", 0, "ACKCQCJC"),
        ("dealt", 1, "AHKHQHJH"),
        ("dealt", 2, "ASKSQSJS"),
    ]
    assert table.seen()["held"] == [4, 4, 4, 0]
    assert table.seen()["in_hand"] == [True, True, True, False]


@pytest.mark.rule("TP-1.4", "TP-7.2")
@pytest.mark.parametrize("dealer", [0, 1, 3])
def test_after_a_hand_without_a_winner_the_same_player_deals_again(dealer: int) -> None:
    table = exchanging(*LAUNDRY, dealer=dealer, lives=1, end="rubber")
    while table.asked != 0:
        table.do(f"{table.asked} keep")
    table.do("0 exchange", "1 challenge")
    assert table.of_type("result") == [("result", -1, 1, (0, 1, 0, 0), (1, 0, 1, 1))]
    assert table.seen()["dealer"] == dealer
    assert [view["seat"] for view in table.views(0) if view["type"] == "result"] == [None]


@pytest.mark.rule("TP-2.1")
def test_blocks_of_four_in_seat_order_whoever_deals() -> None:
    for dealer in range(4):
        table = exchanging(*FOUR, dealer=dealer)
        for seat, hand in enumerate(FOUR):
            assert table.of_type("dealt")[seat] == ("dealt", seat, hand.replace(" ", ""))
            assert set(table.seen(seat)["hand"]) == set(hand.split())
        assert table.seen()["stock"] == 16
        assert table.events[0] == ("hand", dealer, 1, 1, 1, (10, 10, 10, 10))


@pytest.mark.rule("TP-2.1")
def test_one_chance_action_per_hand() -> None:
    table = Table(0)
    chance = table.state.chance()
    assert chance is not None
    assert (chance.kind, chance.hand, len(set(chance.items))) == ("deal", 1, 32)
    table.deal(*FOUR).keep()
    assert table.state.chance() is None
    table.do("1 knock:2", "2 fold:1", "3 fold:1", "0 fold:1")
    second = table.state.chance()
    assert second is not None
    assert (second.kind, second.hand) == ("deal", 2)


@pytest.mark.rule("TP-2.1", "TP-2.3", "TP-8.4")
def test_eight_players_have_no_stock_and_no_exchange() -> None:
    table = Table(0, seats=8).deal()
    assert table.seen()["stock"] == 0
    assert table.phase == "play"
    assert table.of_type("keep") == [("keep", seat, "none") for seat in (1, 2, 3, 4, 5, 6, 7, 0)]


@pytest.mark.rule("TP-2.2", "TP-2.4")
@pytest.mark.parametrize("hand", ["AS KS QS JS", "TS 9S 8S 7S", "TS KS QS JS"])
def test_any_hand_may_be_laid_away_for_the_next_four_of_the_stock(hand: str) -> None:
    table = exchanging(hand, "TH 9H 8H 7H", stock="AC AD AH 7C TC", dealer=1)
    assert table.legal(0) == ["exchange", "keep"]
    table.do("0 exchange")
    assert table.seen(0)["hand"] == []
    table.do("1 trust")
    assert table.of_type("new_cards") == [("new_cards", 0, "ACADAH7C")]
    assert set(table.seen(0)["hand"]) == {"AC", "AD", "AH", "7C"}
    assert table.seen()["stock"] == 20
    assert table.lives == [10, 10]
    table.do("0 exchange", "1 trust")
    assert table.of_type("new_cards")[0][2].startswith("TC")


@pytest.mark.rule("TP-2.3")
def test_the_exchange_goes_round_from_the_dealers_left_until_each_keeps() -> None:
    table = exchanging(*FOUR, dealer=1)
    asked = [table.asked]
    table.do("2 exchange", "3 trust", "0 trust", "1 trust")
    asked.append(table.asked)
    table.do("2 keep")
    asked.append(table.asked)
    table.do("3 keep", "0 exchange", "1 trust", "2 trust", "3 trust")
    asked.append(table.asked)
    table.do("0 keep", "1 keep")
    assert asked == [2, 2, 3, 0]
    assert table.phase == "play"
    assert table.seen()["exchanges"] == [1, 0, 1, 0]


@pytest.mark.rule("TP-2.3", "TP-3.2", "TP-8.4")
@pytest.mark.parametrize("limit", range(7))
def test_max_exchanges_is_per_player_and_hand(limit: int) -> None:
    table = exchanging(*FOUR[:2], dealer=1, max_exchanges=limit)
    for _ in range(limit):
        assert table.legal(0) == ["exchange", "keep"]
        table.do("0 exchange", "1 trust")
    assert 0 not in table.state.awaiting() or table.phase == "play"
    if limit < 6:
        if limit:
            assert table.events[-1] == ("keep", 0, "none")
            assert table.asked == 1
            assert table.legal(1) == ["exchange", "keep"]
    else:
        assert table.phase == "play"
    if limit == 6:
        assert [event[:2] for event in table.of_type("keep")] == [("keep", 0), ("keep", 1)]


@pytest.mark.rule("TP-2.3")
def test_no_exchange_when_the_stock_is_used_up() -> None:
    table = Table(6, seats=7).deal()
    assert table.seen()["stock"] == 4
    table.do("0 exchange", *(f"{seat} trust" for seat in range(1, 7)))
    assert table.of_type("keep") == [("keep", seat, "none") for seat in range(7)]
    assert table.phase == "play"


@pytest.mark.rule("TP-2.3")
def test_the_limit_counts_anew_in_the_next_hand() -> None:
    table = exchanging(*FOUR[:2], dealer=1, max_exchanges=1)
    table.do("0 exchange", "1 trust", "1 keep").do("0 knock:2", "1 fold:1").deal(*FOUR[:2])
    table.do("1 keep")
    assert table.legal(0) == ["exchange", "keep"]


@pytest.mark.rule("TP-2.4")
def test_opponents_are_asked_clockwise_until_one_challenges() -> None:
    table = exchanging(*LAUNDRY, dealer=0)
    table.do("1 exchange")
    assert (table.asked, table.legal(2), table.legal(1)) == (2, ["challenge", "trust"], [])
    assert table.legal(3) == []
    assert table.state.answer_pending()
    table.do("2 trust")
    assert table.asked == 3
    table.do("3 challenge")
    assert (table.asked, table.phase) == (1, "exchange")
    assert not table.state.answer_pending()


@pytest.mark.rule("TP-2.4")
def test_every_exchange_may_be_challenged() -> None:
    table = exchanging(*LAUNDRY, dealer=3, stock="AC KC QC JC TS 9S 8S 7S")
    table.do("0 exchange", "1 trust", "2 trust", "3 trust", "0 exchange", "1 challenge")
    assert table.lives == [10, 9, 10, 10]
    assert table.of_type("challenge") == [("challenge", 1, 0, "JCQCKCAC", 1)]


@pytest.mark.rule("TP-2.5")
@pytest.mark.parametrize("card", ["TC", "9H", "8D", "7S"])
def test_a_bluff_found_out_costs_the_bluffer_a_life_and_the_new_hand_is_kept(card: str) -> None:
    table = exchanging(f"{card} AS KS QS", "AH KH QH JH", "AC KC QC JC", dealer=2, stock="JS JD QD KD")
    table.do("0 exchange", "1 trust", "2 challenge")
    assert table.lives == [9, 10, 10]
    assert table.of_type("challenge")[0][4] == 0
    assert set(table.seen(0)["hand"]) == {"JS", "JD", "QD", "KD"}
    assert table.asked == 0


@pytest.mark.rule("TP-2.5")
def test_a_wrong_challenge_costs_the_challenger_a_life() -> None:
    table = exchanging(*LAUNDRY, dealer=3)
    table.do("0 exchange", "1 trust", "2 challenge")
    assert table.lives == [10, 10, 9, 10]
    assert table.of_type("new_cards")[0][1] == 0


@pytest.mark.rule("TP-2.5", "TP-8.1")
def test_a_challenged_hand_is_shown_to_all_and_stays_out_of_play() -> None:
    table = exchanging(*LAUNDRY, dealer=3)
    table.do("0 exchange", "1 challenge")
    for viewer in (None, 0, 1, 2, 3):
        view = next(view for view in table.views(viewer) if view["type"] == "challenge")
        assert sorted(view["cards"]) == ["AS", "JS", "KS", "QS"]
        shown = table.seen(viewer)["laid_away"]
        assert [(item["seat"], item["challenger"], item["loser"]) for item in shown] == [(0, 1, 1)]
        assert sorted(shown[0]["cards"]) == ["AS", "JS", "KS", "QS"]
    assert table.seen()["held"] == [4, 4, 4, 4]
    assert table.seen()["stock"] == 12


@pytest.mark.rule("TP-2.5")
def test_a_bluffer_on_its_last_life_is_out_and_gets_no_cards() -> None:
    table = exchanging(*LAUNDRY, dealer=0, lives=1)
    table.do("1 exchange", "2 challenge")
    assert table.lives == [1, 0, 1, 1]
    assert table.of_type("out") == [("out", 1)]
    assert table.of_type("new_cards") == []
    seen = table.seen()
    assert (seen["held"], seen["stock"], seen["in_hand"][1]) == ([4, 0, 4, 4], 16, False)
    assert table.asked == 2
    table.do("2 keep", "3 keep", "0 keep")
    assert table.phase == "play"
    assert table.asked == 2


@pytest.mark.rule("TP-2.5")
@pytest.mark.parametrize("challenger", [1, 2, 3])
def test_a_challenger_on_its_last_life_is_out_and_is_not_asked_to_exchange(challenger: int) -> None:
    table = exchanging(*LAUNDRY, dealer=3, lives=1)
    table.do("0 exchange", *(f"{seat} trust" for seat in range(1, challenger)), f"{challenger} challenge")
    assert table.lives[challenger] == 0
    assert table.of_type("new_cards")[0][1] == 0
    others = [seat for seat in (1, 2, 3) if seat != challenger]
    table.do("0 exchange")
    assert table.seen()["to_answer"] == others
    table.do(*(f"{seat} trust" for seat in others), "0 keep", *(f"{seat} keep" for seat in others))
    assert table.phase == "play"
    assert table.seen()["in_hand"][challenger] is False


@pytest.mark.rule("TP-2.5", "TP-8.1")
def test_the_hand_of_a_challenger_who_is_out_stays_hidden() -> None:
    table = exchanging(*LAUNDRY, dealer=3, lives=1).do("0 exchange", "1 challenge")
    assert table.seen()["held"][1] == 4
    assert "TH" not in repr(table.seen(0)) + repr(table.views(0))


@pytest.mark.rule("TP-2.5", "TP-7.1")
@pytest.mark.parametrize(("hand", "winner"), [("AS KS QS JS", 0), ("TS KS QS JS", 1)])
def test_the_game_ends_when_a_challenge_leaves_one_player(hand: str, winner: int) -> None:
    table = exchanging(hand, "TH 9H 8H 7H", dealer=1, lives=1).do("0 exchange", "1 challenge")
    assert table.state.awaiting() == ()
    assert table.outcome is not None
    assert table.outcome.places == ((1, 2) if winner == 0 else (2, 1))
    assert table.of_type("result")[0][1] == winner
    assert table.seen()["hands_won"][winner] == 1


@pytest.mark.rule("TP-2.5", "TP-8.1")
def test_an_unchallenged_hand_stays_hidden() -> None:
    table = exchanging(*LAUNDRY, dealer=3).do("0 exchange", "1 trust", "2 trust", "3 trust")
    for viewer in (None, 1, 2, 3):
        assert table.views(viewer)[0] == {"type": "exchange", "seat": 0, "cards": None}
        assert table.seen(viewer)["laid_away"][0]["cards"] is None
    assert table.views(0)[0]["cards"] == ["JS", "QS", "KS", "AS"]
    assert table.seen(0)["laid_away"][0]["cards"] == ["JS", "QS", "KS", "AS"]


@pytest.mark.rule("TP-2.4")
@pytest.mark.parametrize(
    ("seat", "action"),
    [(0, "exchange"), (0, "keep"), (2, "trust"), (1, "keep"), (1, "play:TH"), (-1, "trust")],
)
def test_an_illegal_action_changes_nothing(seat: int, action: str) -> None:
    table = exchanging(*LAUNDRY, dealer=3).do("0 exchange")
    before = table.state.serialise()
    with pytest.raises(IllegalAction) as caught:
        table.state.apply(seat, action)
    assert caught.value.extra["legal_actions"] == table.legal(seat)
    assert table.state.serialise() == before
