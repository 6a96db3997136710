"""BT-5: hands that begin with 11 points on one side or both."""

from __future__ import annotations

import pytest

from arena.games.kernel import CHANCE
from arena.games.truco.state import TRUCO
from tests.games.truco_play import do, game_at, hands, last_result, of_type, pack_of, score

LOW = ("4D5D6D", "4H5H6H", "4S5S6S", "5C6CQC")


@pytest.mark.rule("BT-5.1")
@pytest.mark.parametrize("points", [(11, 4), (4, 11)])
def test_at_eleven_the_forehand_has_to_keep(points: tuple[int, int]) -> None:
    state = game_at(*points)
    events = do(state, hands(*LOW))
    assert [event[0] for event in events] == [
        "hand",
        "dealt",
        "kept",
        "dealt",
        "dealt",
        "dealt",
        "shown",
        "shown",
    ]
    assert state.observation(None)["phase"] == "eleven"


@pytest.mark.rule("BT-5.1")
def test_at_ten_the_forehand_may_choose() -> None:
    state = game_at(10, 10)
    do(state, hands(*LOW))
    assert set(state.legal_actions(0)) == {"keep", "pass", "burn"}


@pytest.mark.rule("BT-5.2")
@pytest.mark.parametrize(("points", "team"), [((11, 4), 0), ((4, 11), 1)])
def test_the_team_with_eleven_sees_each_others_hands(points: tuple[int, int], team: int) -> None:
    state = game_at(*points)
    events = do(state, hands(*LOW))
    shown = of_type(events, "shown")
    assert {event[1] for event in shown} == {team, team + 2}
    for seat in range(4):
        seen = state.observation(seat)
        if seat % 2 == team:
            partner = (seat + 2) % 4
            assert seen["partner_dealt"] == state.observation(partner)["hand"]
        else:
            assert seen["partner_dealt"] == []
        for event in shown:
            view = TRUCO.view_event(event, seat)
            assert view is not None
            assert (view["cards"] is not None) == (seat % 2 == team)
    assert state.observation(None)["partner_dealt"] == []
    assert TRUCO.view_event(shown[0], None) == {"type": "shown", "seat": shown[0][1], "cards": None}


@pytest.mark.rule("BT-5.2")
def test_the_partners_hand_stays_as_dealt() -> None:
    observed = []
    for hidden in ("4S", "5S"):
        state = game_at(11, 4)
        do(state, hands(*LOW), "accept:3", "4D", "4H", "x" + hidden)
        seen = state.observation(0)
        assert seen["partner_dealt"] == ["4S", "5S", "6S"]
        assert seen["held"] == [2, 2, 2, 3]
        observed.append(seen)
    assert observed[0] == observed[1]


@pytest.mark.rule("BT-5.2")
@pytest.mark.parametrize("points", [(11, 4), (4, 11)])
def test_truco_cannot_be_called_at_eleven(points: tuple[int, int]) -> None:
    state = game_at(*points)
    do(state, hands(*LOW), "accept:3")
    while state.observation(None)["phase"] == "play":
        assert all("truco" not in state.legal_actions(seat) for seat in range(4))
        do(state, state.default_action(state.awaiting()[0]))


@pytest.mark.rule("BT-5.2")
@pytest.mark.parametrize(
    ("points", "dealer", "asked"),
    [
        ((11, 4), 3, 0),
        ((11, 4), 0, 2),
        ((11, 4), 1, 2),
        ((11, 4), 2, 0),
        ((4, 11), 3, 1),
        ((4, 11), 0, 1),
        ((4, 11), 1, 3),
        ((4, 11), 2, 3),
    ],
)
def test_the_team_decides_from_the_forehand_on(points: tuple[int, int], dealer: int, asked: int) -> None:
    state = game_at(*points, dealer=dealer)
    do(state, pack_of())
    assert state.awaiting() == (asked,)
    assert state.legal_actions(asked) == ("run:1", "accept:3", "defer")
    assert do(state, "defer") == [("defer", asked)]
    partner = (asked + 2) % 4
    assert state.awaiting() == (partner,)
    assert state.legal_actions(partner) == ("run:1", "accept:3")
    assert state.observation(None)["eleven_deferred"] is True
    assert do(state, "accept:3") == [("accept", partner, 3)]
    # Whoever decided, the forehand leads.
    assert state.awaiting() == ((dealer + 1) % 4,)


@pytest.mark.rule("BT-5.2")
@pytest.mark.parametrize("defer", [False, True])
@pytest.mark.parametrize(("points", "after"), [((11, 4), [11, 5]), ((4, 11), [5, 11])])
def test_running_gives_the_others_one_point(points: tuple[int, int], after: list[int], defer: bool) -> None:
    state = game_at(*points)
    do(state, hands(*LOW), *["defer"] * defer)
    events = do(state, "run:1")
    assert last_result(events) == (int(points[1] != 11), 1)
    assert score(state) == after
    assert state.awaiting() == (CHANCE,)


@pytest.mark.rule("BT-5.2")
def test_a_hand_at_eleven_is_worth_three() -> None:
    state = game_at(11, 4)
    do(state, hands("4D5D6D", "3C3D3H", "4S5S6S", "5C6CQC"), "accept:3")
    assert state.observation(None)["stake"] == 3
    do(state, "4D", "3C", "4S", "5C")
    events = do(state, "3D", "5S", "6C", "5D")
    assert last_result(events) == (1, 3)
    assert score(state) == [11, 7]
    assert events[-1][6] == "tricks"


