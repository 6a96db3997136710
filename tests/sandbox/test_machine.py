"""Machines that are used again: nothing of a game survives in them, and what is not sound is thrown away."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from ctypes import memmove, string_at
from dataclasses import replace
from typing import Any

import pytest
from wasmtime import Module

from arena.alarms import OutOfTime, time_limit
from arena.bots import BotFailure
from arena.sandbox.bot import Journal, SandboxedBot
from arena.sandbox.limits import Limits
from arena.sandbox.machine import Machine
from arena.sandbox.program import engine
from arena.sandbox.python import PythonInstance, PythonProgram, python_program
from arena.sandbox.runtime import compiled_runtime
from tests.sandbox.conftest import QUICK, turn
from tests.sandbox.test_bot import DICE, ROOT
from tests.sandbox.test_escapes import HONEST, RAVAGE, WHISPER, choosing
from tests.sandbox.test_pages import PAGE, needs_page_scan

pytestmark = pytest.mark.usefixtures("python")


@pytest.fixture(scope="module")
def module(python: PythonProgram) -> Module:
    return Module.deserialize_file(engine(), str(compiled_runtime()))


@pytest.fixture
def program(module: Module) -> PythonProgram:
    """A program of the test's own, without idle machines."""
    return PythonProgram(module)


@pytest.fixture
def reusing(program: PythonProgram) -> PythonProgram:
    """The same, where machines can be used again."""
    needs_page_scan()
    return program


def idle(program: PythonProgram) -> list[Machine]:
    """The machines that wait for a game."""
    return [machine for machines in program.machines._idle.values() for machine in machines]


def state(machine: Machine) -> tuple[bytes, list[object]]:
    """All that a machine holds: its memory, and its globals."""
    size = machine._memory.data_len(machine.store)
    return string_at(machine.start, size), [item.value(machine.store) for item, _ in machine._globals]


def assert_pristine(program: PythonProgram, machine: Machine) -> None:
    memory, variables = state(machine)
    pristine, initial = state(program.machines._pristine)
    assert variables == initial
    assert len(variables) > 0
    # Not compared in the assertion itself, which would print 20 MB.
    differing = [
        at for at in range(0, len(pristine), PAGE) if memory[at : at + PAGE] != pristine[at : at + PAGE]
    ]
    assert (len(memory), differing) == (len(pristine), [])


def machine_of(bot: SandboxedBot) -> Machine:
    assert isinstance(bot._instance, PythonInstance)
    return bot._instance.machine


def is_closed(machine: Machine) -> bool:
    try:
        machine.store.ptr()
    except ValueError:
        return True
    return False


def bot_of(program: PythonProgram, source: str, limits: Limits = QUICK, seed: int = 5) -> SandboxedBot:
    return SandboxedBot(program, source, seed, limits)


def told(bot: SandboxedBot, decisions: int = 4) -> list[Any]:
    """What a bot answers, or what its owner is told, to turns of both games; and its fuel."""
    answers: list[Any] = []
    for number in range(decisions):
        try:
            answers.append(bot.choose(turn(("toepen", "truco")[number % 2])))
        except BotFailure as failure:
            answers.append((failure.type, str(failure)))
        answers.append(bot._used)
    return [*answers, bot.journal]


def played(program: PythonProgram, source: str, limits: Limits = QUICK) -> list[object]:
    """The same of a bot that is made for it and then closed."""
    bot = bot_of(program, source, limits)
    try:
        return told(bot)
    finally:
        bot.close()


def assert_plays(program: PythonProgram) -> None:
    actions: Any = turn()["legal_actions"]
    assert played(program, HONEST)[0] == actions[0]


