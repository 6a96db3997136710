"""Which pages of a private mapping were written to, as the kernel tells."""

from __future__ import annotations

import fcntl
import mmap
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import addressof, c_char
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.sandbox.engine.pages import written_pages

PAGE = mmap.PAGESIZE
PAGES = 2000
ALL = PAGES * PAGE


def needs_page_scan() -> None:
    """Skip the test where the kernel does not know PAGEMAP_SCAN (Linux before 6.7): asked about no page."""
    question = struct.pack("12Q", 96, *[0] * 11)
    try:
        with open("/proc/self/pagemap", "rb") as file:
            fcntl.ioctl(file, 0xC0606610, question)
    except OSError as error:
        pytest.skip(f"this kernel has no PAGEMAP_SCAN: {error}")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs_page_scan()
    path = tmp_path_factory.mktemp("pages") / "image"
    path.write_bytes(b"".join(bytes([number % 255 + 1]) * PAGE for number in range(PAGES)))
    return path


Scan = Callable[..., list[tuple[int, int]] | None]
"""The pages from ``first`` to ``last`` that were written to: first and end of each run."""


@contextmanager
def mapped(path: Path) -> Iterator[tuple[mmap.mmap, Scan]]:
    """A private mapping of the file, and what looks at it."""
    with path.open("rb") as file:
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    start = addressof(c_char.from_buffer(memory))

    def scan(most: int = ALL, first: int = 0, last: int = PAGES) -> list[tuple[int, int]] | None:
        runs = written_pages(start + first * PAGE, (last - first) * PAGE, most)
        return runs and [((low - start) // PAGE, (high - start) // PAGE) for low, high in runs]

    with memory:
        yield memory, scan


def runs_of(pages: set[int]) -> list[tuple[int, int]]:
    firsts = sorted(page for page in pages if page - 1 not in pages)
    ends = sorted(page + 1 for page in pages if page + 1 not in pages)
    return list(zip(firsts, ends, strict=True))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sets(st.one_of(st.integers(0, 20), st.integers(0, PAGES - 1)), max_size=60),
    st.integers(0, PAGE - 1),
    st.sets(st.integers(0, PAGES - 1), max_size=60),
)
def test_exactly_the_written_pages_are_found_in_joined_runs(
    file: Path, pages: set[int], byte: int, read: set[int]
) -> None:
    with mapped(file) as (memory, scan):
        seen = [memory[page * PAGE] for page in sorted(read)]
        assert seen == [page % 255 + 1 for page in sorted(read)]
        for page in pages:
            memory[page * PAGE + byte] = 0
        assert scan() == runs_of(pages)


def test_written_pages_stay_reported(file: Path) -> None:
    with mapped(file) as (memory, scan):
        before = memory[7 * PAGE]
        memory[7 * PAGE] = 0
        memory[7 * PAGE] = before
        assert scan() == scan() == [(7, 8)]
    with mapped(file) as (_, scan):
        assert scan() == []


def test_only_the_requested_pages_are_reported(file: Path) -> None:
    with mapped(file) as (memory, scan):
        memory[10 * PAGE : 20 * PAGE] = bytes(10 * PAGE)
        assert scan(first=12, last=15) == [(12, 15)]
        assert scan(first=20) == []
        assert scan(last=11) == [(10, 11)]


def test_more_than_the_maximum_returns_none(file: Path) -> None:
    with mapped(file) as (memory, scan):
        for page in (3, 4, 9):
            memory[page * PAGE] = 0
        assert scan(most=3 * PAGE) == [(3, 5), (9, 10)]
        assert scan(most=3 * PAGE - 1) is None


def test_as_many_runs_as_pages_are_reported(file: Path) -> None:
    with mapped(file) as (memory, scan):
        pages = range(0, PAGES, 2)
        for page in pages:
            memory[page * PAGE] = 0
        assert scan(most=len(pages) * PAGE) == [(page, page + 1) for page in pages]
        assert scan(most=(len(pages) - 1) * PAGE) is None


def test_an_unsupported_system_returns_none(file: Path) -> None:
    with mapped(file) as (memory, _):
        start = addressof(c_char.from_buffer(memory))
        assert written_pages(start + 1, PAGE, ALL) is None
