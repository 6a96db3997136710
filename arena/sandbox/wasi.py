"""The little of WASI that a component may call: random numbers and a clock, both deterministic.

Everything else that a component imports of WASI ends its instance when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from wasmtime import Engine, StoreContext
from wasmtime.component import ComponentInstanceType, Linker

from arena.sandbox.compiler import signature_of
from arena.sandbox.limits import FUEL_PER_MS

MOST_RANDOM_BYTES: Final = 4096
CALL_FUEL: Final = FUEL_PER_MS // 50
"""What a call of the host costs, so that a bot that makes the host work pays for it: about 20 µs."""

BYTE_FUEL: Final = 2_000
"""What a byte costs that is given one by one."""


class Guest:
    """What the functions need of the instance that calls them."""

    def charge(self, fuel: int) -> None:
        """Take fuel for the host's work."""
        raise NotImplementedError

    def clock_ns(self) -> int:
        """Nanoseconds of thinking so far in this game."""
        raise NotImplementedError

    def random_bytes(self, size: int) -> bytes:
        """Bytes that follow from the seed."""
        raise NotImplementedError


def _bytes(guest: Guest, size: int) -> bytes:
    if size > MOST_RANDOM_BYTES:
        raise ValueError(f"{size} random bytes at once; the most is {MOST_RANDOM_BYTES}")
    guest.charge(BYTE_FUEL * size)
    return guest.random_bytes(size)


def _u64(guest: Guest) -> int:
    return int.from_bytes(guest.random_bytes(8))


FUNCTIONS: Final[dict[str, dict[str, tuple[str, Callable[..., Any]]]]] = {
    "wasi:random/random": {
        "get-random-bytes": ("func(u64) -> list<u8>", _bytes),
        "get-random-u64": ("func() -> u64", _u64),
    },
    "wasi:random/insecure": {
        "get-insecure-random-bytes": ("func(u64) -> list<u8>", _bytes),
        "get-insecure-random-u64": ("func() -> u64", _u64),
    },
    "wasi:random/insecure-seed": {
        "insecure-seed": ("func() -> tuple<u64, u64>", lambda guest: (_u64(guest), _u64(guest))),
    },
    "wasi:clocks/monotonic-clock": {
        "now": ("func() -> u64", lambda guest: guest.clock_ns()),
        "resolution": ("func() -> u64", lambda guest: 1_000),
    },
}
"""By interface (of any 0.2 version) and name: the type that an import must have, and what it does."""


def define(linker: Linker, imports: Mapping[str, Any], engine: Engine, running: Callable[[], Guest]) -> None:
    """Define what a component imports of :data:`FUNCTIONS`. ``running`` tells whose call it is."""
    with linker.root() as root:
        for name, item in imports.items():
            interface, _, version = name.partition("@")
            instance = item.ty
            if not version.startswith("0.2.") or not isinstance(instance, ComponentInstanceType):
                continue
            wanted = FUNCTIONS.get(interface, {})
            exports = instance.exports(engine)
            with root.add_instance(name) as here:
                for function, (signature, body) in wanted.items():
                    if function in exports and signature_of(exports[function].ty) == signature:
                        here.add_func(function, _charged(body, running))


def _charged(body: Callable[..., Any], running: Callable[[], Guest]) -> Callable[..., Any]:
    def call(store: StoreContext, *arguments: Any) -> Any:
        guest = running()
        guest.charge(CALL_FUEL)
        return body(guest, *arguments)

    return call
