"""Bots that are JavaScript files. QuickJS-NG plays them, a module for WASI preview 1 that has functions to
evaluate a script instead of ``_start``.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import accumulate
from typing import Final

from wasmtime import Func, Instance, Memory, Module, Store

from arena.sandbox.building import JAVASCRIPT, compiled_quickjs
from arena.sandbox.modules import ModuleHost, ModuleProgram, module_host

FILE: Final = "bot.js"
"""How errors name the bot's file."""

_PROGRAMS: Final = 32

_STACK: Final = b"--stack-size=256k"
"""The engine's stack. It is full before that of WebAssembly: deep recursion is then an error with a line."""


class JavaScriptProgram(ModuleProgram):
    """A JavaScript file."""

    name = FILE

    def __init__(self, host: ModuleHost, engine: Module, source: str) -> None:
        super().__init__(host, engine)
        self._words = [
            word + b"\0" for word in (b"qjs", _STACK, b"-m", b"-e", _script(), b"--", source.encode())
        ]

    def start(self, store: Store, instance: Instance) -> int:
        """Evaluate the file and play until the input ends. Return the exit code."""
        exports = instance.exports(store)
        memory = exports["memory"]
        assert isinstance(memory, Memory)

        def call(name: str, *arguments: int) -> int:
            function = exports[name]
            assert isinstance(function, Func)
            return int(function(store, *arguments) or 0)

        def put(data: bytes) -> int:
            at = call("malloc", len(data))
            memory.write(store, data, at)
            return at

        call("_initialize")
        text = put(b"".join(self._words))
        starts = accumulate(map(len, self._words[:-1]), initial=text)
        table = put(b"".join(start.to_bytes(4, "little") for start in starts))
        return call("qjs_init_argv", len(self._words), table)


@lru_cache(_PROGRAMS)
def javascript_program(source: str) -> JavaScriptProgram:
    """Return the bot in a JavaScript source. Raises :class:`~arena.sandbox.errors.BuildFailed`."""
    return JavaScriptProgram(module_host(), _engine(), source)


@cache
def _engine() -> Module:
    return Module.deserialize_file(module_host().engine, str(compiled_quickjs()))


@cache
def _script() -> bytes:
    return b"".join(path.read_bytes() for path in JAVASCRIPT)
