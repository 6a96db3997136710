"""A real database for the tests of webhooks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.store.embedded import EmbeddedStore
from tests.webhooks.parts import Arena


@pytest.fixture
def arena(clean_store: EmbeddedStore) -> Iterator[Arena]:
    opened = Arena(clean_store.url)
    yield opened
    opened.live.close()