GLOBALS = """
import sys, types
def choose(turn):
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType) and module.__name__ not in ("builtins", "__main__"):
            for name in list(vars(module)):
                if not name.startswith("__"):
                    setattr(module, name, "ravaged")
    raise ValueError
"""
MODULES = """
import json, sys
def choose(turn):
    for name, module in list(sys.modules.items()):
        if module is not None:
            module.ravaged = [name] * 50
    json.dumps = json.loads = None
    raise ValueError("ravaged")
"""
CLEARS = """
import gc
gc.unfreeze()
def choose(turn):
    cleared = 0
    for it in gc.get_objects():
        if isinstance(it, (list, set, bytearray)) and cleared < 100:
            it.clear()
            cleared += 1
    raise ValueError("ravaged")
"""
ALLOCATES = choosing(
    "parts = [bytearray(b'x' * 100_000) for _ in range(20)]\nprint(sum(map(len, parts)))\n"
    "del parts\nreturn turn['legal_actions'][0]"
)
RECURSES = choosing("def f(n): return n and 1 + f(n - 1)\nprint(f(500))\nreturn turn['legal_actions'][-1]")

KINDS = {
    "honest": HONEST,
    "dice": DICE,
    "whispers": WHISPER,
    "sets globals": GLOBALS,
    "changes modules": MODULES,
    "clears lists": CLEARS,
    "allocates 2 MB": ALLOCATES,
    "recurses": RECURSES,
    "raises": choosing("raise ValueError('x' * 1000)"),
    "no action": choosing("return 7"),
    "much output": choosing("print('x' * 100_000)\nreturn turn['legal_actions'][0]"),
    "changes the turn": choosing("turn.clear()\nreturn 'y' * 1000"),
    "raises when loaded": "kept = ['x' * 999 for _ in range(999)]\nx = 1 / 0\n",
    "no source": "def choose(",
}
"""Bots after which the machine is used again."""


@pytest.mark.parametrize("source", KINDS.values(), ids=KINDS)
def test_nothing_of_a_game_survives(reusing: PythonProgram, source: str) -> None:
    played(reusing, source)
    (machine,) = idle(reusing)
    assert_pristine(reusing, machine)


def test_nothing_survives_any_number_of_games(reusing: PythonProgram) -> None:
    used = []
    for source in KINDS.values():
        before = idle(reusing)
        played(reusing, source)
        used.append(before == idle(reusing) != [])
    # A machine that wrote to many pages in all its games is replaced once in a while.
    assert used.count(True) > len(used) // 2
    (machine,) = idle(reusing)
    assert_pristine(reusing, machine)


def test_every_byte_and_every_global_is_set_back(reusing: PythonProgram) -> None:
    bot = bot_of(reusing, HONEST)
    machine = machine_of(bot)
    last = machine._memory.data_len(machine.store) // PAGE - 1
    for page in (0, 1, 2, 500, 502, last):
        before = machine.read(page * PAGE, PAGE)
        memmove(machine.start + page * PAGE, bytes(byte ^ 0xFF for byte in before), PAGE)
    for item, value in machine._globals:
        item.set_value(machine.store, value - 16)
    bot.close()
    assert idle(reusing) == [machine]
    assert_pristine(reusing, machine)


def test_the_machine_of_a_bot_that_wrote_is_the_next_bots(reusing: PythonProgram) -> None:
    bot = bot_of(reusing, MODULES)
    machine = machine_of(bot)
    told(bot)
    bot.close()
    assert idle(reusing) == [machine]
    other = bot_of(reusing, WHISPER)
    assert (machine_of(other), idle(reusing)) == (machine, [])
    other.choose(turn())
    assert other.journal.output == "[None, None, None, None, None]\n"


def test_what_all_earlier_tests_left_idle_is_pristine() -> None:
    needs_page_scan()
    shared = python_program()
    for source in (MODULES, HONEST, HONEST):
        played(shared, source)
    machines = idle(shared)
    assert machines
    for machine in machines:
        assert_pristine(shared, machine)


def on_a_new_machine(program: PythonProgram, source: str, limits: Limits = QUICK) -> list[object]:
    program.prepared(source, limits)
    used = [program.machines.take(limits.memory_bytes) for _ in idle(program)]
    bot = bot_of(program, source, limits)
    assert bot._instance is None or machine_of(bot) not in used
    answers = told(bot)
    bot.close()
    return answers


ODD = {"honest": HONEST, "dice": DICE, "allocates 2 MB": ALLOCATES, "recurses": RECURSES}


