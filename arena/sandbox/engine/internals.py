"""All uses of private names of wasmtime's Python package. No other file uses any.

The names and the layout of the C structures below match version :data:`TESTED`. The plain engine
(``arena.sandbox.plain``) does the same with public names only.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, addressof, c_size_t, c_uint64, c_void_p, cast
from importlib.metadata import version
from typing import Final

from wasmtime import Config, Func, Store, Trap, WasmtimeError
from wasmtime import _ffi as ffi
from wasmtime._func import maybe_raise_last_exn

from arena.sandbox.errors import BuildFailed

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
