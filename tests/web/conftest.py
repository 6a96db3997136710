"""A browser for the tests: Debian's Chromium, driven by Playwright, which sees every request and error."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from api.app import create_app
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from arena.records.record import Record
from arena.replays.page import replay_page
from arena.sandbox.runtime import sandbox_engine
from arena.store.embedded import EmbeddedStore
from tests.api.conftest import ADMIN_TOKEN
from tests.api.server import Server
from tests.service import Service as Running
from tests.waiting import PATIENCE
from tests.web.site import Site, site
from tests.web.tables import Tables, tables_of

# The last three keep the browser from looking for its maker's hosts.
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

OpenPage = Callable[..., Any]


def chromium() -> str | None:
    """The path of the browser, None if it is not installed."""
    return shutil.which("chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Not for the whole session: Playwright runs an event loop in this thread, and others could not."""
    playwright = pytest.importorskip("playwright.sync_api")
    if chromium() is None:
        pytest.skip("needs chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture
def server(clean_store: EmbeddedStore) -> Iterator[Server]:
    """A running API process that also serves the clocks, without workers."""
    with Server(clean_store.url, BOTEQUIM_SWEEP="1") as running:
        yield running


@pytest.fixture
def services(server: Server) -> Iterator[Service]:
    """The parts of the service at ``server``, without limits of rates and without workers."""
    sandbox_engine()
    http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS))
    settings = Settings(server.redis_url, admin_token=ADMIN_TOKEN, http=http)
    found: Service = create_app(settings).extensions["botequim"]
    yield found
    found.close()


@pytest.fixture(scope="session")
def full() -> Iterator[Site]:
    """Expensive: it plays tournaments of every format."""
    with site() as served:
        yield served


@pytest.fixture(scope="session")
def empty() -> Iterator[Site]:
    with site(empty=True) as served:
        yield served


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with its workers, who move the house bots and prepare the replays."""
    with Running(tmp_path_factory.mktemp("up")) as started:
        yield started


@pytest.fixture(scope="module")
def parts(running: Running) -> Iterator[Service]:
    """The parts of the service that is ``running``, to read what has happened."""
    opened = open_service(Settings(running.database), InlineJobs())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def tables(empty: Site, browser: Any) -> Iterator[Tables]:
    """Positions of games, as a visitor of the empty site sees them."""
    with tables_of(empty, browser) as opened:
        yield opened


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[OpenPage]:
    """Opens the replay page of a record in a new window; ``address`` is added to that of the file.

    At the end there must have been no error in any console, and no request but for the files themselves.
    """
    contexts: list[Any] = []
    troubles: list[str] = []
    requests: list[str] = []
    files: list[str] = []

    def opened(
        record: Record, address: str = "", *, before: Callable[[Any], None] | None = None, **options: Any
    ) -> Any:
        path = tmp_path / f"page-{len(files)}.html"
        path.write_text(replay_page(record), encoding="utf-8")
        files.append(path.as_uri())
        options.setdefault("viewport", {"width": 1280, "height": 1000})
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        if before is not None:
            before(page)
        page.goto(path.as_uri() + address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []
    assert {url.partition("#")[0] for url in requests} - {"data:,"} == set(files)


def address(page: Any) -> str:
    """The address as the page itself knows it: the browser reports changes by scripts a little later."""
    return str(page.evaluate("location.href"))
