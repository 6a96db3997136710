"""BT-6: gestures, and no other communication."""

from __future__ import annotations

from random import Random

import pytest

from arena.errors import IllegalAction
from arena.games.kernel import CHANCE
from arena.games.truco.cards import GESTURES
from arena.games.truco.state import TRUCO, TrucoState
from tests.contract.playouts import playout
from tests.games.truco_play import do, game_at, hands, new_game, of_type, pack_of, started

SIGNALS = {f"signal:{gesture}" for gesture in ("wink", "eyebrow", "cheek", "tongue", "shoulder", "nose")}
LOW = ("4D5D6D", "4H5H6H", "4S5S6S", "5C6CQC")


def may_signal(state: TrucoState) -> list[bool]:
    """By seat; a seat may show every gesture or none."""
    found = []
    for seat in range(4):
        signals = {action for action in state.legal_actions(seat) if action.startswith("signal:")}
        assert signals in (set(), SIGNALS)
        found.append(bool(signals))
    return found


@pytest.mark.rule("BT-6.1")
def test_there_is_no_way_to_talk() -> None:
    verbs = set()
    for seed in range(20):
        for signals in ("off", "table"):
            rules = TRUCO.options.complete({"signals": signals})
            verbs |= {action.split(":")[0] for _, _, action, _ in playout(TRUCO, rules, Random(seed))}
    game = {
        "keep",
        "pass",
        "burn",
        "cut",
        "no_cut",
        "play",
        "hide",
        "truco",
        "run",
        "accept",
        "raise",
        "defer",
    }
    assert verbs <= game | {"signal", "deal", "dealer"}


@pytest.mark.rule("BT-6.1", "BT-6.2")
def test_a_gesture_is_seen_and_means_what_partners_agree() -> None:
    """It changes nothing but what was seen, whichever gesture it is."""
    states = []
    for gesture in GESTURES:
        state = started(hands(*LOW), signals="table")
        before = {seat: state.observation(seat) for seat in range(4)}
        event = state.apply(2, f"signal:{gesture}")
        assert event == [("signal", 2, gesture)]
        for viewer in (0, 1, 2, 3, None):
            assert TRUCO.view_event(event[0], viewer) == {"type": "signal", "seat": 2, "gesture": gesture}
            shown = {"trick": 0, "seat": 2, "gesture": gesture}
            assert state.observation(viewer)["signals"] == [shown]
        for seat in range(4):
            seen = state.observation(seat)
            said = seen["calls"].pop()
            assert (said["said"], said["seat"], said["gesture"]) == ("signal", 2, gesture)
            assert {**seen, "signals": []} == before[seat]
        states.append(state)
    assert len({tuple(state.legal_actions(0)) for state in states}) == 1


@pytest.mark.rule("BT-6.2")
def test_signals_are_off_by_default() -> None:
    state = started(hands(*LOW))
    assert may_signal(state) == [False] * 4
    with pytest.raises(IllegalAction):
        state.apply(0, "signal:wink")


@pytest.mark.rule("BT-6.2")
def test_the_vocabulary_is_fixed() -> None:
    state = started(hands(*LOW), signals="table")
    assert set(state.legal_actions(1)) == SIGNALS
    for wrong in ("signal:cough", "signal:", "signal", "signal:WINK", "wink"):
        with pytest.raises(IllegalAction):
            state.apply(1, wrong)


@pytest.mark.rule("BT-6.2")
def test_at_any_time_in_a_hand() -> None:
    state = new_game(cut="player", signals="table")
    assert may_signal(state) == [False] * 4
    do(state, pack_of("4D5D6D", "4H5H6H", "5C6C7C"))
    assert state.observation(None)["phase"] == "cut"
    assert may_signal(state) == [True] * 4
    for action in ("no_cut", "pass", "burn", "keep", "x5C", "truco", "defer"):
        do(state, action)
        assert may_signal(state) == [True] * 4
    do(state, "run:1")
    assert state.awaiting() == (CHANCE,)
    assert may_signal(state) == [False] * 4


