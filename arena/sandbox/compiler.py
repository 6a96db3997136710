"""Compile a component, in a process of its own with limits: compilers have bombs.

    python -m arena.sandbox.compiler COMPONENT OUTPUT

prints one line of why on stderr and ends with 3 if the component is not fit to be a bot.

    python -m arena.sandbox.compiler --runtime MODULE OUTPUT

compiles the service's own runtime, which is a core module.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from wasmtime import Config, Engine, Module, WasmtimeError
from wasmtime import _ffi as ffi
from wasmtime.component import Component, FuncType, ListType, ResultType, TupleType

from arena.sandbox.limits import COMPONENT_MAGIC

RUNTIME: Final = "--runtime"

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
    # No function of a bot is asynchronous, and each call of one that might be keeps a list of tasks.
    "concurrency_support": False,
    "max_wasm_stack": 1 << 20,
    # The address of a memory is asked for once (``arena.sandbox.machine``).
    "memory_may_move": False,
}


_EXPORTS: Final = {
    "load": "func(string, string) -> result<bool, string>",
    "choose": "func(string) -> result<string, string>",
}
_IMPORTS: Final = {"log": "func(string)", "clock": "func() -> u64"}


def make_engine() -> Engine:
    """An engine for which compiled components are valid."""
    config = Config()
    for name, value in SETTINGS.items():
        if name == "concurrency_support":
            # Not yet a property of wasmtime's Python class.
            ffi.wasmtime_config_concurrency_support_set(config.ptr(), value)
        else:
            setattr(config, name, value)
    return Engine(config)


def objection(component: Component, engine: Engine) -> str | None:
    """Why this component is no bot of the world ``bot``, or None."""
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
    *runtime, source, output = sys.argv[1:]
    wasm = Path(source).read_bytes()
    if runtime == [RUNTIME]:
        Path(output).write_bytes(Module(make_engine(), wasm).serialize())
        return 0
    if not wasm.startswith(COMPONENT_MAGIC):
        return _refuse("it is not a WebAssembly component in the binary format")
    engine = make_engine()
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
