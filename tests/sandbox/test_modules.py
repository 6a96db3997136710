"""Bots that are modules: what they can do, their faults, and what cannot be one."""

from __future__ import annotations

import gc
import hashlib
import os
import re
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from wasmtime import wat2wasm

from arena.bots import BotFailure, InvalidBot
from arena.play.dealing import bot_seed
from arena.sandbox import building, cache
from arena.sandbox.bot import SandboxedBot, check_bot, sandboxed_spec
from arena.sandbox.compiler import UPLOAD
from arena.sandbox.engine.fast import LinkedPython
from arena.sandbox.modules import module_program
from arena.sandbox.wasi import _FUNCTIONS
from tests.sandbox import modules
from tests.sandbox.conftest import QUICK, SEED, turn


@pytest.fixture(autouse=True)
def _own_cache(python: LinkedPython, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache for what the test compiles; the engine itself comes from the usual one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


FIRST_ACTION: str = turn()["legal_actions"][0]  # type: ignore[index]

LONG = "(call $write (i32.const 1) (i32.const 262144) (i32.const 100000))"
IMPORT = '(import "{}" "{}" (func {}))'
START = '(module (memory (export "memory") 1) (func (export "_start") {}))'


def importing(module: str, name: str, types: str) -> bytes:
    return bytes(wat2wasm(f"(module {IMPORT.format(module, name, types)} {START.format('')[8:]}"))


def bot_of(wasm: bytes) -> SandboxedBot:
    return sandboxed_spec("mine", "1", wasm, QUICK).make(bot_seed(SEED, 0))


def test_a_module_plays() -> None:
    bot = bot_of(modules.PLAYS)
    answers = [bot.choose(turn(kind)) for kind in ("toepen", "truco", "toepen")]
    assert answers == [turn(kind)["legal_actions"][0] for kind in ("toepen", "truco", "toepen")]  # type: ignore[index]
    assert bot_of(modules.PASSES).choose({**turn(), "optional": True}) is None


@pytest.mark.parametrize(
    ("wasm", "fault", "detail"),
    [
        (modules.LOOPS, "late", "no answer within"),
        (modules.TRAPS, "crashed", "unreachable"),
        (modules.GIANT_ANSWER, "late", "fuel"),
        (
            modules.module(memory="6", decide=LONG),
            "malformed",
            "more than 65536 bytes",
        ),
        (
            modules.module(memory="6", decide="(call $answer)" + LONG * 5),
            "malformed",
            "without reading turns",
        ),
        (modules.OUT_OF_BOUNDS, "crashed", "out of bounds"),
        (modules.NO_TEXT, "malformed", "not JSON"),
        (modules.PASSES, "malformed", "must be a text"),
        (modules.READS_ON, "malformed", "read the next line before it answered"),
        (modules.MUCH_MEMORY, "crashed", "memory"),
        (modules.FILLS, "late", "no answer within"),
        (modules.RECURSES, "crashed", "call stack exhausted"),
        (modules.RETURNS, "crashed", "exit code 0"),
        (modules.EXITS, "crashed", "exit code 3"),
        (modules.module(opening=""), "malformed", "before it answered"),
        (modules.module(opening="[]\n"), "crashed", "not a JSON object"),
        (modules.module(opening='{"games":["chess"]}\n'), "crashed", "chess"),
        (modules.module(opening="{}\n{}\n"), "malformed", "no field turn"),
    ],
    ids=[
        *("loops", "traps", "giant", "long line", "flood", "bounds", "utf-8", "null", "reads on", "memory"),
        *("fills", "recurses", "returns", "exits", "no opening", "opening", "games", "two lines"),
    ],
)
def test_faults_of_a_module_are_classified(wasm: bytes, fault: str, detail: str) -> None:
    bot = bot_of(wasm)
    with pytest.raises(BotFailure) as caught:
        bot.choose(turn())
    assert (caught.value.type, detail in str(caught.value)) == (fault, True), str(caught.value)
    bot.close()
    assert bot_of(modules.PLAYS).choose(turn()) == FIRST_ACTION


def test_a_module_says_which_games_it_plays_and_whether_it_wants_rights() -> None:
    wasm = modules.module(opening='{"games":["truco"],"rights":true}\n')
    assert check_bot(sandboxed_spec("mine", "1", wasm)) == ("truco",)
    assert bot_of(wasm).wants_rights
    assert check_bot(sandboxed_spec("mine", "1", modules.PLAYS)) == ()
    assert not bot_of(modules.PLAYS).wants_rights


def test_what_a_module_writes_to_standard_error_is_its_log() -> None:
    bot = bot_of(modules.module(decide=modules.printing(2, 0) + modules.printing(2, 9) * 2, core=GREETING))
    bot.choose(turn())
    bot.close()
    assert bot.journal.output == "h\u00e9llo \ufffd\n" * 2


GREETING = '(data (i32.const 0) "h\\c3\\a9llo \\ff\\0a")'


CALLED = """(import "wasi_snapshot_preview1" "{}" (func $called {} (result i32)))"""


def error_of(name: str, types: str) -> int:
    """The error code of a function of WASI for file 3 and addresses in the memory."""
    kinds = ["i32" if one == "i" else "i64" for one in types]
    values = (3, *[262144] * len(kinds))
    arguments = " ".join(f"({kind}.const {value})" for kind, value in zip(kinds, values, strict=False))
    wasm = modules.module(
        imports=CALLED.format(name, f"(param {' '.join(kinds)})"),
        decide=f"(i32.store8 (i32.const 0) (i32.add (i32.const 32) (call $called {arguments})))"
        + modules.printing(2, 1),
        memory="5",
    )
    bot = bot_of(wasm)
    bot.choose(turn())
    bot.close()
    return ord(bot.journal.output) - 32


@pytest.mark.system
def test_what_gives_access_to_the_machine_returns_an_error() -> None:
    codes = {name: error_of(name, types) for name, types in _FUNCTIONS.items() if name != "proc_exit"}
    clocks = {"clock_res_get", "clock_time_get"}
    sizes = {"args_get", "args_sizes_get", "environ_get", "environ_sizes_get"}
    assert {name for name, code in codes.items() if code == 0} == {*clocks, *sizes, "sched_yield"}
    assert {code for name, code in codes.items() if name.startswith(("path_", "sock_", "proc_"))} == {52}
    assert {code for name, code in codes.items() if name.startswith("fd_")} == {8}
    # The number of random bytes, or of subscriptions, is too large.
    assert codes["random_get"] == codes["poll_oneoff"] == 28


def test_random_numbers_of_wasi_follow_from_the_seed() -> None:
    answers = [bot_of(modules.ENTROPY).choose(turn()) for _ in range(2)]
    assert answers[0] == answers[1]
    assert len(str(answers[0])) == 8
    other = sandboxed_spec("mine", "1", modules.ENTROPY, QUICK).make(7).choose(turn())
    assert other != answers[0]


CLOCK = modules.module(
    imports=modules.wasi("clock_time_get", "i32 i64 i32") + modules.wasi("poll_oneoff", "i32 i32 i32 i32"),
    # Sleeps for a second, and prints the nanoseconds.
    decide="""(i32.store8 (i32.const 262152) (i32.const 0)) (i32.store (i32.const 262160) (i32.const 1))
      (i64.store (i32.const 262168) (i64.const 1000000000))
      (drop (call $poll_oneoff (i32.const 262144) (i32.const 262400) (i32.const 1) (i32.const 262500)))
      (drop (call $clock_time_get (i32.const 1) (i64.const 0) (i32.const 0)))"""
    + "".join(
        f"(i32.store8 (i32.const {8 + place}) (i32.wrap_i64 (i64.add (i64.const 48)"
        f" (i64.rem_u (i64.div_u (i64.load (i32.const 0)) (i64.const {10 ** (11 - place)}))"
        " (i64.const 10)))))"
        for place in range(12)
    )
    + "(i32.store8 (i32.const 20) (i32.const 10)) (call $write (i32.const 2) (i32.const 8) (i32.const 13))",
    memory="5",
)


def test_the_clock_follows_from_fuel_and_sleep() -> None:
    outputs = set()
    for _ in range(2):
        bot = bot_of(CLOCK)
        for _ in range(2):
            bot.choose(turn())
        bot.close()
        outputs.add(bot.journal.output)
    (output,) = outputs
    first, second = map(int, output.split())
    assert 1_000_000_000 < first < 1_010_000_000
    assert first + 1_000_000_000 < second < 2_020_000_000


def test_fuel_is_equal_in_two_runs_and_two_builds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    used = []
    for build in range(2):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / str(build)))
        module_program.cache_clear()
        for _ in range(2):
            bot = bot_of(modules.PLAYS)
            for kind in ("truco", "toepen") * 3:
                bot.choose(turn(kind))
            bot.close()
            used.append([bot.usage.fuel, bot.journal.load_ms, *(one.ms for one in bot.journal.decisions)])
    assert used[0][0] > 100_000
    assert used == used[:1] * 4


