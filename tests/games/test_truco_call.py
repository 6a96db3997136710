"""BT-4: truco, its answers, and the trick that decides."""

from __future__ import annotations

import pytest

from arena.errors import IllegalAction
from arena.games.kernel import CHANCE
from arena.games.truco.state import TrucoState
from tests.games.truco_play import do, game_at, hands, last_result, of_type, score, started

A, B, NOBODY = 0, 1, -1
LOW = ("4D5D6D", "4H5H6H", "4S5S6S", "5C6CQC")


def legal(state: TrucoState) -> set[str]:
    """What the awaited seat may do."""
    return set(state.legal_actions(state.awaiting()[0]))


@pytest.mark.rule("BT-4.1")
def test_truco_is_called_on_ones_turn_before_playing() -> None:
    state = started(hands(*LOW))
    for seat in range(4):
        assert state.awaiting() == (seat,)
        assert "truco" in legal(state)
        for other in range(4):
            if other != seat:
                assert "truco" not in state.legal_actions(other)
                with pytest.raises(IllegalAction):
                    state.apply(other, "truco")
        do(state, LOW[seat][:2])
    assert "truco" in legal(state)


@pytest.mark.rule("BT-4.1")
def test_after_an_accept_the_caller_plays() -> None:
    state = started(hands(*LOW))
    do(state, "4D")
    assert do(state, "truco") == [("truco", 1, 3)]
    assert do(state, "accept:3") == [("accept", 2, 3)]
    assert state.awaiting() == (1,)
    assert {"play:4H", "hide:4H"} < legal(state)
    assert state.observation(None)["stake"] == 3


@pytest.mark.rule("BT-4.1", "BT-4.6")
@pytest.mark.parametrize("earlier", ["won", "lost", "tied"])
@pytest.mark.parametrize("caller", [0, 1])
def test_the_trick_in_progress_alone_decides(earlier: str, caller: int) -> None:
    first = {"won": ("3C", "2C"), "lost": ("2C", "3C"), "tied": ("3C", "3D")}[earlier]
    # Seat 0 wins the second trick in any case.
    state = started(hands(first[0] + "4C", first[1] + "QD", "4D5D", "4H5H"))
    do(state, first[0], first[1], "4D", "4H")
    plan = {0: "4C", 1: "QD", 2: "5D", 3: "5H"}
    while state.awaiting()[0] != caller:
        do(state, plan[state.awaiting()[0]])
    do(state, "truco", "accept:3")
    events = []
    while not events or events[-1][0] != "hand_over":
        events += do(state, plan[state.awaiting()[0]])
    assert last_result(events) == (A, 3)
    assert events[-1][6] == "truco"


@pytest.mark.rule("BT-4.2")
@pytest.mark.parametrize(
    ("calls", "run", "winner"),
    [
        (["truco"], "run:1", A),
        (["truco", "raise:6"], "run:3", B),
        (["truco", "raise:6", "raise:9"], "run:6", A),
        (["truco", "raise:6", "raise:9", "raise:12"], "run:9", B),
    ],
)
def test_running_gives_the_value_before_the_last_call(calls: list[str], run: str, winner: int) -> None:
    state = started(hands(*LOW))
    do(state, *calls)
    points = int(run.removeprefix("run:"))
    assert [action for action in legal(state) if action.startswith("run")] == [run]
    runner = state.awaiting()[0]
    events = do(state, run)
    assert events[0] == ("run", runner, points)
    assert last_result(events) == (winner, points)
    assert events[-1][6] == "run"
    assert score(state) == [points * (winner == A), points * (winner == B)]
    assert state.awaiting() == (CHANCE,)


@pytest.mark.rule("BT-4.2", "BT-4.4", "BT-4.6")
@pytest.mark.parametrize(
    ("calls", "value"),
    [
        (["truco", "accept:3"], 3),
        (["truco", "raise:6", "accept:6"], 6),
        (["truco", "raise:6", "raise:9", "accept:9"], 9),
        (["truco", "raise:6", "raise:9", "raise:12", "accept:12"], 12),
    ],
)
def test_the_winner_of_the_trick_scores_the_accepted_value(calls: list[str], value: int) -> None:
    for winner in (A, B):
        cards = ("3C", "2C") if winner == A else ("2C", "3C")
        state = started(hands(*cards, "4D", "4H"))
        do(state, *calls)
        assert state.observation(None)["stake"] == value
        # However far it was raised, the caller goes on.
        assert state.awaiting() == (0,)
        events = do(state, *cards, "4D", "4H")
        assert last_result(events) == (winner, value)
        assert len(of_type(events, "trick")) == 1


@pytest.mark.rule("BT-4.2", "BT-4.4")
def test_the_answers_at_every_step_of_the_ladder() -> None:
    state = started(hands(*LOW))
    do(state, "truco")
    assert legal(state) == {"run:1", "accept:3", "raise:6", "defer"}
    do(state, "raise:6")
    assert legal(state) == {"run:3", "accept:6", "raise:9", "defer"}
    do(state, "raise:9")
    assert legal(state) == {"run:6", "accept:9", "raise:12", "defer"}
    do(state, "raise:12")
    assert legal(state) == {"run:9", "accept:12", "defer"}