@pytest.mark.parametrize("source", ODD.values(), ids=ODD)
def test_a_bot_plays_alike_on_new_and_on_used_machines(reusing: PythonProgram, source: str) -> None:
    new = on_a_new_machine(reusing, source)
    assert [played(reusing, source) for _ in range(2)] == [new] * 2
    for hostile in (MODULES, CLEARS, GLOBALS, RAVAGE, choosing("while True: pass")):
        played(reusing, hostile)
        assert played(reusing, source) == new


LOOPS = choosing("while True: pass")
TRAPS = choosing(
    "def f(): pass\nf.__code__ = f.__code__.replace(co_code=bytes([100, 250, 83, 0]))\nreturn f()"
)
GROWS = choosing("kept = bytearray(b'x' * 30_000_000)\nreturn turn['legal_actions'][0]")
CHURNS = choosing(
    "for n in range(9):\n  kept = bytearray(b'x' * 900_000 * n)\nreturn turn['legal_actions'][0]"
)
DEEP = "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return [f()]\n" + choosing("f()")


@pytest.mark.parametrize(
    ("source", "fault", "lives"),
    [
        (LOOPS, "late", False),
        (TRAPS, "crashed", False),
        (DEEP, "crashed", False),
        (choosing("import wit_world\nwit_world.log('\\ud800')"), "crashed", False),
        (GROWS, "", True),
        (CHURNS, "", True),
    ],
    ids=["out of fuel", "trapped", "out of stack", "no text", "grown", "wrote a lot"],
)
def test_a_machine_that_is_not_sound_or_not_the_same_is_thrown_away(
    program: PythonProgram, source: str, fault: str, lives: bool
) -> None:
    limits = replace(QUICK, decision_ms=2_000)
    bot = bot_of(program, source, limits)
    machine = machine_of(bot)
    answer = told(bot, 1)[0]
    assert (answer[0] if isinstance(answer, tuple) else "") == fault
    assert (bot._instance is not None) == lives
    assert is_closed(machine) != lives
    bot.close()
    assert is_closed(machine)
    assert idle(program) == []
    assert_plays(program)


PATIENT = replace(QUICK, decision_ms=1_500)
SAYS = "print('x')\n"


def interrupted(*_: object) -> None:
    raise OutOfTime


def test_a_machine_whose_call_was_interrupted_is_thrown_away(program: PythonProgram) -> None:
    bot = bot_of(program, LOOPS, PATIENT)
    machine = machine_of(bot)
    # The alarm is seen when the fuel has ended the call.
    with pytest.raises(OutOfTime), time_limit(0.2):
        bot.choose(turn())
    bot.close()
    assert is_closed(machine)
    assert idle(program) == []
    assert_plays(program)