@pytest.mark.rule("BT-6.2")
def test_one_per_seat_and_trick_and_the_deal_counts_as_part_of_the_first() -> None:
    state = new_game(signals="table")
    do(state, hands(*LOW))
    state.apply(3, "signal:nose")
    assert may_signal(state) == [True, True, True, False]
    with pytest.raises(IllegalAction):
        state.apply(3, "signal:wink")
    do(state, "keep", "4D")
    state.apply(0, "signal:cheek")
    do(state, "4H", "4S")
    assert may_signal(state) == [False, True, True, False]
    do(state, "QC")
    assert may_signal(state) == [True] * 4
    state.apply(3, "signal:wink")
    assert may_signal(state) == [True, True, True, False]
    assert state.observation(None)["signals"] == [
        {"trick": 0, "seat": 3, "gesture": "nose"},
        {"trick": 0, "seat": 0, "gesture": "cheek"},
        {"trick": 1, "seat": 3, "gesture": "wink"},
    ]


@pytest.mark.rule("BT-6.2")
def test_a_new_hand_begins_anew() -> None:
    state = started(hands(*LOW), signals="table")
    for seat in range(4):
        state.apply(seat, "signal:wink")
    do(state, "truco", "run:1", pack_of())
    assert may_signal(state) == [True] * 4
    assert state.observation(None)["signals"] == []


@pytest.mark.rule("BT-6.2")
@pytest.mark.parametrize("seat", range(4))
def test_a_signal_never_changes_whose_turn_it_is(seat: int) -> None:
    state = started(hands(*LOW), signals="table")
    do(state, "4D")
    own = set(state.legal_actions(1)) - SIGNALS
    state.apply(seat, "signal:tongue")
    assert state.awaiting() == (1,)
    assert set(state.legal_actions(1)) - SIGNALS == own
    do(state, "truco")
    state.apply((seat + 1) % 4, "signal:tongue")
    assert state.awaiting() == (2,)
    assert state.answer_pending()


@pytest.mark.rule("BT-6.2")
def test_signals_in_a_hand_at_eleven() -> None:
    state = game_at(11, 4, signals="table")
    do(state, hands(*LOW))
    # The keep is forced, but a seat may still signal first (BT-7.4).
    assert set(state.legal_actions(0)) == {"keep"} | SIGNALS
    do(state, "keep")
    assert may_signal(state) == [True] * 4
    do(state, "accept:3")
    assert may_signal(state) == [True] * 4


@pytest.mark.rule("BT-6.2", "BT-4.7")
def test_signals_in_the_extra_trick() -> None:
    state = started(hands("3C4D", "3D4H", "5D6D", "5H6H"), signals="table")
    for seat in range(4):
        state.apply(seat, "signal:wink")
    do(state, "truco", "accept:3", "3C", "3D", "5D", "5H")
    assert may_signal(state) == [True] * 4
    assert len(of_type(do(state, "4D", "4H", "6D", "6H"), "hand_over")) == 1


@pytest.mark.rule("BT-6.2", "BT-7.4")
@pytest.mark.parametrize("last", range(4))
def test_the_last_gesture_skips_a_decision_that_waited_for_gestures_alone(last: int) -> None:
    state = game_at(11, 4, signals="table")
    do(state, hands(*LOW))
    for seat in range(4):
        if seat != last:
            state.apply(seat, "signal:wink")
    assert (state.awaiting(), state.observation(None)["phase"]) == ((0,), "choose")
    events = state.apply(last, "signal:nose")
    assert events[:2] == [("signal", last, "nose"), ("kept", 0)]
    assert (state.awaiting(), state.observation(None)["phase"]) == ((0,), "eleven")


@pytest.mark.rule("BT-6.2", "BT-7.4")
def test_the_last_gesture_plays_a_last_card_that_cannot_be_hidden() -> None:
    state = game_at(11, 4, signals="table", face_down="never")
    do(state, hands("3C4DQD", "3D4HQH", "5D6DKD", "5H6HKH"), "keep", "accept:3")
    do(state, "3C", "3D", "5D", "5H", "4D", "4H", "6D")
    while len(state.observation(None)["tricks"]) < 3:
        do(state, next(a.removeprefix("play:") for a in state.legal_actions(state.awaiting()[0])))
    on_turn = state.awaiting()[0]
    for seat in range(4):
        if seat != on_turn:
            state.apply(seat, "signal:wink")
    only = set(state.legal_actions(on_turn)) - SIGNALS
    assert len(only) == 1
    events = state.apply(on_turn, "signal:wink")
    assert ("play", on_turn, only.pop().removeprefix("play:")) == events[1]
    assert of_type(events, "hand_over")
