"""Compiling uploads: its budget, what is remembered, and the size of the cache."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from wasmtime import wat2wasm

from arena.bots import HostFailure, InvalidBot
from arena.play.match import seat_bot
from arena.sandbox import building
from arena.sandbox.bot import check_bot, sandboxed_spec
from arena.sandbox.cache import trim
from arena.sandbox.compiler import UPLOAD, compile_budget
from arena.sandbox.engine.fast import LinkedPython
from tests.sandbox import modules
from tests.sandbox.conftest import turn
from tests.sandbox.test_bot import ROOT


@pytest.fixture(autouse=True)
def uploads(python: LinkedPython, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache for uploads; the engine itself comes from the usual one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "botequim" / "uploads"


def compiled(wasm: bytes) -> Path:
    return building.compiled(wasm, hashlib.sha256(wasm).hexdigest(), UPLOAD)


def numbered(number: int, functions: int = 1) -> bytes:
    """A module like no other."""
    core = "".join(
        f"(func (param i32) (result i32) (i32.mul (local.get 0) (i32.const {number + index})))"
        for index in range(functions)
    )
    return modules.module(core=core)


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The compilers that were started."""
    started: list[Sequence[str]] = []
    run = building._run_limited

    def counted(command: Sequence[str], *limits: Any) -> subprocess.CompletedProcess[str]:
        started.append(command)
        return run(command, *limits)

    monkeypatch.setattr(building, "_run_limited", counted)
    return started


def test_the_budget_grows_with_the_upload() -> None:
    assert compile_budget(0) == (5, 384 << 20, 8 << 20)
    assert compile_budget(10 << 20) == (35, 704 << 20, 48 << 20)


@pytest.mark.nightly("sandbox")
@pytest.mark.parametrize(
    ("wasm", "why"),
    [
        (bytes(wat2wasm("(module)")), "it does not export a memory"),
        (numbered(0, 40_000), "the maximum for its size is"),
    ],
    ids=["type", "code"],
)
def test_a_refusal_is_remembered(
    commands: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch, wasm: bytes, why: str
) -> None:
    # A busy machine takes more processor time for the same code.
    monkeypatch.setattr(building, "compile_budget", lambda size: compile_budget(size)._replace(seconds=100))
    texts = set()
    for _ in range(3):
        with pytest.raises(InvalidBot, match=why) as caught:
            check_bot(sandboxed_spec("mine", "1", wasm))
        texts.add(str(caught.value))
    assert len(commands) == len(texts) == 1


@pytest.mark.system
def test_what_takes_too_long_is_refused_once(
    commands: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "_COMPILE_SECONDS", 1)
    body = "(i64.add " * 20_000 + "(i64.const 1)" + " (i64.const 1))" * 20_000
    wasm = modules.module(core=f"(func (result i64) {body})" * 40)
    for _ in range(2):
        with pytest.raises(InvalidBot, match="more than 1 s of processor time or"):
            compiled(wasm)
    assert len(commands) == 1


def _kill_compilers(stop: threading.Event) -> None:
    while not stop.wait(0.01):
        for task in Path("/proc/self/task").iterdir():
            for child in (task / "children").read_text().split():
                if b"arena.sandbox.compiler" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(int(child), signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the process in /proc")
def test_a_killed_compiler_is_a_server_fault_and_not_remembered() -> None:
    wasm = numbered(1)
    stop = threading.Event()
    killer = threading.Thread(target=_kill_compilers, args=(stop,))
    killer.start()
    try:
        with pytest.raises(HostFailure, match="ended from outside"):
            seat_bot(sandboxed_spec("mine", "1", wasm), 1)
    finally:
        stop.set()
        killer.join()
    assert seat_bot(sandboxed_spec("mine", "1", wasm), 1).choose(turn()) in turn()["legal_actions"]  # type: ignore[operator]


@pytest.mark.system
def test_the_cache_keeps_the_most_recently_used(uploads: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [compiled(numbered(number)) for number in range(2, 6)]
    long_ago = time.time() - 1000
    for number, path in enumerate(paths):
        os.utime(path, (long_ago + number, long_ago + number))
    # This makes it the most recently used one.
    assert compiled(numbered(2)) == paths[0]
    # Room for three; locks take a block each.
    size = paths[0].stat().st_size
    monkeypatch.setattr(building, "_CACHE_BYTES", 3 * size + 6 * 4096)
    newest = compiled(numbered(6))
    assert [path.exists() for path in (*paths, newest)] == [True, False, False, True, True]
    assert compiled(numbered(3)).exists()
    assert sum(path.stat().st_size for path in uploads.iterdir()) <= 3 * size + 6 * 4096


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    left, making = tmp_path / "making-old", tmp_path / "making-new"
    for folder in (left, making):
        folder.mkdir()
        (folder / "part").write_bytes(b"x")
    os.utime(left, (1, 1))
    trim(tmp_path, 1 << 20)
    assert [path.name for path in tmp_path.iterdir()] == ["making-new"]


FIRST_ACTION = turn()["legal_actions"][0]  # type: ignore[index]

SCRIPT = """
import os
import sys

from arena.sandbox import building
from arena.sandbox.bot import sandboxed_spec
from arena.sandbox.runtime import sandbox_engine
from tests.sandbox.conftest import turn
from tests.sandbox.test_compiling import numbered

building._CACHE_BYTES = 60_000
# The engine itself comes from the usual cache.
sandbox_engine()
os.environ["XDG_CACHE_HOME"] = sys.argv[1]
for number in range(100, 105):
    print(sandboxed_spec("mine", "1", numbered(number)).make(1).choose(turn()))
"""


@pytest.mark.nightly("sandbox")
def test_several_processes_share_a_cache_that_is_too_small(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    processes = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate(timeout=300)[0].split() for process in processes] == [[FIRST_ACTION] * 5] * 3