def test_a_machine_for_which_the_host_raised_is_thrown_away(
    program: PythonProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = bot_of(program, choosing(SAYS))
    machine = machine_of(bot)
    assert bot._instance is not None
    monkeypatch.setattr(bot._instance, "print", interrupted)
    with pytest.raises(OutOfTime):
        bot.choose(turn())
    bot.close()
    assert is_closed(machine)
    assert idle(program) == []


def test_a_load_that_was_interrupted_leaves_no_machine(
    program: PythonProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    program.prepared(SAYS, QUICK)
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "print", interrupted)
        with pytest.raises(OutOfTime):
            bot_of(program, SAYS)
    assert idle(program) == []
    assert_plays(program)


def test_setting_back_that_was_interrupted_leaves_no_machine(
    reusing: PythonProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = bot_of(reusing, MODULES)
    told(bot)
    with monkeypatch.context() as patch:
        patch.setattr("arena.sandbox.machine.written", interrupted)
        with pytest.raises(OutOfTime):
            bot.close()
    bot.close()
    assert idle(reusing) == []
    assert_plays(reusing)


def test_as_many_machines_wait_as_a_game_has_seats(reusing: PythonProgram) -> None:
    bots = [bot_of(reusing, HONEST, seed=seed) for seed in range(11)]
    machines = [machine_of(bot) for bot in bots]
    assert len({machine.start for machine in machines}) == 11
    for bot in bots:
        bot.choose(turn())
        bot.close()
    assert idle(reusing) == machines[:8]
    assert [is_closed(machine) for machine in machines] == [False] * 8 + [True] * 3


def test_machines_of_other_limits_are_others(reusing: PythonProgram) -> None:
    small, large = replace(QUICK, memory_bytes=40 << 20), replace(QUICK, memory_bytes=80 << 20)
    fills = choosing("return turn['legal_actions'][len(bytes(30 << 20)) and 0]")
    for limits in (small, large):
        played(reusing, HONEST, limits)
    assert sorted(machine.memory_bytes for machine in idle(reusing)) == [40 << 20, 80 << 20]
    for limits, fault in ((small, "crashed"), (large, ""), (small, "crashed")):
        bot = bot_of(reusing, fills, limits)
        assert machine_of(bot).memory_bytes == limits.memory_bytes
        answer = told(bot, 1)[0]
        assert (answer[0] if isinstance(answer, tuple) else "") == fault
        bot.close()


def test_where_the_kernel_does_not_tell_no_machine_is_used_again(
    program: PythonProgram, module: Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = [played(program, source) for source in (DICE, MODULES, DICE)]
    monkeypatch.setattr("arena.sandbox.machine.written", lambda *_: None)
    other = PythonProgram(module)
    answers, machines = [], []
    for source in (DICE, MODULES, DICE):
        bot = bot_of(other, source)
        machines.append(machine_of(bot))
        answers.append(told(bot))
        bot.close()
        assert idle(other) == []
    assert answers == right
    assert len(set(machines)) == 3
    assert all(is_closed(machine) for machine in machines)


def test_closing_again_gives_nothing_back(reusing: PythonProgram) -> None:
    bot = bot_of(reusing, HONEST)
    instance, machine = bot._instance, machine_of(bot)
    assert instance is not None
    bot.close()
    bot.close()
    instance.close()
    assert idle(reusing) == [machine]
    one, other = bot_of(reusing, HONEST), bot_of(reusing, HONEST)
    instance.close()
    assert machine_of(one) is machine
    assert machine_of(other) is not machine


def test_bots_that_go_without_a_close_take_their_machines_along(reusing: PythonProgram) -> None:
    dropped, cyclic, kept = (bot_of(reusing, WHISPER) for _ in range(3))
    cyclic.itself = cyclic  # type: ignore[attr-defined]
    for bot in (dropped, cyclic, kept):
        bot.choose(turn())
    machine = machine_of(kept)
    gone = [weakref.ref(machine_of(dropped)), weakref.ref(machine_of(cyclic))]
    del bot, dropped, cyclic
    gc.collect()
    assert [reference() for reference in gone] == [None, None]
    assert idle(reusing) == []
    kept.close()
    assert idle(reusing) == [machine]
    bots = [bot_of(reusing, WHISPER) for _ in range(4)]
    assert len({machine_of(bot).start for bot in bots}) == 4
    assert machine_of(bots[0]) is machine
    for bot in bots:
        bot.choose(turn())
        assert bot.journal.output == "[None, None, None, None, None]\n"


RINGING = """
import sys
from arena.alarms import OutOfTime, time_limit
from arena.sandbox.limits import Limits
from tests.sandbox.conftest import bot_of, turn

told, rang = turn(), 0
for number in range(15):
    bot = bot_of(sys.argv[1], Limits(decision_ms=100))
    try:
        with time_limit(0.005 + 0.001 * number):
            bot.choose(told)
    except OutOfTime:
        rang += 1
    bot.close()
print(rang)
"""


@pytest.mark.parametrize("body", ["time.perf_counter()", "print('x')"])
def test_an_alarm_breaks_off_no_call_of_the_host(body: str) -> None:
    """In a process of its own, as it would end it."""
    source = f"import time\ndef choose(turn):\n    while True: {body}\n"
    command = [sys.executable, "-c", RINGING, source]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "15\n"), done.stderr
