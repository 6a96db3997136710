"""The step to format 9: owners name the bots that have ranks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.accounts.versions import Version, pack_version
from arena.store.embedded import EmbeddedStore
from arena.upgrade import upgrade
from tests.live.arenas import Arena
from tests.upgrade.killed import kills_at_each_command

BOTS = ("zap", "copas", "ouros", "paus", "espadas")


@pytest.fixture
def former(clean_store: EmbeddedStore) -> Iterator[Arena]:
    """A service of format 8, in which ouros plays only Toepen, and the oldest bot comes last by name."""
    arena = Arena(clean_store.url)
    for number, bot in enumerate(BOTS):
        arena.bot("ana", bot)
        arena.store.accounts.change_bot(bot, {"created": str(number + 1)}, remove=("ranked",))
    module = Version("1", "uploaded", 3, language="module", digest="0" * 64, size=8, games=("toepen",))
    arena.store.accounts.replace_version("ouros", "1", pack_version(module))
    arena.bot("bia", "basto")
    arena.store.accounts.change_bot("basto", {}, remove=("ranked",))
    arena.store.identity.register()
    arena.store.identity.set_format(8)
    yield arena
    arena.live.close()


def check(arena: Arena) -> None:
    # There is room for paus at Truco, but not at Toepen.
    expected = {"zap": "1", "copas": "1", "ouros": "1", "paus": "0", "espadas": "0", "basto": "1"}
    names = list(expected)
    rows = arena.store.accounts.bots(names)
    assert {name: (row or {}).get("ranked") for name, row in zip(names, rows, strict=True)} == expected
    assert all(arena.accounts.bot(name).ranked_since_ms == 0 for name in names)


def test_the_oldest_bots_of_each_owner_are_named(former: Arena) -> None:
    for _ in range(2):
        former.store.identity.set_format(8)
        assert upgrade(former.store, None) == [9]
        check(former)


def test_a_step_that_is_killed_at_any_command_is_repeated(former: Arena, clean_store: EmbeddedStore) -> None:
    assert len(list(kills_at_each_command(clean_store.url))) > 5
    check(former)
