"""Small components in WebAssembly's text form: bots in no particular language."""

from __future__ import annotations

from wasmtime import wat2wasm

OK_EMPTY_LOAD = (
    "(i32.store8 (i32.const 0) (i32.const 0)) (i32.store8 (i32.const 4) (i32.const 0)) (i32.const 0)"
)


def component(
    *,
    choose: str,
    load: str = OK_EMPTY_LOAD,
    imports: str = "",
    instances: str = "",
    core: str = "",
    memory: str = "2",
    load_type: str = '(param "source" string) (param "seed" string) (result (result bool (error string)))',
    realloc: str = "",
    post_return: str = "",
    modules: str = "",
    after: str = "",
) -> bytes:
    """A component of the world ``bot`` whose two functions have these bodies.

    A result lies at address 0: its tag (0 is ok), then at 4 a bool, or the address and at 8 the length
    of a text. Texts from the host are put from address 1024 on. ``realloc`` and ``post_return`` are what
    those functions do first, ``after`` comes when the bot's instance ``$i`` is there.
    """
    options = '(memory (core memory $i "memory")) (realloc (core func $i "realloc"))'
    post = '(post-return (core func $i "post"))' if post_return else ""
    return bytes(
        wat2wasm(f"""(component
  {imports}
  {modules}
  (core module $m
    {core}
    (memory (export "memory") {memory})
    (global $next (mut i32) (i32.const 1024))
    (data (i32.const 16) "null")
    (data (i32.const 32) "\\"play:4C\\"")
    (func (export "post") (param i32) {post_return})
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      {realloc}
      (global.get $next)
      (global.set $next (i32.add (global.get $next) (local.get 3))))
    (func (export "load") (param i32 i32 i32 i32) (result i32) {load})
    (func $text (param $at i32) (param $size i32) (result i32)
      (i32.store8 (i32.const 0) (i32.const 0))
      (i32.store (i32.const 4) (local.get $at))
      (i32.store (i32.const 8) (local.get $size))
      (i32.const 0))
    (func (export "choose") (param i32 i32) (result i32) {choose}))
  (core instance $i (instantiate $m {instances}))
  {after}
  (func (export "load") {load_type}
    (canon lift (core func $i "load") {options}))
  (func (export "choose") (param "turn" string) (result (result string (error string)))
    (canon lift (core func $i "choose") {options} {post})))""")
    )


def text(at: int, size: int) -> str:
    """The body of a ``choose`` that answers with a text in memory."""
    return f"(call $text (i32.const {at}) (i32.const {size}))"


PASSES = component(choose=text(16, 4))
PLAYS = component(choose=text(32, 9))
LOOPS = component(choose="(loop (br 0)) unreachable")
TRAPS = component(choose="unreachable")
GIANT_ANSWER = component(
    choose="(memory.fill (i32.const 65536) (i32.const 32) (i32.const 60000000))" + text(65536, 60_000_000),
    memory="1000",
)
OUT_OF_BOUNDS = component(choose=text(2_000_000_000, 100))
NO_TEXT = component(choose="(i32.store8 (i32.const 16) (i32.const 255))" + text(16, 4))
MUCH_MEMORY = component(choose=text(16, 4), memory="20000")
GROWS = component(
    choose="(loop (br_if 0 (i32.ne (memory.grow (i32.const 100)) (i32.const -1))))" + text(16, 4)
)
FILLS = component(
    choose="(loop (memory.fill (i32.const 0) (i32.const 0) (i32.const 60000000)) (br 0)) unreachable",
    memory="1000",
)
SCRIBBLES = component(
    core="(global $used (mut i32) (i32.const 0))",
    choose="""(if (i32.or (global.get $used) (i32.load (i32.const 70000))) (then unreachable))
      (if (i32.ne (memory.grow (i32.const 100)) (i32.const 2)) (then unreachable))
      (if (i32.load (i32.const 6000000)) (then unreachable))
      (global.set $used (i32.const 1))
      (memory.fill (i32.const 65536) (i32.const 255) (i32.const 6553600))"""
    + text(16, 4),
)
"""Ends itself if it finds a trace of an earlier decision, and leaves many."""
RECURSES = component(core="(func $f (call $f) (call $f))", choose="(call $f) unreachable")
ENTROPY = component(
    imports="""(import "wasi:random/random@0.2.0" (instance $random
    (export "get-random-u64" (func (result u64)))))
  (core func $draw (canon lower (func $random "get-random-u64")))
  (core instance $host (export "draw" (func $draw)))""",
    core='(import "host" "draw" (func $draw (result i64))) (global $drawn (mut i64) (i64.const 0))',
    instances='(with "host" (instance $host))',
    choose="""(global.set $drawn (call $draw))
      (i64.store (i32.const 33) (i64.or (i64.const 0x4141414141414141)
        (i64.and (global.get $drawn) (i64.const 0x0f0f0f0f0f0f0f0f))))
      (i32.store8 (i32.const 41) (i32.const 34))"""
    + text(32, 10),
)
SECRETS = component(
    imports="""(import "wasi:filesystem/preopens@0.2.0" (instance $files
    (export "descriptor" (type $descriptor (sub resource)))
    (export "get-directories" (func (result (list (tuple (own $descriptor) string)))))))
  (core module $libc (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64)))
  (core instance $libc (instantiate $libc))
  (core func $list (canon lower (func $files "get-directories")
    (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))
  (core instance $host (export "list" (func $list)))""",
    core='(import "host" "list" (func $list (param i32)))',
    instances='(with "host" (instance $host))',
    choose="(call $list (i32.const 0))" + text(16, 4),
)
WRONG_TYPE = component(
    choose=text(16, 4), load="(i32.const 0)", load_type='(param "a" string) (param "b" string) (result u32)'
)