def test_memory_grows_to_the_limit_and_no_further() -> None:
    assert bot_of(modules.GROWS).choose(turn()) == FIRST_ACTION


@pytest.mark.parametrize(
    ("wasm", "why"),
    [
        (b"", "it is not WebAssembly in binary form; expected a WebAssembly module for WASI preview 1"),
        (b"\x7fELF" + bytes(100), "it is not WebAssembly in binary form"),
        (b"(module)", "it is not WebAssembly in binary form"),
        (b"\0asm\x0d\0\x01\0", "it is a component; expected a WebAssembly module for WASI preview 1"),
        (b"\0asm\x01\0\0\0", 'it does not export a memory with the name "memory"'),
        (modules.PLAYS[:-10], "unexpected end"),
        (bytes(wat2wasm('(module (memory (export "memory") 1))')), 'it does not export a function "_start"'),
        (
            bytes(wat2wasm(START.format("(param i32)"))),
            'it does not export a function "_start" without parameters',
        ),
        (
            importing("env", "abort", "(param i32)"),
            "it imports abort of env; only functions of wasi_snapshot",
        ),
        (
            importing("wasi_snapshot_preview1", "fd_look", ""),
            "it imports fd_look, which is not a function of",
        ),
        (
            importing("wasi_snapshot_preview1", "fd_close", ""),
            "it imports fd_close, but not as a function (i32) -> (i32)",
        ),
        (
            modules.module(imports="".join(IMPORT.format("wasi_snapshot_preview1", "fd_close", "") * 100)),
            "it has more than 100 imports or 1000 exports",
        ),
    ],
    ids=[
        *("nothing", "elf", "text", "component", "empty", "cut", "no start", "start", "other import"),
        *("unknown import", "type of import", "many imports"),
    ],
)
def test_modules_that_are_not_bots_are_rejected(wasm: bytes, why: str) -> None:
    with pytest.raises(InvalidBot) as caught:
        check_bot(sandboxed_spec("mine", "1", wasm))
    assert why in str(caught.value)


