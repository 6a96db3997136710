"""Toepen, sections 3 to 5: announcements, tricks, knocking."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import IllegalAction
from tests.games.toepen_tables import FOUR, Table, exchanging, playing

REST = "7C 7H 7D 7S"

HANDS = {
    "three tens": ("TC TH TD 9S", ["keep_whistle"], "whistle"),
    "four tens": ("TC TH TD TS", ["keep_stand"], "stand"),
    "three jacks": ("JC JH JD 9S", ["keep", "keep_whistle"], "whistle"),
    "four jacks": ("JC JH JD JS", ["keep", "keep_stand"], "stand"),
    "two tens, two jacks": ("TC TH JD JS", ["keep"], None),
    "three nines": ("9C 9H 9D TS", ["keep"], None),
}


@pytest.mark.rule("TP-3.1", "TP-3.2")
@pytest.mark.parametrize("hand", HANDS, ids=list(HANDS))
@pytest.mark.parametrize("exchanges", [0, 6])
def test_announcements_that_are_allowed(hand: str, exchanges: int) -> None:
    cards, keeps, announcement = HANDS[hand]
    table = exchanging(cards, REST, dealer=1, whistling=True, max_exchanges=exchanges)
    assert table.legal(0) == (["exchange", *keeps] if exchanges else keeps)
    table.do(f"0 {keeps[-1]}")
    assert table.of_type("keep") == [("keep", 0, announcement or "none")]
    for viewer in (None, 0, 1):
        assert table.views(viewer)[0] == {"type": "keep", "seat": 0, "announcement": announcement or "none"}
        assert table.seen(viewer)["announcements"] == [announcement or "none", None]


@pytest.mark.rule("TP-3.1")
@pytest.mark.parametrize("hand", HANDS, ids=list(HANDS))
def test_without_the_option_nothing_is_announced(hand: str) -> None:
    table = exchanging(HANDS[hand][0], REST, dealer=1)
    assert table.legal(0) == ["exchange", "keep"]
    with pytest.raises(IllegalAction):
        table.do("0 keep_whistle")
    assert table.do("0 keep").of_type("keep") == [("keep", 0, "none")]


@pytest.mark.rule("TP-3.1")
@pytest.mark.parametrize("hand", ["three tens", "four tens"])
def test_tens_must_be_announced(hand: str) -> None:
    table = exchanging(HANDS[hand][0], REST, dealer=1, whistling=True)
    with pytest.raises(IllegalAction):
        table.do("0 keep")


@pytest.mark.rule("TP-3.1")
@pytest.mark.parametrize("hand", ["three jacks", "four jacks"])
def test_jacks_need_not_be_announced(hand: str) -> None:
    table = exchanging(HANDS[hand][0], REST, dealer=1, whistling=True)
    assert table.do("0 keep").of_type("keep") == [("keep", 0, "none")]


@pytest.mark.rule("TP-3.2")
def test_tens_may_be_laid_away_and_new_ones_are_announced() -> None:
    table = exchanging("TC TH TD 9S", REST, dealer=1, whistling=True, stock="JC JH JD JS")
    table.do("0 exchange", "1 trust")
    assert table.legal(0) == ["exchange", "keep", "keep_stand"]


@pytest.mark.rule("TP-3.2")
def test_whistling_is_offered_to_all_even_without_a_stock() -> None:
    table = Table(7, seats=8, whistling=True).deal()
    asked = []
    while table.phase == "exchange":
        asked.append(table.asked)
        assert "exchange" not in table.legal(table.asked)
        table.do(f"{table.asked} {table.legal(table.asked)[0]}")
    assert asked == list(range(8))


@pytest.mark.rule("TP-4.1")
@pytest.mark.parametrize("dealer", range(4))
def test_the_dealers_left_leads(dealer: int) -> None:
    table = playing(*FOUR, dealer=dealer)
    assert table.asked == (dealer + 1) % 4
    assert table.seen()["leader"] == (dealer + 1) % 4


@pytest.mark.rule("TP-4.1")
def test_follow_suit_if_you_can() -> None:
    table = playing("TS 9H 8D 7C", "9S 8S TC 7D", "8H 7H TH 9D", dealer=2)
    assert table.legal(0) == ["play:7C", "play:9H", "play:TS", "play:8D", "knock:2"]
    table.do("0 play:TS")
    assert table.legal(1) == ["play:8S", "play:9S", "knock:2"]
    for refused in ("1 play:TC", "1 play:TH", "1 play:TS", "2 play:7H", "0 play:9H"):
        with pytest.raises(IllegalAction):
            table.do(refused)
    table.do("1 play:9S")
    assert table.legal(2) == ["play:7H", "play:8H", "play:TH", "play:9D", "knock:2"]
    table.do("2 play:TH")
    assert table.of_type("trick") == [("trick", 0, 1)]


@pytest.mark.rule("TP-4.1")
def test_the_highest_card_of_the_suit_led_wins_and_its_player_leads() -> None:
    table = playing(*FOUR).play("9H", "TH", "8H", "7H")
    assert table.of_type("trick") == [("trick", 1, 1)]
    assert table.asked == 1
    table.play("9S", "8S", "7S", "TS")
    assert table.of_type("trick") == [("trick", 0, 2)]
    assert table.asked == 0
    assert [trick["winner"] for trick in table.seen()["tricks"]] == [1, 0]
    assert [trick["leader"] for trick in table.seen()["tricks"]] == [0, 1]


@pytest.mark.rule("TP-4.1", "TP-8.1")
def test_cards_are_played_face_up() -> None:
    table = playing(*FOUR).play("9H")
    for viewer in (None, 0, 1, 2, 3):
        assert table.views(viewer) == [{"type": "play", "seat": 0, "card": "9H"}]
        assert table.seen(viewer)["trick"] == [{"seat": 0, "card": "9H"}]


@pytest.mark.rule("TP-4.2", "TP-4.4")
def test_only_the_last_trick_counts() -> None:
    table = playing(*FOUR).play("TS", "9S", "8S", "7S", "9H", "TH", "8H", "7H")
    table.play("8C", "TC", "9C", "7C").play("9D", "TD", "8D", "7D")
    assert [event[1] for event in table.history if event[0] == "trick"] == [0, 1, 2, 3]
    assert table.of_type("result") == [("result", 3, 1, (1, 1, 1, 0), (9, 9, 9, 10))]
    assert table.lives == [9, 9, 9, 10]
    assert table.seen()["hands_won"] == [0, 0, 0, 1]


@pytest.mark.rule("TP-4.4", "TP-5.1")
def test_all_still_in_but_the_winner_lose_the_value_of_the_hand() -> None:
    table = playing(*FOUR).do("2 knock:2", "3 stay:2", "0 stay:2", "1 fold:1", "0 knock:3")
    table.do("2 stay:3", "3 stay:3").play("TS", "8S", "7S", "9H", "8H", "7H", "8D", "9D", "TD")
    table.play("9C", "7C", "TC")
    assert table.of_type("result") == [("result", 2, 3, (3, 1, 0, 3), (7, 9, 10, 7))]


@pytest.mark.rule("TP-4.3")
def test_the_lead_passes_on_when_the_leader_folds_before_leading() -> None:
    table = playing(*FOUR).do("2 knock:2", "3 stay:2", "0 fold:1", "1 stay:2")
    assert (table.asked, table.seen()["leader"]) == (1, 1)
    table.play("9S", "8S", "7S")
    assert table.of_type("trick") == [("trick", 1, 1)]
    assert table.seen()["tricks"][0]["leader"] == 1


@pytest.mark.rule("TP-4.3")
def test_the_turn_passes_on_when_its_player_folds() -> None:
    table = playing(*FOUR).play("TS").do("3 knock:2", "0 stay:2", "1 fold:1", "2 stay:2")
    assert table.asked == 2
    table.play("8S", "7S")
    assert table.of_type("trick") == [("trick", 0, 1)]
    assert [item["seat"] for item in table.seen()["tricks"][0]["cards"]] == [0, 2, 3]


@pytest.mark.rule("TP-4.3")
def test_the_turn_stays_when_another_folds() -> None:
    table = playing(*FOUR).play("TS").do("0 knock:2", "1 stay:2", "2 fold:1", "3 stay:2")
    assert table.asked == 1
    table.play("9S")
    assert table.asked == 3


@pytest.mark.rule("TP-4.3")
def test_a_folded_leaders_card_still_sets_the_suit_but_cannot_win() -> None:
    table = playing(*FOUR).play("TS").do("1 knock:2", "2 stay:2", "3 stay:2", "0 fold:1")
    assert table.legal(1) == ["play:9S"]
    with pytest.raises(IllegalAction):
        table.do("1 play:TH")
    table.play("9S", "8S", "7S")
    assert table.of_type("trick") == [("trick", 1, 1)]


@pytest.mark.rule("TP-4.3")
def test_without_the_suit_of_a_folded_leader_no_card_of_the_suit_wins() -> None:
    table = playing("TS 9S 8S 7S", "TH 9H 8H 7H", "TC 9C 8C 7C", "TD 9D 8D 7D").play("TS", "7H")
    table.do("3 knock:2", "0 fold:1", "1 fold:1", "2 stay:2")
    assert table.asked == 2
    table.play("7C", "TD")
    assert table.of_type("trick") == [("trick", 2, 1)]


@pytest.mark.rule("TP-4.3")
def test_clockwise_from_the_leader_goes_round_the_table() -> None:
    table = playing("TH 9H 8H 7H", "TC 9C 8C 7C", "TS 9S 8S 7S", "TD 9D 8D 7D", dealer=1)
    table.play("TS", "7D").do("1 knock:2", "2 fold:1", "3 fold:1", "0 stay:2").play("TH", "7C")
    assert table.of_type("trick") == [("trick", 0, 1)]


@pytest.mark.rule("TP-4.3")
def test_a_fold_can_complete_a_trick() -> None:
    table = playing(*FOUR).play("9H", "TH", "8H").do("0 knock:2", "1 fold:1", "2 stay:2", "3 fold:1")
    assert table.of_type("trick") == [("trick", 0, 1)]
    assert (table.asked, table.seen()["leader"], table.seen()["trick"]) == (0, 0, [])


@pytest.mark.rule("TP-4.3", "TP-5.3")
def test_the_one_left_in_wins_in_the_middle_of_a_trick() -> None:
    table = playing(*FOUR).play("9H", "TH").do("3 knock:2", "0 fold:1", "1 fold:1", "2 fold:1")
    assert table.of_type("result") == [("result", 3, 2, (1, 1, 1, 0), (9, 9, 9, 10))]
    assert table.of_type("trick") == []
    assert table.seen()["phase"] == "deal"


@pytest.mark.rule("TP-5.1")
def test_every_player_still_in_may_knock_in_or_out_of_turn() -> None:
    table = playing(*FOUR)
    assert table.knocks() == [0, 1, 2, 3]
    assert table.state.awaiting() == (0,)
    assert [table.legal(seat) for seat in (1, 2, 3)] == [["knock:2"]] * 3
    for seat in range(4):
        other = table.copy().do(f"{seat} knock:2")
        assert other.of_type("knock") == [("knock", seat, 2)]
        assert other.seen()["value"] == 2


@pytest.mark.rule("TP-5.1", "TP-5.5")
def test_no_knock_while_one_waits_for_answers() -> None:
    table = playing(*FOUR).do("2 knock:2")
    assert table.knocks() == []
    table.do("3 stay:2")
    assert table.knocks() == []
    with pytest.raises(IllegalAction):
        table.do("3 knock:3")
    table.do("0 stay:2", "1 fold:1")
    assert table.knocks() == [0, 3]
    assert table.legal(3) == ["knock:3"]


@pytest.mark.rule("TP-5.1")
def test_each_knock_adds_one() -> None:
    table = playing(*FOUR)
    for seat, value in ((0, 2), (1, 3), (0, 4), (3, 5)):
        table.do(f"{seat} knock:{value}")
        while table.phase == "knock":
            table.do(f"{table.asked} stay:{value}")
    assert table.seen()["value"] == 5
    for wrong in ("1 knock:5", "1 knock:7", "1 knock:06"):
        with pytest.raises(IllegalAction):
            table.do(wrong)


@pytest.mark.rule("TP-5.2", "TP-8.1")
@pytest.mark.parametrize("knocker", range(4))
def test_the_others_are_asked_clockwise_from_the_knockers_left(knocker: int) -> None:
    table = playing(*FOUR).do(f"{knocker} knock:2")
    asked = []
    assert table.seen()["to_answer"] == sorted({0, 1, 2, 3} - {knocker})
    while table.phase == "knock":
        asked.append(table.asked)
        assert table.legal(table.asked) == ["stay:2", "fold:1"]
        assert table.state.answer_pending()
        table.do(f"{table.asked} stay:2")
    assert asked == [(knocker + step) % 4 for step in (1, 2, 3)]
    assert table.asked == 0


@pytest.mark.rule("TP-5.2")
def test_folding_costs_at_once_what_the_hand_was_worth() -> None:
    table = playing(*FOUR).do("0 knock:2", "1 fold:1")
    assert table.lives == [10, 9, 10, 10]
    assert table.of_type("fold") == [("fold", 1, 1)]
    table.do("2 stay:2", "3 stay:2", "2 knock:3")
    assert table.legal(3) == ["stay:3", "fold:2"]
    table.do("3 fold:2")
    assert table.lives == [10, 9, 10, 8]
    assert table.seen()["lost"] == [0, 1, 0, 2]
    assert table.seen()["in_hand"] == [True, False, True, False]


@pytest.mark.rule("TP-5.2", "TP-8.1")
def test_a_folded_hand_stays_hidden() -> None:
    table = playing(*FOUR).do("0 knock:2", "1 fold:1", "2 stay:2", "3 stay:2")
    assert table.seen()["held"] == [4, 4, 4, 4]
    for viewer in (None, 0, 2, 3):
        assert "TH" not in repr(table.seen(viewer)) + repr(table.views(viewer))
    assert "TH" in table.seen(1)["hand"]


@pytest.mark.rule("TP-5.2")
def test_a_folded_player_neither_plays_nor_knocks() -> None:
    table = playing(*FOUR).do("0 knock:2", "1 fold:1", "2 stay:2", "3 stay:2")
    assert table.legal(1) == []
    assert table.play("TS").asked == 2


@pytest.mark.rule("TP-5.3")
@pytest.mark.parametrize("knocker", range(4))
def test_if_all_others_fold_the_knocker_wins(knocker: int) -> None:
    table = playing(*FOUR).do(f"{knocker} knock:2")
    while table.phase == "knock":
        table.do(f"{table.asked} fold:1")
    assert table.of_type("result")[0][1:3] == (knocker, 2)
    assert table.lives == [10 if seat == knocker else 9 for seat in range(4)]


@pytest.mark.rule("TP-5.3")
def test_folding_is_judged_when_all_have_answered() -> None:
    table = playing(*FOUR).do("0 knock:2", "1 fold:1", "2 fold:1")
    assert table.asked == 3
    table.do("3 stay:2")
    assert table.phase == "play"


@pytest.mark.rule("TP-5.4")
@pytest.mark.parametrize("lives", range(1, 6))
def test_a_knock_needs_as_many_lives_as_it_makes_the_hand_worth(lives: int) -> None:
    table = playing(*FOUR[:2], lives=lives, dealer=1)
    value = 2 if lives == 1 else 1
    seat = 0
    while table.knocks():
        assert table.knocks() == ([0, 1] if value == 1 else [seat])
        value += 1
        table.do(f"{seat} knock:{value}")
        seat = 1 - seat
        table.do(f"{seat} stay:{value}")
    assert value == max(2, lives)
    with pytest.raises(IllegalAction):
        table.do(f"{seat} knock:{value + 1}")


@pytest.mark.rule("TP-5.4")
def test_each_players_own_lives_count() -> None:
    table = playing(*FOUR, lives=3).do("0 knock:2", "1 fold:1", "2 fold:1", "3 fold:1")
    assert table.lives == [3, 2, 2, 2]
    table.deal(*FOUR)
    assert table.knocks() == [0, 1, 2, 3]
    table.do("1 knock:2", "2 stay:2", "3 stay:2", "0 stay:2")
    assert table.knocks() == [0]


@pytest.mark.rule("TP-5.5")
def test_not_twice_in_a_row() -> None:
    table = playing(*FOUR).do("1 knock:2", "2 stay:2", "3 stay:2", "0 stay:2")
    assert table.knocks() == [0, 2, 3]
    table.play("TS")
    with pytest.raises(IllegalAction):
        table.do("1 knock:3")
    assert "knock:3" not in table.legal(1)
    table.play("9S", "8S").do("3 knock:3", "0 stay:3", "1 stay:3", "2 stay:3")
    assert table.knocks() == [0, 1, 2]


@pytest.mark.rule("TP-5.5")
def test_the_ban_ends_with_the_hand() -> None:
    table = playing(*FOUR).do("1 knock:2", "2 fold:1", "3 fold:1", "0 fold:1").deal(*FOUR)
    assert 1 in table.knocks()


@pytest.mark.rule("TP-5.6")
def test_no_knock_before_the_play() -> None:
    table = exchanging(*FOUR)
    while table.phase in ("exchange", "challenge"):
        assert table.knocks() == []
        action = "exchange" if table.legal(table.asked)[0] == "exchange" else "trust"
        table.do(f"{table.asked} {action}")
    assert table.knocks() == [0, 1, 2, 3]


@pytest.mark.rule("TP-5.6", "TP-6.1")
def test_no_knock_before_the_answers_to_poverty() -> None:
    table = playing(*FOUR, lives=2).do("0 knock:2", "1 fold:1", "2 fold:1", "3 fold:1")
    assert table.lives == [2, 1, 1, 1]
    table.deal(*FOUR)
    assert table.phase == "poverty"
    assert table.knocks() == []


@pytest.mark.rule("TP-5.6")
def test_knocks_between_tricks_and_until_the_last_card() -> None:
    table = playing(*FOUR[:2], dealer=1)
    for card in ("TS", "9S", "9H", "TH", "8C", "7C", "7D"):
        assert table.knocks() == [0, 1]
        table.play(card)
    assert table.phase == "play"
    table.do("1 knock:2", "0 stay:2")
    assert table.phase == "play"
    table.do("0 play:8D")
    assert table.of_type("result")[0][1:3] == (0, 2)
    assert table.knocks() == []


@pytest.mark.rule("TP-5.6")
def test_on_turn_only_the_player_to_play_may_knock() -> None:
    table = playing(*FOUR, knocking="on_turn")
    assert table.knocks() == [0]
    with pytest.raises(IllegalAction):
        table.do("1 knock:2")
    table.play("TS")
    assert table.knocks() == [1]
    table.do("1 knock:2", "2 stay:2", "3 stay:2", "0 stay:2")
    assert (table.asked, table.knocks()) == (1, [])
    table.play("9S")
    assert table.knocks() == [2]


@pytest.mark.rule("TP-5.7")
def test_a_loss_is_capped_at_the_lives_left() -> None:
    table = playing(*FOUR, lives=4).do("0 knock:2", "1 fold:1", "2 fold:1", "3 stay:2")
    table.do("3 knock:3", "0 stay:3").do("0 knock:4", "3 fold:3")
    assert table.lives == [4, 3, 3, 1]
    table.deal(*FOUR)
    table.do("1 stay:2", "2 stay:2", "0 stay:2").do("0 knock:3", "1 stay:3", "2 stay:3")
    assert table.legal(3) == ["stay:3", "fold:1"]
    folded = table.copy().do("3 fold:1")
    assert folded.lives == [4, 3, 3, 0]
    assert folded.of_type("fold", "out") == [("fold", 3, 1), ("out", 3)]
    table.do("3 stay:3").play("7S", "TS", "9S", "8S", "9H", "TH", "8H", "7H")
    table.play("8C", "TC", "9C", "7C")
    assert table.of_type("result")[0][1] == 3
    assert table.lives == [1, 0, 0, 1]
    assert table.of_type("out") == [("out", 1), ("out", 2)]


@pytest.mark.rule("TP-5.7")
def test_the_losers_of_a_hand_cannot_fall_below_zero() -> None:
    table = playing(*FOUR[:2], lives=1, dealer=1)
    assert table.seen()["value"] == 2
    assert table.legal(0)[-1].startswith("play")
    table.play("TS", "9S", "9H", "TH", "8C", "7C")
    assert table.lives[0] + table.lives[1] == 1
    assert min(table.lives) == 0


def _answers(table: Table) -> list[Any]:
    return [table.asked, table.legal(table.asked)]


@pytest.mark.rule("TP-5.2", "TP-5.4")
def test_a_player_with_fewer_lives_than_the_hand_is_worth_may_stay() -> None:
    table = playing(*FOUR, lives=3).do("0 knock:2", "1 fold:1", "2 fold:1", "3 fold:1").deal(*FOUR)
    table.do("0 knock:2", "1 stay:2", "2 stay:2", "3 stay:2").do("1 play:9S", "2 play:8S", "3 play:7S")
    assert _answers(table) == [0, ["play:TS"]]
