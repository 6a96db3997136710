"""Calls of a component's functions, without what wasmtime's own Python does at every call.

:class:`wasmtime.component.Func` asks for the function's type, and converts by it, each time. Here the types
were checked when the component was compiled, so that a call takes a tenth of the time.
"""

from __future__ import annotations

from ctypes import Structure, addressof, byref, c_bool, c_char_p, c_size_t, c_uint8, c_void_p, string_at
from typing import Final

from wasmtime import Store
from wasmtime import _ffi as ffi
from wasmtime.component import ExportIndex, Instance
from wasmtime.component._enter import enter_wasm

_BOOL: Final = ffi.WASMTIME_COMPONENT_BOOL.value


class _Text(Structure):
    """``wasmtime_component_val_t`` that holds a text; setting ``data`` keeps the bytes alive."""

    _fields_ = (("kind", c_uint8), ("size", c_size_t), ("data", c_char_p), ("rest", c_size_t))


class _Read(Structure):
    """The same, to be read: there may be zeros in it."""

    _fields_ = (("kind", c_uint8), ("size", c_size_t), ("data", c_void_p), ("rest", c_size_t))


class _Result(Structure):
    """``wasmtime_component_val_t`` that holds a result; ``payload`` is the address of another."""

    _fields_ = (
        ("kind", c_uint8),
        ("gap", c_uint8 * 7),
        ("is_ok", c_bool),
        ("payload", c_void_p),
        ("rest", c_size_t),
    )


class Function:
    """A function from texts to ``result<bool, string>`` or ``result<string, string>``."""

    def __init__(self, instance: Instance, store: Store, index: ExportIndex, params: int) -> None:
        function = instance.get_func(store, index)
        assert function is not None
        self._function = function._func
        self._params = (ffi.wasmtime_component_val_t * params)()
        self._answer = ffi.wasmtime_component_val_t()
        self._texts = [_Text.from_address(addressof(param)) for param in self._params]
        self._result = _Result.from_address(addressof(self._answer))
        for text in self._texts:
            text.kind = ffi.WASMTIME_COMPONENT_STRING.value
        self._at = byref(self._answer)
        self._call = (byref(self._function), store._context(), self._params, params, self._at, 1)

    def __call__(self, *texts: bytes) -> tuple[bool, bool | str]:
        """Whether the result is ok, and what it holds. The ``texts`` are UTF-8.

        Raises :class:`wasmtime.WasmtimeError`, and whatever a function of the host raised.
        """
        for param, text in zip(self._texts, texts, strict=True):
            param.size = len(text)
            param.data = text
        error = ffi.wasmtime_component_func_call(*self._call)
        if error:
            enter_wasm(lambda: error)
        result = self._result
        try:
            payload = _Read.from_address(result.payload)
            if payload.kind == _BOOL:
                return result.is_ok, bool(payload.size & 0xFF)
            return result.is_ok, string_at(payload.data, payload.size).decode()
        finally:
            ffi.wasmtime_component_val_delete(self._at)
            # The next call would free once more what is there.
            result.kind = _BOOL
