"""Compile WebAssembly in a separate process with limits, since an upload may need any time and memory.

    python -m arena.sandbox.compiler component ENGINE SOURCE OUTPUT

prints one line with the reason on stderr and exits with 3 if the component cannot be a bot.

    python -m arena.sandbox.compiler module ENGINE SOURCE OUTPUT

compiles a core module: the linked runtime. ``ENGINE`` is ``fast`` or ``plain``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from wasmtime import Config, Engine, Module, WasmtimeError
from wasmtime.component import Component, FuncType, ListType, ResultType, TupleType

from arena.sandbox.limits import COMPONENT_MAGIC

FAST: Final = "fast"
PLAIN: Final = "plain"
"""The engines: see ``arena.sandbox.runtime``."""

COMPONENT: Final = "component"
MODULE: Final = "module"

NOT_A_BOT: Final = 3
"""The exit code for a component that cannot be a bot."""

SETTINGS: Final[dict[str, Any]] = {
    "consume_fuel": True,
    # The same bits on every machine.
    "cranelift_nan_canonicalization": True,
    "wasm_relaxed_simd_deterministic": True,
    "wasm_threads": False,
    "wasm_memory64": False,
    "parallel_compilation": False,
    "max_wasm_stack": 1 << 20,
    # The fast engine reads the address of a memory once.
    "memory_may_move": False,
}


_EXPORTS: Final = {
    "load": "func(string, string) -> result<bool, string>",
    "choose": "func(string) -> result<string, string>",
}
_IMPORTS: Final = {"log": "func(string)", "clock": "func() -> u64"}


def make_engine(name: str) -> Engine:
    """A wasmtime engine with the settings of the sandbox's engine ``name``; what is compiled for one is not
    valid for the other.
    """
    config = Config()
    for setting, value in SETTINGS.items():
        setattr(config, setting, value)
    if name == FAST:
        # Not imported for the plain engine, which has to work where the private names differ.
        from arena.sandbox.engine.internals import refuse_asynchronous

        refuse_asynchronous(config)
    return Engine(config)


def objection(component: Component, engine: Engine) -> str | None:
    """Why this component is not a bot of the world ``bot``, or None."""
    exports = component.type.exports(engine)
    imports = component.type.imports(engine)
    for name, signature in _EXPORTS.items():
        if name not in exports or signature_of(exports[name].ty) != signature:
            return f"it does not export {name}: {signature}"
    for name, item in imports.items():
        if name in _IMPORTS and signature_of(item.ty) != _IMPORTS[name]:
            return f"it imports {name}, but not as {_IMPORTS[name]}"
        if name not in _IMPORTS and not name.startswith("wasi:"):
            return f"it imports {name}, which is neither log, clock nor of WASI"
    return None


def signature_of(item: Any) -> str:
    """A function's type in the words of WIT, without the names of its parameters; else what it is."""
    if not isinstance(item, FuncType):
        return type(item).__name__
    params = ", ".join(_name(kind) for _, kind in item.params)
    return f"func({params})" + (f" -> {_name(item.result)}" if item.result is not None else "")


def _name(kind: Any) -> str:
    if isinstance(kind, ResultType):
        return f"result<{_name(kind.ok)}, {_name(kind.err)}>"
    if isinstance(kind, ListType):
        return f"list<{_name(kind.element)}>"
    if isinstance(kind, TupleType):
        return f"tuple<{', '.join(map(_name, kind.elements))}>"
    return type(kind).__name__.lower()


def main() -> int:
    """See the top of this file."""
    kind, name, source, output = sys.argv[1:]
    engine = make_engine(name)
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
    Path(output).write_bytes(component.serialize())
    return 0


def _refuse(why: str) -> int:
    sys.stderr.write(why.strip() + "\n")
    return NOT_A_BOT


if __name__ == "__main__":
    sys.exit(main())
