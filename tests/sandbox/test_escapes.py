"""What hostile bots try, and that each is contained, classed, and costs nobody else anything."""

from __future__ import annotations

import os
import resource
import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.bots import BotFailure
from arena.sandbox.bot import SandboxedBot
from tests.sandbox.conftest import QUICK, bot_of, turn

pytestmark = pytest.mark.usefixtures("python")

HONEST = "def choose(turn):\n    return turn['legal_actions'][0]\n"


class Attack(NamedTuple):
    """A hostile bot; ``fault``: how it is classed; ``detail``: a part of what its owner is told."""

    name: str
    source: str
    fault: str
    detail: str = ""


def choosing(body: str) -> str:
    """A bot whose ``choose`` has this body."""
    lines = body.strip().splitlines()
    return "def choose(turn):\n" + "".join(f"    {line}\n" for line in lines)


def attack(name: str, fault: str, body: str, detail: str = "") -> Attack:
    return Attack(name, choosing(body), fault, detail)


FILES = [
    attack("read a file", "crashed", "return open('/etc/passwd').read()", "PermissionError"),
    attack("write a file", "crashed", "open('/tmp/botequim-escape', 'w').write('x')", "PermissionError"),
    attack("read by os.open", "crashed", "import os; return str(os.read(os.open('/etc/passwd', 0), 9))"),
    attack("list a folder", "crashed", "import os; return str(os.listdir('/'))", "os.listdir"),
    attack("read by io.FileIO", "crashed", "import io; return str(io.FileIO('/etc/passwd').read())"),
    attack(
        "find the real FileIO",
        "crashed",
        "import io\nreal = type(io.BufferedReader).__mro__\nimport _io\n"
        "for kind in _io._RawIOBase.__subclasses__():\n    return str(kind('/etc/passwd').read())",
    ),
    attack("remove a file", "crashed", "import os; os.remove('/tmp/x')", "os.remove"),
    attack("write to a descriptor", "crashed", "import os; os.write(1, b'x' * 100)", "os.write"),
    attack("read standard input", "crashed", "return input()", "EOFError"),
    attack("read the harness's file", "crashed", "import inspect, json\nreturn open(json.__file__).read()"),
]

PROCESSES = [
    attack("os.system", "crashed", "import os; os.system('id')", "AttributeError"),
    attack("subprocess", "crashed", "import subprocess", "there is no module 'subprocess'"),
    attack("fork", "crashed", "import os; os.fork()", "AttributeError"),
    attack("exit", "crashed", "import sys; sys.exit(0)", "SystemExit"),
    attack("hard exit", "crashed", "import os; os._exit(0)", "os._exit"),
    attack("abort", "crashed", "import os; os.abort()", "os.abort"),
    attack("a fault of the interpreter", "crashed", "import faulthandler; faulthandler._sigsegv()"),
    attack("a signal", "crashed", "import _signal; _signal.raise_signal(9)"),
    attack("a thread", "crashed", "import _thread; _thread.start_new_thread(print, ())"),
    attack("ctypes", "crashed", "import ctypes", "ctypes"),
]

NETWORK = [
    attack("a socket", "crashed", "import socket", "there is no module 'socket'"),
    attack("a raw socket", "crashed", "import _socket; s = _socket.socket(); s.connect(('127.0.0.1', 6379))"),
    attack("name lookup", "crashed", "import _socket; return str(_socket.getaddrinfo('localhost', 80))"),
    attack("http", "crashed", "import urllib.request", "there is no module"),
    attack("select", "crashed", "import select; select.select([0], [], [], 5)"),
]

LOOPS = [
    Attack("an endless load", "while True:\n    pass\n", "late", "no answer within 500 ms"),
    attack("an endless decision", "late", "while True: pass", "no answer within 300 ms"),
    Attack(
        "an endless constructor",
        "class Bot:\n    def __init__(self):\n        while True: pass\n    def choose(self, turn): pass\n",
        "late",
    ),
    attack(
        "an endless loop that catches all",
        "late",
        "while True:\n    try:\n        1/0\n    except BaseException: pass",
    ),
    attack(
        "an endless destructor",
        "late",
        "class D:\n    def __del__(self):\n        while True: pass\nd = D()\ndel d\nreturn 'x'",
    ),
    attack(
        "an endless str of an exception",
        "late",
        "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E",
    ),
    attack("an endless regular expression", "late", "import re; re.match('(a+)+$', 'a' * 60 + 'b')"),
    attack("an endless power", "late", "return str(9 ** 9 ** 9)"),
    attack("an endless sort in C", "late", "import itertools; return str(sum(itertools.count()))"),
    attack(
        "an endless sleep that waits for nobody", "illegal", "import time; time.sleep(1e6); return 'slept'"
    ),
    attack("printing without end", "late", "while True: print('x' * 1000)"),
    attack("calling the host without end", "late", "import wit_world\nwhile True: wit_world.clock()"),
    attack(
        "calling the host with much",
        "late",
        "import wit_world\ns = 'x' * 10**7\nwhile True: wit_world.log(s)",
    ),
]

