"""Data sets: what is in their rows, and that nothing hidden and nobody who is kept out is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from arena.cli import run
from arena.errors import ArenaError
from arena.games import GAMES
from arena.inputs.times import read_period
from arena.records.decisions import decisions
from arena.records.record import Record
from arena.research.dataset import COLUMNS, LICENCE, DataSet, Wanted
from arena.research.serial import rules_named
from tests.records.games_played import group, play, record_of, rehash, write
from tests.research.leaks import check

PRESETS = [(kind, preset.name) for kind, game in GAMES.items() for preset in game.presets]


def games(kind: str, preset: str, count: int = 2, trouble: float = 0.02) -> list[Record]:
    rules = rules_named(GAMES[kind], preset, {})
    info = {"finished_ms": 1_795_000_000_000}
    return [record_of(play(kind, number, rules, trouble=trouble), info=info) for number in range(count)]


def made(path: Path, kind: str, preset: str, records: list[Record], wanted: Wanted | None = None) -> Any:
    """The rows of a data set, and what it says about itself."""
    data = DataSet(GAMES[kind], preset)
    written = data.write(path, records, wanted or Wanted(), source="here", licence=LICENCE)
    table = pq.read_table(path)
    assert written.rows == table.num_rows
    return table.to_pylist(), json.loads(table.schema.metadata[b"botequim"])


@pytest.mark.parametrize(("kind", "preset"), PRESETS)
def test_rows_are_the_decisions_of_the_records(kind: str, preset: str, tmp_path: Path) -> None:
    records = games(kind, preset)
    rows, about = made(tmp_path / "data.parquet", kind, preset, records)
    expected = [(record, one) for record in records for one in decisions(record) if one.action is not None]
    assert len(rows) == len(expected) > 15
    assert (about["kind"], about["preset"], about["licence"], about["source"]) == (
        kind,
        preset,
        LICENCE,
        "here",
    )
    assert about["columns"].keys() == COLUMNS.keys() == rows[0].keys()
    for row, (record, one) in zip(rows, expected, strict=True):
        canonical = record["canonical"]
        assert (row["game"], row["seat"], row["mark"]) == (canonical["game"], one.seat, one.mark)
        assert about["actions"][row["action"]] == one.action
        assert [about["actions"][n] for n, bit in enumerate(row["legal"]) if bit] == sorted(
            one.turn["legal_actions"], key=about["actions"].index
        )
        assert row["optional"] == one.turn["optional"]
        assert row["bot"] == canonical["players"][one.seat]["name"]
        assert row["place"] == canonical["outcome"]["places"][one.seat]
        assert row["forfeited"] == (one.seat in canonical["outcome"]["forfeits"])
        assert set(row["observation"]) <= {0, 1}
    for game in {row["game"] for row in rows}:
        ends = {row["seat"]: row["result"] for row in rows if row["game"] == game}
        assert sum(ends.values()) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("kind", "preset"), PRESETS)
def test_nothing_hidden_is_in_it(kind: str, preset: str, tmp_path: Path) -> None:
    records = games(kind, preset, count=2)
    made(path := tmp_path / "data.parquet", kind, preset, records)
    found = check(path, records)
    assert found.leaks == []
    assert found.rows > 20
    assert found.second > found.rows // 2


def test_the_check_finds_what_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a card of another seat in each vector."""
    records = games("truco", "paulista-2@1", count=1, trouble=0)
    data = DataSet(GAMES["truco"], "paulista-2@1")
    rows = data.rows

    def leaking(record: Record, seats: Any) -> Any:
        state = data.game.new_state(data.rules)
        held = []
        for seat, action, *_ in record["canonical"]["actions"]:
            held.append([state.observation(other)["hand"] for other in range(2)])
            state.apply(seat, action)
        start = data.features.layout.start("burned")
        pack = [action[5:] for action in data.features.actions if action.startswith("play:")]
        for row in rows(record, seats):
            for card in held[row["decision"]][1 - row["seat"]]:
                row["observation"][start + pack.index(card)] = 1
            yield row

    monkeypatch.setattr(data, "rows", leaking)
    data.write(tmp_path / "data.parquet", records, Wanted())
    found = check(tmp_path / "data.parquet", records)
    assert len(found.leaks) > found.rows


