"""BT-3: tricks, face-down cards, ties, and which team wins a hand."""

from __future__ import annotations

import pytest

from arena.errors import IllegalAction
from arena.games.kernel import CHANCE, Event
from arena.games.truco.state import TRUCO, TrucoState
from tests.games.truco_play import do, game_at, hands, last_result, of_type, score, started

A, B, TIE = 0, 1, -1
PAIRS = (
    {A: ("3C", "2C"), B: ("2C", "3C"), TIE: ("3C", "3D")},
    {A: ("AC", "KC"), B: ("KC", "AC"), TIE: ("AC", "AD")},
    {A: ("JC", "QC"), B: ("QC", "JC"), TIE: ("JC", "JD")},
)
"""By trick: the cards of seats 0 and 1 for A, for B and for a tie."""


def play_results(results: list[int], **rules: object) -> tuple[TrucoState, list[Event]]:
    """A hand whose tricks end so, with seats 2 and 3 hiding all they have."""
    cards = [pairs[result] for pairs, result in zip(PAIRS, [*results, A, A], strict=False)]
    zero, one = ("".join(pair[seat] for pair in cards) for seat in (0, 1))
    state = started(hands(zero, one, "4D4H4S", "5D5H5S"), **rules)
    plans = {seat: iter([pair[seat] for pair in cards]) for seat in (0, 1)}
    events: list[Event] = []
    for _ in range(4 * len(results)):
        seat = state.awaiting()[0]
        if seat in plans:
            events += state.apply(seat, "play:" + next(plans[seat]))
        else:
            events += do(state, next(a for a in state.legal_actions(seat) if a.startswith("hide:")))
    return state, events


@pytest.mark.rule("BT-3.1")
def test_the_forehand_leads_and_the_winner_leads_next() -> None:
    state = started(hands("5CJC", "6C", "3CJD", "QC"))
    assert state.awaiting() == (0,)
    events = do(state, "5C", "6C", "3C", "QC")
    assert of_type(events, "trick") == [("trick", 2, 1, A)]
    assert state.awaiting() == (2,)


@pytest.mark.rule("BT-3.1")
def test_no_duty_to_follow_suit() -> None:
    state = started(hands("5C", "6C6DKH"))
    do(state, "5C")
    assert {"play:6C", "play:6D", "play:KH"} < set(state.legal_actions(1))


@pytest.mark.rule("BT-3.1")
def test_a_seat_plays_only_its_own_cards_and_only_on_its_turn() -> None:
    state = started(hands("5C", "6C", "3C"))
    for seat, action in ((0, "play:6C"), (1, "play:6C"), (0, "play:8C"), (0, "play:"), (0, "5C")):
        with pytest.raises(IllegalAction) as raised:
            state.apply(seat, action)
        assert raised.value.extra["legal_actions"] == list(state.legal_actions(seat))
    do(state, "5C")
    assert "play:5C" not in state.legal_actions(0)


@pytest.mark.rule("BT-3.1")
def test_three_tricks_at_most() -> None:
    state, events = play_results([A, B, A])
    assert len(of_type(events, "trick")) == 3
    assert state.awaiting() == (CHANCE,)
    assert [event[2] for event in of_type(events, "trick")] == [1, 2, 3]


@pytest.mark.rule("BT-3.2")
def test_a_card_played_face_down_never_wins() -> None:
    state = started(hands("4C", "4D", "5D", "5H"))
    events = do(state, "x4C", "4D", "x5D", "x5H")
    assert of_type(events, "trick") == [("trick", 1, 1, B)]


@pytest.mark.rule("BT-3.2")
def test_a_card_played_face_down_stays_hidden_from_other_seats() -> None:
    state = started(hands("4C"))
    hide = do(state, "x4C")[0]
    assert hide == ("hide", 0, "4C")
    assert TRUCO.view_event(hide, 0) == {"type": "hide", "seat": 0, "card": "4C"}
    for other in (1, 2, 3, None):
        assert TRUCO.view_event(hide, other) == {"type": "hide", "seat": 0, "card": None}
        unseen = {"seat": 0, "face_down": True, "card": None}
        assert state.observation(other)["tricks"][0]["plays"] == [unseen]
    assert state.observation(0)["tricks"][0]["plays"] == [{"seat": 0, "face_down": True, "card": "4C"}]


@pytest.mark.rule("BT-3.2")
@pytest.mark.parametrize(
    ("option", "tricks_with_hiding"), [("any", {1, 2, 3}), ("after_first_trick", {2, 3}), ("never", set())]
)
def test_when_cards_may_be_hidden(option: str, tricks_with_hiding: set[int]) -> None:
    state = started(hands("3C2DAC", "2C3DKC", "4D4H4S", "5D5H5S"), face_down=option)
    plan = {0: "3C2DAC", 1: "2C3DKC", 2: "4D4H4S", 3: "5D5H5S"}
    for trick in (1, 2, 3):
        for _ in range(4):
            seat = state.awaiting()[0]
            hides = any(action.startswith("hide:") for action in state.legal_actions(seat))
            assert hides == (trick in tricks_with_hiding)
            do(state, plan[seat][2 * trick - 2 : 2 * trick])


