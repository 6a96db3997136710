"""Numbers in LEB128, in every size that WebAssembly has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wasmtime import Engine, Func, Instance, Module, Store

from arena.sandbox.engine.binary import (
    MODULE_MAGIC,
    BuildFailed,
    Reader,
    encoded,
    encoded_signed,
    signed,
    unsigned,
)

EDGES = [edge + step for bits in range(0, 64, 7) for edge in (1 << bits,) for step in (-1, 0, 1)]
UNSIGNED = st.one_of(st.sampled_from([*EDGES, (1 << 32) - 1, (1 << 64) - 1]), st.integers(0, (1 << 64) - 1))
SIGNED = st.one_of(
    st.sampled_from([*EDGES, *(-edge for edge in EDGES), *(edge >> 1 for edge in EDGES)]),
    st.sampled_from([-(1 << 31), (1 << 31) - 1, -(1 << 63), (1 << 63) - 1]),
    st.integers(-(1 << 63), (1 << 63) - 1),
)


@given(UNSIGNED, st.binary(max_size=3), st.binary(max_size=3))
def test_unsigned_numbers_come_back(number: int, before: bytes, after: bytes) -> None:
    data = encoded(number)
    assert unsigned(before + data + after, len(before)) == (number, len(before) + len(data))
    assert len(data) == max(1, -(-number.bit_length() // 7))


@given(SIGNED, st.binary(max_size=3), st.binary(max_size=3))
def test_signed_numbers_come_back(number: int, before: bytes, after: bytes) -> None:
    data = encoded_signed(number)
    assert signed(before + data + after, len(before)) == (number, len(before) + len(data))
    bits = (number if number >= 0 else ~number).bit_length() + 1
    assert len(data) == -(-bits // 7)


def padded(data: bytes, filling: int, size: int) -> bytes:
    """The same number in ``size`` bytes, as linkers leave them behind."""
    if len(data) == size:
        return data
    middle = bytes([filling | 0x80]) * (size - len(data) - 1)
    return data[:-1] + bytes([data[-1] | 0x80]) + middle + bytes([filling])


@given(UNSIGNED, SIGNED)
def test_padded_numbers_are_read(one: int, other: int) -> None:
    assert unsigned(padded(encoded(one), 0, 10), 0) == (one, 10)
    filling = 0x7F if other < 0 else 0
    assert signed(padded(encoded_signed(other), filling, 10), 0) == (other, 10)


def sized(content: bytes) -> bytes:
    return bytes([len(content)]) + content


def constant(kind: int, code: int, number: int) -> int:
    """What wasmtime makes of a constant, encoded here."""
    body = b"\0" + bytes([code]) + encoded_signed(number) + b"\x0b"
    contents = {
        1: b"\x01\x60\0\x01" + bytes([kind]),
        3: b"\x01\0",
        7: b"\x01" + sized(b"f") + b"\0\0",
        10: b"\x01" + sized(body),
    }
    module = b"".join(bytes([section]) + sized(content) for section, content in contents.items())
    store = Store(ENGINE)
    function = Instance(store, Module(ENGINE, MODULE_MAGIC + module), []).exports(store)["f"]
    assert isinstance(function, Func)
    return int(function(store))


ENGINE = Engine()


@pytest.mark.parametrize("bits", [32, 64])
def test_wasmtime_reads_the_same_numbers(bits: int) -> None:
    kind, code = {32: (0x7F, 0x41), 64: (0x7E, 0x42)}[bits]
    edges = {edge >> 1 for edge in EDGES} | {(1 << bits - 1) - 1}
    for edge in sorted(edge for edge in edges if edge < 1 << bits - 1):
        for number in (edge, ~edge):
            assert constant(kind, code, number) == number


def test_a_reader_continues_at_its_position() -> None:
    data = b"?" + encoded(300) + encoded_signed(-300) + sized(b"name") + b"\x07" + b"\x02\x01a\x05\x00"
    reader = Reader(data, 1, len(data))
    assert (reader.unsigned(), reader.signed(), reader.name(), reader.expect(6, 7)) == (300, -300, "name", 7)
    assert [(number, part.end - part.at) for number, part in reader.sections()] == [(2, 1), (5, 0)]


def test_an_unexpected_byte_is_reported_with_its_position() -> None:
    with pytest.raises(BuildFailed, match="an unknown part: byte 0x63 at 2"):
        Reader(b"abc", 2, 3).expect(1, 2)
