"""The engine that runs this process's sandbox: the fast one, or the plain one where that cannot be built.

    python -m arena.sandbox.runtime

builds it now, which takes about a minute, and prints its id.
"""

from __future__ import annotations

import logging
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from wasmtime import WasmtimeError

from arena.bots import InvalidBot
from arena.sandbox.building import BuildFailed, python_component
from arena.sandbox.components import PlainEngine
from arena.sandbox.limits import SandboxLimits
from arena.sandbox.program import Program, SandboxEngine

log = logging.getLogger(__name__)

_PROGRAMS: Final = 32


@cache
def sandbox_engine() -> SandboxEngine:
    """The engine of this process; it stays the same, so no group is played by two. Raises as
    :func:`best_engine`.
    """
    return best_engine(python_component())


def best_engine(component: Path) -> SandboxEngine:
    """The fast engine, or the plain one where that cannot be built. ``component``: the sandbox's Python.

    Raises :class:`~arena.sandbox.building.BuildFailed`.
    """
    try:
        # Imported here, as it uses private names that the installed wasmtime may not have.
        from arena.sandbox.engine.fast import FastEngine

        return FastEngine(component)
    except (BuildFailed, ImportError, AttributeError, WasmtimeError) as error:
        log.warning("the sandbox runs without its fast engine: %s", error)
        return PlainEngine(component)


def runtime_id() -> str:
    """What names the runtime in records: bots replay exactly where this is the same."""
    return sandbox_engine().runtime_id


def python_program() -> Program:
    """The Python of the sandbox. Raises :class:`~arena.sandbox.building.BuildFailed`."""
    return sandbox_engine().python


def component_program(wasm: bytes, limits: SandboxLimits) -> Program:
    """A bot that is a component. Raises :class:`~arena.bots.InvalidBot`."""
    if len(wasm) > limits.component_bytes:
        raise InvalidBot(
            f"a component of {len(wasm)} bytes", field="source", expected=f"at most {limits.component_bytes}"
        )
    return _component_program(wasm)


@lru_cache(_PROGRAMS)
def _component_program(wasm: bytes) -> Program:
    return sandbox_engine().component(wasm)


if __name__ == "__main__":
    print(runtime_id())
