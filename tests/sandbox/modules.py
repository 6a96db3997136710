"""Small modules for WASI preview 1 in WebAssembly's text form: bots in no particular language."""

from __future__ import annotations

from typing import Final

from wasmtime import wat2wasm

LINE: Final = 65536
"""The address of the line that was read last; turns begin with ``{"turn":"``."""

FIRST: Final = "(call $put_first)"
"""Put the first legal action."""

NULL: Final = "(call $put (i32.const 2080) (i32.const 4))"

_LEGAL: Final = int.from_bytes(b'ions":["', "little")


def wasi(name: str, types: str) -> str:
    """Import a function of WASI as ``$name``. ``types`` are its parameters."""
    return f'(import "wasi_snapshot_preview1" "{name}" (func ${name} (param {types}) (result i32)))'


def module(
    *,
    decide: str = "",
    action: str = FIRST,
    start: str = "",
    core: str = "",
    imports: str = "",
    memory: str = "4",
    opening: str = "{}\n",
) -> bytes:
    """A bot that reads a line, answers with ``opening``, and then plays the first legal action at each turn.

    ``start`` is what it does first, ``decide`` what it does at each turn before it answers, and ``action``
    puts the action into the answer. The bytes before 1024 and from 262144 on are unused.
    """
    size = len(opening.encode())
    text = opening.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return bytes(
        wat2wasm(rf"""(module
  {wasi("fd_read", "i32 i32 i32 i32")} {wasi("fd_write", "i32 i32 i32 i32")} {imports}
  (memory (export "memory") {memory})
  (data (i32.const 2048) "{{\"turn\":\"") (data (i32.const 2060) "\",\"action\":")
  (data (i32.const 2080) "null") (data (i32.const 2090) "}}\n") (data (i32.const 3072) "{text}")
  (global $size (mut i32) (i32.const 0))
  (global $out (mut i32) (i32.const 0))
  {core}
  (func $write (param $file i32) (param $at i32) (param $size i32)
    (i32.store (i32.const 1024) (local.get $at)) (i32.store (i32.const 1028) (local.get $size))
    (drop (call $fd_write (local.get $file) (i32.const 1024) (i32.const 1) (i32.const 1032))))
  (func $read
    (global.set $size (i32.const 0))
    (loop $more
      (i32.store (i32.const 1024) (i32.add (i32.const {LINE}) (global.get $size)))
      (i32.store (i32.const 1028) (i32.const 65536))
      (drop (call $fd_read (i32.const 0) (i32.const 1024) (i32.const 1) (i32.const 1032)))
      (global.set $size (i32.add (global.get $size) (i32.load (i32.const 1032))))
      (br_if $more (i32.ne (i32.const 10)
        (i32.load8_u (i32.add (i32.const {LINE - 1}) (global.get $size)))))))
  (func $put (param $at i32) (param $size i32)
    (memory.copy (i32.add (i32.const 196608) (global.get $out)) (local.get $at) (local.get $size))
    (global.set $out (i32.add (global.get $out) (local.get $size))))
  (func $put_text (param $at i32) (local $end i32)
    (local.set $end (local.get $at))
    (loop $next (local.set $end (i32.add (local.get $end) (i32.const 1)))
      (br_if $next (i32.ne (i32.load8_u (local.get $end)) (i32.const 34))))
    (call $put (local.get $at) (i32.sub (local.get $end) (local.get $at))))
  (func $put_first (local $at i32)
    (local.set $at (i32.const {LINE}))
    (loop $next (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i64.ne (i64.load (local.get $at)) (i64.const {_LEGAL}))))
    (call $put_text (i32.add (local.get $at) (i32.const 7)))
    (call $put (i32.const 2060) (i32.const 1)))
  (func $answer
    (global.set $out (i32.const 0))
    (call $put (i32.const 2048) (i32.const 9))
    (call $put_text (i32.const {LINE + 9}))
    (call $put (i32.const 2060) (i32.const 11))
    {action}
    (call $put (i32.const 2090) (i32.const 2))
    (call $write (i32.const 1) (i32.const 196608) (global.get $out)))
  (func (export "_start")
    {start}
    (call $read)
    (call $write (i32.const 1) (i32.const 3072) (i32.const {size}))
    (loop $again (call $read) {decide} (call $answer) (br $again))))""")
    )


def looping(body: str) -> str:
    return f"(loop $forever {body} (br $forever))"


def printing(file: int, size: int) -> str:
    """Write the first bytes of the memory, all at once."""
    return f"(call $write (i32.const {file}) (i32.const 0) (i32.const {size}))"


PLAYS = module()
PASSES = module(action=NULL)
LOOPS = module(decide=looping(""))
TRAPS = module(decide="unreachable")
GIANT_ANSWER = module(memory="1000", decide=looping(printing(1, 60_000_000)))
NO_TEXT = module(action="(i32.store8 (i32.const 2080) (i32.const 255))" + NULL)
OUT_OF_BOUNDS = module(decide="(drop (i32.load (i32.const 2000000000)))")
MUCH_MEMORY = module(memory="20000")
GROWS = module(decide="(loop (br_if 0 (i32.ne (memory.grow (i32.const 100)) (i32.const -1))))")
FILLS = module(
    memory="1000", decide=looping("(memory.fill (i32.const 262144) (i32.const 0) (i32.const 60000000))")
)
RECURSES = module(core="(func $f (call $f) (call $f))", decide="(call $f)")
RETURNS = module(decide="return")
EXITS = module(
    imports='(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))',
    decide="(call $exit (i32.const 3))",
)
READS_ON = module(decide="(call $read)")
ENTROPY = module(
    imports=wasi("random_get", "i32 i32"),
    decide="(drop (call $random_get (i32.const 262144) (i32.const 8)))",
    # A capital letter per byte.
    action="""(call $put (i32.const 2060) (i32.const 1))
      (i64.store (i32.const 262144) (i64.or (i64.const 0x4141414141414141)
        (i64.and (i64.load (i32.const 262144)) (i64.const 0x0f0f0f0f0f0f0f0f))))
      (call $put (i32.const 262144) (i32.const 8)) (call $put (i32.const 2060) (i32.const 1))""",
    memory="5",
)
SCRIBBLES = module(
    core="(global $used (mut i32) (i32.const 0))",
    decide="""(if (i32.or (global.get $used) (i32.load (i32.const 262144))) (then unreachable))
      (if (i32.ne (memory.grow (i32.const 100)) (i32.const 5)) (then unreachable))
      (if (i32.load (i32.const 6000000)) (then unreachable))
      (global.set $used (i32.const 1))
      (memory.fill (i32.const 262144) (i32.const 255) (i32.const 6553600))""",
    memory="5",
)
"""Ends itself if it finds a trace of an earlier decision, and leaves many."""
