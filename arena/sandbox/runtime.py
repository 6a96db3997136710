"""The runtime of this process's sandbox: a build of its Python, and the engine that runs it. This is the fast
engine, or the plain engine if the fast one cannot be built.

    python -m arena.sandbox.runtime

builds the runtime now, which takes about a minute, and prints its id.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import NamedTuple

from wasmtime import WasmtimeError

from arena.sandbox.building import digest_of, python_component
from arena.sandbox.errors import BuildFailed
from arena.sandbox.plain import PlainEngine
from arena.sandbox.program import Program, SandboxEngine

log = logging.getLogger(__name__)


class Runtime(NamedTuple):
    """A build of the sandbox's Python: its WebAssembly file, the file's SHA-256, and the engine for it."""

    component: Path
    sha256: str
    engine: SandboxEngine

    @property
    def id(self) -> str:
        """The id of the runtime in records. With the same id, bots replay exactly."""
        return self.engine.runtime_id


_used: list[Runtime] = []
"""The runtime of this process, at most one."""


def load_runtime(component: Path) -> Runtime:
    """Return the runtime of a build of the sandbox's Python (``component``), compiling it if it is not in the
    cache.

    Raises :class:`~arena.sandbox.errors.BuildFailed`.
    """
    return Runtime(component, digest_of(component), best_engine(component))


def use_runtime(runtime: Runtime) -> None:
    """Make this process run its bots in ``runtime``. The process must not have a runtime yet: a process keeps
    its runtime, so that no group is played in two runtimes.
    """
    assert not _used
    _used.append(runtime)


def used_runtime() -> Runtime | None:
    """Return the runtime of this process, or None if it does not have one yet."""
    return _used[0] if _used else None


def sandbox_engine() -> SandboxEngine:
    """Return the engine of this process or, if it does not have a runtime yet, of this installation's build.
    Raises what :func:`load_runtime` raises.
    """
    if not _used:
        use_runtime(load_runtime(python_component()))
    return _used[0].engine


def best_engine(component: Path) -> SandboxEngine:
    """Return the fast engine, or the plain one if the fast one cannot be built. ``component`` is the
    sandbox's Python.

    Raises :class:`~arena.sandbox.errors.BuildFailed`.
    """
    try:
        # Import this here, since it uses private names that the installed wasmtime might not have.
        from arena.sandbox.engine.fast import FastEngine

        return FastEngine(component)
    except (BuildFailed, ImportError, AttributeError, WasmtimeError) as error:
        log.warning("the sandbox is running without its fast engine: %s", error)
        return PlainEngine(component)


def runtime_id() -> str:
    """Return the id of the runtime in records. With the same id, bots replay exactly."""
    return sandbox_engine().runtime_id


def python_program() -> Program:
    """Return the Python of the sandbox. Raises :class:`~arena.sandbox.errors.BuildFailed`."""
    return sandbox_engine().python


if __name__ == "__main__":
    print(runtime_id())
