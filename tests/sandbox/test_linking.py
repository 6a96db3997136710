"""A linked component does what the component does, and what the linker does not know it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from wasmtime import (
    Engine,
    Func,
    FuncType,
    Global,
    Instance,
    Linker,
    Module,
    Store,
    Trap,
    ValType,
    WasmtimeError,
    wat2wasm,
)
from wasmtime.component import Component
from wasmtime.component import Func as ComponentFunc
from wasmtime.component import Linker as ComponentLinker

from arena.sandbox.engine.binary import HEADER, Reader
from arena.sandbox.engine.linking import HOST, linked
from arena.sandbox.errors import BuildFailed
from tests.sandbox.libraries import PARAMETERS, USED, kebab, libraries, lifted

ENGINE: Final = Engine()

I32: Final = ValType.i32()
WORD: Final = 0xFFFF_FFFF

Call = tuple[str, Sequence[int]]


class Host:
    """What the imported functions were told, in order."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    def note(self, number: int) -> None:
        self.heard.append(number & WORD)

    def mix(self, a: int, b: int) -> int:
        self.heard.append((a & WORD, b & WORD))
        return ((a & WORD) * 31 + (b & WORD)) & WORD


class Original:
    """An instance of the component."""

    def __init__(self, component: bytes) -> None:
        self.host = Host()
        self._store = Store(ENGINE)
        linker = ComponentLinker(ENGINE)
        with linker.root() as root:
            root.add_func("note", lambda store, number: self.host.note(number))
            root.add_func("mix", lambda store, a, b: self.host.mix(a, b))
            root.add_func("say", lambda store, text: self.host.heard.append(text))
        self._instance = linker.instantiate(self._store, Component(ENGINE, component))

    def call(self, name: str, *numbers: int) -> object:
        function = self._instance.get_func(self._store, kebab(name))
        assert isinstance(function, ComponentFunc)
        answer = function(self._store, *numbers)
        function.post_return(self._store)
        return answer


class Linked:
    """An instance of what the linker makes of it, called as the canonical ABI says."""

    def __init__(self, component: bytes) -> None:
        self.host = Host()
        self._store = Store(ENGINE)
        module = linked_module(component)
        linker = Linker(ENGINE)
        linker.define_func(HOST, "note", FuncType([I32], []), self.host.note)
        linker.define_func(HOST, "mix", FuncType([I32, I32], [I32]), self._mix)
        linker.define_func(HOST, "say", FuncType([I32, I32], []), self._say)
        self.exports = instantiated(linker, self._store, module)

    def call(self, name: str, *numbers: int) -> object:
        answer = self._core(kebab(name), *numbers)
        if f"cabi_post_{kebab(name)}" not in self.exports:
            return answer
        text = self._text(self._number(answer), self._number(answer + 4))
        self._core(f"cabi_post_{kebab(name)}", answer)
        return text

    def value(self, number: int) -> int:
        item = self.exports[f"global {number}"]
        assert isinstance(item, Global)
        return int(item.value(self._store))

    def _core(self, name: str, *numbers: int) -> int:
        function = self.exports[name]
        assert isinstance(function, Func)
        signed = [number - (number >> 31 << 32) for number in numbers]
        return int(function(self._store, *signed) or 0) & WORD

    def _mix(self, a: int, b: int) -> int:
        mixed = self.host.mix(a, b)
        return mixed - (mixed >> 31 << 32)

    def _say(self, at: int, size: int) -> None:
        self.host.heard.append(self._text(at, size))

    def _number(self, at: int) -> int:
        return int.from_bytes(self.exports["memory"].read(self._store, at, at + 4), "little")

    def _text(self, at: int, size: int) -> str:
        return bytes(self.exports["memory"].read(self._store, at, at + size)).decode()


def instantiated(linker: Linker, store: Store, module: Module) -> dict[str, Any]:
    instance: Instance = linker.instantiate(store, module)
    return dict(instance.exports(store).items())


@cache
def linked_module(component: bytes) -> Module:
    module = linked(component)
    Module.validate(ENGINE, module)
    return Module(ENGINE, module)


def results(machine: Original | Linked, calls: Sequence[Call]) -> list[object]:
    """What each call returns, up to one that traps, after which an instance cannot be used."""
    answers: list[object] = []
    for name, numbers in calls:
        try:
            answers.append(machine.call(name, *numbers))
        except (Trap, WasmtimeError, UnicodeDecodeError) as error:
            message = str(error).strip().splitlines()[-1].strip()
            # A text is decoded by wasmtime in a component, and by Python in what is linked.
            answers.append("not UTF-8" if "utf-8" in message else message)
            break
    return answers


