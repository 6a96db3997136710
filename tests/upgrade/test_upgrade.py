"""The format of the data: upgrades that are killed and repeated, and formats that are refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import arena.store.identity
import arena.store.rows
import arena.upgrade
from arena.cli import run
from arena.ops.backup import make_backup, restore_backup
from arena.ops.data_check import check_data
from arena.ops.settings import Settings
from arena.records.archive.objects import ObjectStore
from arena.store.embedded import EmbeddedStore
from arena.store.identity import UnknownFormat
from arena.store.repositories import Store, open_store
from arena.store.rows import FORMAT
from arena.upgrade import STEPS, Step, upgrade
from tests.conftest import register
from tests.dying import KILLED, in_child, status_of
from tests.service import environment

NEXT = FORMAT + 1
NAMES = [f"note {number}" for number in range(5)]
UPGRADED = {name: {"text": name.upper()} for name in NAMES}


def rewrite(store: Store, objects: ObjectStore | None, stop_after: int | None = None) -> None:
    """A step that changes five values, and is killed after some of them."""
    for count, name in enumerate(NAMES):
        if count == stop_after:
            os.kill(os.getpid(), signal.SIGKILL)
        store.series.change(
            name, lambda value: value if "text" in value else {"text": value["words"].upper()}
        )


@pytest.fixture
def filled(clean_store: EmbeddedStore) -> Iterator[Store]:
    """With data of the present format."""
    opened = open_store(clean_store.url)
    for name in NAMES:
        opened.series.add(name, {"words": name})
    yield opened
    opened.close()


@pytest.fixture
def to_next(monkeypatch: pytest.MonkeyPatch) -> Callable[[Step], None]:
    """Let this be a program of the next format, with a step to it."""

    def with_step(step: Step) -> None:
        for module in (arena.store.rows, arena.store.identity, arena.upgrade):
            monkeypatch.setattr(module, "FORMAT", NEXT)
        monkeypatch.setattr(arena.upgrade, "STEPS", {NEXT: step})

    return with_step


def test_every_step_up_to_this_format_is_a_file_with_a_test() -> None:
    files = Path(arena.upgrade.__file__).parent.glob("step_*.py")
    tests = Path(__file__).parent.glob("test_step_*.py")
    numbers = sorted(STEPS)
    assert numbers == list(range(FORMAT + 1 - len(numbers), FORMAT + 1))
    assert {path.name for path in files} == {f"step_{number}.py" for number in numbers}
    assert {path.name for path in tests} == {f"test_step_{number}.py" for number in numbers}


def test_data_of_this_format_are_left_as_they_are(filled: Store) -> None:
    before = filled.series.all()
    assert upgrade(filled, None) == []
    filled.identity.register()
    assert (filled.identity.format(), filled.series.all()) == (FORMAT, before)


def test_a_new_database_gets_the_present_format(clean_store: EmbeddedStore) -> None:
    store = open_store(clean_store.url)
    store._connection.run([("FLUSHALL",)])
    assert store.identity.format() is None
    assert upgrade(store, None) == []
    assert store.identity.format() == FORMAT
    store.close()


@pytest.mark.parametrize("stop_after", range(len(NAMES)))
def test_a_step_that_was_killed_is_repeated(
    filled: Store, to_next: Callable[[Step], None], clean_store: EmbeddedStore, stop_after: int
) -> None:
    def killed() -> None:
        to_next(partial(rewrite, stop_after=stop_after))
        upgrade(open_store(clean_store.url), None)

    assert status_of(in_child(killed)) == KILLED
    assert sum("text" in value for value in filled.series.all().values()) == stop_after
    assert filled.identity.format() == FORMAT
    to_next(rewrite)
    with pytest.raises(UnknownFormat, match="'botequim ops upgrade' while no process"):
        filled.identity.register()
    assert upgrade(filled, None) == [NEXT]
    assert filled.series.all() == UPGRADED
    assert filled.identity.format() == NEXT
    assert upgrade(filled, None) == []
    filled.identity.check()


def test_steps_that_are_missing_are_told(filled: Store, to_next: Callable[[Step], None]) -> None:
    to_next(rewrite)
    filled.identity.set_format(FORMAT - 1)
    with pytest.raises(UnknownFormat) as refused:
        upgrade(filled, None)
    assert str(refused.value) == (
        f"the data have format {FORMAT - 1}, but this program can only upgrade formats {FORMAT} to {NEXT}; "
        f"expected to upgrade to format {FORMAT} or newer with an older version of this program first"
    )


def test_the_command_for_clusters_upgrades(
    filled: Store,
    clean_store: EmbeddedStore,
    to_next: Callable[[Step], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("REDIS_URL", clean_store.url)
    monkeypatch.setenv("BOTEQUIM_ARCHIVE", str(tmp_path / "archive"))
    to_next(rewrite)
    for said in (f"upgraded to format {NEXT}", f"nothing to do: the data already have format {NEXT}"):
        assert run(["ops", "upgrade"]) == 0
        assert capsys.readouterr().out == f"{said}\n"
        assert filled.series.all() == UPGRADED


def test_what_runs_alone_upgrades_before_it_starts(
    filled: Store, clean_store: EmbeddedStore, to_next: Callable[[Step], None], tmp_path: Path
) -> None:
    """As ``botequim up`` and ``serve`` do with a database of their own."""
    settings = Settings(redis_url=clean_store.url, archive=str(tmp_path))
    to_next(rewrite)
    with pytest.raises(UnknownFormat, match="'botequim ops upgrade' while no process"):
        check_data(settings)
    check_data(settings, is_alone=True)
    assert filled.series.all() == UPGRADED
    check_data(settings)


def test_a_restored_backup_is_upgraded(
    filled: Store,
    clean_store: EmbeddedStore,
    to_next: Callable[[Step], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    filled.identity.check()
    make_backup(clean_store.url, tmp_path / "backup")
    filled._connection.run([("FLUSHALL",)])
    monkeypatch.setenv("REDIS_URL", clean_store.url)
    monkeypatch.setenv("BOTEQUIM_ARCHIVE", str(tmp_path / "archive"))
    to_next(rewrite)
    restore_backup(tmp_path / "backup", tmp_path)
    assert filled.series.all() == UPGRADED
    assert filled.identity.format() == NEXT
    filled._connection.run([("FLUSHALL",)])
    monkeypatch.undo()
    monkeypatch.setenv("REDIS_URL", clean_store.url)
    monkeypatch.setenv("BOTEQUIM_ARCHIVE", str(tmp_path / "archive"))
    about = tmp_path / "backup" / "backup.json"
    about.write_text(about.read_text().replace(f'"format": "{FORMAT}"', f'"format": "{NEXT}"'))
    with pytest.raises(UnknownFormat, match=f"the data have format {NEXT}, "):
        restore_backup(tmp_path / "backup", tmp_path)
    assert filled._connection.run([("DBSIZE",)]) == [0]


UNKNOWN = {
    "newer": (
        ("HSET", "{arena}:store", "format", str(NEXT)),
        f"the data have format {NEXT}, but this program requires format {FORMAT}; "
        "expected a newer version of this program",
    ),
    "none": (
        ("HDEL", "{arena}:store", "format"),
        "the database holds data but no format number; expected a service's database or an empty one; "
        "after data loss, run 'botequim ops accept-empty'",
    ),
}


@pytest.mark.parametrize("which", UNKNOWN)
def test_an_unknown_format_is_refused_in_one_line(
    filled: Store,
    clean_store: EmbeddedStore,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    which: str,
) -> None:
    change, line = UNKNOWN[which]
    filled._connection.run([change])
    before = filled._connection.run([("DBSIZE",), ("HGETALL", "{arena}:store")])
    monkeypatch.setenv("REDIS_URL", clean_store.url)
    monkeypatch.setenv("BOTEQUIM_ARCHIVE", str(tmp_path / "archive"))
    monkeypatch.chdir(tmp_path)
    for arguments in (["ops", "upgrade"], ["serve"], ["up", "--workers", "0"]):
        assert run(arguments) != 0
        assert capsys.readouterr().err == f"botequim: error: {line}\n"
    for read in (filled.identity.register, filled.identity.id, filled.identity.check):
        with pytest.raises(UnknownFormat):
            read()
    assert filled._connection.run([("DBSIZE",), ("HGETALL", "{arena}:store")]) == before
    if which == "none":
        filled.identity.accept()
        filled.identity.register()


@pytest.mark.system
@pytest.mark.parametrize("process", ["", "--scheduler", "--webhooks", "--archiver", "api"])
def test_processes_refuse_an_unknown_format(
    filled: Store, clean_store: EmbeddedStore, tmp_path: Path, process: str
) -> None:
    change, line = UNKNOWN["newer"]
    filled._connection.run([change])
    command = ["workers", process] if process else ["workers"]
    if process == "api":
        command = ["gunicorn", "-c", "python:api.http.gunicorn_conf"]
    ended = subprocess.run(
        [sys.executable, "-m", *command],
        env=environment(
            REDIS_URL=clean_store.url,
            BOTEQUIM_ARCHIVE=str(tmp_path),
            BOTEQUIM_BIND=f"unix:{tmp_path / 'api.sock'}",
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ended.returncode != 0
    messages = [entry for entry in map(json.loads, ended.stdout.splitlines()) if entry["level"] == "critical"]
    assert [entry["message"] for entry in messages] == [line]


@pytest.mark.system
def test_up_refuses_the_folder_of_a_newer_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with EmbeddedStore(tmp_path / "data") as own:
        register(own.url)
        opened = open_store(own.url)
        opened.identity.set_format(NEXT)
        opened.close()
    assert run(["up", "--data", str(tmp_path / "data"), "--workers", "0"]) != 0
    assert capsys.readouterr().err == f"botequim: error: {UNKNOWN['newer'][1]}\n"