MEMORY = [
    attack("a memory bomb", "crashed", "x = []\nwhile True: x.append(bytes(10**6))", "MemoryError"),
    attack("a giant list", "crashed", "return [0] * 10**9", "MemoryError"),
    attack("a giant text", "crashed", "return 'x' * (2**31 - 100)", "MemoryError"),
    Attack("a memory bomb at load", "x = 'x' * 10**9\n" + HONEST, "crashed", "MemoryError"),
    attack("a bomb that grows by itself", "crashed", "x = [1]\nwhile True: x += x", "MemoryError"),
    attack("deep recursion", "crashed", "def f(): return f()\nf()", "RecursionError"),
    # Each call takes so much memory that it ends the bot long before its fuel does.
    attack(
        "deeper recursion",
        "crashed",
        "import sys; sys.setrecursionlimit(10**9)\ndef f(): kept = bytes(400); return [f()]\nf()",
        "call stack exhausted",
    ),
    attack("deep recursion in C", "late", "x = []\nfor _ in range(10**6): x = [x]\nreturn repr(x)"),
    attack("a deep source", "crashed", "return eval('(' * 10**5 + ')' * 10**5)"),
]

ANSWERS = [
    attack("a giant answer", "malformed", "return 'x' * 10**7", "text of 10000000 characters"),
    attack("a number", "malformed", "return 7", "(int) is not an action"),
    attack("a list", "malformed", "return [turn['legal_actions'][0]]", "(list)"),
    attack("bytes", "malformed", "return b'play:4C'", "(bytes)"),
    attack(
        "a class named as an answer", "malformed", "return type('\"play:4C\"', (), {})()", "is not an action"
    ),
    attack("an illegal action", "illegal", "return 'play:ZZ'"),
    attack("an action with a newline", "illegal", "return turn['legal_actions'][0] + '\\n'"),
    attack("half a surrogate pair", "illegal", "return '\\ud800'"),
    attack("a hostile text", "illegal", "return '\\x1b[2J<script>'"),
]

TAMPERING = [
    attack(
        "hostile text in an exception",
        "crashed",
        "raise ValueError('\\x1b[2J\\n\\nforged line\\ud800')",
        "ValueError",
    ),
    attack("a giant exception", "late", "raise ValueError('x' * 10**7)"),
    attack(
        "an exception that raises",
        "crashed",
        "class E(Exception):\n    def __str__(self): raise self\nraise E",
    ),
    attack("an exception of no kind", "crashed", "raise BaseException('x')", "BaseException"),
    attack(
        "a forged error of the interface", "crashed", "from componentize_py_types import Err\nraise Err(5)"
    ),
    attack("broken json", "crashed", "import json\njson.dumps = json.loads = None\nraise ValueError"),
    attack("broken builtins", "crashed", "import builtins\nvars(builtins).clear()\nraise ValueError"),
    attack(
        "another harness",
        "crashed",
        "from arena.sandbox.guest.harness import WitWorld\n"
        "WitWorld.choose = lambda self, turn: 5\nraise ValueError",
    ),
    attack("the environment", "malformed", "import os; return dict(os.environ) or 0", "(int)"),
    attack("another module of the service", "crashed", "import arena.records.record", "there is no module"),
    attack("the service's store", "crashed", "import arena.store.games", "there is no module"),
    Attack("no bot at all", "x = 1\n", "crashed", "contains no bot"),
    Attack("no Python at all", "\0\x01 not python", "crashed"),
    Attack("a syntax error", "def choose(turn)\n    return 1\n", "crashed", "bot.py, line 1"),
    attack("an unknown import", "crashed", "import numpy", "there is no module 'numpy'"),
    attack("a pickle", "crashed", "import pickle\npickle.loads(b'cposix\\nsystem\\n(S\"id\"\\ntR.')"),
]

ATTACKS = [*FILES, *PROCESSES, *NETWORK, *LOOPS, *MEMORY, *ANSWERS, *TAMPERING]


def asked(bot: SandboxedBot, told: dict[str, object]) -> tuple[str, str]:
    """The fault that the table would note, and its detail."""
    try:
        action = bot.choose(told)
    except BotFailure as failure:
        return failure.type, str(failure)
    return ("" if action in told["legal_actions"] else "illegal"), repr(action)  # type: ignore[operator]


