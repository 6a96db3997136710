"""What several folders of tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.live.embedded import EmbeddedStore
from arena.live.store_wire import SingleWire


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    """A real server for the whole session."""
    with EmbeddedStore(tmp_path_factory.mktemp("store")) as embedded:
        yield embedded


@pytest.fixture
def clean_store(store: EmbeddedStore) -> EmbeddedStore:
    """The server, empty."""
    wire = SingleWire(store.url, ())
    wire.run([("FLUSHALL",)])
    wire.close()
    return store