def sections(module: bytes) -> dict[int, Reader]:
    return dict(Reader(module, HEADER, len(module)).sections())


def count(module: bytes, section: int) -> int:
    """How many entries this section has."""
    return sections(module)[section].unsigned()


NUMBERS = st.one_of(st.integers(0, 13), st.sampled_from([64, 128, 4092, 65533, 196607]), st.integers(0, WORD))
CALLS = st.sampled_from(sorted(PARAMETERS)).flatmap(
    lambda name: st.tuples(st.just(name), st.tuples(*[NUMBERS] * PARAMETERS[name]))
)


@settings(deadline=None, max_examples=150)
@given(st.lists(CALLS, max_size=12))
@pytest.mark.system
def test_linked_calls_equal_those_of_the_component(calls: list[Call]) -> None:
    original, machine = Original(libraries()), Linked(libraries())
    assert results(machine, calls) == results(original, calls)
    assert machine.host.heard == original.host.heard


EXPECTED: Final = [
    ("own", (1, 5), 15),
    ("own", (2, 5), 10),
    ("dispatch", (4, 21), 42),
    ("dispatch", (6, 10), 7),
    ("dispatch", (6, 10), 17),
    ("dispatch", (7, 0), WORD),
    ("dispatch", (11, 2), 300),
    ("dispatch_void", (5, 8), 0),
    ("tail", (0, 9), 27),
    ("tail", (7, 9), WORD - 9),
    *[("branch", (number,), answer) for number, answer in enumerate([100, 200, 300, 400])],
    ("swap", (0, 1), (0 - 7 * 4) & WORD),
    ("swap", (5, 1), (5 - 7 * 3) & WORD),
    ("push", (16,), 4080),
    ("push", (16,), 4064),
    ("depth", (), 4064),
    ("peek", (4068,), 16),
    ("peek", (128,), 0x04030201),
    ("constants", (), 8192 * 3 + (64 - 5 + 3) * 21 + 77 + 99),
    ("grow", (1,), 12),
    ("grow", (1,), 23),
    ("grow", (1,), WORD - 10 + 4),
    ("mix", (3, 4), 97),
    ("say", (9,), 0),
    ("note", (WORD,), 0),
]


@pytest.mark.parametrize("kind", [Original, Linked])
def test_each_function_returns_the_expected_result(kind: type[Original | Linked]) -> None:
    machine = kind(libraries())
    calls = [(name, numbers) for name, numbers, _ in EXPECTED]
    assert results(machine, calls) == [answer for _, _, answer in EXPECTED]
    assert machine.host.heard == [8, (3, 4), "the quick", WORD]


@pytest.mark.parametrize("kind", [Original, Linked])
def test_a_result_is_read_before_the_post_return(kind: type[Original | Linked]) -> None:
    machine = kind(libraries())
    assert [machine.call("text", size) for size in (9, 13)] == ["the quick", "xxxxxxxxx bro"]
    assert machine.call("peek", 73) == int.from_bytes(b"xxxx", "little")


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (("own", (0, 1)), "uninitialized element"),
        (("own", (3, 1)), "undefined element"),
        (("dispatch", (12, 1)), "undefined element"),
        (("dispatch", (3, 1)), "uninitialized element"),
        (("dispatch", (5, 1)), "indirect call type mismatch"),
        (("peek", (65533,)), "out of bounds memory access"),
        (("fault", ()), "unreachable"),
    ],
)
def test_traps_equal_those_of_the_component(call: Call, why: str) -> None:
    (answer,) = results(Linked(libraries()), [call])
    assert why in str(answer)
    assert results(Original(libraries()), [call]) == [answer]


def test_only_globals_that_are_set_stay_mutable() -> None:
    machine = Linked(libraries())
    assert [name for name in machine.exports if name.startswith("global")] == ["global 0", "global 1"]
    assert count(linked(libraries()), 6) == 2
    assert (machine.value(0), machine.value(1)) == (4096, -3)
    machine.call("push", 96)
    machine.call("dispatch", 6, 10)
    assert (machine.value(0), machine.value(1)) == (4000, 7)


def test_unreachable_functions_are_dropped() -> None:
    component = libraries(USED)
    assert count(linked(component), 3) == count(linked(libraries()), 3) + 2
    original, machine = Original(component), Linked(component)
    assert [name for name in machine.exports if name.startswith("global")] == [
        f"global {number}" for number in range(3)
    ]
    calls = [("constants", ()), ("use", (1234,)), ("constants", ())]
    answers = results(machine, calls)
    assert answers == results(original, calls)
    assert answers[2] == int(str(answers[0])) + 1234 - 99
    assert machine.host.heard == original.host.heard == [1234]


