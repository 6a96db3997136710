"""The part of WASI that a component can call: random numbers and a clock, both deterministic.

Calling any other function of WASI ends the instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from wasmtime import Engine, StoreContext
from wasmtime.component import ComponentInstanceType, Linker

from arena.sandbox.limits import FUEL_PER_MS

MOST_RANDOM_BYTES: Final = 4096
CALL_FUEL: Final = FUEL_PER_MS // 50
"""The fuel that a host call costs, about 20 µs, so that bots pay for the host's work."""

BYTE_FUEL: Final = 2_000
"""The fuel that a byte costs when it is passed individually."""


class Guest:
    """The calling instance, as seen by the host's functions."""

    def charge(self, fuel: int) -> None:
        """Charge fuel for the host's work."""
        raise NotImplementedError

    def clock_ns(self) -> int:
        """Return the nanoseconds of thinking time in this game so far."""
        raise NotImplementedError

    def random_bytes(self, size: int) -> bytes:
        """Return bytes derived from the seed."""
        raise NotImplementedError


def _bytes(guest: Guest, size: int) -> bytes:
    if size > MOST_RANDOM_BYTES:
        raise ValueError(f"{size} random bytes requested at once; the maximum is {MOST_RANDOM_BYTES}")
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
"""The supported functions by interface (of any 0.2 version) and name: the type that an import must have, and
its implementation.
"""


class Provided(NamedTuple):
    """A function of :data:`FUNCTIONS` that a component imports: the name of the instance that contains it,
    the name of the function, the type that it must have, and the type that it has.
    """

    instance: str
    name: str
    signature: str
    item: Any


def provided(imports: Mapping[str, Any], engine: Engine) -> Iterator[Provided]:
    """Yield the imports of a component that are in :data:`FUNCTIONS`."""
    for name, extern in imports.items():
        interface, _, version = name.partition("@")
        instance = extern.ty
        if not version.startswith("0.2.") or not isinstance(instance, ComponentInstanceType):
            continue
        wanted = FUNCTIONS.get(interface, {})
        exports = instance.exports(engine) if wanted else {}
        for function, (signature, _) in wanted.items():
            if function in exports:
                yield Provided(name, function, signature, exports[function].ty)


def define(linker: Linker, imports: Mapping[str, Any], engine: Engine, running: Callable[[], Guest]) -> None:
    """Define the imports of a component that are in :data:`FUNCTIONS`. Their types were checked when the
    component was compiled. ``running`` returns the calling instance.
    """
    functions: dict[str, list[str]] = {}
    for found in provided(imports, engine):
        functions.setdefault(found.instance, []).append(found.name)
    with linker.root() as root:
        for name, names in functions.items():
            bodies = FUNCTIONS[name.partition("@")[0]]
            with root.add_instance(name) as here:
                for function in names:
                    here.add_func(function, _charged(bodies[function][1], running))


def _charged(body: Callable[..., object], running: Callable[[], Guest]) -> Callable[..., object]:
    def call(store: StoreContext, *arguments: object) -> object:
        guest = running()
        guest.charge(CALL_FUEL)
        return body(guest, *arguments)

    return call
