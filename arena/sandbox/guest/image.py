"""The memory image that every instance starts from, built so that an instance writes to few of its pages.

All instances share a page until one writes to it, and the copy costs more than most decisions. So when the
runtime is built, the code is run until the interpreter has adapted to it, all objects are listed
(``engine.image`` makes them immortal, so that using them writes no reference counts), and the gaps between
them are filled, so that what an instance allocates lies together.
"""

from __future__ import annotations

import gc
import json
import marshal
import random
from array import array
from collections.abc import Callable
from itertools import product
from typing import Any

from arena.bots.redeal import redeal
from arena.games import GAMES
from arena.games.options import Rules
from arena.play.table import Table
from arena.sandbox.guest import harness, lockdown
from arena.sandbox.guest.modules import LIST_OF_OBJECTS
from arena.sandbox.guest.protocol import DONE, MARSHAL_VERSION

_GAMES = 4
_SOURCES = (
    "from botequim import RookieBot as Bot\n",
    "import random\nfrom botequim import Bot as Base\n\n\nclass Bot(Base):\n    def choose(self, turn):\n"
    "        return self.random.choice(turn['legal_actions'])\n",
    "def choose(turn):\n    return turn['legal_actions'][0]\n",
)
_REGULAR = "from botequim import RegularBot as Bot\n"
"""It reads the files of the house bots, which instances do not have, and keeps their content."""

_objects: bytes | None = None
_fillers: list[Any] = []


def prepare() -> None:
    """Prepare the image. Call this once, at the very end of building the runtime."""
    global _objects
    if _objects is None:
        for number in range(_GAMES):
            for kind, source in product(GAMES, _SOURCES):
                _play(kind, {}, source, number)
        for game in GAMES.values():
            for preset in game.presets:
                _play(game.kind, preset.rules, _REGULAR, 0)
        lockdown.lock_down()
        gc.collect()
        _objects = _list_objects()
        # Collections would look at, and so copy, every object.
        gc.freeze()
        _fill_gaps()


def _play(kind: str, rules: Rules, source: str, number: int) -> None:
    """Play a game as instances do."""
    table = Table("image", kind, rules, bytes([number] * 32))
    table.start()
    code = marshal.dumps(compile(source, harness.FILE, "exec"))
    _call(harness.WitWorld.begin, (source, code, number))
    while not table.is_over():
        seat = table.awaited()[0]
        turn = table.turn(seat)
        assert turn is not None
        if number == 0:
            redeal(turn, random.Random(0))
        assert json.loads(json.dumps(turn)) == turn
        table.submit(seat, table.turn_number(seat), _call(harness.WitWorld.decide, turn))
    harness.forget()


def _call(function: Callable[[harness.WitWorld, int], int], value: Any) -> str:
    """Call a function as the host does, and return its answer."""
    message = marshal.dumps(value, MARSHAL_VERSION)
    assert harness.WitWorld().room(len(message)) == harness._message.address
    harness._message.view[: len(message)] = message
    number = function(harness.WitWorld(), len(message))
    assert number & 3 == DONE
    return bytes(harness._kept.view[: (number & 0xFFFF_FFFF) >> 2]).decode()


def _list_objects() -> bytes:
    seen: set[int] = set()
    found = gc.get_objects()
    while found:
        found = [value for value in found if id(value) not in seen]
        seen.update(map(id, found))
        found = gc.get_referents(*found)
    return LIST_OF_OBJECTS + array("I", [len(seen), id(None), *seen]).tobytes()


def _fill_gaps() -> None:
    """Take all free memory below the end of the heap, and whatever the interpreter keeps for new objects."""
    end = id(bytes(1 << 20))
    for make in _makers():
        piece = make()
        while id(piece) < end:
            _fillers.append(piece)
            piece = make()
    _fillers.extend({str(number): number} for number in range(200))


def _makers() -> list[Callable[[], object]]:
    """Return functions that make objects of every size, largest first, and objects that the interpreter does
    not free.
    """
    sizes = [*range(1 << 17, 1 << 12, -(1 << 12)), *range(1 << 12, 0, -16)]
    makers: list[Callable[[], object]] = [lambda size=size: bytes(size) for size in sizes]  # type: ignore[misc]
    makers += [lambda size=size: tuple([None] * size) for size in range(20, 0, -1)]  # type: ignore[misc]
    makers += [lambda bits=bits: 1 << bits for bits in (100, 62, 32, 20)]  # type: ignore[misc]
    makers += [
        list,
        dict,
        lambda: float(len(_fillers)),
        lambda: _fillers.append,
        lambda: lockdown._output.write,
    ]
    makers += [lambda: iter([]), lambda: iter((None,)), lambda: iter(range(9)), lambda: range(9), object]
    return makers
