"""Names that are slow to resolve delay only the webhooks of their owner."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest

from arena.webhook_messages.errors import CallFailed, NameNotFound, ResolversBusy
from arena.webhooks import addresses
from arena.webhooks.addresses import Policy
from arena.webhooks.calling import Endpoint
from arena.webhooks.resolving import NAMES_PER_OWNER, Resolvers
from tests.waiting import PATIENCE
from tests.webhooks.parts import LOOPBACK, Arena, first_legal, handler, reply, until


class SlowServer:
    """A resolver that answers names with ``slow`` in them only when it is let go."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.let_go = threading.Event()

    def resolve(self, host: str, port: int) -> Sequence[str]:
        if "slow" in host:
            self.asked.append(host)
            assert self.let_go.wait(PATIENCE)
        return ["127.0.0.1"]


@pytest.fixture
def server() -> Iterator[SlowServer]:
    slow = SlowServer()
    yield slow
    slow.let_go.set()


@contextmanager
def waiting(endpoints: Sequence[Endpoint]) -> Iterator[None]:
    """While a thread posts to each of the endpoints."""

    def post(endpoint: Endpoint) -> None:
        with pytest.raises(CallFailed):
            endpoint.post(b"{}", {}, PATIENCE)

    threads = [threading.Thread(target=post, args=(each,), daemon=True) for each in endpoints]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join(PATIENCE)


def test_forty_slow_names_of_an_owner_delay_nobody_else(
    server: SlowServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolvers = Resolvers()
    monkeypatch.setattr(addresses, "resolvers", lambda: resolvers)
    slow = [
        Endpoint(f"http://slow{number}.example:9/", LOOPBACK, "mallory", resolve=server.resolve)
        for number in range(40)
    ]
    with handler(lambda to, body: reply(to, {})) as url:
        honest = Endpoint(url.replace("127.0.0.1", "bot.example"), LOOPBACK, "olga", resolve=server.resolve)
        with waiting(slow):
            until(lambda: len(server.asked) >= NAMES_PER_OWNER)
            assert honest.post(b"{}", {}, 20) == b"{}"
            with pytest.raises(NameNotFound, match="4 other host names of this owner"):
                LOOPBACK.addresses(
                    LOOPBACK.target("http://other.example/"),
                    time.monotonic() + 0.05,
                    server.resolve,
                    owner="mallory",
                )
            assert len(server.asked) == NAMES_PER_OWNER
            server.let_go.set()


def test_names_of_one_owner_wait_in_line(server: SlowServer) -> None:
    resolvers = Resolvers(names=4, per_owner=2)
    found: list[list[str]] = []

    def ask(number: int) -> None:
        host = f"slow{number}.example"
        found.append(resolvers.resolve("mallory", host, 443, time.monotonic() + PATIENCE, server.resolve))

    threads = [threading.Thread(target=ask, args=(number,), daemon=True) for number in range(5)]
    for thread in threads:
        thread.start()
    until(lambda: len(server.asked) >= 2)
    with pytest.raises(NameNotFound, match="2 other host names of this owner"):
        resolvers.resolve("mallory", "other.example", 443, time.monotonic() + 0.05, server.resolve)
    assert len(server.asked) == 2
    server.let_go.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert found == [["127.0.0.1"]] * 5


def test_a_name_for_which_no_thread_is_free_says_so(server: SlowServer) -> None:
    resolvers = Resolvers(names=2, per_owner=1)

    def ask(owner: str, host: str, seconds: float) -> list[str]:
        return resolvers.resolve(owner, host, 443, time.monotonic() + seconds, server.resolve)

    for owner in ("mallory", "mandy"):
        with pytest.raises(NameNotFound, match="in time"):
            ask(owner, f"slow-{owner}.example", 0.01)
    with pytest.raises(ResolversBusy):
        ask("olga", "bot.example", 0.01)
    with pytest.raises(NameNotFound, match="of this owner"):
        ask("mandy", "bot.example", 0.01)
    server.let_go.set()
    assert ask("olga", "bot.example", PATIENCE) == ["127.0.0.1"]


def test_a_busy_resolver_is_not_a_failure_of_the_webhook(
    arena: Arena, server: SlowServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver tries again, and the game ends without faults."""
    resolvers = Resolvers(names=1, per_owner=1)
    monkeypatch.setattr(addresses, "resolvers", lambda: resolvers)
    with pytest.raises(NameNotFound, match="in time"):
        resolvers.resolve("mallory", "slow.example", 80, time.monotonic() + 0.01, server.resolve)
    refused = threading.Event()

    class Hasty(Endpoint):
        """An endpoint that does not wait for five seconds."""

        def post(self, body: bytes, headers: Mapping[str, str], seconds: float) -> bytes:
            try:
                return super().post(body, headers, seconds if refused.is_set() else 0.05)
            except ResolversBusy:
                refused.set()
                raise

    def connect(url: str, policy: Policy, owner: str) -> Endpoint:
        return Hasty(url, policy, owner, resolve=server.resolve)

    with handler(first_legal) as url:
        arena.bot("some-bot", url.replace("127.0.0.1", "bot.example"))
        with arena.driven(connect=connect):
            game = arena.game({"bot": "some-bot"}, {"house": "random"})
            until(refused.is_set)
            server.let_go.set()
            (record,) = arena.wait(game)
    assert record["canonical"]["faults"] == []
    assert arena.circuit("some-bot").last_error is None
