"""Replies to requests with an idempotency key, on a single server and on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.store.amounts import Stored
from arena.store.replies import BegunRequest, KeyedRequest, ReplyStore, _hours, _row
from arena.store.repositories import Store, open_store
from tests.waiting import wait_until

REQUEST = KeyedRequest("ana", "key", "hash")
LONG_MS = 600_000


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


def test_a_request_is_begun_once_and_its_reply_is_kept(store: Store) -> None:
    replies = store.replies
    assert replies.begin(REQUEST, "a", LONG_MS) == BegunRequest("begun")
    # The same attempt, sent twice by a connection that broke.
    assert replies.begin(REQUEST, "a", LONG_MS) == BegunRequest("begun")
    running = replies.begin(REQUEST, "b", LONG_MS)
    assert running.verdict == "running"
    assert LONG_MS / 2 < running.left_ms <= LONG_MS
    assert replies.begin(REQUEST._replace(fingerprint="other"), "b", LONG_MS) == BegunRequest("other")
    assert not replies.finish(REQUEST, "b", b"not mine")
    assert replies.finish(REQUEST, "a", b"reply")
    assert not replies.finish(REQUEST, "a", b"again")
    assert replies.begin(REQUEST, "c", LONG_MS) == BegunRequest("done", 0, b"reply")
    assert replies.begin(REQUEST._replace(fingerprint="other"), "c", LONG_MS) == BegunRequest("other")
    assert replies.begin(REQUEST._replace(owner="bia"), "c", LONG_MS) == BegunRequest("begun")
    ((left,),) = [store._connection.run([("TTL", _row(REQUEST))])]
    assert 86_000 < left <= 86_400


def test_of_many_at_once_one_begins(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        begun = list(pool.map(lambda number: store.replies.begin(REQUEST, str(number), LONG_MS), range(24)))
    assert sorted(one.verdict for one in begun) == ["begun"] + 23 * ["running"]


def test_a_request_that_failed_leaves_its_key_free(store: Store) -> None:
    store.replies.begin(REQUEST, "a", LONG_MS)
    store.replies.release(REQUEST, "b")
    assert store.replies.begin(REQUEST, "b", LONG_MS).verdict == "running"
    store.replies.release(REQUEST, "a")
    assert store.replies.begin(REQUEST._replace(fingerprint="other"), "b", LONG_MS).verdict == "begun"


def test_the_key_of_a_process_that_died_is_free_after_its_lease(store: Store) -> None:
    store.replies.begin(REQUEST, "dead", 50)
    wait_until(lambda: store.replies.begin(REQUEST, "next", LONG_MS).verdict == "begun")
    assert not store.replies.finish(REQUEST, "dead", b"too late")
    assert store.replies.finish(REQUEST, "next", b"reply")


def test_replies_count_for_a_day(store: Store) -> None:
    for number in range(3):
        request = REQUEST._replace(id=str(number))
        store.replies.begin(request, "a", LONG_MS)
        store.replies.finish(request, "a", bytes(1000))
    size = 3 * ReplyStore.size(bytes(1000))
    assert store.accounts.stored("ana") == Stored(bytes=size)
    assert store.accounts.stored() == Stored(bytes=size)
    assert store.accounts.stored("bia") == Stored()
    for key in (_hours("ana"), _hours(None)):
        ((hours,),) = [store._connection.run([("HGETALL", key)])]
        fields = hours if isinstance(hours, dict) else dict(zip(hours[::2], hours[1::2], strict=True))
        for hour, count in fields.items():
            store._connection.run([("HDEL", key, hour), ("HSET", key, int(hour) - 25, count)])
    assert store.accounts.stored("ana") == store.accounts.stored() == Stored()
    request = REQUEST._replace(id="new")
    store.replies.begin(request, "a", LONG_MS)
    store.replies.finish(request, "a", b"")
    assert store.accounts.stored("ana") == Stored(bytes=ReplyStore.size(b""))
    assert store._connection.run([("HLEN", _hours("ana"))]) == [1]