@pytest.mark.rule("BT-3.3")
@pytest.mark.parametrize(
    ("cards", "leader", "winner"),
    [
        (["3C", "2C", "3D", "2D"], 0, A),
        (["2C", "3C", "2D", "3D"], 1, B),
        (["4D", "3C", "2D", "3D"], 1, B),
        (["3C", "3D", "4D", "4H"], 0, TIE),
        (["4D", "3C", "3D", "4H"], 1, TIE),
        (["4D", "4H", "3C", "3D"], 2, TIE),
        (["3C", "4D", "4H", "3D"], 0, TIE),
        (["3C", "3D", "3H", "4H"], 0, TIE),
        (["3C", "3D", "3H", "3S"], 0, TIE),
        (["4D", "3D", "3H", "3S"], 1, TIE),
        (["KC", "KD", "3C", "4D"], 2, A),
        (["KC", "KD", "4D", "3C"], 3, B),
        (["x3C", "3D", "4D", "x3H"], 1, B),
        (["x3C", "x3D", "4D", "4H"], 2, TIE),
        (["x3C", "x3D", "x3H", "4H"], 3, B),
    ],
)
def test_who_wins_a_trick_and_who_leads_next(cards: list[str], leader: int, winner: int) -> None:
    state = started(hands(*(card.removeprefix("x") for card in cards)))
    events = do(state, *cards)
    assert of_type(events, "trick") == [("trick", leader, 1, winner)]
    assert state.awaiting() == (leader,)
    trick = state.observation(None)["tricks"][0]
    assert trick["winner"] == (None if winner == TIE else winner)


@pytest.mark.rule("BT-3.4")
def test_four_face_down_cards_tie_and_the_same_seat_leads_again() -> None:
    state = started(hands("KC3C", "4D2C", "4H2D", "4S2H"))
    do(state, "KC", "4D", "4H", "4S")
    events = do(state, "x3C", "x2C", "x2D", "x2H")
    assert of_type(events, "trick") == [("trick", 0, 2, TIE)]
    state = started(hands("4D3C", "KC2C", "4H2D", "4S2H"))
    do(state, "4D", "KC", "4H", "4S")
    assert state.awaiting() == (1,)
    events = do(state, "x2C", "x2D", "x2H", "x3C")
    assert of_type(events, "trick") == [("trick", 1, 2, TIE)]
    assert last_result(events) == (B, 1)


@pytest.mark.rule("BT-3.4")
def test_after_four_face_down_cards_in_the_first_trick_its_leader_leads() -> None:
    state = started(hands("3C", "2C", "2D", "2H"))
    do(state, "x3C", "x2C", "x2D", "x2H")
    assert state.awaiting() == (0,)


@pytest.mark.rule("BT-3.5", "BT-3.6")
@pytest.mark.parametrize(
    ("results", "hand"),
    [
        ([A, A], A),
        ([B, B], B),
        ([A, TIE], A),
        ([B, TIE], B),
        ([A, B, A], A),
        ([A, B, B], B),
        ([B, A, A], A),
        ([B, A, B], B),
        ([A, B, TIE], A),
        ([B, A, TIE], B),
        ([TIE, A], A),
        ([TIE, B], B),
        ([TIE, TIE, A], A),
        ([TIE, TIE, B], B),
        ([TIE, TIE, TIE], TIE),
    ],
)
def test_who_wins_a_hand(results: list[int], hand: int) -> None:
    state, events = play_results(results)
    assert [event[3] for event in of_type(events, "trick")] == results
    # The hand ends with the last of these tricks, and not before.
    assert events[-1][0] == "hand_over"
    assert of_type(events, "hand_over") == [events[-1]]
    assert last_result(events) == (hand, 0 if hand == TIE else 1)
    assert score(state) == [int(hand == A), int(hand == B)]
    assert events[-1][6] == "tricks"


@pytest.mark.rule("BT-3.6")
@pytest.mark.parametrize("results", [[A], [TIE], [A, B], [TIE, TIE]])
def test_a_hand_goes_on_while_its_tricks_do_not_settle_it(results: list[int]) -> None:
    state, events = play_results(results)
    assert not of_type(events, "hand_over")
    assert state.observation(None)["phase"] == "play"
    assert score(state) == [0, 0]


@pytest.mark.rule("BT-3.6")
def test_cards_in_hand_do_not_end_a_hand() -> None:
    # Seat 0 won the first trick and holds the two best cards.
    state = started(hands("3C4C7H", "2C", "4D", "4H"))
    do(state, "3C", "2C", "4D", "4H")
    assert state.observation(None)["phase"] == "play"


@pytest.mark.rule("BT-3.6", "BT-1.5")
def test_a_hand_that_nobody_wins_scores_nothing_and_the_deal_passes_on() -> None:
    state, _ = play_results([TIE, TIE, TIE])
    assert score(state) == [0, 0]
    seen = state.observation(None)
    assert (seen["phase"], seen["dealer"], seen["hand_number"]) == ("deal", 0, 2)


@pytest.mark.rule("BT-3.6")
def test_points_add_up_over_hands() -> None:
    state = game_at(3, 5)
    assert score(state) == [3, 5]
    assert state.observation(None)["hand_number"] == 9
