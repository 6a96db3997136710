"""A database of its own for each test, since processes work on it, and an arena on that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.store.embedded import EmbeddedStore
from tests.conftest import register
from tests.live.arenas import Arena


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(tmp_path / "store") as running:
        register(running.url)
        yield running


@pytest.fixture
def arena(store: EmbeddedStore) -> Iterator[Arena]:
    opened = Arena(store.url)
    yield opened
    opened.live.close()
