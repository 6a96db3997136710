"""The ledger: whatever the order and however often it is stored, it gives one board."""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import pytest

from arena.games.toepen.titles import Style
from arena.ratings.board import board, ledger_board
from arena.ratings.ledger import InvalidLedger, Ledger, PlayerTotals
from arena.ratings.results import GroupResult
from tests.ratings.made_up import group, league, player

FOLDER = Style(folds=3, fold_opportunities=4)
KING = Style(hands_won=4, longest_run=3)


def season() -> list[GroupResult]:
    """Tables of several sizes, ties, forfeits of one and of two, several versions."""
    groups = league(4)
    for number in range(6):
        groups += [
            group(f"t{number}", "rookie a b c", "1234", "1224", "2111", "4123", finished_ms=1000 + number),
            group(f"u{number}", "a@2 b rookie@2", "123", "321", "112", styles=[(KING, FOLDER, Style())] * 3),
            group(f"f{number}", "b c", "12", "11", forfeits=[(0,), ()], faults=[(3, 1), (0, 0)]),
        ]
    return [*groups, group("both", "a c b", "123", "132", "213", forfeits=[(0,), (1,), ()])]


def ledger_of(groups: Sequence[GroupResult], kind: str = "toepen") -> Ledger:
    ledger = Ledger(kind, "sealed")
    for own in groups:
        ledger.add(own)
    return ledger


def published(ledger: Ledger) -> str:
    return json.dumps(ledger_board(ledger, replicates=40).as_json())


def test_the_order_of_adding_does_not_matter() -> None:
    expected = published(ledger_of(season()))
    for seed in range(5):
        groups = season()
        random.Random(seed).shuffle(groups)
        assert published(ledger_of(groups)) == expected


def test_storing_between_batches_changes_nothing() -> None:
    groups = season()
    random.Random(9).shuffle(groups)
    expected = published(ledger_of(groups))
    ledger = Ledger("toepen", "sealed")
    for start in range(0, len(groups), 7):
        ledger = Ledger.from_bytes(ledger.to_bytes())
        for own in groups[start : start + 7]:
            assert ledger.add(own)
    assert published(ledger) == expected
    assert published(Ledger.from_bytes(ledger.to_bytes())) == expected


def test_ledgers_round_trip_through_bytes() -> None:
    for ledger in (ledger_of(season()), Ledger("truco", "open")):
        data = ledger.to_bytes()
        again = Ledger.from_bytes(data)
        assert again.to_bytes() == data
        assert (again.board, again.groups) == (ledger.board, ledger.groups)
        assert (again.records, again.totals) == (ledger.records, ledger.totals)
        assert again.records_hash() == ledger.records_hash()


def test_a_group_is_taken_once() -> None:
    groups = season()
    ledger = ledger_of(groups)
    before = published(ledger)
    assert [ledger.add(own) for own in groups] == [False] * len(groups)
    assert not Ledger.from_bytes(ledger.to_bytes()).add(groups[3])
    assert published(ledger) == before
    assert ledger.groups == len(groups)
    assert ledger.records == len({game.hash for own in groups for game in own.games})


def test_groups_that_do_not_count_change_nothing() -> None:
    ledger = Ledger("toepen", "sealed")
    others = [
        group("x", "a b a b", "1212", "1212", kind="truco"),
        group("x", "a b", "12", "12", mirrored=False),
        group("x", "a b", "12", size=2),
        group("x", "a b", "12", "12", annulled=True),
        group("x", "a a", "12", "12"),
    ]
    assert [ledger.add(own) for own in others] == [False] * len(others)
    assert ledger.to_bytes() == Ledger("toepen", "sealed").to_bytes()
    assert ledger.records_hash() == sha256(b"").digest()