@pytest.mark.rule("BT-4.3")
@pytest.mark.parametrize("caller", range(4))
def test_the_first_opponent_after_the_caller_is_asked(caller: int) -> None:
    state = started(hands(*LOW))
    do(state, *[LOW[seat][:2] for seat in range(caller)], "truco")
    assert state.awaiting() == ((caller + 1) % 4,)
    for other in range(4):
        if other != (caller + 1) % 4:
            assert not state.legal_actions(other)


@pytest.mark.rule("BT-4.3")
def test_a_defer_hands_the_question_to_the_partner_who_must_answer() -> None:
    for answer in ("run:1", "accept:3", "raise:6"):
        state = started(hands(*LOW))
        do(state, "truco")
        assert do(state, "defer") == [("defer", 1)]
        assert state.awaiting() == (3,)
        assert legal(state) == {"run:1", "accept:3", "raise:6"}
        assert not state.legal_actions(1)
        assert do(state, answer)[0][1] == 3


@pytest.mark.rule("BT-4.3")
def test_after_a_raise_the_first_opponent_of_the_raiser_is_asked() -> None:
    state = started(hands(*LOW))
    do(state, "truco", "defer", "raise:6")
    # Seat 3 raised, so seat 0 comes first, and its partner may be left to answer.
    assert state.awaiting() == (0,)
    assert "defer" in legal(state)
    do(state, "defer")
    assert state.awaiting() == (2,)
    assert legal(state) == {"run:3", "accept:6", "raise:9"}
    do(state, "raise:9")
    assert state.awaiting() == (3,)
    assert legal(state) == {"run:6", "accept:9", "raise:12", "defer"}


@pytest.mark.rule("BT-4.4")
def test_raising_is_allowed_where_accepting_would_win_the_game() -> None:
    state = game_at(10, 2)
    do(state, hands(*LOW), "keep", "4D", "truco")
    assert state.awaiting() == (2,)
    assert legal(state) == {"run:1", "accept:3", "raise:6", "defer"}


@pytest.mark.rule("BT-4.5")
@pytest.mark.parametrize("seat", range(4))
def test_truco_cannot_be_called_twice_in_a_hand(seat: int) -> None:
    state = started(hands(*LOW))
    do(state, "truco", "accept:3")
    while state.awaiting()[0] != seat:
        do(state, state.default_action(state.awaiting()[0]))
    assert not any(action == "truco" for action in legal(state))
    with pytest.raises(IllegalAction):
        state.apply(seat, "truco")


@pytest.mark.rule("BT-4.5", "BT-4.7")
def test_truco_cannot_be_called_in_the_extra_trick() -> None:
    state = started(hands("3C4D", "3D4H", "5D6D", "5H6H"))
    do(state, "truco", "accept:3", "3C", "3D", "5D", "5H")
    assert state.observation(None)["extra_trick"] is True
    for card in ("4D", "4H", "6D", "6H"):
        assert "truco" not in legal(state)
        do(state, card)


@pytest.mark.rule("BT-4.5")
def test_truco_may_be_called_again_in_the_next_hand() -> None:
    state = started(hands(*LOW))
    do(state, "truco", "run:1", hands(*LOW, dealer=0), "keep")
    assert "truco" in legal(state)


@pytest.mark.rule("BT-4.7")
@pytest.mark.parametrize("value", [3, 6, 9, 12])
def test_tied_with_a_card_from_before_the_call_the_callers_lose(value: int) -> None:
    state = started(hands("3C", "5D", "5H", "3D"))
    do(state, "3C", "truco")
    for step in range(6, value + 1, 3):
        do(state, f"raise:{step}")
    do(state, f"accept:{value}")
    events = do(state, "5D", "5H", "3D")
    assert of_type(events, "trick")[0][3] == NOBODY
    # Seat 1 called, although others raised and seat 0 had led the card.
    assert last_result(events) == (A, value)
    assert of_type(events, "hand_over")[0][6] == "tied_before_call"


@pytest.mark.rule("BT-4.7")
def test_one_of_the_tied_cards_from_before_the_call_is_enough() -> None:
    # Seat 1's three was there; those of seats 2 and 3 come after the call.
    state = started(hands("4D", "3C", "3H", "3D"))
    do(state, "4D", "3C", "truco", "accept:3")
    assert last_result(do(state, "3H", "3D")) == (B, 3)


@pytest.mark.rule("BT-4.7")
def test_the_callers_lose_even_if_their_own_card_was_there_before() -> None:
    state = started(hands("3C", "5D", "5H", "3D"))
    do(state, "3C", "5D", "truco", "accept:3")
    assert last_result(do(state, "5H", "3D")) == (B, 3)


@pytest.mark.rule("BT-4.7")
def test_a_weaker_card_from_before_the_call_does_not_count() -> None:
    state = started(hands("2C4D", "3C4H", "3D5D", "5H6H"))
    do(state, "2C", "truco", "accept:3")
    events = do(state, "3C", "3D", "5H")
    assert not of_type(events, "hand_over")
    assert state.observation(None)["extra_trick"] is True
    assert state.awaiting() == (1,)


