"""BT-7: what seats see, what the table does for a late seat, what is skipped."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from arena.errors import ArenaError, IllegalAction
from arena.games.kernel import CHANCE, Event
from arena.games.truco.cards import PACK
from arena.games.truco.state import TRUCO, TrucoState
from tests.contract.playouts import playout
from tests.contract.redeal_truco import alternative_log
from tests.games.truco_play import (
    do,
    game_at,
    hands,
    last_result,
    new_game,
    of_type,
    pack_of,
    random_rules,
    started,
)

LOW = ("4D5D6D", "4H5H6H", "4S5S6S", "5C6CQC")
VIEWERS = (0, 1, 2, 3, None)

FIELDS = {
    "seat", "hand_number", "score", "phase", "awaiting", "dealer", "forehand", "stake", "elevens", "passed",
    "burned", "held", "tricks", "truco", "eleven_deferred", "extra_trick", "signals", "calls",
    "vira", "manilhas", "right", "hand", "partner_dealt", "passed_cards",
}  # fmt: skip


def cards_in(value: Any) -> set[str]:
    """Every card named anywhere in something JSON-like."""
    if isinstance(value, dict):
        # Which cards are manilhas tells nobody where they are.
        return set().union(*(cards_in(item) for name, item in value.items() if name != "manilhas"))
    if isinstance(value, list | tuple):
        return set().union(*map(cards_in, value))
    return {value} & set(PACK) if isinstance(value, str) else set()


class Knowledge:
    """The cards of the hand in progress that a seat may know, by BT-7.1, from what happened in full."""

    def __init__(self, seat: int | None) -> None:
        self.seat = seat
        self.known: set[str] = set()

    def hear(self, event: Event) -> None:
        kind, seat = event[:2]
        mine = self.seat is not None and seat == self.seat
        ours = self.seat is not None and seat % 2 == self.seat % 2
        if kind == "hand":
            self.known = set()
        elif kind in ("play", "hide"):
            if kind == "play" or mine:
                self.known.add(event[2])
        elif (
            kind == "burned"
            or (kind == "dealt" and mine and not event[3])
            or (kind in ("passed", "shown") and ours)
        ):
            self.known.update(event[2])


@pytest.mark.rule("BT-7.1")
@pytest.mark.parametrize("batch", range(3))
def test_no_seat_is_shown_a_card_it_may_not_know(batch: int) -> None:
    random = Random(batch)
    for _ in range(15):
        knowledge = {viewer: Knowledge(viewer) for viewer in VIEWERS}
        for state, _, _, events in playout(TRUCO, random_rules(random), random):
            for viewer, knows in knowledge.items():
                for event in events:
                    knows.hear(event)
                    assert cards_in(TRUCO.view_event(event, viewer)) <= knows.known
                seen = state.observation(viewer)
                assert cards_in(seen) <= knows.known
                if seen["phase"] not in ("deal", "over", "dealer"):
                    assert cards_in(seen) == knows.known


@pytest.mark.rule("BT-7.1")
def test_an_observation_has_these_fields_and_no_others() -> None:
    random = Random(4)
    for _ in range(20):
        for state, _, _, _ in playout(TRUCO, random_rules(random), random):
            for viewer in VIEWERS:
                seen = state.observation(viewer)
                assert set(seen) == FIELDS
                if viewer is None or seen["elevens"] == [0, 1]:
                    assert seen["hand"] == []
                else:
                    assert len(seen["hand"]) == seen["held"][viewer]
                assert json.loads(json.dumps(seen)) == seen


@pytest.mark.rule("BT-7.1")
def test_an_observation_shows_the_hand_so_far() -> None:
    state = game_at(2, 1)
    do(state, hands("4C5D6D", "4H5H6H", "4S5S6S", "3C6CQC"), "keep", "5D", "4H", "4S", "x3C", "x4C", "truco")
    do(state, "raise:6")
    plain = {"from": None, "gesture": None}
    assert state.observation(3) == {
        "seat": 3,
        "hand_number": 4,
        "score": [2, 1],
        "phase": "answer",
        "awaiting": [3],
        "dealer": 3,
        "forehand": 0,
        "stake": 3,
        "elevens": [],
        "vira": None,
        "manilhas": ["4C", "7H", "AS", "7D"],
        "right": 1,
        "passed": False,
        "burned": [],
        "held": [1, 2, 2, 2],
        "tricks": [
            {
                "leader": 0,
                "plays": [
                    {"seat": 0, "face_down": False, "card": "5D"},
                    {"seat": 1, "face_down": False, "card": "4H"},
                    {"seat": 2, "face_down": False, "card": "4S"},
                    {"seat": 3, "face_down": True, "card": "3C"},
                ],
                "over": True,
                "winner": 0,
            },
            {
                "leader": 0,
                "plays": [{"seat": 0, "face_down": True, "card": None}],
                "over": False,
                "winner": None,
            },
        ],
        "truco": {
            "seat": 1,
            "team": 1,
            "trick": 1,
            "on_table": 1,
            "proposer": 2,
            "value": 6,
            "pending": True,
            "deferred": False,
        },
        "eleven_deferred": False,
        "extra_trick": False,
        "signals": [],
        "calls": [
            {"seat": 0, "said": "keep", "value": None, "trick": 0, "on_table": 0, **plain},
            {"seat": 1, "said": "truco", "value": 3, "trick": 1, "on_table": 1, **plain},
            {"seat": 2, "said": "raise", "value": 6, "trick": 1, "on_table": 1, **plain},
        ],
        "hand": ["6C", "QC"],
        "partner_dealt": [],
        "passed_cards": [],
    }


@pytest.mark.rule("BT-7.1")
def test_a_call_in_observations_before_and_after_its_answer() -> None:
    state = started(hands(*LOW))
    assert state.observation(None)["truco"] is None
    assert not state.answer_pending()
    do(state, "truco", "defer")
    truco = state.observation(None)["truco"]
    assert (truco["value"], truco["pending"], truco["deferred"], truco["proposer"]) == (3, True, True, 0)
    assert state.observation(None)["stake"] == 1
    assert state.answer_pending()
    do(state, "accept:3")
    truco = state.observation(None)["truco"]
    assert (truco["value"], truco["pending"], truco["deferred"], truco["on_table"]) == (3, False, False, 0)
    assert state.observation(None)["stake"] == 3


def differ_in_calls_alone(one: TrucoState, other: TrucoState) -> bool:
    """Whether the calls, and nothing else that a spectator sees, differ."""
    seen, also_seen = one.observation(None), other.observation(None)
    calls, also_calls = seen.pop("calls"), also_seen.pop("calls")
    assert seen == also_seen
    return bool(calls != also_calls)


@pytest.mark.rule("BT-7.1")
@pytest.mark.parametrize(
    ("said", "otherwise"),
    [
        (("truco", "accept:3", "4D"), ("truco", "defer", "accept:3", "4D")),
        (("truco", "raise:6", "defer", "raise:9"), ("truco", "defer", "raise:6", "raise:9")),
    ],
)
def test_calls_and_answers_are_seen_later(said: tuple[str, ...], otherwise: tuple[str, ...]) -> None:
    states = started(hands(*LOW)), started(hands(*LOW))
    do(states[0], *said)
    do(states[1], *otherwise)
    seen = [
        [f"{call['seat']} {call['said']}" for call in state.observation(2)["calls"][1:]] for state in states
    ]
    assert seen[0] != seen[1]
    assert [len(calls) for calls in seen] == [
        sum(action not in PACK for action in actions) for actions in (said, otherwise)
    ]


@pytest.mark.rule("BT-7.1", "BT-5.2")
def test_who_decided_at_eleven_is_seen_during_the_play() -> None:
    alone, deferred = (game_at(11, 4) for _ in range(2))
    do(alone, hands(*LOW), "accept:3")
    do(deferred, hands(*LOW), "defer", "accept:3")
    assert differ_in_calls_alone(alone, deferred)
    assert [(call["seat"], call["said"], call["value"]) for call in deferred.observation(1)["calls"]] == [
        (0, "keep", None),
        (0, "defer", None),
        (2, "accept", 3),
    ]


@pytest.mark.rule("BT-7.1", "BT-2.2")
def test_the_cut_is_seen_for_the_whole_hand() -> None:
    states = [new_game(cut="player") for _ in range(4)]
    for state, cut in zip(states, ("no_cut", "cut:17:top", "cut:18:top", "cut:17:bottom"), strict=True):
        do(state, pack_of(), cut)
    assert all(differ_in_calls_alone(states[0], state) for state in states[1:])
    assert differ_in_calls_alone(states[1], states[2])
    assert differ_in_calls_alone(states[1], states[3])
    assert states[3].observation(0)["calls"] == [
        {"seat": 2, "said": "cut", "value": 17, "trick": 0, "on_table": 0, "from": "bottom", "gesture": None}
    ]


@pytest.mark.rule("BT-7.1", "BT-2.3")
def test_the_order_of_passes_and_burns_is_seen() -> None:
    states = new_game(), new_game()
    do(states[0], pack_of("4D5D6D", "4H5H6H"), "pass", "burn")
    do(states[1], pack_of("4H5H6H", "4D5D6D"), "burn", "pass")
    assert differ_in_calls_alone(*states)
    assert [call["said"] for call in states[1].observation(3)["calls"]] == ["burn", "pass"]


@pytest.mark.rule("BT-7.1", "BT-6.2")
def test_a_gesture_has_its_place_among_the_cards() -> None:
    states = [started(hands(*LOW), signals="table") for _ in range(3)]
    for place, state in enumerate(states):
        for number, card in enumerate(("4D", "4H")):
            if number == place:
                state.apply(2, "signal:wink")
            do(state, card)
        if place == 2:
            state.apply(2, "signal:wink")
    assert differ_in_calls_alone(states[0], states[1])
    assert differ_in_calls_alone(states[1], states[2])


@pytest.mark.rule("BT-7.1", "BT-7.2")
@pytest.mark.parametrize("viewer", range(4))
def test_cards_that_a_seat_cannot_see_change_nothing_it_is_shown(viewer: int) -> None:
    random = Random(viewer)
    changed = 0
    for _ in range(25):
        rules = random_rules(random)
        log = [(seat, action) for _, seat, action, _ in playout(TRUCO, rules, random)]
        log = log[: random.randrange(3, len(log) + 1)]
        other = alternative_log(log, viewer, random, rules)
        if other is not None:
            changed += 1
            assert shown(rules, other, viewer) == shown(rules, log, viewer)
    assert changed > 20


def shown(rules: dict[str, Any], log: list[tuple[int, str]], viewer: int) -> list[Any]:
    """Everything the seat gets over the log."""
    state = TRUCO.new_state(rules)
    seen: list[Any] = []
    for seat, action in log:
        seen.append([TRUCO.view_event(event, viewer) for event in state.apply(seat, action)])
        seen.append((state.observation(viewer), tuple(state.legal_actions(viewer)), state.awaiting()))
    return seen


@pytest.mark.rule("BT-7.2")
def test_a_finished_hand_keeps_its_secrets() -> None:
    state = started(hands(*LOW))
    do(state, "x5D")
    events = do(state, "truco", "run:1")
    for viewer in VIEWERS:
        for event in events:
            assert not cards_in(TRUCO.view_event(event, viewer))
        assert not cards_in(state.observation(viewer))


@pytest.mark.rule("BT-7.2")
def test_the_log_of_the_record_reveals_everything() -> None:
    log = [(CHANCE, "dealer:3"), (CHANCE, hands(*LOW)), (0, "keep"), (0, "hide:5D")]
    state = TRUCO.new_state(TRUCO.options.complete({"cut": "none"}))
    events = [event for seat, action in log for event in state.apply(seat, action)]
    assert [event[2] for event in of_type(events, "dealt")] == [
        ("4D", "5D", "6D"),
        ("4H", "5H", "6H"),
        ("4S", "5S", "6S"),
        ("5C", "6C", "QC"),
    ]
    assert of_type(events, "hide") == [("hide", 0, "5D")]


@pytest.mark.rule("BT-7.3")
def test_a_late_seat_does_not_cut_keeps_and_runs() -> None:
    state = new_game(cut="player")
    do(state, hands(*LOW))
    assert state.default_action(2) == "no_cut"
    assert do(state, "no_cut")[0] == ("cut", 2, 0, "top")
    assert state.default_action(0) == "keep"
    do(state, "pass")
    assert state.default_action(0) == "keep"
    do(state, "keep", "truco")
    assert state.default_action(1) == "run:1"
    do(state, "defer")
    assert state.default_action(3) == "run:1"
    do(state, "raise:6")
    assert state.default_action(0) == "run:3"


@pytest.mark.rule("BT-7.3")
def test_a_late_seat_runs_at_eleven() -> None:
    state = game_at(4, 11)
    do(state, pack_of())
    assert state.default_action(1) == "run:1"
    do(state, "defer")
    assert state.default_action(3) == "run:1"


@pytest.mark.rule("BT-7.3")
@pytest.mark.parametrize(
    ("hand", "weakest"),
    [
        ("3C2CAC", "AC"),
        ("KCJCQC", "QC"),
        ("7C6C5C", "5C"),
        ("4S4H4C", "4S"),
        ("4S4H4D", "4D"),
        ("KCKHKS", "KS"),
        ("KCKH3D", "KH"),
        ("5S6D7D", "5S"),
        ("6C6D6H", "6D"),
        ("7C7S7D", "7S"),
        ("ASAC2D", "AC"),
        ("4C7H3D", "3D"),
        ("4C7HAS", "AS"),
        ("4C7H7D", "7D"),
    ],
)
def test_a_late_seat_plays_its_weakest_card_face_up(hand: str, weakest: str) -> None:
    state = started(hands(hand))
    assert state.default_action(0) == f"play:{weakest}"
    do(state, weakest)
    assert state.observation(0)["held"][0] == 2


@pytest.mark.rule("BT-7.3")
def test_the_table_acts_only_for_the_seat_that_is_awaited() -> None:
    state = started(hands(*LOW), signals="table")
    for seat in (1, 2, 3, CHANCE, 4):
        with pytest.raises(IllegalAction):
            state.default_action(seat)


@pytest.mark.rule("BT-7.3")
def test_a_resigned_seat_is_played_to_the_end() -> None:
    random = Random(9)
    for _ in range(10):
        state = TRUCO.new_state(random_rules(random))
        for current, _, _, _ in playout(TRUCO, state.rules.options, random):
            state = current
            while state.awaiting() == (2,):
                state.apply(2, state.default_action(2))
        assert state.outcome() is not None


@pytest.mark.rule("BT-7.4")
def test_a_last_card_that_can_only_be_played_is_played() -> None:
    state = started(hands("3C5D6D", "2C5H6H", "4S5S6S", "5C6CQC"), face_down="never")
    do(state, "3C", "2C", "4S", "5C", "5D", "5H", "5S", "6C")
    # Truco may still be called, so there are two actions.
    assert state.legal_actions(3) == ("play:QC", "truco")
    events = do(state, "truco", "accept:3")
    assert [event[:3] for event in of_type(events, "play")] == [
        ("play", 3, "QC"),
        ("play", 0, "6D"),
        ("play", 1, "6H"),
        ("play", 2, "6S"),
    ]
    assert last_result(events) == (1, 3)
    assert state.awaiting() == (CHANCE,)


@pytest.mark.rule("BT-7.4")
def test_only_the_rest_of_the_last_trick_is_skipped_after_the_call() -> None:
    state = started(hands("3C5D6D", "2C5H6H", "4S5S6S", "5C6CQC"), face_down="never")
    do(state, "3C", "2C", "4S", "5C", "5D", "5H", "5S", "6C", "QC", "6D")
    assert state.awaiting() == (1,)
    events = do(state, "truco", "defer", "accept:3")
    assert [event[1] for event in of_type(events, "play")] == [1, 2]


@pytest.mark.rule("BT-7.4")
@pytest.mark.parametrize("option", ["any", "after_first_trick"])
def test_a_last_card_that_could_be_hidden_is_a_turn(option: str) -> None:
    state = started(hands("3C5D6D", "2C5H6H", "4S5S6S", "5C6CQC"), face_down=option)
    do(state, "3C", "2C", "4S", "5C", "5D", "5H", "5S", "6C", "truco", "accept:3")
    assert state.awaiting() == (3,)
    assert state.legal_actions(3) == ("play:QC", "hide:QC")


@pytest.mark.rule("BT-7.4")
def test_the_last_trick_at_eleven_plays_itself_if_no_seat_may_hide() -> None:
    state = game_at(11, 4, face_down="never")
    do(state, hands("3C5D6D", "2C5H6H", "4S5S6S", "5C6CQC"), "accept:3")
    events = do(state, "3C", "2C", "4S", "5C", "5D", "5H", "5S", "6C")
    assert len(of_type(events, "play")) == 12
    assert state.awaiting() == (CHANCE,)


@pytest.mark.rule("BT-7.4", "BT-6.2")
def test_nothing_is_skipped_while_a_signal_is_open() -> None:
    state = started(hands("3C5D6D", "2C5H6H", "4S5S6S", "5C6CQC"), face_down="never", signals="table")
    do(state, "3C", "2C", "4S", "5C", "5D", "5H", "5S", "6C", "truco", "accept:3")
    assert state.awaiting() == (3,)
    for seat in range(3):
        assert state.apply(seat, "signal:wink") == [("signal", seat, "wink")]
    assert state.awaiting() == (3,)
    events = state.apply(3, "signal:wink")
    assert len(of_type(events, "play")) == 4
    assert state.awaiting() == (CHANCE,)


@pytest.mark.rule("BT-7.4")
def test_forced_moves_are_events_but_not_actions() -> None:
    """Whoever has only the logged actions gets the same game."""
    random = Random(11)
    forced = 0
    for _ in range(60):
        rules = {**random_rules(random), "face_down": "never", "signals": "off", "max_burns": 0}
        log, happened = [], []
        for _, seat, action, events in playout(TRUCO, rules, random):
            log.append((seat, action))
            happened += events
        forced += len(of_type(happened, "play")) - sum(action.startswith("play:") for _, action in log)
        forced += len(of_type(happened, "kept")) - sum(action == "keep" for _, action in log)
        state = TRUCO.new_state(rules)
        assert [event for seat, action in log for event in state.apply(seat, action)] == happened
    assert forced > 20


def every_reachable_state(seed: int) -> list[TrucoState]:
    """States of random games under random rules."""
    random = Random(seed)
    found = []
    for _ in range(30):
        for state, _, _, _ in playout(TRUCO, random_rules(random), random):
            if random.random() < 0.3:
                found.append(state.clone())
    return found


@pytest.mark.rule("BT-7.4")
def test_a_seat_has_no_turn_without_a_decision() -> None:
    for state in every_reachable_state(3):
        awaited = state.awaiting()
        if awaited and awaited != (CHANCE,):
            rights = any(state.legal_actions(seat) for seat in range(4) if seat not in awaited)
            assert len(state.legal_actions(awaited[0])) > 1 or rights


def test_a_state_comes_back_from_an_observation_and_what_it_hides() -> None:
    for state in every_reachable_state(1):
        for viewer in VIEWERS:
            seen = state.observation(viewer)
            hidden = {
                "hands": {seat: list(state.observation(seat)["hand"]) for seat in range(4) if seat != viewer},
                "face_down": [
                    [index, play["seat"], play["card"]]
                    for seat in range(4)
                    if seat != viewer
                    for index, trick in enumerate(state.observation(seat)["tricks"])
                    for play in trick["plays"]
                    if play["face_down"] and play["seat"] == seat
                ],
                "rest": [PACK[number] for number in state.undealt()],
            }
            back = TRUCO.from_observation(state.rules.options, seen, hidden)
            assert back.serialise() == state.serialise()
            assert [back.legal_actions(seat) for seat in range(4)] == [
                state.legal_actions(seat) for seat in range(4)
            ]


@pytest.mark.parametrize(
    "change",
    [
        {"hands": {}},
        {"hands": {1: ["4D"], 2: ["7H"], 3: ["7D"]}},
        {"hands": {1: ["6D", "QD"], 2: ["AS", "4S"], 3: ["7D", "7S", "3H"]}},
        {"hands": {1: ["3S", "QD"], 2: ["AS", "4S"], 3: ["7D", "7S", "9H"]}},
        {"face_down": []},
        {"face_down": [[0, 1, "7S"]]},
        {"face_down": [[0, 2, "2D"]]},
    ],
)
def test_hidden_cards_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    state = started(hands("4D5D6D", "7H"))
    do(state, "4D", "x7H", "truco", "accept:3")
    seen = state.observation(0)
    hidden = {
        "hands": {1: ["3S", "QD"], 2: ["AS", "4S", "KD"], 3: ["7D", "7S", "3H"]},
        "face_down": [[0, 1, "2D"]],
        "rest": [],
    }
    assert TRUCO.from_observation(state.rules.options, seen, hidden).observation(0) == seen
    with pytest.raises(ArenaError) as raised:
        TRUCO.from_observation(state.rules.options, seen, {**hidden, **change})
    assert raised.value.code == "invalid_assignment"


def test_the_partners_known_cards_stay_with_the_partner() -> None:
    state = new_game()
    do(state, pack_of("4C5C6C", "4D5D6D"), "pass", "keep")
    seen = state.observation(0)
    hidden = {
        "hands": {1: ["7H", "7S", "7D"], 2: ["4C", "5C", "2C"], 3: ["2D", "2H", "2S"]},
        "face_down": [],
        "rest": [],
    }
    with pytest.raises(ArenaError, match="dealt different cards"):
        TRUCO.from_observation(state.rules.options, seen, hidden)
