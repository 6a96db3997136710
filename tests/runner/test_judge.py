"""The judge of answers, and what follows from faults."""

from __future__ import annotations

import json

import pytest

from arena.games import GAMES
from arena.play.faults import FAULT_LIMIT, FAULTS
from arena.play.judge import (
    AcceptedAnswer,
    FaultyAnswer,
    RefusedAnswer,
    fail,
    fault_in,
    judge,
    seats_with_rights,
)
from arena.play.table import Table
from arena.text import printable

SEED = bytes(range(32))
kinds = pytest.mark.parametrize("kind", sorted(GAMES))


def new_table(kind: str, **rules: object) -> Table:
    table = Table("g1", kind, rules, SEED)
    table.start()
    return table


@kinds
def test_a_legal_answer_is_accepted_once_and_again(kind: str) -> None:
    table = new_table(kind)
    seat = table.awaited()[0]
    number, action = table.turn_number(seat), table.legal_actions(seat)[0]
    first = judge(table, seat, number, action)
    again = judge(table, seat, number, action)
    assert isinstance(first, AcceptedAnswer)
    assert isinstance(again, AcceptedAnswer)
    assert (first.repeated, again.repeated) == (False, True)
    assert first.answered == again.answered == (number, action, None, table.logged)
    assert table.faults == []


@kinds
@pytest.mark.parametrize(
    ("answer", "fault", "code", "detail"),
    [
        ("play:XX", "illegal", "illegal_action", "play:XX"),
        ("\x1b[2J" * 200, "illegal", "illegal_action", printable("\x1b[2J" * 200, 200)),
        (7, "malformed", "malformed", "int is not an action"),
        (None, "malformed", "malformed", "NoneType is not an action"),
    ],
)
def test_a_bad_answer_is_a_fault_and_the_turn_stays_open(
    kind: str, answer: object, fault: str, code: str, detail: str
) -> None:
    table = new_table(kind)
    seat = table.awaited()[0]
    number, legal, logged = table.turn_number(seat), table.legal_actions(seat), table.logged
    for count in range(1, FAULT_LIMIT + 1):
        assert (table.turn_number(seat), table.legal_actions(seat), table.logged) == (number, legal, logged)
        verdict = judge(table, seat, number, answer)
        assert isinstance(verdict, FaultyAnswer)
        assert (verdict.error.code, verdict.forfeited) == (code, count == FAULT_LIMIT)
        assert (table.faults[-1].type, len(table.faults)) == (fault, count)
        assert table.faults[-1].detail == detail
    assert fault_in(answer, legal) == fault
    assert table.forfeits == [seat]


@kinds
@pytest.mark.parametrize(
    ("number", "answer", "code"),
    [(0, "keep", "stale_turn"), (0, 7, "malformed"), (999, "keep", "unknown_turn")],
)
def test_an_answer_to_a_turn_that_is_not_open_is_not_a_fault(
    kind: str, number: int, answer: object, code: str
) -> None:
    table = new_table(kind)
    before = json.dumps(table.snapshot())
    verdict = judge(table, table.awaited()[0], number, answer)
    assert isinstance(verdict, RefusedAnswer)
    assert verdict.error.code == code
    assert json.dumps(table.snapshot()) == before


@kinds
@pytest.mark.parametrize("fault", FAULTS)
def test_the_table_of_faults_decides_what_follows(kind: str, fault: str) -> None:
    table = new_table(kind)
    seat = table.awaited()[0]
    logged, default = len(table.actions), table.state.default_action(seat)
    assert not fail(table, seat, fault, "why")
    added = table.actions[logged : logged + 1]
    mark = FAULTS[fault]
    assert added == ([] if mark is None else [(seat, default, mark)])
    assert [(one.seat, one.type, one.detail) for one in table.faults] == [(seat, fault, "why")]


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_replaces_the_use_of_a_right(fault: str) -> None:
    table = new_table("toepen", max_exchanges=0)
    logged = table.logged
    seat = next(seats_with_rights(table))
    assert not fail(table, seat, fault, "why")
    assert table.logged == logged


def test_rights_are_offered_from_the_seat_after_the_one_to_play() -> None:
    table = new_table("toepen", max_exchanges=0)
    to_play = table.awaited()[0]
    assert list(seats_with_rights(table)) == [(to_play + step) % 4 for step in (1, 2, 3)]
    knocker = (to_play + 2) % 4
    judge(table, knocker, table.turn_number(knocker), "knock:2")
    assert table.state.answer_pending()
    assert list(seats_with_rights(table)) == []
