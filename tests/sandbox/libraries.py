"""A component like those that componentize-py makes, in WebAssembly's text form, and small."""

from __future__ import annotations

from functools import cache
from typing import Final

from wasmtime import wat2wasm

LIBRARIES: Final = r"""
(component
  (import "note" (func $note (param "number" u32)))
  (import "mix" (func $mix (param "a" u32) (param "b" u32) (result u32)))
  (import "say" (func $say (param "text" string)))

  (core module $env
    (memory (export "memory") 1 3)
    (table (export "table") 12 funcref)
    (global (export "stack") (mut i32) (i32.const 4096))
    (global (export "heap") (mut i32) (i32.const 8192))
    (global (export "memory_base") i32 (i32.const 64))
    (global (export "table_base") i32 (i32.const 3))
    (global $secret (mut i32) (i32.const 77))
    (func (export "secret") (result i32) (global.get $secret))
    (data (i32.const 64) "the quick brown fox")
    (data (i32.const 128) "\01\02\03\04\05\06\07\08"))
  (core instance $env (instantiate $env))
  (alias core export $env "memory" (core memory $memory))
  (alias core export $env "table" (core table $table))
  (alias core export $env "stack" (core global $stack))
  (alias core export $env "heap" (core global $heap))
  (alias core export $env "memory_base" (core global $memory_base))
  (alias core export $env "table_base" (core global $table_base))
  (alias core export $env "secret" (core func $secret))

  (core module $stub
    (type $two (func (param i32 i32) (result i32)))
    (table (export "late") 2 funcref)
    (func (export "mix") (type $two)
      (call_indirect (type $two) (local.get 0) (local.get 1) (i32.const 1))))
  (core instance $stub (instantiate $stub))
  (alias core export $stub "mix" (core func $mix_stub))
  (alias core export $stub "late" (core table $late))

  (core func $note_core (canon lower (func $note)))
  (core func $mix_core (canon lower (func $mix)))
  (core func $say_core (canon lower (func $say) (memory $memory)))
  (core instance $host
    (export "note" (func $note_core)) (export "mix" (func $mix_stub)) (export "say" (func $say_core)))
  (core instance $shared
    (export "memory" (memory $memory)) (export "table" (table $table))
    (export "__stack_pointer" (global $stack)) (export "heap" (global $heap))
    (export "__memory_base" (global $memory_base)) (export "__table_base" (global $table_base))
    (export "secret" (func $secret)))

  (core module $libc
    (type $one (func (param i32) (result i32)))
    (type $pair (func (param i32 i32) (result i32 i32)))
    (import "env" "__table_base" (global $table_base i32))
    (import "env" "__stack_pointer" (global $stack (mut i32)))
    (import "env" "__memory_base" (global $memory_base i32))
    (import "host" "note" (func $note (param i32)))
    (import "env" "table" (table 1 funcref))
    (import "env" "memory" (memory 1))
    (global $calls (mut i32) (i32.const -3))
    (global $end (export "end") i32
      (i32.add (global.get $memory_base) (i32.add (i32.const -5) (global.get $table_base))))
    (export "sp" (global $stack))
    (elem (i32.add (global.get $table_base) (i32.const 1)) func $double $note $count $never_direct)
    (elem (i32.const 11) func $pick)
    (func $double (export "double") (type $one) (i32.mul (local.get 0) (i32.const 2)))
    (func $count (type $one)
      (global.set $calls (i32.add (global.get $calls) (local.get 0)))
      (global.get $calls))
    (func $never_direct (type $one) (i32.xor (local.get 0) (i32.const -1)))
    (func $unused (export "unused") (param i32)
      (global.set $end_of_unused (local.get 0)) (call $note (local.get 0)))
    (global $end_of_unused (export "left") (mut i32) (i32.const 99))
    (func $pick (export "pick") (type $one)
      (block $d (block $a (block $b (block $c
        (br_table $a $b $c $d (local.get 0)))
        (return (i32.const 300)))
        (return (i32.const 200)))
        (return (i32.const 100)))
      (i32.const 400))
    (func (export "swap") (type $pair)
      (local $three i32)
      (local.set $three (i32.const 3))
      (local.get 0) (local.get 1)
      (loop (type $pair)
        (i32.add (local.get $three))
        (local.set $three (i32.const 0)))
      (if (type $pair) (local.get 0) (then (i32.const 1) (i32.sub)) (else)))
    (func (export "push") (param $size i32) (result i32)
      (local $at i32)
      (local.set $at (i32.sub (global.get $stack) (local.get $size)))
      (i32.store offset=4 align=2 (local.get $at) (local.get $size))
      (global.set $stack (local.get $at))
      (local.get $at)))
  (core instance $libc (instantiate $libc (with "env" (instance $shared)) (with "host" (instance $host))))

  (core module $app
    (type $one (func (param i32) (result i32)))
    (type $none (func))
    (import "libc" "double" (func $double (type $one)))
    (import "libc" "pick" (func $pick (type $one)))
    (import "libc" "swap" (func $swap (param i32 i32) (result i32 i32)))
    (import "libc" "push" (func $push (type $one)))
    (import "libc" "sp" (global $sp (mut i32)))
    (import "libc" "end" (global $end i32))
    (import "libc" "left" (global $left (mut i32)))
    (import "env" "heap" (global $heap (mut i32)))
    (import "env" "secret" (func $secret (result i32)))
    (import "env" "memory" (memory 1))
    (import "env" "table" (table $table 1 funcref))
    (import "host" "note" (func $note (param i32)))
    (import "host" "mix" (func $mix (param i32 i32) (result i32)))
    (import "host" "say" (func $say (param i32 i32)))
    (table $own 3 funcref)
    (elem (table $own) (i32.const 1) func $tripled $double)
    (global $twice i32 (i32.const 21))
    (func $tripled (type $one)
      (i32.add (call $double (local.get 0)) (local.get 0)))
    (func (export "own") (param i32 i32) (result i32)
      (call_indirect $own (type $one) (local.get 1) (local.get 0)))
    (func (export "dispatch") (param i32 i32) (result i32)
      (call_indirect $table (type $one) (local.get 1) (local.get 0)))
    (func (export "dispatch_void") (param i32 i32) (result i32)
      (call_indirect $table (param i32) (local.get 1) (local.get 0))
      (i32.const 0))
    (func (export "tail") (param i32 i32) (result i32)
      (if (i32.eqz (local.get 0)) (then (return_call $tripled (local.get 1))))
      (return_call_indirect $table (type $one) (local.get 1) (local.get 0)))
    (func (export "branch") (param i32) (result i32) (call $pick (local.get 0)))
    (func (export "swap") (param i32 i32) (result i32)
      (call $swap (local.get 0) (local.get 1))
      (i32.sub (i32.mul (i32.const 7))))
    (func (export "push") (param i32) (result i32) (call $push (local.get 0)))
    (func (export "depth") (result i32) (global.get $sp))
    (func (export "constants") (result i32)
      (i32.add (i32.mul (global.get $heap) (i32.const 3))
        (i32.add (i32.mul (global.get $end) (global.get $twice))
          (i32.add (call $secret) (global.get $left)))))
    (func (export "peek") (param i32) (result i32) (i32.load (local.get 0)))
    (func (export "poke") (param i32 i32) (result i32)
      (i32.store16 offset=3 (local.get 0) (local.get 1)) (i32.const 0))
    (func (export "copy") (param i32 i32) (result i32)
      (memory.copy (local.get 0) (local.get 1) (i32.const 70))
      (memory.fill (local.get 1) (i32.const 171) (i32.const 5))
      (i32.const 0))
    (func (export "grow") (param i32) (result i32)
      (i32.add (i32.mul (memory.grow (local.get 0)) (i32.const 10)) (memory.size)))
    (func (export "note") (param i32) (result i32) (call $note (local.get 0)) (i32.const 0))
    (func (export "mix") (param i32 i32) (result i32) (call $mix (local.get 0) (local.get 1)))
    (func (export "say") (param i32) (result i32)
      (call $say (i32.const 64) (i32.rem_u (local.get 0) (i32.const 20))) (i32.const 0))
    (func (export "numbers") (param i32) (result i32)
      (local $long i64) (local $real f64)
      (local.set $long (i64.mul (i64.extend_i32_s (local.get 0)) (i64.const -0x7fffffffffffff11)))
      (local.set $real (f64.mul (f64.convert_i64_s (local.get $long)) (f64.const 1.0b0b0b0b)))
      (i32.xor
        (i32.trunc_sat_f64_s (f64.sqrt (f64.abs (local.get $real))))
        (i32.reinterpret_f32
          (select (f32.const 0x1.0b0e0fp+3) (f32.demote_f64 (local.get $real)) (local.get 0)))))
    (func (export "fault") (result i32) unreachable)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 512))
    (func (export "text") (param i32) (result i32)
      (i32.store (i32.const 1024) (i32.const 64))
      (i32.store (i32.const 1028) (local.get 0))
      (i32.const 1024))
    (func (export "after_text") (param i32)
      (memory.fill (i32.load (local.get 0)) (i32.const 120) (i32.load offset=4 (local.get 0)))))
  (core instance $app (instantiate $app
    (with "env" (instance $shared)) (with "libc" (instance $libc)) (with "host" (instance $host))))

  (core module $fixup
    (import "" "late" (table 2 funcref))
    (import "" "mix" (func $mix (param i32 i32) (result i32)))
    (elem (i32.const 1) func $mix))
  (core instance (instantiate $fixup
    (with "" (instance (export "late" (table $late)) (export "mix" (func $mix_core))))))

  LIFTED
  (func (export "text") (param "size" u32) (result string)
    (canon lift (core func $app "text") (memory $memory) (realloc (core func $app "realloc"))
      (post-return (core func $app "after_text")))))
""".replace("1.0b0b0b0b", "1.0625")
"""As componentize-py's: one module with the memory, the table, globals and all data, others that import them
through instances that are only lists, and a table of stubs that is filled last.
"""