def test_there_are_forty_attacks() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 40


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_each_attack_is_contained_and_classified(attack: Attack) -> None:
    told = turn()
    bot = bot_of(attack.source)
    fault, detail = asked(bot, told)
    assert (fault, attack.detail in detail) == (attack.fault, True), detail
    assert detail.isprintable()
    assert len(detail) <= 300
    assert len(bot.journal.output) <= QUICK.output_chars
    honest = bot_of(HONEST)
    assert honest.choose(told) == told["legal_actions"][0]
    assert not Path("/tmp/botequim-escape").exists()


def test_nothing_was_opened_and_little_memory_kept() -> None:
    told = turn()
    bot_of(HONEST).choose(told)

    def all_of_them() -> None:
        for attack in [*FILES, *NETWORK, *PROCESSES, *MEMORY]:
            asked(bot_of(attack.source), told)

    all_of_them()
    before = sorted(os.listdir("/proc/self/fd")), resident()
    all_of_them()
    after = sorted(os.listdir("/proc/self/fd")), resident()
    assert after[0] == before[0]
    assert after[1] - before[1] < 20 << 20


def resident() -> int:
    """Bytes of memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def test_no_connection_is_made() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        body = f"import _socket\ns = _socket.socket()\ns.connect(('127.0.0.1', {port}))\nreturn 'x'"
        assert asked(bot_of(choosing(body)), turn())[0] == "crashed"
        with pytest.raises(TimeoutError):
            server.accept()


WHISPER = """
import sys, random, json, arena.games
from botequim import Bot as Base

class Bot(Base):
    def choose(self, turn):
        seen = [getattr(sys, "note", None), getattr(json, "note", None), getattr(Base, "note", None),
                getattr(arena.games, "note", None), getattr(random, "note", None)]
        print(seen)
        for place in (sys, json, Base, arena.games, random):
            place.note = turn["turn"]
        return turn["legal_actions"][0]
"""


def test_seats_and_games_cannot_communicate() -> None:
    one, other = bot_of(WHISPER), bot_of(WHISPER)
    one.choose(turn())
    other.choose(turn())
    del one
    third = bot_of(WHISPER)
    third.choose(turn())
    nothing = "[None, None, None, None, None]\n"
    assert (other.journal.output, third.journal.output) == (nothing, nothing)


RAVAGE = """
import builtins, gc, random, sys, types
from botequim import Bot

print(len(gc.get_objects()), hash(str(sorted(vars(builtins)))), len(sys.modules), random.random(), id(Bot))
kept = []

def choose(turn):
    gc.unfreeze()
    found = gc.get_objects()
    for it in found:
        if it is not found and isinstance(it, (list, set, bytearray)):
            it.clear()
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType) and module.__name__ not in ("builtins", "__main__"):
            for name in list(vars(module)):
                if not name.startswith("__"):
                    setattr(module, name, "ravaged")
    while True:
        kept.append(bytearray(b"ravaged" * 10_000))
"""


def test_damage_by_a_bot_does_not_reach_the_next_game() -> None:
    outputs = []
    for _ in range(5):
        bot = bot_of(RAVAGE)
        fault, _ = asked(bot, turn())
        assert fault in ("crashed", "late")
        outputs.append(bot.journal.output.splitlines()[0])
    assert outputs == outputs[:1] * 5
    assert bot_of(HONEST).choose(turn()) == turn()["legal_actions"][0]


def test_no_instance_survives_its_trap() -> None:
    bot = bot_of(
        "import sys\nn = 0\ndef choose(turn):\n    global n\n    n += 1\n    print(n)\n    while True: pass\n"
    )
    for _ in range(2):
        assert asked(bot, turn())[0] == "late"
    assert bot.journal.output == "1\n1\n"


def test_the_game_has_its_own_budget() -> None:
    bot = bot_of("def choose(turn):\n    while True: pass\n", replace(QUICK, game_ms=1_000))
    details = [asked(bot, turn())[1] for _ in range(6)]
    assert "300 ms" in details[0]
    assert "the 1000 ms of thinking for the game are used up" in details[-1]
    start = time.process_time()
    for _ in range(100):
        asked(bot, turn())
    assert time.process_time() - start < 2


@pytest.mark.nightly("sandbox")
def test_ten_thousand_instances_leave_nothing_behind() -> None:
    told = turn()

    def some(count: int) -> None:
        for number in range(count):
            bot = bot_of(WHISPER)
            bot.choose(told)
            if number % 2:
                bot.close()

    some(500)
    before = resident(), len(os.listdir("/proc/self/fd"))
    start = time.process_time()
    some(10_000)
    print(f"{(time.process_time() - start) / 10:.2f} ms each, {(resident() - before[0]) / 1024:.0f} KB more")
    assert resident() - before[0] < 8 << 20
    assert len(os.listdir("/proc/self/fd")) == before[1]