def test_a_precompiled_module_is_refused() -> None:
    path = building.compiled(modules.PLAYS, hashlib.sha256(modules.PLAYS).hexdigest(), UPLOAD)
    with pytest.raises(InvalidBot, match="not WebAssembly in binary form"):
        check_bot(sandboxed_spec("mine", "1", path.read_bytes()))


def test_a_compile_bomb_kills_only_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_COMPILE_SECONDS", 1)
    body = "(i64.add " * 20_000 + "(i64.const 1)" + " (i64.const 1))" * 20_000
    core = "".join(f"(func $b{number} (result i64) {body})" for number in range(40))
    with pytest.raises(InvalidBot, match="too much time or memory"):
        check_bot(sandboxed_spec("mine", "1", modules.module(core=core)))


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
        bot = bot_of(modules.SCRIBBLES)
        assert bot.choose(turn()) == FIRST_ACTION
        bot.close()
    bot = bot_of(modules.SCRIBBLES)
    assert bot.choose(turn()) == FIRST_ACTION
    with pytest.raises(BotFailure, match="unreachable"):
        bot.choose(turn())
    assert bot.choose(turn()) == FIRST_ACTION


def test_an_instance_that_nobody_closes_ends_with_the_next() -> None:
    bot = bot_of(modules.PLAYS)
    bot.choose(turn())
    gc.collect()
    bot_of(modules.PLAYS).close()
    before = threading.active_count()
    del bot
    gc.collect()
    assert threading.active_count() == before
    bot_of(modules.PLAYS).close()
    assert threading.active_count() == before - 1


def _kilobytes() -> int:
    return int(re.findall(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())[0])


@pytest.mark.nightly("sandbox")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads its memory from /proc")
def test_a_thousand_instances_leave_no_memory_and_no_thread() -> None:
    wasms = [modules.PLAYS, modules.GROWS, modules.LOOPS, modules.TRAPS, modules.EXITS]

    def play(times: int) -> None:
        for number in range(times):
            bot = bot_of(wasms[number % len(wasms)])
            with suppress(BotFailure):
                bot.choose(turn())
            bot.close()

    play(200)
    gc.collect()
    before, threads = _kilobytes(), threading.active_count()
    play(1_000)
    gc.collect()
    assert threading.active_count() == threads
    assert _kilobytes() - before < 4_096
