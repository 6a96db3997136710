"""All uses of private names of wasmtime's Python package. No other file uses any.

The names and the layout of the C structures below match version :data:`TESTED`. The plain engine
(``arena.sandbox.components``) does the same with public names only.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    addressof,
    byref,
    c_bool,
    c_char_p,
    c_size_t,
    c_uint8,
    c_uint64,
    c_void_p,
    cast,
    create_string_buffer,
    string_at,
)
from importlib.metadata import version
from typing import Any, Final

from wasmtime import Config, Func, Store, Trap, WasmtimeError
from wasmtime import _ffi as ffi
from wasmtime._func import maybe_raise_last_exn
from wasmtime.component import ExportIndex, LinkerInstance
from wasmtime.component import Instance as WasmtimeInstance
from wasmtime.component._enter import catch_exceptions, enter_wasm

from arena.sandbox.errors import BuildFailed
from arena.sandbox.limits import MOST_TEXT
from arena.sandbox.program import TooLong

TESTED: Final = "50"
"""The major version of wasmtime for which this file was written."""


def check_version() -> None:
    """Raise :class:`BuildFailed` if the installed wasmtime is not the tested one."""
    found = version("wasmtime")
    if found.partition(".")[0] != TESTED:
        raise BuildFailed(f"the fast engine requires wasmtime {TESTED}, but {found} is installed")


def refuse_asynchronous(config: Config) -> None:
    """Refuse components with asynchronous functions, since no function of a bot is asynchronous."""
    ffi.wasmtime_config_concurrency_support_set(config.ptr(), False)


# With addresses as plain numbers, a call takes half as long as with typed pointers.
_call_unchecked: Final = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)(
    ("wasmtime_func_call_unchecked", ffi.dll)
)
_get_fuel: Final = CFUNCTYPE(c_void_p, c_void_p, c_void_p)(("wasmtime_context_get_fuel", ffi.dll))
_set_fuel: Final = CFUNCTYPE(c_void_p, c_void_p, c_uint64)(("wasmtime_context_set_fuel", ffi.dll))

_ERROR: Final = POINTER(ffi.wasmtime_error_t)


class StoreFuel:
    """The fuel of a store, without the checks that ``wasmtime.Store`` does at each call."""

    def __init__(self, store: Store) -> None:
        self._context = cast(store._context(), c_void_p).value
        self._fuel = c_uint64()
        self._address = addressof(self._fuel)

    def get_fuel(self) -> int:
        """Return the remaining fuel."""
        _get_fuel(self._context, self._address)
        return self._fuel.value

    def set_fuel(self, fuel: int) -> None:
        """Replace the remaining fuel."""
        _set_fuel(self._context, fuel)


class CoreFunction:
    """A core function with at most one parameter and one result, both numbers. It skips the checks that
    ``wasmtime.Func`` does at each call.
    """

    def __init__(self, store: Store, function: object) -> None:
        assert isinstance(function, Func)
        self._function = function._func
        # It holds first the parameter, then the result.
        values = (ffi.wasmtime_val_raw_t * 1)()
        self._value = c_uint64.from_buffer(values)
        self._trap = POINTER(ffi.wasm_trap_t)()
        self._arguments = (
            cast(store._context(), c_void_p).value,
            addressof(self._function),
            addressof(values),
            len(values),
            addressof(self._trap),
        )

    def __call__(self, number: int) -> int:
        """Call the function. Raises :class:`wasmtime.Trap`, :class:`wasmtime.WasmtimeError`, and whatever a
        function of the host raised.
        """
        self._value.value = number
        error = _call_unchecked(*self._arguments)
        if error or self._trap:
            failure = WasmtimeError._from_ptr(cast(error, _ERROR)) if error else Trap._from_ptr(self._trap)
            try:
                maybe_raise_last_exn()
                raise failure
            finally:
                # It would keep this frame, and thus the instance's memory, alive until garbage collection.
                del failure
        return self._value.value


_BOOL: Final = ffi.WASMTIME_COMPONENT_BOOL.value


class _TextArgument(Structure):
    """A ``wasmtime_component_val_t`` that holds a string. Setting ``data`` keeps the bytes alive."""

    _fields_ = (("kind", c_uint8), ("size", c_size_t), ("data", c_char_p), ("rest", c_size_t))


class _Payload(Structure):
    """The same structure for reading, since the string can contain zeros."""

    _fields_ = (("kind", c_uint8), ("size", c_size_t), ("data", c_void_p), ("rest", c_size_t))


class _Result(Structure):
    """A ``wasmtime_component_val_t`` that holds a result. ``payload`` is the address of another value."""

    _fields_ = (
        ("kind", c_uint8),
        ("gap", c_uint8 * 7),
        ("is_ok", c_bool),
        ("payload", c_void_p),
        ("rest", c_size_t),
    )


_NO_FINALIZER: Final = CFUNCTYPE(None, c_void_p)()


class FastTextFunction:
    """A component's function that maps strings to ``result<bool, string>`` or ``result<string, string>``.

    :class:`wasmtime.component.Func` looks up the function's type at each call, which takes 50 µs, and leaks
    48 bytes of the result. Here, the types were checked when the component was compiled.
    """

    def __init__(self, instance: WasmtimeInstance, store: Store, index: ExportIndex, params: int) -> None:
        function = instance.get_func(store, index)
        assert function is not None
        self._function = function._func
        self._params = (ffi.wasmtime_component_val_t * params)()
        self._answer = ffi.wasmtime_component_val_t()
        self._texts = [_TextArgument.from_address(addressof(param)) for param in self._params]
        self._result = _Result.from_address(addressof(self._answer))
        for text in self._texts:
            text.kind = ffi.WASMTIME_COMPONENT_STRING.value
        self._at = byref(self._answer)
        self._call = (byref(self._function), store._context(), self._params, params, self._at, 1)

    def __call__(self, *texts: str) -> tuple[bool, bool | str]:
        """See :class:`arena.sandbox.components.TextFunction`."""
        for param, text in zip(self._texts, texts, strict=True):
            data = text.encode()
            param.size = len(data)
            param.data = data
        error = ffi.wasmtime_component_func_call(*self._call)
        if error:
            enter_wasm(lambda: error)
        result = self._result
        try:
            payload = _Payload.from_address(result.payload)
            if payload.kind == _BOOL:
                return result.is_ok, bool(payload.size & 0xFF)
            if payload.size > MOST_TEXT:
                raise TooLong(payload.size, is_error=not result.is_ok)
            return result.is_ok, string_at(payload.data, payload.size).decode()
        finally:
            ffi.wasmtime_component_val_delete(self._at)
            # Otherwise, the next call would free the value a second time.
            result.kind = _BOOL


def add_text_function(root: LinkerInstance, name: str, body: Callable[[str, int], None]) -> object:
    """Define a host function for a component that takes a string.

    ``body`` receives the string and 0 or, if the string is longer than
    :data:`~arena.sandbox.limits.MOST_TEXT`, its beginning and its full size in bytes. The call raises what
    ``body`` raises. The caller must keep the returned object as long as the linker.

    In contrast, :meth:`wasmtime.component.LinkerInstance.add_func` copies strings of any size.
    """

    def call(data: Any, context: Any, kind: Any, args: Any, count: int, results: Any, wanted: int) -> Any:
        text = _Payload.from_address(addressof(args[0]))
        size = text.size
        if size > MOST_TEXT:
            beginning = string_at(text.data, MOST_TEXT).decode(errors="ignore")
        else:
            beginning, size = string_at(text.data, size).decode(), 0
        return catch_exceptions(context, lambda store: body(beginning, size))

    callback = ffi.wasmtime_component_func_callback_t(call)
    encoded = name.encode()
    error = ffi.wasmtime_component_linker_instance_add_func(
        root.ptr(), create_string_buffer(encoded), len(encoded), callback, None, _NO_FINALIZER
    )
    if error:
        raise WasmtimeError._from_ptr(error)
    return callback