def test_a_linked_module_exports_what_its_users_need() -> None:
    module = linked_module(libraries())
    assert sorted({f"{item.module} {item.name}" for item in module.imports}) == [
        "host mix",
        "host note",
        "host say",
    ]
    names = {kebab(name) for name in PARAMETERS} | {"text", "cabi_post_text", "cabi_realloc", "memory"}
    assert {item.name for item in module.exports} == names | {"global 0", "global 1"}


def simple(core: str, *, functions: str = "", rest: str = "", before: str = "") -> bytes:
    """A component of one module, that begins with ``core`` and has a memory, data and ``run``."""
    return bytes(
        wat2wasm(f"""(component {before}
          (core module $m {core} (memory (export "memory") 1) (data (i32.const 0) "x") {functions})
          (core instance $i (instantiate $m)) {rest}
          {lifted("run", 0, "$i")})""")
    )


def running(body: str, core: str = "") -> bytes:
    return simple(core, functions=f'(func (export "run") (result i32) {body})')


def run(component: bytes) -> tuple[object, object]:
    """What ``run`` returns in the component, and when linked."""
    return Original(component).call("run"), Linked(component).call("run")


@settings(deadline=None, max_examples=40)
@example((1 << 31) - 1, 1, 0)
@example(-(1 << 31), -1, 0)
@given(*[st.integers(-(1 << 31), (1 << 31) - 1)] * 3)
def test_constant_expressions_wrap_around(one: int, two: int, three: int) -> None:
    core = f"""(global $a i32 (i32.const {one})) (global $c (mut i32) (i32.const {three}))
      (global $b i32
        (i32.add (i32.const {two}) (i32.add (global.get $a) (i32.const {three}))))"""
    component = running("(i32.xor (global.get $b) (global.get $c))", core)
    right = (one + two + three ^ three) & WORD
    assert run(component) == (right, right)


def test_more_types_than_fit_in_one_byte() -> None:
    kinds = ["".join(" i64" if number >> bit & 1 else " i32" for bit in range(7)) for number in range(1, 100)]
    types = "".join(
        f"(type $t{number} (func (param{kind}) (result i32 i32)))" for number, kind in enumerate(kinds)
    )
    zeros = ["".join(f" ({kind}.const {number})" for kind in it.split()) for number, it in enumerate(kinds)]
    functions = "".join(
        f"(func $f{number} (type $t{number}) (i32.const {number}) (i32.const 1000))"
        for number in range(len(kinds))
    )
    calls = "".join(
        f"""{zeros[number]}
        (block (type $t{number}) {"(drop) " * 7} (i32.const {number}) (i32.const 2))
        (i32.mul) (local.get 0) (i32.add) (local.set 0)
        (call_indirect (type $t{number}) {zeros[number]} (i32.const {number}))
        (i32.add) (local.get 0) (i32.add) (local.set 0)"""
        for number in range(len(kinds))
    )
    table = f"(table {len(kinds)} funcref) (elem (i32.const 0) func" + "".join(
        f" $f{number}" for number in range(len(kinds))
    )
    component = running(f"(local i32) {calls} (local.get 0)", types + table + ")" + functions)
    right = sum(3 * number + 1000 for number in range(len(kinds)))
    assert run(component) == (right, right)


def test_unknown_parts_that_are_never_called_are_allowed() -> None:
    table = "(table $t 1 funcref)"
    dropped = "(func $dropped (table.set $t (i32.const 0) (ref.null func)))"
    assert run(running("(i32.const 9)", table + dropped)) == (9, 9)


TABLE = "(table $t 1 9 funcref)"
FILLED = f"{TABLE} (elem (i32.const 0) $f) (func $f)"
PASSIVE = '(data $d "abc")'
ZEROS = "(i32.const 0) (i32.const 0) (i32.const 0)"

