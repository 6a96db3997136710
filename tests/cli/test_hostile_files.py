"""Files that nobody should trust: each command ends, with one line if it cannot use the file."""

from __future__ import annotations

import gzip
import json
import random
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hiredis import pack_command

from arena.cli import run
from arena.cli.records import DownloadState
from arena.ops.backup import InvalidBackup, read_backup
from arena.records.archive.archive import PUBLIC, ROWS, Archive
from arena.records.archive.objects import FolderStore
from arena.records.archive.segments import ArchiveEntry
from arena.store.identity import STORE_KEY
from tests.cli.hostile import EXAMPLES, HostileService, hostile_service
from tests.cli.hostile_files import (
    CONTROLS,
    MISSING,
    WRONG,
    encoded,
    no_records,
    places,
    record,
    rehashed,
    spoiled,
)
from tests.service import environment
from tests.waiting import PATIENCE

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


def made_archive(lines: Sequence[bytes], key: str = "g") -> None:
    """Make an archive in the current folder, with the lines in one member."""
    made = Archive(FolderStore(Path("folder")))
    made.claim("service")
    made.add(PUBLIC, 0, [ArchiveEntry(key, 1, "truco", lines)])
    made.add(ROWS, 0, [ArchiveEntry(key, 1, "annulment", [encoded({"annulled": {"reason": "x"}})])])


def run_on_archive(capsys: pytest.CaptureFixture[str], about: object) -> list[int]:
    found = [
        check(line, capsys, about)[0]
        for line in ("archive check folder", "archive cat folder", "archive copy folder there")
    ]
    shutil.rmtree("folder")
    shutil.rmtree("there", ignore_errors=True)
    return found


def test_archives_with_wrong_values(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = random.Random(0)
    whole = record("truco")
    for path in places(whole):
        for wrong in chosen.sample(WRONG, 2):
            found = spoiled(whole, path, wrong)
            made_archive([encoded(rehashed(found), readable=chosen.random() < 0.5)])
            run_on_archive(capsys, (path, wrong))


@pytest.mark.parametrize(
    ("name", "line", "problem"),
    [
        ("bomb", b" " * (2 << 20), "contains more than 1 MiB"),
        ("lines", b"\n" * 200_000, "contains more than 100000 lines"),
        (f"key{CONTROLS}", b"{}", "a record cannot be read"),
    ],
)
def test_archives_that_are_too_large(
    name: str,
    line: bytes,
    problem: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.records.archive.segments._MOST_OF_MEMBER", 1 << 20)
    made_archive([line], name)
    code, printed = check("archive check folder", capsys)
    assert (code, problem in printed) == (1, True), printed
    assert run_on_archive(capsys, name)[:2] == [1, 2]


@pytest.mark.parametrize("name", ["x", f"1{CONTROLS}.jsonl.gz", "1" * 200, "-1.jsonl.gz"])
def test_archives_with_other_files(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    made_archive([encoded(record("truco"))], "truco-1")
    Path("folder", "public", name).write_bytes(b"x")
    assert run_on_archive(capsys, name) == [2, 2, 2]


def made_backup(data: bytes) -> None:
    """Make a backup in the current folder."""
    store = {
        "id": "service",
        "properties": {"format": "5"},
        "has_archive": False,
        "at_ms": 1_750_000_000_000,
        "keys": 1,
        "paused_s": 0.1,
    }
    about = {
        "format": 1,
        "release": "0",
        "store": store,
        "size": len(data),
        "sha256": sha256(data).hexdigest(),
    }
    Path("folder").mkdir(exist_ok=True)
    Path("folder", "backup.json").write_bytes(encoded(about))
    Path("folder", "data.resp").write_bytes(data)


WRITES = pack_command(("SET", "a", "1"))


def test_backups_with_wrong_values(capsys: pytest.CaptureFixture[str]) -> None:
    made_backup(WRITES)
    read_backup(Path("folder"))
    about = json.loads(Path("folder", "backup.json").read_bytes())
    for path in places(about):
        if path != ("release",):
            for wrong in (None, [], "\x1b[2J", -1, 10**400, 1e999, MISSING):
                Path("folder", "backup.json").write_bytes(encoded(spoiled(about, path, wrong)))
                # What is not refused here is refused by the database, or is another valid value.
                with suppress(InvalidBackup):
                    read_backup(Path("folder"))
    for wrong in (None, [], "x", 10**400, MISSING):
        Path("folder", "backup.json").write_bytes(encoded(spoiled(about, ("store",), wrong)))
        assert check("restore --from folder --data data", capsys)[0] == 2


@pytest.mark.parametrize(
    "data",
    [
        pack_command(("CONFIG", "SET", "dir", "/")),
        pack_command(("EVAL", "return 1", "0")),
        WRITES + pack_command(("FLUSHALL", "a")),
        pack_command(("HSET", STORE_KEY, "id", "x")),
        pack_command(("SET",)),
        WRITES[:-3],
        b"*2147483646\r\n",
        b"$99999999999\r\n",
        b"+OK\r\n",
        b"*1\r\n*1\r\n$1\r\nx\r\n",
        CONTROLS.encode(),
    ],
)
def test_backups_of_other_commands(data: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    made_backup(data)
    code, printed = check("restore --from folder --data data", capsys)
    assert code == 2
    assert "backup" in printed
    assert not Path("data").exists()


def state() -> dict[str, Any]:
    """The state of a download."""
    example = EXAMPLES["listLeaderboards"]["responses"]["200"]["leaderboards"]
    return asdict(DownloadState("http://x", "truco", boards=example, finished=True, changed={"g": {"a": 1}}))


@pytest.mark.nightly("starters")
def test_other_json_with_wrong_values(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = random.Random(0)
    table = EXAMPLES["getSeriesTable"]["responses"]["200"]
    texts = {
        "series verify FILE": ("FILE", table),
        "records --out FILE": ("FILE.state", state()),
        "dataset truco/base@1 --records FILE --out data.parquet": ("FILE.state", state()),
    }
    Path("FILE").write_bytes(encoded(record("truco")))
    for line, (name, whole) in texts.items():
        for path in places(whole):
            for wrong in chosen.sample(WRONG, 2):
                Path(name).write_bytes(encoded(spoiled(whole, path, wrong)))
                check(line, capsys, (path, repr(wrong)[:40]))


def _limited() -> None:
    most = 3 << 30
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


@pytest.mark.system
@pytest.mark.nightly("starters")
@pytest.mark.parametrize("name", ["records", "faults", "values", "line", "empty"])
def test_small_files_that_contain_much(name: str) -> None:
    """With the limits as they are, in a process with little memory."""
    line = encoded(record("toepen")) + b"\n"
    faulty = record("truco")
    faulty["canonical"]["faults"] = [{"seat": 7, "type": "late", "after": 0}] * 300_000
    contents: dict[str, Iterable[bytes]] = {
        "records": (line * 200 for _ in range(1000)),
        "faults": [encoded(faulty)],
        "values": [b'{"a":[' + b"{}," * 5_000_000 + b"{}]}\n"],
        "line": (b"[" * (1 << 20) for _ in range(400)),
        "empty": (b"\n" * (1 << 20) for _ in range(400)),
    }
    with gzip.open("FILE", "wb", 6) as out:
        out.writelines(contents[name])
    for command in ("verify --jobs 1 FILE", "replay FILE --number 9999999", "leaderboard FILE"):
        done = subprocess.run(
            [sys.executable, "-m", "arena.cli", *command.split()],
            preexec_fn=_limited,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 2, command
        assert "Traceback" not in done.stderr
        assert len(done.stdout + done.stderr) < 3_000_000