PARAMETERS: Final = {
    "own": 2,
    "dispatch": 2,
    "dispatch_void": 2,
    "tail": 2,
    "branch": 1,
    "swap": 2,
    "push": 1,
    "depth": 0,
    "constants": 0,
    "peek": 1,
    "poke": 2,
    "copy": 2,
    "grow": 1,
    "note": 1,
    "mix": 2,
    "say": 1,
    "numbers": 1,
    "fault": 0,
}


def kebab(name: str) -> str:
    return name.replace("_", "-")


def lifted(name: str, parameters: int, instance: str = "$app") -> str:
    """A core function of numbers as a function of the component."""
    params = " ".join(f'(param "p{number}" u32)' for number in range(parameters))
    return (
        f'(func (export "{kebab(name)}") {params} (result u32) (canon lift (core func {instance} "{name}")))'
    )


@cache
def libraries(*more: str) -> bytes:
    """The component, with ``more`` of what its modules do not export to the world otherwise."""
    functions = "\n".join(lifted(name, parameters) for name, parameters in PARAMETERS.items())
    return bytes(wat2wasm(LIBRARIES.replace("LIFTED", "\n".join((functions, *more)))))


USED: Final = """
  (core module $user (import "libc" "unused" (func $unused (param i32)))
    (func (export "use") (param i32) (result i32) (call $unused (local.get 0)) (i32.const 5)))
  (core instance $user (instantiate $user (with "libc" (instance $libc))))
  """ + lifted("use", 1, "$user")
"""Calls the function that nobody calls otherwise."""
