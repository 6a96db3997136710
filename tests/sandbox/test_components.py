"""Bots that are components, honest and hostile; and what cannot be one."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots import BotFailure, InvalidBot
from arena.play.dealing import bot_seed
from arena.sandbox import building, cache
from arena.sandbox.bot import SandboxedBot, check_bot, sandboxed_spec
from arena.sandbox.compiler import FAST
from arena.sandbox.engine.fast import LinkedPython
from tests.sandbox import components
from tests.sandbox.conftest import QUICK, SEED, turn


@pytest.fixture(autouse=True)
def _own_cache(python: LinkedPython, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache for what the test compiles; the engine itself comes from the usual one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def bot_of(wasm: bytes) -> SandboxedBot:
    return sandboxed_spec("mine", "1", wasm, QUICK).make(bot_seed(SEED, 0))


def test_a_component_plays() -> None:
    assert bot_of(components.PLAYS).choose(turn()) == "play:4C"
    assert bot_of(components.PASSES).choose(turn()) is None


@pytest.mark.parametrize(
    ("wasm", "fault", "detail"),
    [
        (components.LOOPS, "late", "no answer within"),
        (components.TRAPS, "crashed", "unreachable"),
        (components.GIANT_ANSWER, "malformed", "is not an action"),
        (components.OUT_OF_BOUNDS, "crashed", "out of bounds"),
        (components.NO_TEXT, "crashed", "utf-8"),
        (components.MUCH_MEMORY, "crashed", "memory"),
        (components.FILLS, "late", "no answer within"),
        (components.RECURSES, "crashed", "call stack exhausted"),
        (components.SECRETS, "crashed", "get-directories"),
    ],
    ids=["loops", "traps", "giant", "bounds", "utf-8", "memory", "fills", "recurses", "files"],
)
def test_faults_of_a_hostile_component_are_classified(wasm: bytes, fault: str, detail: str) -> None:
    bot = bot_of(wasm)
    with pytest.raises(BotFailure) as caught:
        bot.choose(turn())
    assert (caught.value.type, detail in str(caught.value)) == (fault, True), str(caught.value)
    assert bot_of(components.PASSES).choose(turn()) is None


def test_random_numbers_of_wasi_follow_from_the_seed() -> None:
    answers = [bot_of(components.ENTROPY).choose(turn()) for _ in range(2)]
    assert answers[0] == answers[1]
    assert len(str(answers[0])) == 8
    other = sandboxed_spec("mine", "1", components.ENTROPY, QUICK).make(7).choose(turn())
    assert other != answers[0]


def test_memory_grows_to_the_limit_and_no_further() -> None:
    assert bot_of(components.GROWS).choose(turn()) is None


@pytest.mark.parametrize(
    ("wasm", "why"),
    [
        (b"", "not a WebAssembly component"),
        (b"\x7fELF" + bytes(100), "not a WebAssembly component"),
        (b"(component)", "not a WebAssembly component"),
        (b"\0asm\x01\0\0\0", "not a WebAssembly component"),
        (b"\0asm\x0d\0\x01\0", "it does not export load"),
        (components.PASSES[:-10], "unexpected end"),
        (components.WRONG_TYPE, "it does not export load: func(string, string) -> result<bool, string>"),
    ],
    ids=["nothing", "elf", "text", "module", "empty", "cut", "type"],
)
def test_components_that_are_not_bots_are_rejected(wasm: bytes, why: str) -> None:
    with pytest.raises(InvalidBot) as caught:
        check_bot(sandboxed_spec("mine", "1", wasm))
    assert why in str(caught.value)


def test_a_precompiled_component_is_refused() -> None:
    path = building.compiled(components.PASSES, hashlib.sha256(components.PASSES).hexdigest(), FAST)
    with pytest.raises(InvalidBot, match="not a WebAssembly component"):
        check_bot(sandboxed_spec("mine", "1", path.read_bytes()))


def test_a_compile_bomb_kills_only_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_COMPILE_SECONDS", 1)
    body = "(i64.add " * 20_000 + "(i64.const 1)" + " (i64.const 1))" * 20_000
    core = "".join(f"(func $b{number} (result i64) {body})" for number in range(40))
    with pytest.raises(InvalidBot, match="too much time or memory"):
        check_bot(sandboxed_spec("mine", "1", components.component(core=core, choose=components.text(16, 4))))


def test_one_of_several_processes_builds_a_file(tmp_path: Path) -> None:
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom arena.sandbox.cache import cached\n"
        "def make(path):\n    print('made'); time.sleep(0.3); path.write_text('x')\n"
        "print(cached('thing', make).read_text())"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    processes = [
        subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = "".join(process.communicate()[0] for process in processes)
    assert sorted(said.split()) == ["made", "x", "x", "x"]


def test_a_cache_that_others_can_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "botequim").mkdir()
    (tmp_path / "botequim").chmod(0o777)
    with pytest.raises(cache.UnsafeCache):
        cache.cache_folder()


def test_an_instance_finds_no_trace_of_another() -> None:
    for _ in range(20):
        bot = bot_of(components.SCRIBBLES)
        assert bot.choose(turn()) is None
        bot.close()
    bot = bot_of(components.SCRIBBLES)
    assert bot.choose(turn()) is None
    with pytest.raises(BotFailure, match="unreachable"):
        bot.choose(turn())
    assert bot.choose(turn()) is None
