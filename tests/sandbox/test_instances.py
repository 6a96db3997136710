"""Instances that are used again: nothing of a game survives in them, and unsound ones are closed."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import weakref
from ctypes import memmove, string_at
from dataclasses import replace
from typing import Any

import pytest

from arena.bots import BotFailure
from arena.play.time_limits import OutOfTime, time_limit
from arena.sandbox.bot import Journal, SandboxedBot
from arena.sandbox.engine.fast import LinkedInstance, LinkedPython
from arena.sandbox.engine.instances import RuntimeInstance
from arena.sandbox.limits import COMPILE_BYTES, SandboxLimits
from tests.sandbox.conftest import QUICK, turn
from tests.sandbox.test_bot import DICE, ROOT
from tests.sandbox.test_escapes import HONEST, RAVAGE, WHISPER, choosing
from tests.sandbox.test_pages import PAGE, needs_page_scan
from tests.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("python")


@pytest.fixture
def program(python: LinkedPython) -> LinkedPython:
    """A program of the test's own, without idle instances."""
    return LinkedPython(*python.parts)


@pytest.fixture
def reusing(program: LinkedPython) -> LinkedPython:
    """The same, where instances can be used again."""
    needs_page_scan()
    return program


def all_idle(program: LinkedPython) -> list[RuntimeInstance]:
    """The instances that wait for a game or for a source to compile."""
    return [instance for instances in program.pool._idle.values() for instance in instances]


def idle(program: LinkedPython) -> list[RuntimeInstance]:
    """The instances that wait for a game. Only a source that is not in the cache is compiled in one."""
    return [instance for instance in all_idle(program) if instance.memory_bytes != COMPILE_BYTES]


def state(instance: RuntimeInstance) -> tuple[bytes, list[object]]:
    """All that a instance holds: its memory, and its globals."""
    size = instance._memory.data_len(instance.store)
    return string_at(instance.start, size), [item.value(instance.store) for item, _ in instance._globals]


def assert_pristine(program: LinkedPython, instance: RuntimeInstance) -> None:
    memory, variables = state(instance)
    pristine, initial = state(program.pool._pristine)
    assert variables == initial
    assert len(variables) > 0
    # Not compared in the assertion itself, which would print 20 MB.
    differing = [
        at for at in range(0, len(pristine), PAGE) if memory[at : at + PAGE] != pristine[at : at + PAGE]
    ]
    assert (len(memory), differing) == (len(pristine), [])


def instance_of(bot: SandboxedBot) -> RuntimeInstance:
    assert isinstance(bot._instance, LinkedInstance)
    return bot._instance.runtime


def is_closed(instance: RuntimeInstance) -> bool:
    try:
        instance.store.ptr()
    except ValueError:
        return True
    return False


def bot_of(program: LinkedPython, source: str, limits: SandboxLimits = QUICK, seed: int = 5) -> SandboxedBot:
    return SandboxedBot(program, source, seed, limits)


def answers_of(bot: SandboxedBot, decisions: int = 4) -> list[Any]:
    """What a bot answers, or what its owner is told, to turns of both games; and its fuel."""
    answers: list[Any] = []
    for number in range(decisions):
        try:
            answers.append(bot.choose(turn(("toepen", "truco")[number % 2])))
        except BotFailure as failure:
            answers.append((failure.type, str(failure)))
        answers.append(bot.usage.fuel)
    return [*answers, bot.journal]


def played(program: LinkedPython, source: str, limits: SandboxLimits = QUICK) -> list[object]:
    """The same of a bot that is made for it and then closed."""
    bot = bot_of(program, source, limits)
    try:
        return answers_of(bot)
    finally:
        bot.close()


