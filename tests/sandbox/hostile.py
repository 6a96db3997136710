"""Components that let the host work for them: what they do costs little fuel, or happens where a bot does not
decide.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from wasmtime import wat2wasm

from tests.sandbox.components import component, text

FOREVER: Final = "(loop (drop (memory.grow (i32.const 0))) (br 0))"
"""Each turn of the loop costs some fuel and a call of the host."""


def looping(body: str) -> str:
    return f"(loop {body} (br 0)) unreachable"


TABLE: Final = "(table $t 40000 funcref)"
ELEMENTS: Final = f"{TABLE} (func $f) (elem $e funcref {'(ref.func $f) ' * 30000})"


def transcodes(encoding: str, size: int = 20_000_000, *, start: bool = False, once: bool = False) -> bytes:
    """A component that passes a long text to a nested one, which wants it in another encoding, again and
    again: to choose, or when it is instantiated. With ``once`` it is honest, and answers with null.
    """
    pages = 1000
    take = "(call $take (i32.const 65536) (global.get $size))"
    again = take if once else f"(loop {take} (br 0))"
    return bytes(
        wat2wasm(f"""(component
  (component $c
    (core module $n (memory (export "memory") {pages})
      (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
      (func (export "take") (param i32 i32)))
    (core instance $j (instantiate $n))
    (func (export "take") (param "s" string)
      (canon lift (core func $j "take") (memory (core memory $j "memory")) (realloc (core func $j "realloc"))
        string-encoding={encoding})))
  (instance $ci (instantiate $c))
  (core module $libc (memory (export "memory") {pages})
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 2048)))
  (core instance $l (instantiate $libc))
  (core func $take (canon lower (func $ci "take") (memory (core memory $l "memory"))
    (realloc (core func $l "realloc")) string-encoding=utf8))
  (core instance $host (export "take" (func $take)))
  (core module $m
    (import "host" "take" (func $take (param i32 i32)))
    (import "libc" "memory" (memory 2))
    (global $size i32 (i32.const {size}))
    (func $burn (memory.fill (i32.const 65536) (i32.const 65) (global.get $size)) {again})
    (func (export "load") (param i32 i32 i32 i32) (result i32)
      (i32.store8 (i32.const 0) (i32.const 0)) (i32.store8 (i32.const 4) (i32.const 0)) (i32.const 0))
    {"(start $burn)" if start else ""}
    (func (export "choose") (param i32 i32) (result i32) (call $burn)
      (i32.store (i32.const 16) (i32.const 0x6c6c756e)) (i32.store8 (i32.const 0) (i32.const 0))
      (i32.store (i32.const 4) (i32.const 16)) (i32.store (i32.const 8) (i32.const 4)) (i32.const 0)))
  (core instance $i (instantiate $m (with "host" (instance $host)) (with "libc" (instance $l))))
  (func (export "load") (param "source" string) (param "seed" string) (result (result bool (error string)))
    (canon lift (core func $i "load") (memory (core memory $l "memory")) (realloc (core func $l "realloc"))))
  (func (export "choose") (param "turn" string) (result (result string (error string)))
    (canon lift (core func $i "choose") (memory (core memory $l "memory"))
      (realloc (core func $l "realloc")))))""")
    )


def resources() -> bytes:
    return component(
        imports="""(type $r (resource (rep i32))) (core func $new (canon resource.new $r))
          (core instance $host (export "new" (func $new)))""",
        core='(import "host" "new" (func $new (param i32) (result i32)))',
        instances='(with "host" (instance $host))',
        choose=looping("(drop (call $new (i32.const 7)))"),
    )


def importing(kind: str, arguments: str, call: str, instance: str = "wasi:io/streams@0.2.0") -> bytes:
    """Calls a function of WASI, which is not there."""
    return component(
        imports=f"""(import "{instance}" (instance $io (export "f" (func {kind}))))
          (core module $libc (memory (export "memory") 2000)
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64)))
          (core instance $libc (instantiate $libc))
          (core func $f (canon lower (func $io "f") (memory (core memory $libc "memory"))
            (realloc (core func $libc "realloc"))))
          (core instance $host (export "f" (func $f)))""",
        core=f'(import "host" "f" (func $f {arguments}))',
        instances='(with "host" (instance $host))',
        choose=call + text(16, 4),
    )


def printing(size: int) -> bytes:
    """Prints a text of ``size`` bytes again and again."""
    return component(
        imports="""(import "log" (func $log (param "text" string)))
          (core module $libc (memory (export "memory") 1900)
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64)))
          (core instance $libc (instantiate $libc))
          (core func $print (canon lower (func $log) (memory (core memory $libc "memory"))
            (realloc (core func $libc "realloc"))))
          (core instance $host (export "print" (func $print)))""",
        core='(import "host" "print" (func $print (param i32 i32)))',
        instances='(with "host" (instance $host))',
        choose=looping(f"(call $print (i32.const 0) (i32.const {size}))"),
    )


def long_error(size: int) -> bytes:
    """Fails with an error of ``size`` bytes, the last of which Python stores in four each."""
    return component(
        memory="1950",
        choose=f"""(memory.fill (i32.const 65536) (i32.const 65) (i32.const {size}))
          (i32.store (i32.add (i32.const 65536) (i32.const {size - 4})) (i32.const 0x80989ff0))
          (i32.store8 (i32.const 0) (i32.const 1)) (i32.store (i32.const 4) (i32.const 65536))
          (i32.store (i32.const 8) (i32.const {size})) (i32.const 0)""",
    )


DECIDING: Final[dict[str, tuple[str, str, Callable[[], bytes]]]] = {
    "memory.fill": (
        "late",
        "fuel",
        lambda: component(
            choose=looping("(memory.fill (i32.const 0) (i32.const 0) (i32.const 120000000))"), memory="1950"
        ),
    ),
    "memory.copy": (
        "late",
        "fuel",
        lambda: component(
            choose=looping("(memory.copy (i32.const 0) (i32.const 1) (i32.const 120000000))"), memory="1950"
        ),
    ),
    "memory.init": (
        "late",
        "fuel",
        lambda: component(
            core=f'(data $d "{"x" * 1_000_000}")',
            choose=looping("(memory.init $d (i32.const 0) (i32.const 0) (i32.const 1000000))"),
            memory="1000",
        ),
    ),
    "memory.grow": ("late", "processor time", lambda: component(choose=f"{FOREVER} unreachable")),
    "table.fill": (
        "late",
        "",
        lambda: component(
            core=TABLE, choose=looping("(table.fill $t (i32.const 0) (ref.null func) (i32.const 40000))")
        ),
    ),
    "table.copy": (
        "late",
        "",
        lambda: component(
            core=TABLE, choose=looping("(table.copy $t $t (i32.const 0) (i32.const 1) (i32.const 39999))")
        ),
    ),
    "table.init": (
        "late",
        "",
        lambda: component(
            core=ELEMENTS, choose=looping("(table.init $t $e (i32.const 0) (i32.const 0) (i32.const 30000))")
        ),
    ),
    "table.grow": (
        # By processor time or by fuel: on a fast machine both take about as long.
        "late",
        "no answer within",
        lambda: component(
            core="(table $t 1 funcref)",
            choose=looping("(drop (table.grow $t (ref.null func) (i32.const 49000)))"),
        ),
    ),
    "resource.new": ("crashed", "handle limit", resources),
    "UTF-8": ("late", "processor time", lambda: transcodes("utf8")),
    "UTF-16": ("late", "processor time", lambda: transcodes("utf16")),
    "Latin-1": ("late", "processor time", lambda: transcodes("latin1+utf16")),
    "post-return": ("late", "processor time", lambda: component(choose=text(16, 4), post_return=FOREVER)),
    "prints": ("late", "fuel", lambda: printing(120_000_000)),
    "list": (
        "crashed",
        "too much data",
        lambda: importing(
            '(param "l" (list u8))', "(param i32 i32)", "(call $f (i32.const 0) (i32.const 120000000))"
        ),
    ),
    "long error": ("crashed", "an error of 40000000 bytes", lambda: long_error(40_000_000)),
}
"""By what they do when they are to decide: the fault, and a part of its detail."""

_PARTS: Final = "".join(f'(data (i32.const {65536 * number}) "{"x" * 60000}")' for number in range(100))

STARTING: Final[dict[str, tuple[str, str, Callable[[], bytes]]]] = {
    "start": (
        "late",
        "processor time",
        lambda: component(choose=text(16, 4), core=f"(func $s {FOREVER}) (start $s)"),
    ),
    "start with a text": ("late", "processor time", lambda: transcodes("utf16", start=True)),
    "load": ("late", "processor time", lambda: component(choose=text(16, 4), load=f"{FOREVER} unreachable")),
    "realloc": (
        "late",
        "processor time",
        lambda: component(choose=text(16, 4), realloc=f"{FOREVER} unreachable"),
    ),
    "data": (
        "late",
        "fuel",
        lambda: component(
            choose=text(16, 4),
            memory="1000",
            modules=f'(core module $d (import "m" "memory" (memory 1)) {_PARTS})',
            after='(core instance (instantiate $d (with "m" (instance $i))))' * 90,
        ),
    ),
    "instances": (
        "crashed",
        "limit",
        lambda: component(
            choose=text(16, 4),
            modules="(core module $d (func))",
            after="(core instance (instantiate $d))" * 2000,
        ),
    ),
}
"""By what they do when they are loaded, likewise."""


def type_bomb(depth: int) -> bytes:
    """Imports a function whose type is very long when written out."""
    types, inner = "", "u8"
    for number in range(depth):
        types += f"(type $t{number} (tuple {inner} {inner}))"
        inner = f"$t{number}"
    return component(
        choose=text(16, 4),
        imports=f"""{types} (import "wasi:random/random@0.2.0" (instance (alias outer 1 {inner} (type $x))
          (export "get-random-u64" (func (result $x)))))""",
    )


PROPOSALS: Final[dict[str, str]] = {
    "arrays": "(type $a (array (mut i8)))",
    "structures": "(type $s (struct (field i32)))",
    "external references": "(func (param externref))",
    "exceptions": "(tag $t) (func (throw $t))",
    "function references": "(type $f (func)) (func (param (ref $f)) (call_ref $f (local.get 0)))",
    "tail calls": "(func $f (return_call $f))",
    "64-bit memories": "(memory i64 1)",
    "threads": "(memory 1 1 shared)",
    "stack switching": "(type $f (func)) (type $c (cont $f))",
}
"""Parts of core modules that need a proposal which is switched off."""
