"""A real database for the tests of webhooks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.live.embedded import EmbeddedStore
from arena.live.store_wire import SingleWire
from tests.webhooks.parts import Arena


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(tmp_path_factory.mktemp("store")) as embedded:
        yield embedded


@pytest.fixture
def clean_store(store: EmbeddedStore) -> EmbeddedStore:
    wire = SingleWire(store.url, ())
    wire.run([("FLUSHALL",)])
    wire.close()
    return store


@pytest.fixture
def arena(clean_store: EmbeddedStore) -> Iterator[Arena]:
    opened = Arena(clean_store.url)
    yield opened
    opened.live.close()
