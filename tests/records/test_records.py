"""Writing records and reading them back."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from games_played import PLAYERS, RULES, play, record_line, record_of, write

from arena.play.dealing import NONCE_PATTERN
from arena.play.table import Table
from arena.records.record import (
    InvalidRecord,
    UnreadableRecord,
    build_record,
    canonical_bytes,
    dumps,
    load_records,
    parse_record,
    record_schema,
)

KINDS = sorted(RULES)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("variant", range(4))
def test_a_record_comes_back_from_its_line(kind: str, variant: int) -> None:
    table = play(kind, rules=RULES[kind][variant], trouble=0.05)
    record = build_record(table, players=PLAYERS[: table.size], info={"seconds": 1.5})
    line = dumps(record)
    assert "\n" not in line
    assert parse_record(line) == record
    canonical = record["canonical"]
    assert canonical["rules"] == table.game.options.complete(RULES[kind][variant])
    assert canonical["commitment"] == hashlib.sha256(bytes.fromhex(canonical["seed"])).hexdigest()
    assert [tuple(entry) for entry in canonical["actions"]] == [
        (seat, action, mark) if mark else (seat, action) for seat, action, mark in table.actions
    ]


def test_the_hashed_bytes_stand_in_the_line() -> None:
    line = dumps(record_of(play("toepen"), players=[("Zé 🂡", "1"), *PLAYERS[1:4]]))
    start = line.index("{", 1)
    hashed = line[start : line.index(',"hash":')]
    assert json.loads(line)["hash"] == hashlib.sha256(hashed.encode()).hexdigest()


def test_canonical_json() -> None:
    assert canonical_bytes({"b": [1, "é\n\x01\u2028"], "a": {"z": True, "Z": None}}) == (
        '{"a":{"Z":null,"z":true},"b":[1,"é\\n\\u0001\u2028"]}'.encode()
    )


def test_details_of_faults_are_kept_out_of_the_hash_bounded_and_printable() -> None:
    def record(detail: str) -> dict[str, Any]:
        table = Table("t-1", "truco", {"max_hands": 1}, bytes(32))
        table.start()
        table.fault(1, "crashed", detail)
        table.fault(2, "illegal")
        while not table.is_over():
            table.act_for(table.awaited()[0], "clock")
        return build_record(table, players=PLAYERS[:4])

    hostile = record("\x1b[2J\n\u202e\ud800" + "x" * 1000)
    details = hostile["info"]["fault_details"]
    assert details[0].startswith("\\x1b[2J\\n\\u202e\\ud800xxx")
    assert details[1] == ""
    assert all(len(detail) <= 200 and detail.isprintable() for detail in details)
    assert hostile["hash"] == record("another")["hash"]
    dumps(hostile).encode()


def test_a_game_that_goes_on_has_no_record() -> None:
    table = Table("g", "truco", {}, bytes(32))
    table.start()
    with pytest.raises(InvalidRecord, match="game g is not over"):
        build_record(table, players=PLAYERS[:4])


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb", "a\n", "a\x1b[0m", "a\u202eb", "a\u2028b"])
def test_a_players_name_is_one_printable_line(name: str) -> None:
    with pytest.raises(InvalidRecord, match=r"players\[2\]\.name"):
        build_record(play("truco"), players=[*PLAYERS[:2], (name, "1"), PLAYERS[3]])
    with pytest.raises(InvalidRecord, match=r"players\[0\]\.version"):
        build_record(play("truco"), players=[("fine", name), *PLAYERS[1:4]])


def test_there_is_one_player_per_seat_and_the_log_is_whole() -> None:
    table = play("truco")
    with pytest.raises(InvalidRecord, match="the game has 4 seats, but 3 players were given"):
        build_record(table, players=PLAYERS[:3])
    with pytest.raises(InvalidRecord, match="the complete log"):
        build_record(table, players=PLAYERS[:4], actions=table.actions[:-1])


def test_a_restored_table_takes_its_log_from_the_caller() -> None:
    table = play("toepen", trouble=0.03)
    restored = Table.restore(json.loads(json.dumps(table.snapshot())))
    again = build_record(restored, players=PLAYERS[:4], actions=table.actions)
    assert again == build_record(table, players=PLAYERS[:4])


def test_a_group_gets_its_attempt() -> None:
    place = {"id": "g", "index": 0, "size": 2, "mirrored": True}
    first = build_record(play("truco"), players=PLAYERS[:4], group=place)
    second = build_record(play("truco"), players=PLAYERS[:4], group={**place, "attempt": 1})
    assert first["canonical"]["group"] == {**place, "attempt": 0}
    assert second["canonical"]["group"]["attempt"] == 1


# Files


def test_all_forms_of_a_file_are_read(tmp_path: Path) -> None:
    records = [json.loads(record_line("truco")), json.loads(record_line("toepen"))]
    lines = tmp_path / "lines.jsonl"
    write(lines, records)
    spaced = tmp_path / "spaced.jsonl"
    spaced.write_text("\n\n" + lines.read_text().replace("\n", "\r\n\n"), newline="")
    unended = tmp_path / "unended.jsonl"
    unended.write_text(lines.read_text().rstrip("\n"))
    zipped = tmp_path / "named-anyhow"
    zipped.write_bytes(gzip.compress(lines.read_bytes()[:1000]) + gzip.compress(lines.read_bytes()[1000:]))
    for path in (lines, spaced, unended, zipped):
        assert list(load_records(path)) == records
    for indent in (None, 2):
        pretty = tmp_path / "pretty.json"
        pretty.write_text(json.dumps(records[1], indent=indent))
        assert list(load_records(str(pretty))) == records[1:]
        pretty.write_bytes(gzip.compress(pretty.read_bytes()))
        assert list(load_records(pretty)) == records[1:]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{}x\n", "not JSON: Extra data"),
        (b'{"canonical": ', "not JSON"),
        (b"hello\n", "not JSON"),
        (b"\xff\xfe{}\n", "not UTF-8 at byte 0"),
        (b"[" * 100_000 + b"}\n", "nesting is too deep"),
        (b'{"a":' + b"1" * 5000 + b"}\n", "too many digits"),
    ],
)
def test_what_is_not_json_is_unreadable(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(record_line("truco").encode() + b"\n\n" + text)
    with pytest.raises(UnreadableRecord, match=message) as caught:
        list(load_records(path))
    assert f"{path}:3: " in str(caught.value)
    assert caught.value.code == "unreadable_record"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "must be object"),
        ("{}", "must contain"),
        ('{"hash": 1, "hash": 2}', "a duplicate key"),
        ('{"hash": NaN}', "NaN is not a JSON number"),
    ],
)
def test_json_that_is_not_a_record_is_invalid(text: str, message: str) -> None:
    with pytest.raises(InvalidRecord, match=message) as caught:
        parse_record(text)
    assert caught.value.code == "invalid_record"


def test_errors_of_records_in_files_name_the_line_and_the_field(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    record = json.loads(record_line("truco"))
    record["canonical"]["actions"][3] = [9, "play:4C"]
    path.write_text(record_line("truco") + "\n" + json.dumps(record) + "\n")
    with pytest.raises(InvalidRecord) as caught:
        list(load_records(path))
    assert str(caught.value).startswith(f"{path}:2: not a record: ")
    assert caught.value.field == "canonical.actions[3][0]"


def test_damaged_gzip_missing_files_and_folders_are_unreadable(tmp_path: Path) -> None:
    damaged = tmp_path / "a.gz"
    zipped = gzip.compress(record_line("truco").encode())
    for data in (zipped[:-9], zipped[:40] + b"\0\0\0" + zipped[43:], b"\x1f\x8b\x00"):
        damaged.write_bytes(data)
        with pytest.raises(UnreadableRecord, match=r"a\.gz: damaged gzip data"):
            list(load_records(damaged))
    with pytest.raises(UnreadableRecord, match="No such file"):
        list(load_records(tmp_path / "none"))
    with pytest.raises(UnreadableRecord, match="Is a directory"):
        list(load_records(tmp_path))


def test_a_line_without_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.records.record.MAX_RECORD_BYTES", 1 << 20)
    path = tmp_path / "bomb.gz"
    for start in (b"{", b"{}"):
        path.write_bytes(gzip.compress(start + b" " * (3 << 20) + b"}"))
        with pytest.raises(UnreadableRecord, match=r"bomb\.gz:1: the record exceeds 1 MiB"):
            list(load_records(path))


@pytest.mark.parametrize("number", ["1.0", "1e0", "1.5"])
def test_numbers_of_the_canonical_part_are_whole(number: str) -> None:
    line = record_line("truco")
    with pytest.raises(InvalidRecord, match="not a record"):
        parse_record(line.replace('"rules_version":1', f'"rules_version":{number}'))
    parse_record(line.replace('"info":{', f'"info":{{"seconds":{number}'))


def test_a_name_is_real_unicode() -> None:
    line = dumps(record_of(play("truco"), players=[("Zé", "1"), *PLAYERS[1:4]]))
    assert parse_record(line.replace("Zé", "Z\\u00e9"))["canonical"]["players"][0]["name"] == "Zé"
    with pytest.raises(InvalidRecord, match="an unpaired surrogate"):
        parse_record(line.replace("Zé", "Z\\ud800"))


def test_the_nonces_of_schema_and_dealing_are_the_same() -> None:
    nonces = record_schema()["definitions"]["canonical"]["properties"]["nonces"]
    assert nonces["items"]["pattern"] == NONCE_PATTERN
