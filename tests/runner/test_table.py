"""Turns, repeated answers, faults and snapshots of one game."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from arena.errors import IllegalAction
from arena.games import GAMES
from arena.play.faults import FAULT_LIMIT
from arena.play.table import StaleTurn, Table, TurnAlreadyAnswered, UnknownTurn, parse_turn_id, turn_id
from arena.records.record import build_record
from arena.records.verify import verify

SEED = bytes(range(32))
kinds = pytest.mark.parametrize("kind", sorted(GAMES))


def new_table(kind: str, **rules: Any) -> Table:
    table = Table("g1", kind, rules, SEED)
    table.start()
    return table


def step(table: Table, random: Random) -> tuple[int, int, str]:
    """Answer the turn of the awaited seat at random; returns seat, turn number and action."""
    seat = table.awaited()[0]
    number = table.turn_number(seat)
    action = random.choice(table.legal_actions(seat))
    table.submit(seat, number, action)
    return seat, number, action


@kinds
def test_a_game_by_turns_ends_in_a_record_that_verifies(kind: str) -> None:
    table = new_table(kind)
    random = Random(1)
    while not table.is_over():
        step(table, random)
    record = build_record(table, players=[("a", "1")] * table.size)
    assert verify(record) == []


@kinds
def test_the_turn_id_changes_only_with_the_seat_and_its_own_actions(kind: str) -> None:
    table = new_table(kind)
    random = Random(2)
    changes = 0
    while not table.is_over() and changes < 300:
        before = {seat: (table.turn_number(seat), table.legal_actions(seat)) for seat in range(table.size)}
        actor, _, _ = step(table, random)
        for seat, (number, legal) in before.items():
            same = seat != actor and table.legal_actions(seat) == legal
            assert (table.turn_number(seat) == number) == same or not table.legal_actions(seat)
            changes += not same


def test_a_knock_sent_while_another_seat_plays_still_counts() -> None:
    table = new_table("toepen", max_exchanges=0)
    first = table.awaited()[0]
    knocker = (first + 2) % 4
    number = table.turn_number(knocker)
    assert table.turn(knocker)["optional"] is True  # type: ignore[index]
    card = next(a for a in table.legal_actions(first) if a.startswith("play"))
    table.submit(first, table.turn_number(first), card)
    assert table.turn_number(knocker) == number
    table.submit(knocker, number, "knock:2")
    assert table.actions[-1] == (knocker, "knock:2", None)


def gestures_of(table: Table) -> dict[int, int]:
    """The turn numbers of the seats that may only make a gesture."""
    return {
        seat: table.turn_number(seat)
        for seat in table.seats_with_turns()
        if all(action.startswith("signal:") for action in table.legal_actions(seat))
    }


def shown_of(table: Table) -> list[tuple[int, int]]:
    """By whom gestures were made in the present hand, and in which trick."""
    return [(signal["seat"], signal["trick"]) for signal in table.state.observation(None)["signals"]]


def test_a_gesture_offered_in_one_hand_is_refused_in_the_next() -> None:
    table = new_table("truco", cut="none", signals="table")
    forehand = table.awaited()[0]
    table.submit(forehand, table.turn_number(forehand), "keep")
    table.submit(forehand, table.turn_number(forehand), "truco")
    offered = gestures_of(table)
    asked = table.awaited()[0]
    table.submit(asked, table.turn_number(asked), "run:1")
    assert table.state.observation(None)["hand_number"] == 2
    for seat, number in offered.items():
        with pytest.raises(StaleTurn) as gone:
            table.submit(seat, number, "signal:wink")
        assert gone.value.extra["reason"] == "superseded"
    assert shown_of(table) == []


def test_a_gesture_offered_in_one_trick_is_refused_in_the_next() -> None:
    table = new_table("truco", cut="none", signals="table")
    table.submit(table.awaited()[0], table.turn_number(table.awaited()[0]), "keep")
    for _ in range(3):
        before = gestures_of(table)
        seat = table.awaited()[0]
        table.submit(seat, table.turn_number(seat), table.legal_actions(seat)[0])
        unchanged = gestures_of(table).items() & before.items()
        assert len(unchanged) == 2, "a card of another seat ended the offer"
    seat = table.awaited()[0]
    offered = gestures_of(table)
    table.submit(seat, table.turn_number(seat), table.legal_actions(seat)[0])
    for other, number in offered.items():
        with pytest.raises(StaleTurn):
            table.submit(other, number, "signal:wink")
    fresh = next(iter(gestures_of(table).items()))
    table.submit(*fresh, "signal:wink")
    assert shown_of(table) == [(fresh[0], 1)]


def test_a_gesture_offered_before_the_deal_is_refused_after_it() -> None:
    table = new_table("truco", signals="table")
    offered = gestures_of(table)
    cutter = table.awaited()[0]
    table.submit(cutter, table.turn_number(cutter), "no_cut")
    forehand = table.awaited()[0]
    assert forehand in offered
    table.submit(forehand, table.turn_number(forehand), "keep")
    for seat, number in offered.items():
        with pytest.raises(StaleTurn):
            table.submit(seat, number, "signal:wink")
    assert shown_of(table) == []


def test_a_knock_offered_in_one_hand_is_refused_in_the_next() -> None:
    table = new_table("toepen", max_exchanges=0, knocking="anytime")
    while True:
        hand = table.state.observation(None)["hand_number"]
        seat = table.awaited()[0]
        offered = {
            other: table.turn_number(other)
            for other in table.seats_with_turns()
            if other != seat and table.legal_actions(other) == ("knock:2",)
        }
        table.submit(seat, table.turn_number(seat), table.legal_actions(seat)[0])
        if table.state.observation(None)["hand_number"] > hand:
            break
    assert offered
    for other, number in offered.items():
        with pytest.raises(StaleTurn):
            table.submit(other, number, "knock:2")


@kinds
def test_an_open_right_belongs_to_what_it_was_offered_for(kind: str) -> None:
    """Whatever changes a hand or a trick makes new turns, also after the table was stored."""
    table = new_table(kind, **({"signals": "table"} if kind == "truco" else {"max_exchanges": 0}))
    random = Random(7)
    open_for: dict[tuple[int, int], object] = {}
    for _ in range(400):
        if table.is_over():
            break
        for seat in table.seats_with_turns():
            right = table.state.right_of(seat)
            assert open_for.setdefault((seat, table.turn_number(seat)), right) == right
        table = Table.restore(json.loads(json.dumps(table.snapshot())))
        step(table, random)


def ruin(value: Any) -> None:
    """Change every list and every dictionary in ``value``."""
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            ruin(inner)
    if isinstance(value, dict):
        for key in value:
            value[key] = "ruined"
        value["ruined"] = True
    else:
        value[:] = ["ruined"]


@kinds
@pytest.mark.parametrize("signals", ["off", "table"])
def test_a_bot_cannot_write_into_the_table(kind: str, signals: str) -> None:
    rules = {"signals": signals} if kind == "truco" else {"whistling": signals == "table"}
    table, untouched = new_table(kind, **rules), new_table(kind, **rules)
    random = Random(8)
    while not table.is_over():
        for seat in table.seats_with_turns():
            turn = table.turn(seat)
            assert turn is not None
            ruin(turn)
            ruin(table.views(seat))
            with pytest.raises(IllegalAction) as refused:
                table.submit(seat, table.turn_number(seat), "cheat")
            ruin(refused.value.extra)
            assert table.turn(seat) == untouched.turn(seat)
        ruin(table.views(None))
        ruin(table.state.observation(None))
        assert table.snapshot() == untouched.snapshot()
        assert table.rules == untouched.rules
        seat, number, action = step(table, random)
        untouched.submit(seat, number, action)
    ours, theirs = (build_record(one, players=[("a", "1")] * one.size) for one in (table, untouched))
    assert ours == theirs
    assert verify(ours) == []


@kinds
def test_the_same_answer_again_returns_the_first_result(kind: str) -> None:
    table = new_table(kind)
    seat, number, action = step(table, Random(3))
    before = json.dumps(table.snapshot())
    answered = table.submit(seat, number, action)
    assert (answered.number, answered.action, answered.mark) == (number, action, None)
    with pytest.raises(TurnAlreadyAnswered, match="answered with"):
        table.submit(seat, number, "something else")
    assert json.dumps(table.snapshot()) == before


@kinds
def test_an_answer_to_a_closed_turn_gives_the_reason(kind: str) -> None:
    table = new_table(kind)
    seat = table.awaited()[0]
    number = table.turn_number(seat)
    table.act_for(seat, "clock")
    with pytest.raises(StaleTurn) as by_clock:
        table.submit(seat, number, "keep")
    assert by_clock.value.extra["reason"] == "clock"
    with pytest.raises(StaleTurn) as gone:
        table.submit(seat, 0, "keep")
    assert gone.value.extra["reason"] == "superseded"
    with pytest.raises(UnknownTurn):
        table.submit(seat, 10_000, "keep")


@kinds
def test_three_faults_and_the_table_plays_on(kind: str) -> None:
    table = new_table(kind)
    seat = table.awaited()[0]
    for count in range(1, FAULT_LIMIT + 1):
        with pytest.raises(IllegalAction):
            table.submit(seat, table.turn_number(seat), "cheat")
        assert table.fault(seat, "illegal", "cheat") == (count == FAULT_LIMIT)
    assert table.taken_over == {seat: "forfeit"}
    assert table.legal_actions(seat) == ()
    assert table.turn(seat) is None
    random = Random(4)
    while not table.is_over():
        assert step(table, random)[0] != seat
    outcome = table.outcome()
    assert outcome is not None
    assert outcome.forfeits == (seat,)
    assert outcome.places[seat] == max(outcome.places)
    assert verify(build_record(table, players=[("a", "1")] * table.size)) == []


@kinds
def test_when_all_resign_the_game_ends_at_once(kind: str) -> None:
    table = new_table(kind)
    for seat in range(table.size):
        table.resign(seat)
    assert table.is_over()
    assert verify(build_record(table, players=[("a", "1")] * table.size)) == []


@kinds
def test_a_snapshot_restores_the_same_table(kind: str) -> None:
    table = new_table(kind)
    random = Random(5)
    log = list(table.actions)
    count = 0
    while not table.is_over() and count < 200:
        count += 1
        back = Table.restore(json.loads(json.dumps(table.snapshot())))
        assert back.snapshot() == table.snapshot()
        for seat in range(table.size):
            assert back.turn(seat) == table.turn(seat)
        table = back
        step(table, random)
        log += table.actions
    while not table.is_over():
        done = len(table.actions)
        step(table, random)
        log += table.actions[done:]
    assert verify(build_record(table, players=[("a", "1")] * table.size, actions=log)) == []


@kinds
def test_a_turn_shows_what_happened_from_the_seats_own_last_action_on(kind: str) -> None:
    table = new_table(kind)
    random = Random(6)
    acted_at: dict[int, int] = {}
    while not table.is_over():
        seat = table.awaited()[0]
        turn = table.turn(seat)
        assert turn is not None
        start = acted_at.get(seat, 0)
        assert turn["events"] == table.views(seat, start)
        assert start == 0 or (turn["events"][0]["n"], turn["events"][0]["seat"]) == (start, seat)
        acted_at[seat] = table.first_event + len(table.events)
        step(table, random)


def test_turn_ids_are_read_back() -> None:
    assert parse_turn_id(turn_id("a.b-c", 2, 17)) == ("a.b-c", 2, 17)
    for text in ("", "g", "g.1", "g.x.1", "g.1.-1", ".1.1", "g.1.1٣"):
        with pytest.raises(UnknownTurn):
            parse_turn_id(text)
