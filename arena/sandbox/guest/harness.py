"""The harness that runs inside the sandbox, around a bot's source. ``arena.sandbox.runtime`` builds it into
the runtime.

Nothing here keeps a bot in: the component can reach only its imports, ``log`` and ``clock``. This module
makes missing functions fail with a Python exception, and makes everything else deterministic.
"""

# ruff: noqa: E402  (the order of the imports matters here)

from __future__ import annotations

from arena.sandbox.guest import lockdown

lockdown.make_deterministic()

import importlib
import json
import linecache
import marshal
import random
import sys
import traceback
import types
from array import array
from typing import Any

import wit_world
from componentize_py_types import Err

from arena.sandbox.guest.modules import MODULES
from arena.sandbox.guest.protocol import DONE, FAILED, NO_ACTION, NOTHING, RIGHTS

for _name in MODULES:
    importlib.import_module(_name)

_public = importlib.import_module("botequim")
for _name in _public.__all__:
    # A name is loaded when it is first used: here, where there are files.
    getattr(_public, _name)

from arena.bots.base import Bot
from arena.bots.loader import factory_of_module, games_of

FILE = "bot.py"
MOST_ANSWER = 1000
MOST_REPORT = 8000

_player: Bot | None = None


_from_json, _to_json = json.loads, json.dumps
"""A bot may change the module, in its own instance."""


class WitWorld(wit_world.WitWorld):  # type: ignore[misc]
    """The exports of the world ``python``, which includes ``bot``. Every call creates a new object of this
    class.
    """

    def load(self, source: str, seed: str) -> bool:
        lockdown.seed(int(seed))
        try:
            return _load(source, compile(source, FILE, "exec"), int(seed))
        except BaseException as error:
            raise Err(_report(error)) from None

    def choose(self, turn: str) -> str:
        try:
            kind, answer = _decide(_from_json(turn))
            text = _to_json(None if kind == NOTHING else answer, ensure_ascii=False)
            # Only lone surrogates are not UTF-8, and JSON escapes them in the same way.
            return (answer if kind == NO_ACTION else text).encode("utf-8", "backslashreplace").decode()
        except BaseException as error:
            raise Err(_report(error)) from None
        finally:
            lockdown.flush()

    def room(self, size: int) -> int:
        global _message
        if size > len(_message.view):
            _message = _Room(size)
        return _message.address

    def prepare(self, size: int) -> int:
        lockdown.seed(0)
        try:
            return _answer(DONE, marshal.dumps(compile(_received(size), FILE, "exec")))
        except BaseException as error:
            return _error(error)
        finally:
            lockdown.flush()

    def begin(self, size: int) -> int:
        source, code, seed = _received(size)
        lockdown.seed(seed)
        try:
            return RIGHTS if _load(source, marshal.loads(code), seed) else DONE
        except BaseException as error:
            return _error(error)

    def decide(self, size: int) -> int:
        try:
            kind, answer = _decide(_received(size))
            return NOTHING if kind == NOTHING else _answer(kind, answer.encode("utf-8", "surrogatepass"))
        except BaseException as error:
            return _error(error)
        finally:
            lockdown.flush()


def _load(source: str, code: types.CodeType, seed: int) -> bool:
    """Run a source, and return whether its bot wants to be offered rights. Raises whatever the bot raises."""
    global _player
    linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
    module = types.ModuleType("bot")
    module.__file__ = FILE
    sys.modules["bot"] = module
    exec(code, module.__dict__)
    player = factory_of_module(module, FILE)()
    player.random = random.Random(seed)
    wants_rights = bool(getattr(player, "wants_rights", False))
    _player = player
    return wants_rights


def _decide(turn: Any) -> tuple[int, str]:
    """Return the kind and the text of the bot's answer. Without a turn, return the games that the bot names,
    separated by spaces. Raises whatever the bot raises.
    """
    assert _player is not None
    if turn is None:
        return DONE, " ".join(games_of(type(_player), FILE))
    answer = _player.choose(turn)
    if isinstance(answer, str):
        if len(answer) <= MOST_ANSWER:
            return DONE, answer
        return NO_ACTION, f"(text of {len(answer)} characters)"
    if answer is None:
        return NOTHING, ""
    # It begins as no JSON does.
    return NO_ACTION, f"({_name_of(answer)[:100]})"


class _Room:
    """A buffer whose address never changes."""

    def __init__(self, size: int) -> None:
        room = array("B", bytes(size))
        self.view = memoryview(room)
        self.address = room.buffer_info()[0]


_message = _Room(1 << 14)
"""The host's message."""

_kept = _Room(1 << 13)
"""The last answer, from its start."""


def _received(size: int) -> Any:
    # All of the message would be copied: the interpreter passes what it reads on to audit hooks.
    return marshal.loads(_message.view[:size])


def _answer(kind: int, data: bytes) -> int:
    global _kept
    size = len(data)
    if size > len(_kept.view):
        _kept = _Room(size)
    _kept.view[:size] = data
    return _kept.address << 32 | size << 2 | kind


def _error(error: BaseException) -> int:
    return _answer(FAILED, _report(error).encode("utf-8", "surrogatepass"))


def _name_of(answer: object) -> str:
    name: str = type.__dict__["__name__"].__get__(type(answer))
    return name


def _report(error: BaseException) -> str:
    """Return a line that says what was raised and where in the bot's file, then the traceback."""
    try:
        line = None
        if isinstance(error, SyntaxError):
            line = error.lineno
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == FILE:
                line = trace.tb_lineno
            trace = trace.tb_next
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        where = f" ({FILE}, line {line})" if line else ""
        summary = f"{type(error).__name__}: {' '.join(text.split())[:200]}{where}"
        rest = "".join(traceback.format_exception(error, limit=-20, chain=False))
        return f"{summary}\n{rest[-MOST_REPORT:]}".encode("utf-8", "backslashreplace").decode()
    except BaseException:
        # The exception itself is hostile.
        return "an exception that raises when it is shown"
    finally:
        # The frames hold what the bot has on its stack, which may be most of the memory.
        error.__traceback__ = None


def forget() -> None:
    """Undo what :func:`_load` did."""
    global _player
    _player = None
    sys.modules.pop("bot", None)
    linecache.cache.pop(FILE, None)
    lockdown.unseed()
