"""A service on loopback answers only for its own hosts."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from werkzeug.test import Client

from api.http.edge import Environ, StartResponse
from api.http.hosts import OwnHosts
from arena.ops.settings import InvalidSetting, Settings, set_own_hosts

OWN = frozenset({"localhost", "127.0.0.1", "[::1]"})
REDIS = {"REDIS_URL": "unix:///none"}


def inner(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
    start_response("200 OK", [])
    return [b"inside"]


def ask(host: str) -> tuple[int, object]:
    reply = Client(OwnHosts(inner, OWN)).get("/v1/games", headers={"Host": host})
    return reply.status_code, reply.json["code"] if reply.status_code >= 400 else reply.text


@pytest.mark.parametrize(
    "host", ["localhost", "LocalHost:8000", "127.0.0.1", "127.0.0.1:9", "[::1]", "[::1]:8000", "localhost:"]
)
def test_own_hosts(host: str) -> None:
    assert ask(host) == (200, "inside")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8000", "::1", "localhost:x", "x", ""],
)
def test_other_hosts(host: str) -> None:
    assert ask(host) == (421, "unknown_host")


@pytest.mark.parametrize(
    ("host", "environ", "expected"),
    [
        ("127.0.0.1", {}, OWN),
        ("127.0.0.7", {}, OWN | {"127.0.0.7"}),
        ("::1", {}, OWN),
        ("localhost", {"BOTEQUIM_PUBLIC_URL": "http://Arena.test:8000/"}, OWN | {"arena.test"}),
        ("0.0.0.0", {}, frozenset()),
        ("192.0.2.1", {}, frozenset()),
        ("127.0.0.1", {"BOTEQUIM_PROXIES": "1"}, frozenset()),
        ("127.0.0.1", {"BOTEQUIM_HOSTS": "arena.test, [2001:db8::1]"}, {"arena.test", "[2001:db8::1]"}),
    ],
)
def test_the_hosts_of_a_service(host: str, environ: dict[str, str], expected: frozenset[str]) -> None:
    values = {**REDIS, **environ}
    set_own_hosts(values, host)
    assert Settings.from_environment(values).http.hosts == expected


@pytest.mark.parametrize("bad", ["http://arena.test", "arena.test:8000", "a b,c/d"])
def test_invalid_hosts(bad: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        Settings.from_environment({**REDIS, "BOTEQUIM_HOSTS": bad})
    assert caught.value.field == "BOTEQUIM_HOSTS"