@pytest.mark.rule("BT-5.2")
def test_the_team_with_eleven_wins_the_game_by_winning_the_hand() -> None:
    state = game_at(4, 11)
    do(state, hands("4D5D6D", "3C3D3H", "4S5S6S", "5C6CQC"), "accept:3")
    do(state, "4D", "3C", "4S", "5C")
    events = do(state, "3D", "5S", "6C", "5D")
    assert last_result(events) == (1, 3)
    assert events[-1] == ("game_over", -1, 1, 4, 12)
    assert state.awaiting() == ()


@pytest.mark.rule("BT-5.2")
def test_a_hand_at_eleven_that_nobody_wins_scores_nothing() -> None:
    state = game_at(11, 4)
    do(state, hands("3CACJC", "3DADJD", "4S5S6S", "5C6CQC"), "accept:3")
    do(state, "3C", "3D", "4S", "5C", "AC", "AD", "5S", "6C")
    events = do(state, "JC", "JD", "6S", "QC")
    assert last_result(events) == (-1, 0)
    assert score(state) == [11, 4]


@pytest.mark.rule("BT-5.3")
def test_with_both_at_eleven_the_hand_plays_itself_in_the_order_dealt() -> None:
    state = game_at(11, 11, dealer=3)
    # Seat 0: 4D 3C 5D, seat 1: 2C 4H 6D, seat 2: 5H 5S 4S, seat 3: 6H 6S AC.
    events = do(state, pack_of("4D3C5D", "2C4H6D", "5H5S4S", "6H6SAC"))
    plays = [(event[1], event[2]) for event in of_type(events, "play")]
    assert plays == [
        *((0, "4D"), (1, "2C"), (2, "5H"), (3, "6H")),
        *((1, "4H"), (2, "5S"), (3, "6S"), (0, "3C")),
        *((0, "5D"), (1, "6D"), (2, "4S"), (3, "AC")),
    ]
    assert [event[3] for event in of_type(events, "trick")] == [1, 0, 1]
    assert last_result(events) == (1, 1)
    assert events[-1] == ("game_over", -1, 1, 11, 12)


@pytest.mark.rule("BT-5.3", "BT-3.6")
def test_a_blind_hand_ends_when_it_is_settled() -> None:
    state = game_at(11, 11)
    events = do(state, pack_of("3C2CAC", "4D4H4S", "5D5H5S", "6D6H6S"))
    assert len(of_type(events, "play")) == 8
    assert last_result(events) == (0, 1)


@pytest.mark.rule("BT-5.3")
def test_cards_that_are_not_played_stay_hidden() -> None:
    state = game_at(11, 11)
    events = do(state, pack_of("3C2CAC", "4D4H4S", "5D5H5S", "6D6H6S"))
    for event in of_type(events, "dealt"):
        for viewer in (0, 1, 2, 3, None):
            shown = {"type": "dealt", "seat": event[1], "count": 3, "cards": None}
            assert TRUCO.view_event(event, viewer) == shown
    assert not of_type(events, "shown")
    assert {event[2] for event in of_type(events, "play")}.isdisjoint({"AC", "4S", "5S", "6S"})


@pytest.mark.rule("BT-5.3")
def test_a_blind_hand_that_nobody_wins_is_dealt_again_by_the_next_dealer() -> None:
    state = game_at(11, 11, dealer=1)
    # The forehand is seat 2: piles of 2, 3, 0, 1.
    events = do(state, pack_of("3CACJC", "3DADJD", "4S5S6S", "5C6CQC"))
    assert [event[3] for event in of_type(events, "trick")] == [-1, -1, -1]
    assert last_result(events) == (-1, 0)
    seen = state.observation(None)
    assert (seen["score"], seen["dealer"], seen["phase"]) == ([11, 11], 2, "deal")
    events = do(state, pack_of("4S5S6S", "3CACJC", "4D4H5D", "5C6CQC"))
    assert events[-1][0] == "game_over"


@pytest.mark.rule("BT-5.3")
def test_the_cut_is_still_decided() -> None:
    state = game_at(11, 11, dealer=3, cut="player")
    deal = pack_of("4D3C5D", "2C4H6D", "5H5S4S", "6H6SAC")
    do(state, deal)
    assert state.awaiting() == (2,)
    for seat in range(4):
        assert state.observation(seat)["hand"] == []
    events = do(state, "cut:3:top")
    assert events[0] == ("cut", 2, 3, "top")
    assert [event[2] for event in of_type(events, "dealt")] == [
        ("2C", "4H", "6D"),
        ("5H", "5S", "4S"),
        ("6H", "6S", "AC"),
        *[tuple(deal[5 + 2 * n : 7 + 2 * n] for n in (12, 13, 14))],
    ]
    assert state.awaiting() in ((), (CHANCE,))


@pytest.mark.rule("BT-5.3")
def test_no_signals_with_both_at_eleven() -> None:
    state = game_at(11, 11, cut="player", signals="table")
    do(state, pack_of())
    assert state.observation(None)["phase"] == "cut"
    for seat in range(4):
        assert not any(action.startswith("signal:") for action in state.legal_actions(seat))
    events = do(state, "no_cut")
    assert of_type(events, "hand_over")


@pytest.mark.rule("BT-5.3", "BT-3.2")
@pytest.mark.parametrize("option", ["any", "after_first_trick", "never"])
def test_blind_cards_are_played_face_up(option: str) -> None:
    state = game_at(11, 11, face_down=option)
    events = do(state, pack_of("4D3C5D", "2C4H6D", "5H5S4S", "6H6SAC"))
    assert len(of_type(events, "play")) == 12
    assert not of_type(events, "hide")
