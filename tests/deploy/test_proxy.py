"""The proxy of compose in front of the API: slow heads and bodies stay there, and bots play on."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.request import urlopen

import pytest

from arena.bots.random_bot import RandomBot
from arena.client import Client
from arena.client.player import OnlinePlayer
from arena.store.embedded import EmbeddedStore
from benchmarks.proxy import caddy
from tests.api.server import Server
from tests.deploy.proxied import proxied
from tests.waiting import PATIENCE, wait_until

pytestmark = [pytest.mark.system, pytest.mark.skipif(caddy() is None, reason="needs caddy")]

CONNECTIONS = 20
"""The most of the API."""

MANY = 5 * CONNECTIONS


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    settings = {"BOTEQUIM_CONNECTIONS": str(CONNECTIONS), "BOTEQUIM_PROXIES": "1", "BOTEQUIM_SEND": "5"}
    with EmbeddedStore(tmp_path_factory.mktemp("proxied")) as store, Server(store.url, **settings) as server:
        yield server


@pytest.fixture(scope="module")
def port(api: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of the proxy."""
    with proxied(api.port, tmp_path_factory.mktemp("caddy")) as port:
        yield port


HEAD = b"GET /v1/bots HTTP/1.1\r\nHost: 127.0.0.1\r\n"
BODY = (
    b"POST /v1/owners HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
)
UNREAD = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 100
POLL = b"GET /v1/games/%b?since=%d&wait=60 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def connections(api: Server) -> int:
    """The connections of the API, without that of this request."""
    metrics = api.request("GET", "/metrics").body.decode()
    line = next(line for line in metrics.splitlines() if line.startswith("botequim_connections "))
    return int(float(line.split()[1])) - 1


@pytest.mark.parametrize(
    ("kind", "count"), [("heads", MANY), ("bodies", MANY), ("polls", MANY), ("readers", 2)]
)
def test_bots_play_while_a_visitor_holds_connections(api: Server, port: int, kind: str, count: int) -> None:
    url = f"http://127.0.0.1:{port}"
    owner = Client(url, Client(url).sign_up(f"owner-{kind}"))
    names = [f"{kind}-{number}" for number in (1, 2)]
    bots = [OnlinePlayer(Client(url, owner.register_bot(name)), RandomBot, str) for name in names]
    watched = owner.create_game("toepen", [{"bot": names[0]}, {"open": True}])["game"]
    version = api.request("GET", f"/v1/games/{watched}").json["version"]
    data = {"heads": HEAD, "bodies": BODY, "readers": UNREAD, "polls": POLL % (watched.encode(), version)}
    with ExitStack() as stack:
        for _ in range(count):
            made = stack.enter_context(socket.socket())
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            made.settimeout(PATIENCE)
            made.connect(("127.0.0.1", port))
            made.sendall(data[kind])
        if kind in ("heads", "bodies"):
            # Only complete requests reach the API: the next one is not refused, and finds it idle.
            with urlopen(f"{url}/v1/bots") as reply:
                assert reply.status == 200
            assert connections(api) <= 5
        game = owner.create_game("toepen", [{"bot": name} for name in names], rules={"lives": 1})["game"]
        while (view := owner.game(game))["state"] != "finished":
            for bot in bots:
                bot.step(wait=0)
        assert view["faults"] == []
        if kind == "readers":
            wait_until(lambda: connections(api) <= 5)
    wait_until(lambda: "botequim_waiting 0.0" in api.request("GET", "/metrics").body.decode())
