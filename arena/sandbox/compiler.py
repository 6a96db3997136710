"""Compile WebAssembly in a separate process with limits, since an upload can require any amount of time and
memory.

    python -m arena.sandbox.compiler component ENGINE SOURCE OUTPUT

prints one line with the reason on stderr and exits with 3 if the component cannot be a bot.

    python -m arena.sandbox.compiler runtime ENGINE SOURCE OUTPUT
    python -m arena.sandbox.compiler module ENGINE SOURCE OUTPUT

compile the sandbox's Python: the component, and the core module into which it was linked. ``ENGINE`` is
``fast`` or ``plain``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final, NamedTuple

from wasmtime import Config, Engine, Module, WasmtimeError
from wasmtime.component import Component

from arena.sandbox.limits import COMPONENT_MAGIC
from arena.sandbox.signatures import item_count, signature_of
from arena.sandbox.wasi import provided

FAST: Final = "fast"
PLAIN: Final = "plain"
"""The names of the engines; see ``arena.sandbox.runtime``."""

COMPONENT: Final = "component"
"""The kinds of compiled code: an upload, the sandbox's Python, or the module linked from the latter."""

RUNTIME: Final = "runtime"
MODULE: Final = "module"

NOT_A_BOT: Final = 3
"""The exit code for a component that is not a bot."""

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
    # See ``arena.sandbox.processor_time``. The sandbox's Python does not need this: its fuel is accurate.
    "epoch_interruption": True,
    # WebAssembly proposals that bots do not need, and whose work is hardly counted as fuel. Multiple memories
    # stay:
    # wasmtime's adapters between nested components need them.
    "gc_support": False,
    "wasm_gc": False,
    "wasm_exceptions": False,
    "wasm_function_references": False,
    "wasm_stack_switching": False,
    "wasm_tail_call": False,
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

MOST_ITEMS: Final = 2_000
"""The maximum number of imported functions and types. All of WASI has a few hundred."""

_EXPORTS: Final = {
    "load": "func(string, string) -> result<bool, string>",
    "choose": "func(string) -> result<string, string>",
}
_IMPORTS: Final = {"log": "func(string)", "clock": "func() -> u64"}


def make_engine(name: str, kind: str = COMPONENT) -> Engine:
    """Return a wasmtime engine with the settings of the sandbox's engine ``name`` for this kind of code. Code
    compiled for one name is invalid for the other. Uploads have a separate engine.
    """
    config = Config()
    for setting, value in settings_of(kind).items():
        setattr(config, setting, value)
    if name == FAST:
        # Do not import this for the plain engine, which must work even if the private names differ.
        from arena.sandbox.engine.internals import refuse_asynchronous

        refuse_asynchronous(config)
    return Engine(config)


def compile_budget(size: int) -> CompileBudget:
    """Return the budget for an upload of ``size`` bytes."""
    parts = zip(*COMPILE_BUDGET, strict=True)
    return CompileBudget(*(least + more * size // (1 << 20) for least, more in parts))


def settings_of(kind: str) -> dict[str, bool | int]:
    """Return the settings for this kind of code."""
    return {**SETTINGS, **UPLOAD_SETTINGS} if kind == COMPONENT else SETTINGS


def objection(component: Component, engine: Engine) -> str | None:
    """Return the reason why this component is not a bot of the world ``bot``, or None if it is one."""
    exports = component.type.exports(engine)
    imports = component.type.imports(engine)
    for name, signature in _EXPORTS.items():
        if name not in exports or signature_of(exports[name].ty) != signature:
            return f"it does not export {name}: {signature}"
    for name, item in imports.items():
        if name in _IMPORTS and signature_of(item.ty) != _IMPORTS[name]:
            return f"it imports {name}, but not as {_IMPORTS[name]}"
        if name not in _IMPORTS and not name.startswith("wasi:"):
            return f"it imports {name}; only log, clock and the functions of WASI are allowed"
    if item_count(imports, engine, MOST_ITEMS) > MOST_ITEMS:
        return f"it imports more than {MOST_ITEMS} functions and types"
    for interface, function, signature, item in provided(imports, engine):
        if signature_of(item) != signature:
            return f"it imports {function} of {interface}, but not as {signature}"
    return None


def main() -> int:
    """Run the compiler, as described at the top of this file."""
    kind, name, source, output = sys.argv[1:]
    engine = make_engine(name, kind)
    wasm = Path(source).read_bytes()
    if kind == MODULE:
        Path(output).write_bytes(Module(engine, wasm).serialize())
        return 0
    if not wasm.startswith(COMPONENT_MAGIC):
        return _refuse("it is not a WebAssembly component in the binary format")
    try:
        component = Component(engine, wasm)
    except WasmtimeError as error:
        return _refuse(str(error).splitlines()[-1])
    why = objection(component, engine)
    if why is not None:
        return _refuse(why)
    code = component.serialize()
    if kind == COMPONENT and len(code) > (most := compile_budget(len(wasm)).code):
        return _refuse(f"its code would have {len(code)} bytes; the maximum for its size is {most}")
    Path(output).write_bytes(code)
    return 0


def _refuse(why: str) -> int:
    sys.stderr.write(why.strip() + "\n")
    return NOT_A_BOT


if __name__ == "__main__":
    sys.exit(main())
