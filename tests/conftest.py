"""What several folders of tests share."""

from __future__ import annotations

import functools
import os
import random
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
import redis
from hypothesis import HealthCheck, settings

from arena.sandbox import cache
from arena.store import connection, runtimes
from arena.store.embedded import EmbeddedStore
from arena.store.identity import STORE_KEY
from arena.store.repositories import open_store
from arena.store.rows import FORMAT
from tests.api.server import ADMIN_TOKEN, Server
from tests.durations import METER
from tests.receiver import Receiver, receiving
from tests.waiting import PATIENCE

# The examples are the same in every run and may take as long as they need, so that no test fails by chance.
# ``--hypothesis-profile=explore`` looks for new ones.
settings.register_profile(
    "botequim", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("botequim"), derandomize=False, print_blob=True)
settings.load_profile("botequim")

TESTS = Path(__file__).parent
USUAL_TIMEOUT = connection._TIMEOUT
# A busy machine or disk is not a database that hangs.
connection._TIMEOUT = PATIENCE  # type: ignore[misc]
# Hundreds of services publish the same runtime, which takes half a second to compress.
runtimes.pack = functools.cache(runtimes.pack)


_locked = cache._locked


@contextmanager
def _locked_and_counted_apart(path: Path) -> Iterator[None]:
    """Count what the sandbox builds once for a machine apart from the case that needs it first."""
    apart = METER.shared(f"sandbox::{path.stem}") if path.parent == cache.cache_folder() else nullcontext()
    with apart, _locked(path):
        yield


cache._locked = _locked_and_counted_apart  # type: ignore[assignment]

_DRAWS = random.Random()

UNTRACED = (
    "contract/",
    "docs/test_bots.py",
    "games/test_rule_markers.py",
    "games/test_toepen_reference.py",
    "games/test_truco_perft.py",
    "games/test_truco_reference.py",
    "games/test_truco_reports.py",
    "games/test_truco_variants_reference.py",
    "highcard/",
    "live/test_archiver.py",
    "live/test_bot_games.py",
    "live/test_compaction.py",
    "live/test_matchups.py",
    "live/test_preset_qualifications.py",
    "live/test_publishing.py",
    "live/test_upload_intake.py",
    "live/test_resting.py",
    "live/test_suspensions.py",
    "live/test_tournaments.py",
    "live/test_uploads.py",
    "runner/test_compare.py",
    "runner/test_play.py",
    "runner/test_time_limits.py",
    "sandbox/test_engines.py",
)
"""Tests that play many games, which take much longer under the tracer of coverage, and without which the
coverage is half a percent lower. The tracer also takes a lock at every call: an alarm that raises just then,
in the tests of limits, leaves it locked.
"""


def pytest_configure(config: pytest.Config) -> None:
    """Draw what is secret in this process from ``_DRAWS``, but with the profile ``explore``.

    Runs without plugins, as of seeded faults, have no profiles.
    """
    if config.getoption("hypothesis_profile", None) != "explore":
        secrets.token_bytes = lambda nbytes=None: _DRAWS.randbytes(nbytes or secrets.DEFAULT_ENTROPY)
        os.register_at_fork(after_in_child=_DRAWS.seed)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Trace once: pytest-cov begins two measurements in each process of xdist, and ends only the second."""
    plugin = session.config.pluginmanager.getplugin("_cov")
    controller = None if plugin is None else plugin.cov_controller
    if controller is not None and hasattr(session.config, "workerinput"):
        controller.pause()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Trace only what is worth it."""
    untraced = tuple(str(TESTS / name) for name in UNTRACED)
    for item in items:
        if str(item.path).startswith(untraced):
            item.add_marker(pytest.mark.no_cover)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test draws the same deals and names in every run."""
    _DRAWS.seed(item.nodeid)


@pytest.fixture(scope="session", autouse=True)
def own_configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Commands do not read the profiles of whoever runs the tests, in other processes neither."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture
def usual_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is taken to hang as soon as it is outside of tests."""
    monkeypatch.setattr(connection, "_TIMEOUT", USUAL_TIMEOUT)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    """A real server for the whole session."""
    with EmbeddedStore(tmp_path_factory.mktemp("store")) as embedded:
        yield embedded


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The API in a process of its own, for tests of commands and of the client; it ends games itself."""
    with EmbeddedStore(tmp_path_factory.mktemp("service")) as embedded:
        register(embedded.url)
        with Server(embedded.url, BOTEQUIM_ADMIN_TOKEN=ADMIN_TOKEN, BOTEQUIM_SWEEP="1") as running:
            yield running


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    """A server that notes the requests of clients."""
    with receiving() as made:
        yield made


@pytest.fixture
def clean_store(store: EmbeddedStore) -> EmbeddedStore:
    """The server, with the database of a new service."""
    renew(store.url)
    return store


def renew(url: str) -> None:
    """Empty the database of a server, and let it be that of a new service, in one step: threads of the
    service of an earlier test may write to it at any moment.
    """
    with redis.from_url(url) as client:
        client.pipeline().flushall().hset(STORE_KEY, "format", str(FORMAT)).execute()


def register(url: str) -> None:
    """Let an empty database be that of a new service."""
    opened = open_store(url)
    opened.identity.register()
    opened.close()
