"""The step to format 6: documents and logs are counted by bytes; kills lose nothing."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from arena.accounts.accounts import Principal
from arena.accounts.default_limits import Quotas
from arena.store.embedded import EmbeddedStore
from arena.store.journals import LOGS_KEPT_MS
from arena.upgrade import upgrade
from tests.live.arenas import Arena
from tests.upgrade.killed import kills_at_each_command

ANA = Principal("owner", "ana", "ana")
GAMES = ["third", "second", "first"]


@pytest.fixture
def former(clean_store: EmbeddedStore) -> Iterator[Arena]:
    """A service of format 5 with documents, and with logs, of which one has expired."""
    arena = Arena(clean_store.url, quotas=Quotas(invitations=9))
    arena.accounts.sign_up("ana")
    for bot in ("zap", "copas"):
        arena.accounts.register_bot("ana", bot)
    run: Any = arena.store._connection.run
    for number, game in enumerate(GAMES):
        log = gzip.compress(orjson.dumps([{"output": game * 100}]), 3, mtime=0)
        run([("SET", f"{{b:zap}}:journal:{game}", log, "PX", LOGS_KEPT_MS - 60_000 * number)])
    arena.service.series.create({"name": "Season"}, ANA)
    arena.service.invitations.create("ana", 3)
    run([("DEL", key) for key in ("{series}:bytes", "{invited-by:ana}:bytes")])
    run([("RPUSH", "{b:zap}:journals", *GAMES, "expired")])
    arena.store.identity.register()
    arena.store.identity.set_format(5)
    yield arena
    arena.live.close()


def check(arena: Arena) -> None:
    assert [log.game for log in arena.store.journals.latest("zap", 9)] == GAMES
    assert arena.store._connection.keys("*:journals") == []
    stored = arena.store.accounts.stored("ana").bytes
    arena.store.journals.forget("zap")
    documents = arena.store.accounts.stored("ana").bytes
    assert stored > documents + 3 * 100
    arena.service.invitations.forget("ana")
    (series,) = arena.store.series.all()
    assert documents - 3 * 300 > arena.store.accounts.stored("ana").bytes > 200
    arena.service.series.delete(series, ANA)
    assert arena.store.accounts.stored("ana").bytes == 0
    assert arena.store._connection.keys("{b:zap}:journal*") == []


def test_logs_read_as_before_and_count(former: Arena) -> None:
    assert upgrade(former.store, None) == [6, 7, 8, 9]
    assert upgrade(former.store, None) == []
    check(former)


def test_a_step_that_is_killed_at_any_command_is_repeated(former: Arena, clean_store: EmbeddedStore) -> None:
    assert len(list(kills_at_each_command(clean_store.url))) > 5
    check(former)