def assert_plays(program: LinkedPython) -> None:
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
# Every other module: to change all would write nearly as much as may be restored.
MODULES = """
import json, sys
def choose(turn):
    for name, module in list(sys.modules.items())[::2]:
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
"""Bots after which the instance is used again."""


@pytest.mark.parametrize("source", KINDS.values(), ids=KINDS)
def test_nothing_of_a_game_survives(reusing: LinkedPython, source: str) -> None:
    played(reusing, source)
    assert len(idle(reusing)) == (source != KINDS["no source"])
    for instance in all_idle(reusing):
        assert_pristine(reusing, instance)


def test_nothing_survives_any_number_of_games(reusing: LinkedPython) -> None:
    used = []
    for source in KINDS.values():
        before = idle(reusing)
        played(reusing, source)
        used.append(before == idle(reusing) != [])
    # A instance that wrote to many pages in all its games is replaced once in a while.
    assert used.count(True) > len(used) // 2
    (instance,) = idle(reusing)
    assert_pristine(reusing, instance)


def test_every_byte_and_every_global_is_restored(reusing: LinkedPython) -> None:
    bot = bot_of(reusing, HONEST)
    instance = instance_of(bot)
    last = instance._memory.data_len(instance.store) // PAGE - 1
    for page in (0, 1, 2, 500, 502, last):
        before = instance.read(page * PAGE, PAGE)
        memmove(instance.start + page * PAGE, bytes(byte ^ 0xFF for byte in before), PAGE)
    for item, value in instance._globals:
        item.set_value(instance.store, value - 16)
    bot.close()
    assert idle(reusing) == [instance]
    assert_pristine(reusing, instance)


def test_a_written_instance_is_reused_by_the_next_bot(reusing: LinkedPython) -> None:
    bot = bot_of(reusing, MODULES)
    instance = instance_of(bot)
    answers_of(bot)
    bot.close()
    assert idle(reusing) == [instance]
    other = bot_of(reusing, WHISPER)
    assert (instance_of(other), idle(reusing)) == (instance, [])
    other.choose(turn())
    assert other.journal.output == "[None, None, None, None, None]\n"


def test_idle_instances_of_earlier_tests_are_pristine(python: LinkedPython) -> None:
    needs_page_scan()
    shared = python
    for source in (MODULES, HONEST, HONEST):
        played(shared, source)
    instances = idle(shared)
    assert instances
    for instance in instances:
        assert_pristine(shared, instance)


def on_a_new_instance(program: LinkedPython, source: str, limits: SandboxLimits = QUICK) -> list[object]:
    program.prepared(source, limits)
    used = [program.pool.acquire(limits.memory_bytes) for _ in idle(program)]
    bot = bot_of(program, source, limits)
    assert bot._instance is None or instance_of(bot) not in used
    answers = answers_of(bot)
    bot.close()
    return answers


ODD = {"honest": HONEST, "dice": DICE, "allocates 2 MB": ALLOCATES, "recurses": RECURSES}


@pytest.mark.parametrize("source", ODD.values(), ids=ODD)
def test_a_bot_plays_alike_on_new_and_on_reused_instances(reusing: LinkedPython, source: str) -> None:
    new = on_a_new_instance(reusing, source)
    assert [played(reusing, source) for _ in range(2)] == [new] * 2
    for hostile in (MODULES, CLEARS, GLOBALS, RAVAGE, choosing("while True: pass")):
        played(reusing, hostile)
        assert played(reusing, source) == new


LOOPS = choosing("while True: pass")
# It loads a constant whose address is outside of any memory.
TRAPS = choosing(
    "from opcode import opmap\ndef f(): pass\n"
    "far = [code for digit in b'\\x0f\\xff\\xff' for code in (opmap['EXTENDED_ARG'], digit)]\n"
    "code = bytes([*far, opmap['LOAD_CONST'], 255, opmap['RETURN_VALUE'], 0])\n"
    "f.__code__ = f.__code__.replace(co_code=code)\nreturn f()"
)
GROWS = choosing("kept = bytearray(b'x' * 20_000_000)\nreturn turn['legal_actions'][0]")
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
def test_an_instance_that_is_damaged_or_changed_is_discarded(
    program: LinkedPython, source: str, fault: str, lives: bool
) -> None:
    limits = replace(QUICK, decision_ms=2_000)
    bot = bot_of(program, source, limits)
    instance = instance_of(bot)
    answer = answers_of(bot, 1)[0]
    assert (answer[0] if isinstance(answer, tuple) else "") == fault
    assert (bot._instance is not None) == lives
    assert is_closed(instance) != lives
    bot.close()
    assert is_closed(instance)
    assert idle(program) == []
    assert_plays(program)


SAYS = "print('x')\n"


def interrupted(*_: object) -> None:
    raise OutOfTime


def test_an_instance_whose_call_was_interrupted_is_discarded(
    program: LinkedPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Journal, "print", lambda *_: signal.raise_signal(signal.SIGALRM))
    bot = bot_of(program, choosing("print('x')\nwhile True: pass"))
    instance = instance_of(bot)
    # The alarm rings inside the call, and is raised when the fuel has ended it.
    with pytest.raises(OutOfTime), time_limit(600):
        bot.choose(turn())
    bot.close()
    assert is_closed(instance)
    assert idle(program) == []
    assert_plays(program)


def test_an_instance_for_which_the_host_raised_is_discarded(
    program: LinkedPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = bot_of(program, choosing(SAYS))
    instance = instance_of(bot)
    assert bot._instance is not None
    monkeypatch.setattr(bot._instance, "print", interrupted)
    with pytest.raises(OutOfTime):
        bot.choose(turn())
    bot.close()
    assert is_closed(instance)
    assert idle(program) == []


def test_a_load_that_was_interrupted_leaves_no_instance(
    program: LinkedPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    program.prepared(SAYS, QUICK)
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "print", interrupted)
        with pytest.raises(OutOfTime):
            bot_of(program, SAYS)
    assert idle(program) == []
    assert_plays(program)


def test_an_interrupted_restore_leaves_no_instance(
    reusing: LinkedPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = bot_of(reusing, MODULES)
    answers_of(bot)
    with monkeypatch.context() as patch:
        patch.setattr("arena.sandbox.engine.instances.written_pages", interrupted)
        with pytest.raises(OutOfTime):
            bot.close()
    bot.close()
    assert idle(reusing) == []
    assert_plays(reusing)


def test_the_pool_keeps_as_many_instances_as_a_game_has_seats(reusing: LinkedPython) -> None:
    bots = [bot_of(reusing, HONEST, seed=seed) for seed in range(11)]
    instances = [instance_of(bot) for bot in bots]
    assert len({instance.start for instance in instances}) == 11
    for bot in bots:
        bot.choose(turn())
        bot.close()
    assert idle(reusing) == instances[:8]
    assert [is_closed(instance) for instance in instances] == [False] * 8 + [True] * 3


def test_instances_with_other_limits_are_separate(reusing: LinkedPython) -> None:
    small, large = replace(QUICK, memory_bytes=40 << 20), replace(QUICK, memory_bytes=80 << 20)
    fills = choosing("return turn['legal_actions'][len(bytes(30 << 20)) and 0]")
    for limits in (small, large):
        played(reusing, HONEST, limits)
    assert sorted(instance.memory_bytes for instance in idle(reusing)) == [40 << 20, 80 << 20]
    for limits, fault in ((small, "crashed"), (large, ""), (small, "crashed")):
        bot = bot_of(reusing, fills, limits)
        assert instance_of(bot).memory_bytes == limits.memory_bytes
        answer = answers_of(bot, 1)[0]
        assert (answer[0] if isinstance(answer, tuple) else "") == fault
        bot.close()


def test_without_the_kernels_page_scan_no_instance_is_reused(
    program: LinkedPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = [played(program, source) for source in (DICE, MODULES, DICE)]
    monkeypatch.setattr("arena.sandbox.engine.instances.written_pages", lambda *_: None)
    other = LinkedPython(*program.parts)
    answers, instances = [], []
    for source in (DICE, MODULES, DICE):
        bot = bot_of(other, source)
        instances.append(instance_of(bot))
        answers.append(answers_of(bot))
        bot.close()
        assert idle(other) == []
    assert answers == right
    assert len(set(instances)) == 3
    assert all(is_closed(instance) for instance in instances)


def test_closing_twice_releases_once(reusing: LinkedPython) -> None:
    bot = bot_of(reusing, HONEST)
    seat, instance = bot._instance, instance_of(bot)
    assert seat is not None
    bot.close()
    bot.close()
    seat.close()
    assert idle(reusing) == [instance]
    one, other = bot_of(reusing, HONEST), bot_of(reusing, HONEST)
    seat.close()
    assert instance_of(one) is instance
    assert instance_of(other) is not instance


def test_bots_that_are_not_closed_free_their_instances(reusing: LinkedPython) -> None:
    dropped, cyclic, kept = (bot_of(reusing, WHISPER) for _ in range(3))
    cyclic.itself = cyclic  # type: ignore[attr-defined]
    for bot in (dropped, cyclic, kept):
        bot.choose(turn())
    instance = instance_of(kept)
    gone = [weakref.ref(instance_of(dropped)), weakref.ref(instance_of(cyclic))]
    del bot, dropped, cyclic
    gc.collect()
    assert [reference() for reference in gone] == [None, None]
    assert idle(reusing) == []
    kept.close()
    assert idle(reusing) == [instance]
    bots = [bot_of(reusing, WHISPER) for _ in range(4)]
    assert len({instance_of(bot).start for bot in bots}) == 4
    assert instance_of(bots[0]) is instance
    for bot in bots:
        bot.choose(turn())
        assert bot.journal.output == "[None, None, None, None, None]\n"


RINGING = """
import sys
from arena.play.time_limits import OutOfTime, time_limit
from arena.sandbox.limits import SandboxLimits
from tests.sandbox.conftest import bot_of, turn

told, rang = turn(), 0
for number in range(15):
    bot = bot_of(sys.argv[1], SandboxLimits(decision_ms=400))
    try:
        with time_limit(0.005 + 0.001 * number):
            bot.choose(told)
    except OutOfTime:
        rang += 1
    bot.close()
print(rang)
"""


@pytest.mark.nightly("sandbox")
@pytest.mark.parametrize("body", ["time.perf_counter()", "print('x')"])
def test_an_alarm_does_not_interrupt_calls_of_the_host(body: str) -> None:
    """In a process of its own, as it would end it."""
    source = f"import time\ndef choose(turn):\n    while True: {body}\n"
    command = [sys.executable, "-c", RINGING, source]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "15\n"), done.stderr
