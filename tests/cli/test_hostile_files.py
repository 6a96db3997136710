"""Files that nobody should trust: each command ends, with one line if it cannot use the file."""

from __future__ import annotations

import random
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli import run
from tests.cli.hostile import HostileService, hostile_service
from tests.cli.hostile_files import (
    WRONG,
    encoded,
    no_records,
    places,
    record,
    rehashed,
    spoiled,
)

MOST = 1 << 18
VALUES = 20_000
KINDS = ("truco", "toepen")
OF_RECORDS = """
verify --jobs 1 FILE
verify --jobs 1 --partial --json FILE
verify --jobs 1 --replay-bots --source a@1=FILE FILE
replay FILE
replay FILE --html --out page.html
explain FILE --seat 0 --worlds 2
luck FILE
leaderboard FILE
leaderboard FILE --luck --matchups
leaderboard FILE --format json
dataset truco/base@1 --records FILE --out data.parquet
bot debug FILE --turn 1 --bot rookie
""".strip().splitlines()

OF_FILES = """
series verify FILE
roster import FILE
api create_tournament --input FILE
api create_tournament name=@FILE
api create_tournament name:=@FILE
api add_version bot=a label=1 source=@FILE
bot submit FILE --name a
bot debug good.json --turn 1 --bot FILE.py
bot debug good.json --turn 1 --bot FILE.wasm --sandbox
verify good.json --jobs 1 --replay-bots --source a@1=FILE.js
play truco FILE.py rookie --groups 1
records --out FILE
dataset truco/base@1 --records FILE --out data.parquet
archive check folder
archive cat folder
archive copy folder there
restore --from folder --data data
""".strip().splitlines()


@pytest.fixture(scope="module")
def service() -> Iterator[HostileService]:
    """A service that answers with examples."""
    with hostile_service() as made:
        yield made


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: Path, service: HostileService) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOTEQUIM_URL", service.url)
    monkeypatch.setenv("BOTEQUIM_TOKEN", "token")
    service.requests = 0


def check(line: str, capsys: pytest.CaptureFixture[str], about: object = "") -> tuple[int, str]:
    """Run a command on FILE; what it returns and prints."""
    code = run(shlex.split(line))
    printed = capsys.readouterr()
    said = (line, about, printed.err[-500:])
    assert code in (0, 1, 2), said
    for text in printed:
        odd = [char for char in text if not char.isprintable() and char not in "\n\t"]
        assert not odd, (*said, odd)
        assert "Traceback" not in text, said
    if code == 2 and not (line.startswith("verify") and printed.out):
        (*_, last) = printed.err.splitlines()
        assert last.startswith("botequim: error: "), said
        assert len(last) < 1100, said
    return code, printed.out + printed.err


def spoil_records(line: str, capsys: pytest.CaptureFixture[str], chosen: random.Random, share: float) -> None:
    """Run a command on the records of which one value is wrong."""
    for kind in KINDS:
        whole = record(kind)
        for path in places(whole):
            for wrong in WRONG:
                if chosen.random() < share:
                    found = spoiled(whole, path, wrong)
                    if chosen.random() < 0.7:
                        found = rehashed(found)
                    Path("FILE").write_bytes(encoded(found, readable=chosen.random() < 0.5))
                    check(line, capsys, (kind, path, repr(wrong)[:40]))


@pytest.mark.parametrize("line", OF_RECORDS)
def test_a_record_with_a_wrong_value(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    spoil_records(line, capsys, random.Random(line), 0.003)


@pytest.mark.nightly("starters")
@pytest.mark.parametrize("line", OF_RECORDS)
def test_records_with_a_wrong_value_at_every_place(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    spoil_records(line, capsys, random.Random(line), 0.1)


def put(data: bytes) -> None:
    """Put the bytes wherever a command reads."""
    for name in ("FILE", "FILE.py", "FILE.js", "FILE.wasm", "FILE.state"):
        Path(name).write_bytes(data)
    Path("good.json").write_bytes(encoded(record("truco")))
    for name in ("archive.json", "backup.json", "data.resp", "public/000000000000000.jsonl.gz"):
        path = Path("folder", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


@pytest.mark.parametrize("name", no_records(MOST, VALUES))
def test_something_else(
    name: str, config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.records.record.MAX_RECORD_BYTES", MOST)
    monkeypatch.setattr("arena.inputs.reading.MOST_VALUES", VALUES)
    put(no_records(MOST, VALUES)[name])
    for line in (*OF_RECORDS[::3], *OF_FILES):
        check(line, capsys, name)
    monkeypatch.delenv("BOTEQUIM_TOKEN")
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_bytes(Path("FILE").read_bytes())
    assert check("whoami", capsys, name)[0] == 2
