"""Luck in results, standings, comparisons and boards."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from arena.bots import bot_spec
from arena.games import game_of
from arena.luck.equity import TABLES_VERSION, table_of
from arena.luck.games import millionths
from arena.luck.share import FITTED_FROM, LuckShare, without_luck
from arena.play.players import PlayerId
from arena.play.stats import mean_interval
from arena.ratings.board import Board, board
from arena.ratings.ledger import InvalidLedger, Ledger
from arena.ratings.results import GroupResult, Results, collect
from arena.ratings.standings import Standings, standings
from arena.records.record import dumps, parse_record
from arena.tournaments.comparison import luck_in_margin
from arena.tournaments.sealed import LocalGroup, PlayedGroup, play_local_group
from tests.ratings.made_up import group, player
from tests.runner.test_play import botequim


def lucky_group(number: int, *places: str, lucks: tuple[int | None, ...], **more: Any) -> GroupResult:
    return group(number, "a b", *places, lucks=lucks, preset="duel@1", **more)


def test_the_luck_of_a_player_in_a_group() -> None:
    # In the second game the players have changed seats, so the luck of the first team is that of b.
    own = lucky_group(1, "12", "12", lucks=(300_000, 100_000))
    assert own.luck(player("a")) == pytest.approx(0.1)
    assert own.luck(player("b")) == pytest.approx(-0.1)
    assert GroupResult.from_json(json.loads(json.dumps(own.as_json()))).luck(player("a")) == pytest.approx(
        0.1
    )
    assert luck_in_margin(own, player("a")) == pytest.approx(0.2)
    unknown = lucky_group(1, "12", "12", lucks=(300_000, None))
    assert unknown.luck(player("a")) is None
    assert luck_in_margin(unknown, player("a")) is None
    forfeited = lucky_group(1, "12", "12", lucks=(300_000, 100_000), forfeits=[(1,), ()])
    assert forfeited.luck(player("b")) == 0.0
    # For the other one only the finished game counts.
    assert forfeited.luck(player("a")) == pytest.approx(-0.1)


def test_luck_of_other_tables_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = json.loads(json.dumps(lucky_group(1, "12", "12", lucks=(300_000, 100_000)).as_json()))
    ledger = Ledger("toepen", "sealed", "duel@1")
    ledger.add(GroupResult.from_json(stored))
    rows = ledger.to_bytes()
    assert Ledger.from_bytes(rows).groups == 1
    for game in stored[7]:
        assert game.pop() == TABLES_VERSION
    # As versions of the program stored it that had no version of the tables.
    found = GroupResult.from_json(stored)
    assert found.luck(player("a")) is None
    assert found.score(player("a")) == 1.0
    for game in stored[7]:
        game.append(TABLES_VERSION - 1)
    assert GroupResult.from_json(stored).luck(player("a")) is None
    monkeypatch.setattr("arena.ratings.ledger.VERSION", f"5-{TABLES_VERSION - 1}")
    with pytest.raises(InvalidLedger):
        Ledger.from_bytes(rows)


def slope(values: Any, lucks: Any) -> float:
    """The regression coefficient of the values, from 0 to 1."""
    return float(np.clip(np.polyfit(lucks, values, 1)[0], 0, 1))


def test_the_share_is_fitted_to_the_other_groups() -> None:
    random = np.random.default_rng(1)
    lucks = random.normal(0, 0.3, 40)
    for part in (-0.5, 0.0, 0.4, 1.0, 1.6):
        values = part * lucks + random.normal(0, 0.1, 40)
        found = without_luck(values.tolist(), lucks.tolist())
        fitted = LuckShare()
        for number, (value, luck) in enumerate(zip(values, lucks, strict=True)):
            others = [other for other in range(40) if other != number]
            share = slope(values[others], lucks[others])
            assert found[number] == pytest.approx(value - share * luck)
            if number >= FITTED_FROM:
                assert fitted.share == pytest.approx(slope(values[:number], lucks[:number]))
            else:
                assert fitted.share == 1.0
            fitted.add(value, luck)
    assert without_luck([0.5, 1.0], [0.1, -0.2]) == pytest.approx([0.4, 1.2])
    assert without_luck([1.0] * 20, [0.0] * 20) == [1.0] * 20


def test_standings_less_luck() -> None:
    groups = [
        lucky_group(number, "12", "12" if number % 3 else "21", lucks=(90_000 * (number % 3), 30_000))
        for number in range(9)
    ]
    found = standings(groups, byes={player("a"): 1})
    first, second = found.rows
    assert (first.name, first.byes) == ("a", 1)
    less = [own.score(player("a")) - (0.09 * (n % 3) - 0.03) / 2 for n, own in enumerate(groups)]
    assert first.adjusted == pytest.approx((sum(less) + 1) / 10)
    assert first.adjusted_half_width == pytest.approx(mean_interval(less)[1])
    assert second.adjusted == pytest.approx(1 - fmean(less))
    assert "less luck" in found.as_text()
    assert Standings.from_json(json.loads(json.dumps(found.as_json()))) == found
    wider = [lucky_group(number, "12", "12", lucks=(90_000 * number, 30_000)) for number in range(9)]
    assert [(row.adjusted, row.adjusted_half_width) for row in standings(wider).rows] == [(None, None)] * 2
    unknown = standings([*groups, lucky_group(9, "12", "12", lucks=(0, None))])
    assert [row.adjusted for row in unknown.rows] == [None, None]
    assert "less luck" not in unknown.as_text()
    assert [row.place for row in unknown.rows] == [1, 2]


def sealed_group(kind: str, preset: str, number: int) -> PlayedGroup:
    game = game_of(kind)
    rules = game.options.complete(game.preset(preset).rules)
    bots = [bot_spec("regular", kind), bot_spec("rookie", kind)]
    seats = game.seats(rules)
    seatings = [[(seat + turn) % 2 for seat in range(seats)] for turn in range(2)]
    seed = sha256(f"{kind} {number}".encode()).digest()
    own = LocalGroup(f"t-g{number}", kind, rules, bots, seatings, seed, rated=True)
    return play_local_group(own, lambda: 5)


@pytest.fixture(scope="module")
def duels() -> list[PlayedGroup]:
    return [sealed_group("toepen", "duel@1", number) for number in range(32)]


def test_groups_that_the_arena_plays_have_luck(duels: list[PlayedGroup]) -> None:
    own = duels[0]
    records = [parse_record(text) for text in own.records]
    for record, game in zip(records, own.result.games, strict=True):
        canonical = record["canonical"]
        assert game.luck == millionths("toepen", canonical["rules"], canonical["actions"]) != 0
    (again,) = collect(records, luck=True)
    assert again.as_json() == own.result.as_json()
    (without,) = collect(records)
    assert without.luck(PlayerId("rookie", "0.1.0")) is None
    # Four at a table.
    assert {game.luck for game in sealed_group("toepen", "table-4@1", 1).result.games} == {None}


@pytest.mark.nightly("simulations")
def test_a_board_less_luck_from_records(duels: list[PlayedGroup], tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text("".join(f"{line}\n" for own in duels for line in own.records))
    rules = game_of("toepen").options.complete({"seats": 2})
    expected = board([own.result for own in duels], "toepen", "sealed", "duel@1")
    assert expected.luck_table == table_of("toepen", rules).hash
    done = botequim("leaderboard", str(path), "--luck", "--json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["boards"]
    assert Board.from_json(found) == expected
    (regular,) = [row.rating for row in expected.rows if row.name == "regular"]
    assert regular.adjusted is not None
    assert regular.adjusted_low is not None
    assert regular.adjusted_high is not None
    assert regular.adjusted != regular.rating
    text = botequim("leaderboard", str(path), "--luck").stdout
    assert f"{regular.adjusted:.1f}  {regular.adjusted_low:.1f}-{regular.adjusted_high:.1f}" in text
    # Without it the plain ratings are the same, and no others are shown.
    plain = json.loads(botequim("leaderboard", str(path), "--json").stdout)["boards"][0]
    assert [row["rating"] for row in plain["rows"]] == [row["rating"] for row in found["rows"]]
    assert [row["adjusted"] for row in plain["rows"]] == [None, None]
    assert plain["records_hash"] == found["records_hash"]


def test_a_bot_that_always_wins_has_no_rating_less_luck() -> None:
    groups = [lucky_group(n, "12", "12", lucks=(1000 * n, 0)) for n in range(40)]
    found = board(groups, "toepen", "sealed", "duel@1")
    assert {row.name: row.rating.adjusted for row in found.rows} == {"a": None, "b": None}
    assert found.luck_table is not None


def test_a_record_that_cannot_be_played_through(duels: list[PlayedGroup]) -> None:
    from arena.records.record import InvalidRecord, canonical_hash

    record = json.loads(duels[0].records[0])
    record["canonical"]["actions"][5][1] = "play:XX"
    record["hash"] = canonical_hash(record["canonical"])
    with pytest.raises(InvalidRecord, match="cannot be replayed"):
        Results(luck=True).add(parse_record(dumps(record)))
