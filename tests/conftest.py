"""What several folders of tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from arena.store.connection import SingleRedis
from arena.store.embedded import EmbeddedStore

# The examples are the same in every run and may take as long as they need, so that no test fails by chance.
# ``--hypothesis-profile=explore`` looks for new ones.
settings.register_profile(
    "botequim", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("botequim"), derandomize=False, print_blob=True)
settings.load_profile("botequim")


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    """A real server for the whole session."""
    with EmbeddedStore(tmp_path_factory.mktemp("store")) as embedded:
        yield embedded


@pytest.fixture
def clean_store(store: EmbeddedStore) -> EmbeddedStore:
    """The server, empty."""
    connection = SingleRedis(store.url, ())
    connection.run([("FLUSHALL",)])
    connection.close()
    return store
