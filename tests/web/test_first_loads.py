"""What a browser with an empty cache is sent for each page, as the proxy of the deployment compresses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from benchmarks.proxy import caddy
from benchmarks.spectators.__main__ import MOST_PAGE
from tests.deploy.proxied import proxied
from tests.web.playing import open_table
from tests.web.site import Site
from tests.web.tables import finish, tables_of

pytestmark = [
    pytest.mark.system,
    pytest.mark.nightly("pages"),
    pytest.mark.skipif(caddy() is None, reason="needs caddy"),
]

FELT = "#felt .seat"
READY = {"live": FELT, "replay": FELT, "lesson": FELT, "table": FELT, "practice": FELT}
OTHERS = {"truco": 3, "toepen": 7}


class Load(NamedTuple):
    """The responses to a page and to what it loads, and their bytes with the heads."""

    count: int
    sent: int
    encodings: set[str]


@pytest.fixture(scope="module")
def proxy(full: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site behind the proxy."""
    with proxied(urlsplit(full.url).port or 0, tmp_path_factory.mktemp("caddy")) as port:
        yield f"http://127.0.0.1:{port}"


def first_load(context: Any, address: str, ready: str) -> Load:
    """Load a page with an empty cache, and return what came until it was ready."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.clearBrowserCache")
    sizes: dict[str, int] = {}
    encodings: set[str] = set()
    session.on(
        "Network.loadingFinished", lambda sent: sizes.update({sent["requestId"]: sent["encodedDataLength"]})
    )
    session.on(
        "Network.responseReceived",
        lambda got: encodings.add(got["response"]["headers"].get("Content-Encoding", "none")),
    )
    page.goto(address, wait_until="load")
    page.wait_for_selector(ready)
    page.close()
    return Load(len(sizes), round(sum(sizes.values())), encodings)


def test_first_loads_are_small(full: Site, proxy: str, browser: Any) -> None:
    """Those of all pages, of a table of each game while somebody is asked, of its end, and of practice."""
    pages = dict(full.pages)
    loads = {}
    with tables_of(full, browser) as tables:
        for kind, others in OTHERS.items():
            seats = {f"seat{seat}": "house:rookie" for seat in range(1, others + 1)}
            game = open_table(tables.page, full.url, kind, {}, seats)
            tables.service.live.move_house_bots(game)
            ended = finish(tables, kind)
            pages |= {
                f"table-{kind}": f"/play/{game}",
                f"table-over-{kind}": ended.table,
                f"practice-{kind}": ended.practice,
                f"own-replay-{kind}": ended.replay,
            }
        for name, path in pages.items():
            ready = READY.get(name.partition("-")[0], "main")
            loads[name] = first_load(tables.page.context, proxy + path, ready)
    for name, load in sorted(loads.items(), key=lambda one: -one[1].sent):
        print(f"{name}: {load.sent / 1000:.1f} kB in {load.count} responses, {sorted(load.encodings)}")
    assert [name for name, load in loads.items() if not load.encodings & {"zstd", "gzip"}] == []
    assert {name: load.sent for name, load in loads.items() if load.sent > MOST_PAGE} == {}
