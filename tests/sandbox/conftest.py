from __future__ import annotations

import pytest

from arena.play.dealing import bot_seed
from arena.play.table import Table
from arena.sandbox.bot import SandboxedBot, sandboxed_spec
from arena.sandbox.engine.fast import LinkedPython
from arena.sandbox.limits import SandboxLimits
from arena.sandbox.runtime import python_program


@pytest.fixture(scope="session")
def python() -> LinkedPython:
    """The Python of the fast engine, built and compiled at the first use and then kept."""
    program = python_program()
    assert isinstance(program, LinkedPython)
    return program


SEED = bytes(range(32))

QUICK = SandboxLimits(load_ms=500, decision_ms=300, game_ms=5_000, memory_bytes=80 << 20)


def turn(kind: str = "toepen") -> dict[str, object]:
    """The first turn of a game."""
    table = Table("g1", kind, {"seats": 2} if kind == "toepen" else {"cut": "none"}, SEED)
    table.start()
    (awaited,) = table.awaited()
    found = table.turn(awaited)
    assert found is not None
    return found


def bot_of(source: str, limits: SandboxLimits = QUICK) -> SandboxedBot:
    return sandboxed_spec("mine", "1", source, limits).make(bot_seed(SEED, 0))
