from __future__ import annotations

import pytest

from arena.dealing import bot_seed
from arena.sandbox.bot import SandboxedBot, sandboxed_spec
from arena.sandbox.limits import Limits
from arena.sandbox.python import PythonProgram, python_program
from arena.table import Table


@pytest.fixture(scope="session")
def python() -> PythonProgram:
    """The sandbox's Python, built and compiled at the first use and then kept."""
    return python_program()


SEED = bytes(range(32))

QUICK = Limits(load_ms=500, decision_ms=300, game_ms=5_000, memory_bytes=80 << 20)


def turn(kind: str = "toepen") -> dict[str, object]:
    """The first turn of a game."""
    table = Table("g1", kind, {"seats": 2} if kind == "toepen" else {"cut": "none"}, SEED)
    table.start()
    (awaited,) = table.awaited()
    found = table.turn(awaited)
    assert found is not None
    return found


def bot_of(source: str, limits: Limits = QUICK) -> SandboxedBot:
    return sandboxed_spec("mine", "1", source, limits).make(bot_seed(SEED, 0))
