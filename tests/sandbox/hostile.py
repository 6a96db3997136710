"""Modules that make the host work for them: what they do costs little fuel, or happens where a bot does not
decide.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.sandbox.modules import RECURSES, looping, module, wasi

FULL: Final = "2048 2048"
"""128 MiB, the most that a module can have."""

TABLE: Final = "(table $t 40000 50000 funcref)"
ELEMENTS: Final = f"{TABLE} (func $f) (elem $e func {'$f ' * 30000})"

GROWS: Final = "(drop (memory.grow (i32.const 60000)))"
"""It fails, and costs the host much for the fuel."""


def loops(body: str, **parts: str) -> Callable[[], bytes]:
    return lambda: module(decide=looping(body), **parts)


def calls(name: str, types: str, *arguments: int | str, **parts: str) -> Callable[[], bytes]:
    """Call a function of WASI forever."""
    values = " ".join(f"({kind}.const {value})" for kind, value in zip(types.split(), arguments, strict=True))
    known = name in ("fd_read", "fd_write")
    return loops(f"(drop (call ${name} {values}))", imports="" if known else wasi(name, types), **parts)


VECTOR: Final = "(i32.store (i32.const 0) (i32.const 4096)) (i32.store (i32.const 4) (i32.const 134000000))"


def hashes(loads: int, work: int = 0, size: int = 1 << 27) -> bytes:
    """A bot that loads ``loads`` words of a table of ``size`` bytes for a decision, each from an address that
    depends on the load before, with ``work`` multiplications in between, and then plays.
    """
    more = "(local.set $x (i32.mul (i32.add (local.get $x) (i32.const 3)) (local.get $at)))" * work
    return module(
        core=f"""(func $look (param $left i32) (local $at i32) (local $x i32)
          (loop $next
            (local.set $at (i32.and (i32.const {size - 4}) (i32.add
              (i32.mul (local.get $at) (i32.const 1664525))
              (i32.add (i32.const 1013904223) (i32.load (local.get $at))))))
            {more} (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br_if $next (local.get $left)))
          (global.set $seen (i32.add (local.get $x) (local.get $at))))
        (global $seen (mut i32) (i32.const 0))""",
        start=f"(memory.fill (i32.const 262144) (i32.const 1) (i32.const {size - 262144}))",
        decide=f"(call $look (i32.const {loads}))",
        memory=FULL,
    )


DECIDING: Final[dict[str, tuple[str, str, Callable[[], bytes]]]] = {
    "memory.fill": (
        "late",
        "fuel",
        loops("(memory.fill (i32.const 0) (i32.const 0) (i32.const 134217728))", memory=FULL),
    ),
    "memory.copy": (
        "late",
        "fuel",
        loops("(memory.copy (i32.const 0) (i32.const 1) (i32.const 120000000))", memory=FULL),
    ),
    "memory.init": (
        "late",
        "fuel",
        loops(
            "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 1000000))",
            core=f'(data $d "{"x" * 1_000_000}")',
            memory="1000",
        ),
    ),
    "memory.fill of nothing": (
        "late",
        "no answer within",
        loops("(memory.fill (i32.const 0) (i32.const 1) (i32.const 0))"),
    ),
    "memory.copy of a byte": (
        "late",
        "no answer within",
        loops("(memory.copy (i32.const 0) (i32.const 64) (i32.const 1))"),
    ),
    "memory.grow that fails": ("late", "processor time", loops(GROWS)),
    "memory.grow of nothing": (
        "late",
        "no answer within",
        loops("(drop (memory.grow (i32.const 0)))"),
    ),
    "pages": (
        "late",
        "no answer within",
        loops(
            "(i32.store8 (global.get $out) (i32.const 1)) (global.set $out "
            "(i32.and (i32.add (global.get $out) (i32.const 4096)) (i32.const 0x7ffffff)))",
            memory=FULL,
        ),
    ),
    "table.fill": (
        "late",
        "no answer within",
        loops("(table.fill $t (i32.const 0) (ref.null func) (i32.const 40000))", core=TABLE),
    ),
    "table.copy": (
        "late",
        "no answer within",
        loops("(table.copy $t $t (i32.const 0) (i32.const 1) (i32.const 39999))", core=TABLE),
    ),
    "table.init": (
        "late",
        "no answer within",
        loops("(table.init $t $e (i32.const 0) (i32.const 0) (i32.const 30000))", core=ELEMENTS),
    ),
    "table.grow": (
        "late",
        "no answer within",
        loops("(drop (table.grow $t (ref.null func) (i32.const 1)))", core="(table $t 1 funcref)"),
    ),
    "elem.drop": ("late", "no answer within", loops("(elem.drop $e)", core=ELEMENTS)),
    "ref.func": (
        "late",
        "no answer within",
        loops("(table.set $t (i32.const 5) (ref.func $n))", core=f"{TABLE} (func $n) (elem declare func $n)"),
    ),
    "call_indirect": (
        "late",
        "fuel",
        loops("(call_indirect (i32.const 1))", core=f"{TABLE} (func $n) (elem (i32.const 1) $n)"),
    ),
    "square roots": (
        "late",
        "no answer within",
        loops(
            "(global.set $f (f64.sqrt (f64.add (global.get $f) (f64.const 1.5))))" * 8,
            core="(global $f (mut f64) (f64.const 0))",
        ),
    ),
    "loads from 64 MiB": ("late", "no answer within", lambda: hashes(100_000_000, size=1 << 26)),
    "fd_write of 134 MB": (
        "late",
        "fuel",
        lambda: module(
            decide=VECTOR
            + looping("(drop (call $fd_write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 16)))"),
            memory=FULL,
        ),
    ),
    "fd_write of 64 empty vectors": (
        "late",
        "no answer within",
        calls("fd_write", "i32 i32 i32 i32", 2, 100_000, 64, 16),
    ),
    "fd_write of 1,024 vectors": (
        "late",
        "no answer within",
        calls("fd_write", "i32 i32 i32 i32", 2, 100_000, 1024, 16),
    ),
    "fd_write to no file": ("late", "no answer within", calls("fd_write", "i32 i32 i32 i32", 9, 0, 1, 16)),
    "fd_write outside the memory": (
        "late",
        "no answer within",
        calls("fd_write", "i32 i32 i32 i32", 1, -8, 1, 16),
    ),
    "random_get": ("late", "fuel", calls("random_get", "i32 i32", 0, 4096)),
    "random_get of nothing": ("late", "no answer within", calls("random_get", "i32 i32", 0, 0)),
    "clock_time_get": ("late", "no answer within", calls("clock_time_get", "i32 i64 i32", 1, 0, 64)),
    "poll_oneoff": (
        "late",
        "no answer within",
        calls("poll_oneoff", "i32 i32 i32 i32", 100_000, 150_000, 64, 64),
    ),
    "recursion": ("crashed", "call stack exhausted", lambda: RECURSES),
}
"""By what they do when they are to decide: the fault, and a part of its detail."""

STARTING: Final[dict[str, tuple[str, str, Callable[[], bytes]]]] = {
    "start": (
        "late",
        "processor time",
        lambda: module(core=f"(func $s {looping(GROWS)}) (start $s)"),
    ),
    "start that calls": (
        "late",
        "no answer within",
        lambda: module(
            core="(func $s (loop (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1)"
            " (i32.const 0))) (br 0))) (start $s)"
        ),
    ),
    "before the first line": ("late", "processor time", lambda: module(start=looping(GROWS))),
    "reads before the first line": (
        "malformed",
        "before it answered",
        lambda: module(start="(call $read) (call $read)"),
    ),
    "tables": (
        "crashed",
        "table",
        lambda: module(core="".join(f"(table $t{number} 50000 funcref)" for number in range(5))),
    ),
    "elements outside": (
        "crashed",
        "out of bounds",
        lambda: module(core="(table 1 funcref) (func $f) (elem (i32.const 5) $f)"),
    ),
}
"""By what they do when they are loaded, likewise."""

PROPOSALS: Final[dict[str, str]] = {
    "arrays": "(type $a (array (mut i8)))",
    "structures": "(type $s (struct (field i32)))",
    "external references": "(func (param externref))",
    "exceptions": "(tag $t) (func (throw $t))",
    "function references": "(type $f (func)) (func (param (ref $f)) (call_ref $f (local.get 0)))",
    "tail calls": "(func $f (return_call $f))",
    "64-bit memories": "(memory i64 1)",
    "several memories": "(memory $other 1)",
    "threads": "(memory 1 1 shared)",
    "stack switching": "(type $f (func)) (type $c (cont $f))",
}
"""Parts of modules that need a proposal which is switched off."""