def test_who_is_left_out(tmp_path: Path) -> None:
    rules = rules_named(GAMES["truco"], "paulista-2@1", {})
    records = group("truco", "g7", rules=rules)
    records[0]["info"] = {"people": [False, True], "house": [False, False]}
    records[1]["info"] = {"house": [True, False]}
    players = [[player["name"] for player in record["canonical"]["players"]] for record in records]
    rows, _ = made(tmp_path / "all.parquet", "truco", "paulista-2@1", records)
    assert {(row["index"], row["bot"]) for row in rows} == {
        (0, players[0][0]),
        (1, players[1][0]),
        (1, players[1][1]),
    }
    assert {row["group"] for row in rows} == {"g7"}
    kept = Wanted(is_in=lambda name, house: house)
    rows, _ = made(tmp_path / "house.parquet", "truco", "paulista-2@1", records, kept)
    assert {(row["index"], row["bot"]) for row in rows} == {(1, players[1][0])}
    records[1]["info"] = {"annulled": "fire"}
    rows, _ = made(tmp_path / "annulled.parquet", "truco", "paulista-2@1", records)
    assert {row["index"] for row in rows} == {0}


def test_dates(tmp_path: Path) -> None:
    records = games("toepen", "duel@1", count=3, trouble=0)
    november, december = read_period("2026-11", "from")
    assert read_period("2026-11-30", "to")[1] == december
    assert read_period("2024", "to")[1] - read_period("2024", "from")[0] == 366 * 86_400_000
    for record, ended in zip(records, (november - 1, november, december), strict=True):
        record["info"]["finished_ms"] = ended
    del records[2]["info"]["finished_ms"]
    path = tmp_path / "data.parquet"
    rows, _ = made(path, "toepen", "duel@1", records, Wanted(november, december))
    assert {row["finished_ms"] for row in rows} == {november}
    assert {row["game"] for row in made(path, "toepen", "duel@1", records)[0]} == {
        f"toepen-{n}" for n in range(3)
    }
    for text in ("november", "2026-13", "2026-11-31", "26", "9999", "0500"):
        with pytest.raises(ArenaError, match="is not a valid date"):
            read_period(text, "from")


def test_a_record_that_does_not_verify_ends_it_and_leaves_no_file(tmp_path: Path) -> None:
    records = games("toepen", "duel@1", count=2, trouble=0)
    records[1]["canonical"]["outcome"]["scores"][0] += 1
    path = tmp_path / "data.parquet"
    with pytest.raises(ArenaError, match="does not verify"):
        DataSet(GAMES["toepen"], "duel@1").write(path, [records[0], rehash(records[1])], Wanted())
    assert list(tmp_path.iterdir()) == []


def test_the_command_with_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = games("toepen", "duel@1", count=3, trouble=0) + games("toepen", "table-4@1", count=1, trouble=0)
    file = write(tmp_path / "records.jsonl", records)
    out = tmp_path / "data.parquet"
    arguments = ["dataset", "toepen/duel@1", "--records", file, "--out", str(out)]
    assert run([*arguments, "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written == {
        "rows": pq.read_metadata(out).num_rows,
        "games": 3,
        "skipped": 0,
        "others": 1,
        "bytes": out.stat().st_size,
    }
    assert run([*arguments, "--without", "player A", "--from", "2026"]) == 0
    shown = capsys.readouterr().out
    assert "decisions of 3 games" in shown
    assert shown.endswith("0 games of the preset were left out, 1 had other rules\n")
    assert set(pq.read_table(out)["bot"].to_pylist()) == {"player B"}
    assert run([*arguments, "--to", "2025"]) == 0
    assert f"{out}: 0 decisions of 0 games" in capsys.readouterr().out
    for name, words in (
        ("toepen/duel@7", "did you mean 'duel@1'?"),
        ("toepen/duel", "did you mean 'duel@1'?"),
        ("poker/x", "there is no game 'poker'"),
        ("toepen", "no preset ''"),
    ):
        assert run(["dataset", name, "--records", file, "--out", str(out)]) == 2
        assert words in capsys.readouterr().err
