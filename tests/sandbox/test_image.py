"""The memory image that instances share until they write to it."""

from __future__ import annotations

import pytest
from wasmtime import wat2wasm

from arena.sandbox.engine.image import with_immortal_objects
from arena.sandbox.errors import BuildFailed
from tests.sandbox.conftest import bot_of, turn

IMMORTAL_FROM = 1 << 30

COUNTS = """
import sys, json, random, arena.games
from arena.bots.rookie import RookieBot

def choose(turn):
    own = object()
    shared = [json.loads, random.Random, arena.games, RookieBot.choose]
    print([sys.getrefcount(it) for it in [*shared, turn, own]])
    return turn["legal_actions"][0]
"""


@pytest.mark.usefixtures("python")
def test_the_objects_of_the_image_are_immortal_and_a_bots_own_are_not() -> None:
    bot = bot_of(COUNTS)
    bot.choose(turn())
    counts = [int(count) for count in bot.journal.output.strip(" []\n").split(",")]
    assert all(count >= IMMORTAL_FROM for count in counts[:-2])
    assert all(count < 10 for count in counts[-2:])


def test_a_module_without_the_list_is_rejected() -> None:
    with pytest.raises(BuildFailed, match="no list of objects"):
        with_immortal_objects(bytes(wat2wasm('(module (memory 1) (data (i32.const 16) "null"))')))
