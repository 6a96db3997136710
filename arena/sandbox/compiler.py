"""Compile WebAssembly in a separate process with limits, since an upload can require any amount of time and
memory.

    python -m arena.sandbox.compiler upload SOURCE OUTPUT

prints one line with the reason on stderr and exits with 3 if the module cannot be a bot.

    python -m arena.sandbox.compiler runtime SOURCE OUTPUT
    python -m arena.sandbox.compiler linked SOURCE OUTPUT
    python -m arena.sandbox.compiler quickjs SOURCE OUTPUT

compile the sandbox's Python (the component for the plain engine, and the core module into which it was linked
for the fast one), and the engine of JavaScript.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final, NamedTuple

from wasmtime import Config, Engine, FuncType, MemoryType, Module, WasmtimeError
from wasmtime.component import Component

from arena.sandbox.limits import COMPONENT_MAGIC, MODULE_MAGIC
from arena.sandbox.wasi import WASI, functions

UPLOAD: Final = "upload"
"""The kinds of compiled code: an upload, the sandbox's Python, the module linked from it, or the engine of
JavaScript.
"""

RUNTIME: Final = "runtime"
LINKED: Final = "linked"
QUICKJS: Final = "quickjs"

NOT_A_BOT: Final = 3
"""The exit code for a module that is not a bot."""

SETTINGS: Final[dict[str, bool | int]] = {
    "consume_fuel": True,
    # This makes NaNs have the same bits on every machine.
    "cranelift_nan_canonicalization": True,
    "wasm_relaxed_simd_deterministic": True,
    "wasm_threads": False,
    "wasm_memory64": False,
    "parallel_compilation": False,
    "max_wasm_stack": 1 << 20,
    # The fast engine reads the address of a memory only once.
    "memory_may_move": False,
}

UPLOAD_SETTINGS: Final[dict[str, bool | int]] = {
    # See ``arena.sandbox.module_thread``. The sandbox's Python does not need this: its fuel is accurate.
    "epoch_interruption": True,
    # WebAssembly proposals that bots do not need, and whose work is hardly counted as fuel.
    "gc_support": False,
    "wasm_gc": False,
    "wasm_exceptions": False,
    "wasm_function_references": False,
    "wasm_stack_switching": False,
    "wasm_tail_call": False,
    "wasm_multi_memory": False,
}
"""Additional settings for the engine that runs uploads."""


class CompileBudget(NamedTuple):
    """The limits for compiling an upload: seconds of processor time, bytes of memory, and bytes of code."""

    seconds: int
    memory: int
    code: int


COMPILE_BUDGET: Final = (
    CompileBudget(5, 384 << 20, 8 << 20),
    CompileBudget(3, 32 << 20, 4 << 20),
)
"""The budget for every upload, and the additional budget per MiB. For comparison, the sandbox's Python (22
MiB), which took 15 s, 480 MiB and 49 MB, would use a quarter of the time and half of the memory and code.
"""

MOST_IMPORTS: Final = 100
MOST_EXPORTS: Final = 1_000
"""The maximum numbers of imports and exports. WASI preview 1 has 46 functions."""


def make_engine(kind: str) -> Engine:
    """Return a wasmtime engine for this kind of code. Code for one kind is invalid for the others."""
    config = Config()
    for setting, value in settings_of(kind).items():
        setattr(config, setting, value)
    if kind == LINKED:
        # Do not import this for the others, which must work even if the private names differ.
        from arena.sandbox.engine.internals import refuse_asynchronous

        refuse_asynchronous(config)
    return Engine(config)


def compile_budget(size: int) -> CompileBudget:
    """Return the budget for an upload of ``size`` bytes."""
    parts = zip(*COMPILE_BUDGET, strict=True)
    return CompileBudget(*(least + more * size // (1 << 20) for least, more in parts))


def settings_of(kind: str) -> dict[str, bool | int]:
    """Return the settings for this kind of code."""
    return {**SETTINGS, **UPLOAD_SETTINGS} if kind in (UPLOAD, QUICKJS) else SETTINGS


def objection(module: Module) -> str | None:
    """Return the reason why this module is not a bot, or None if it is one."""
    if len(module.imports) > MOST_IMPORTS or len(module.exports) > MOST_EXPORTS:
        return f"it has more than {MOST_IMPORTS} imports or {MOST_EXPORTS} exports"
    known = functions()
    for item in module.imports:
        if item.module != WASI:
            return f"it imports {item.name} of {item.module}; only functions of {WASI} are allowed"
        wanted = known.get(item.name or "")
        if wanted is None:
            return f"it imports {item.name}, which is not a function of {WASI}"
        if not isinstance(item.type, FuncType) or _signature(item.type) != _signature(wanted):
            return f"it imports {item.name}, but not as a function {_signature(wanted)}"
    exports = {item.name: item.type for item in module.exports}
    if not isinstance(exports.get("memory"), MemoryType):
        return 'it does not export a memory with the name "memory"'
    start = exports.get("_start")
    if not isinstance(start, FuncType) or _signature(start) != _signature(FuncType([], [])):
        return 'it does not export a function "_start" without parameters and results, as commands do'
    return None


def _signature(function: FuncType) -> str:
    names = (", ".join(map(str, types)) for types in (function.params, function.results))
    return " -> ".join(f"({some})" for some in names)


def main() -> int:
    """Run the compiler, as described at the top of this file."""
    kind, source, output = sys.argv[1:]
    engine = make_engine(kind)
    wasm = Path(source).read_bytes()
    if kind == RUNTIME:
        Path(output).write_bytes(Component(engine, wasm).serialize())
        return 0
    if not wasm.startswith(MODULE_MAGIC):
        kind_of_file = "a component" if wasm.startswith(COMPONENT_MAGIC) else "not WebAssembly in binary form"
        return _refuse(f"it is {kind_of_file}; expected a WebAssembly module for WASI preview 1")
    try:
        module = Module(engine, wasm)
    except WasmtimeError as error:
        return _refuse(str(error).splitlines()[-1])
    code = module.serialize()
    if kind == UPLOAD:
        why = objection(module)
        if why is not None:
            return _refuse(why)
        if len(code) > (most := compile_budget(len(wasm)).code):
            return _refuse(f"its code would have {len(code)} bytes; the maximum for its size is {most}")
    Path(output).write_bytes(code)
    return 0


def _refuse(why: str) -> int:
    sys.stderr.write(why.strip() + "\n")
    return NOT_A_BOT


if __name__ == "__main__":
    sys.exit(main())