def test_totals_are_counted_for_players_for_whom_the_group_counts() -> None:
    ledger = ledger_of(
        [
            group(1, "a b", "12", "12", faults=[(0, 1), (2, 0)], finished_ms=500),
            group(2, "a b", "12", "21", forfeits=[(1,), ()], faults=[(1, 3), (2, 0)], finished_ms=900),
            group(3, "a b", "12", "12", styles=[(KING, FOLDER), (FOLDER, KING)], finished_ms=700),
        ]
    )
    # Seats move on by one: in game 1 of a group seat 0 is b's.
    # For a, game 0 of group 2 does not count.
    assert ledger.totals[player("a")] == PlayerTotals(3, 5, 0, 0, 5, 900, Counter(king_games=2))
    assert ledger.totals[player("b")] == PlayerTotals(
        3, 6, 8, 1, 5, 900, Counter(folds=6, fold_opportunities=8)
    )


def test_sides_are_teams_and_partners_who_are_one_bot_are_one() -> None:
    ledger = ledger_of(
        [
            group(1, "a b a b", "1212", "2121", kind="truco"),
            group(2, "a b c d", "1212", "1212", kind="truco"),
            group(3, "a b a c", "1212", "1212", kind="truco"),
        ],
        "truco",
    )
    numbers = {player(name): number for number, name in enumerate("abcd")}
    blocks = ledger.blocks(numbers)
    sides = {block.sides.shape[1:]: block.sides.tolist() for block in blocks}
    assert sides[2, 1] == [[[0], [1]]]
    assert sorted(map(sorted, sides[2, 2])) == [[[0, 0], [1, 2]], [[0, 2], [1, 3]]]
    (single,) = [block for block in blocks if block.sides.shape[1:] == (2, 1)]
    assert single.places.tolist() == [[[1, 2], [2, 1]]]
    assert {block.losers for block in blocks} == {None}


def test_a_forfeited_group_is_a_row_per_forfeiter() -> None:
    ledger = ledger_of([group("g", "a b c", "123", "213", "321", forfeits=[(0,), (1,), ()])])
    numbers = {player(name): number for number, name in enumerate("abc")}
    finished, block = ledger.blocks(numbers)
    assert block.losers is not None
    assert finished.leavers is not None
    assert (finished.leavers.tolist(), finished.places.tolist()) == ([[0, 2]], [[[3, 2, 1]]])
    # In game 1 seat 1 is c's. Who forfeited in the same game shares the last place.
    rows = {int(loser): places.tolist() for loser, places in zip(block.losers, block.places, strict=True)}
    assert rows[0] == [[3, 1, 2], [2, 1, 2], [3, 2, 1]]
    assert rows[2] == [[2, 1, 2], [2, 1, 3], [2, 1, 3]]


def test_the_board_is_the_same_as_from_all_groups_at_once() -> None:
    groups = season()
    once = json.dumps(board(groups[::-1] + groups, "toepen", "sealed", replicates=40).as_json())
    assert published(ledger_of(groups)) == once


def npz(**columns: object) -> bytes:
    out = io.BytesIO()
    np.savez(out, **columns)  # type: ignore[arg-type]
    return out.getvalue()


def text(value: object) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


GOOD = ledger_of(season()).to_bytes()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK",
        b"not a ledger",
        GOOD[: len(GOOD) // 2],
        GOOD[:-10],
        npz(x=np.zeros(3)),
        npz(meta=text([])),
        npz(meta=text({"version": 0})),
        npz(
            meta=text({"version": 4, "kind": "toepen", "division": "sealed", "groups": 1, "players": [["a"]]})
        ),
        npz(meta=np.array([{"pickled": 1}], dtype=object)),
    ],
)
def test_bytes_that_are_not_a_ledger_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidLedger) as raised:
        Ledger.from_bytes(data)
    assert raised.value.code == "invalid_ledger"
    assert "invalid ledger" in str(raised.value)


def test_a_single_array_is_not_a_ledger() -> None:
    out = io.BytesIO()
    np.save(out, np.zeros(3))
    with pytest.raises(InvalidLedger):
        Ledger.from_bytes(out.getvalue())