@pytest.mark.rule("BT-4.7")
@pytest.mark.parametrize("trick", [1, 2])
def test_a_tie_after_the_call_is_settled_by_one_more_trick(trick: int) -> None:
    for winner in (A, B):
        ours, theirs = ("AC", "KC") if winner == A else ("KC", "AC")
        if trick == 1:
            state = started(hands("3C" + ours, "3D" + theirs, "4D5D", "4H5H"))
        else:
            state = started(hands("2C3C" + ours, "2D3D" + theirs, "6D4D5D", "6H4H5H"))
            do(state, "2C", "2D", "6D", "6H")
        do(state, "truco", "raise:6", "accept:6")
        events = do(state, "3C", "3D", "4D", "4H")
        assert not of_type(events, "hand_over")
        assert state.awaiting() == (0,)
        events = do(state, ours, theirs, "5D", "5H")
        assert last_result(events) == (winner, 6)
        assert events[-1][6] == "truco"


@pytest.mark.rule("BT-4.7")
def test_the_extra_trick_is_led_by_the_first_of_the_tied_cards() -> None:
    state = started(hands("2C4D", "3C4H", "3D6D", "5D5H"))
    do(state, "truco", "accept:3", "2C", "3C", "3D", "5D")
    assert state.awaiting() == (1,)


@pytest.mark.rule("BT-4.7")
def test_the_extra_trick_tied_again_scores_nothing() -> None:
    state = started(hands("3C2C", "3D2D", "4D5D", "4H5H"))
    do(state, "truco", "accept:3", "3C", "3D", "4D", "4H")
    events = do(state, "2C", "2D", "5D", "5H")
    assert last_result(events) == (NOBODY, 0)
    # A card is left, but it was exactly one more trick.
    assert state.observation(None)["phase"] == "deal"
    assert score(state) == [0, 0]


@pytest.mark.rule("BT-4.7")
def test_cards_from_before_the_call_do_not_matter_in_the_extra_trick() -> None:
    # Seat 2 calls with two cards on the table; the extra trick is tied by its first two.
    state = started(hands("4D5D", "4H5H", "3C2C", "3D2D"))
    do(state, "4D", "4H")
    do(state, "truco", "accept:3", "3C", "3D")
    assert state.observation(None)["extra_trick"] is True
    assert state.awaiting() == (2,)
    events = do(state, "2C", "2D", "5D", "5H")
    assert last_result(events) == (NOBODY, 0)


@pytest.mark.rule("BT-4.7")
def test_tied_after_the_call_in_the_last_trick_scores_nothing() -> None:
    state = started(hands("3C2CAC", "2D3DAD", "4D5D6D", "4H5H6H"))
    do(state, "3C", "2D", "4D", "4H", "2C", "3D", "5D", "5H")
    assert state.awaiting() == (1,)
    do(state, "truco", "accept:3")
    events = do(state, "AD", "6D", "6H", "AC")
    assert of_type(events, "trick")[0][3] == NOBODY
    assert last_result(events) == (NOBODY, 0)
    assert events[-1][6] == "truco"


@pytest.mark.rule("BT-4.7")
def test_tied_before_the_call_in_the_last_trick_costs_the_callers() -> None:
    state = started(hands("3C2CAC", "2D3DAD", "4D5D6D", "4H5H6H"))
    do(state, "3C", "2D", "4D", "4H", "2C", "3D", "5D", "5H")
    do(state, "AD", "truco", "accept:3")
    assert last_result(do(state, "6D", "6H", "AC")) == (B, 3)


@pytest.mark.rule("BT-4.7", "BT-3.4")
@pytest.mark.parametrize("before", range(4))
def test_with_all_cards_face_down_there_is_one_more_trick(before: int) -> None:
    state = started(hands("3C4D", "3D4H", "3H5D", "3S5H"))
    cards = ["x3C", "x3D", "x3H", "x3S"]
    do(state, *cards[:before], "truco", "accept:3")
    events = do(state, *cards[before:])
    assert not of_type(events, "hand_over")
    assert state.observation(None)["extra_trick"] is True
    assert state.awaiting() == (0,)


@pytest.mark.rule("BT-4.7", "BT-3.4")
def test_with_all_cards_face_down_in_the_last_trick_nobody_scores() -> None:
    state = started(hands("3C2CAC", "2D3DAD", "4D5D6D", "4H5H6H"))
    do(state, "3C", "2D", "4D", "4H", "2C", "3D", "5D", "5H")
    do(state, "xAD", "truco", "accept:3")
    assert last_result(do(state, "x6D", "x6H", "xAC")) == (NOBODY, 0)


@pytest.mark.rule("BT-4.7")
def test_equal_cards_of_one_team_do_not_tie_a_trick() -> None:
    state = started(hands("3C", "4D", "3D", "4H"))
    do(state, "3C", "truco", "accept:3")
    assert last_result(do(state, "4D", "3D", "4H")) == (A, 3)