UNKNOWN_CODE = {
    "table.get": ("(ref.is_null (table.get $t (i32.const 0)))", TABLE, "25"),
    "table.set": ("(table.set $t (i32.const 0) (ref.func $f)) (i32.const 0)", FILLED, "2600"),
    "ref.null": ("(ref.is_null (ref.null func))", "", "d0"),
    "table.grow": ("(table.grow $t (ref.func $f) (i32.const 1))", FILLED, "fc0f"),
    "table.size": ("(table.size $t)", TABLE, "fc10"),
    "table.copy": (f"(table.copy {ZEROS}) (i32.const 0)", TABLE, "fc0e"),
    "memory.init": (f"(memory.init $d {ZEROS}) (i32.const 0)", PASSIVE, "fc08"),
    "data.drop": ("(data.drop $d) (i32.const 0)", PASSIVE, "fc09"),
    "SIMD": ("(i32x4.extract_lane 0 (v128.const i32x4 1 2 3 4))", "", "fd0c"),
    "typed select": ("(select (result i32) (i32.const 1) (i32.const 2) (i32.const 0))", "", "1c01"),
}


@pytest.mark.parametrize(("body", "core", "code"), UNKNOWN_CODE.values(), ids=UNKNOWN_CODE)
def test_unknown_instructions_are_rejected(body: str, core: str, code: str) -> None:
    component = running(body, core)
    Original(component)
    with pytest.raises(BuildFailed, match=f"has an unknown instruction: {code}"):
        linked(component)


RUN = '(func (export "run") (result i32) (i32.const 0))'
CALLS_OTHER = """(core module $n (import "" "run" (func $f (result i32)))
  (func (export "use") (result i32) (call $f)))"""

UNKNOWN_PARTS = {
    "a start function": (simple("(start $s) (func $s)", functions=RUN), "has an unknown section: 8"),
    "a tag": (simple("(tag)", functions=RUN), "has an unknown section: 13"),
    "two memories": (
        simple("", functions=RUN, rest="(core module $n (memory 1)) (core instance (instantiate $n))"),
        "has 2 memories",
    ),
    "data in two modules": (
        simple(
            "",
            functions=RUN,
            rest="""(core module $n (import "" "memory" (memory 1)) (data (i32.const 9) "y"))
              (core instance (instantiate $n (with "" (instance $i))))""",
        ),
        "2 core modules of the sandbox's Python have data",
    ),
    "a module instantiated twice": (
        simple("", functions=RUN, rest="(core instance (instantiate $m))"),
        "a core module of the sandbox's Python has two instances",
    ),
    "a global that is no i32": (simple("(global i64 (i64.const 1))", functions=RUN), "byte 0x7e"),
    "a table of externrefs": (simple("(table 1 externref)", functions=RUN), "byte 0x6f"),
    "a memory of 64 bits": (simple("(memory i64 1)", functions=RUN), "byte 0x04 at"),
    "a constant expression with a product": (
        simple("(global i32 (i32.mul (i32.const 2) (i32.const 3)))", functions=RUN),
        "byte 0x6c",
    ),
    "an element segment of expressions": (
        simple("(table 1 funcref) (elem (i32.const 0) funcref (ref.null func))", functions=RUN),
        "byte 0x04 at",
    ),
    "an element segment of functions of another kind": (
        # As the binary format would name a kind of its own.
        simple(
            "(table $t 1 funcref) (table $u 1 funcref) (elem (table $u) (i32.const 0) func)", functions=RUN
        ).replace(b"\x02\x01\x41\0\x0b\0\0", b"\x02\x01\x41\0\x0b\x01\0"),
        "byte 0x01 at",
    ),
    "a passive element segment": (simple("(func $f) (elem func $f)", functions=RUN), "byte 0x01 at"),
    "text in UTF-16": (
        simple(
            "",
            functions=RUN + '(func (export "t") (result i32) (i32.const 0))',
            rest="""(func (export "t") (result string)
              (canon lift (core func $i "t") string-encoding=utf16 (memory (core memory $i "memory"))))""",
        ),
        "byte 0x01 at",
    ),
    "an import that is no function": (
        simple("", functions=RUN, before='(import "t" (type (sub resource)))'),
        "byte 0x03 at",
    ),
    "a call of the canonical ABI": (
        bytes(
            wat2wasm(f"""(component (type $r (resource (rep i32))) (core func $new (canon resource.new $r))
              (core module $m (import "" "new" (func $new (param i32) (result i32)))
                (memory 1) (data (i32.const 0) "x")
                (func (export "run") (result i32) (call $new (i32.const 1))))
              (core instance $i (instantiate $m (with "" (instance (export "new" (func $new))))))
              {lifted("run", 0, "$i")})""")
        ),
        "calls the canonical ABI",
    ),
}


@pytest.mark.parametrize(("component", "why"), UNKNOWN_PARTS.values(), ids=UNKNOWN_PARTS)
def test_unknown_parts_are_rejected(component: bytes, why: str) -> None:
    with pytest.raises(BuildFailed, match=why) as caught:
        linked(component)
    assert caught.value.code == "runtime_not_built"
