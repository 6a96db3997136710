"""What runs inside the sandbox, around a bot's source. Built into the runtime by ``arena.sandbox.runtime``.

Nothing here keeps a bot in: the component has no import but ``log`` and ``clock``, so that is all there
is. This module makes what does not exist fail as a Python exception, and makes the rest deterministic.
"""

# ruff: noqa: E402  (the order of the imports matters here)

from __future__ import annotations

from arena.sandbox.guest import doors

doors.make_deterministic()

import importlib
import linecache
import marshal
import random
import sys
import traceback
import types
from array import array
from typing import Any

import wit_world

from arena.sandbox.guest.modules import MODULES
from arena.sandbox.guest.protocol import DONE, FAILED, NO_ACTION, NOTHING, RIGHTS

for _name in MODULES:
    importlib.import_module(_name)

from arena.bots.base import Bot
from arena.bots.loader import factory_of_module

FILE = "bot.py"
MOST_ANSWER = 1000
MOST_REPORT = 8000

_player: Bot | None = None


class WitWorld(wit_world.WitWorld):  # type: ignore[misc]
    """The exports of the world ``python``. Every call makes a new object of this class."""

    def room(self, size: int) -> int:
        global _message
        if size > len(_message.view):
            _message = _Room(size)
        return _message.address

    def prepare(self, size: int) -> int:
        doors.seed(0)
        try:
            return _answer(DONE, marshal.dumps(compile(_told(size), FILE, "exec")))
        except BaseException as error:
            return _error(error)
        finally:
            doors.flush()

    def load(self, size: int) -> int:
        global _player
        source, code, seed = _told(size)
        doors.seed(seed)
        linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
        try:
            module = types.ModuleType("bot")
            module.__file__ = FILE
            sys.modules["bot"] = module
            exec(marshal.loads(code), module.__dict__)
            player = factory_of_module(module, FILE)()
            player.random = random.Random(seed)
            wants_rights = bool(getattr(player, "wants_rights", False))
        except BaseException as error:
            return _error(error)
        _player = player
        return RIGHTS if wants_rights else DONE

    def choose(self, size: int) -> int:
        assert _player is not None
        try:
            answer = _player.choose(_told(size))
            if isinstance(answer, str):
                if len(answer) <= MOST_ANSWER:
                    return _answer(DONE, answer.encode("utf-8", "surrogatepass"))
                return _answer(NO_ACTION, b"(text of %d characters)" % len(answer))
            if answer is None:
                return NOTHING
            return _answer(NO_ACTION, f"({_name_of(answer)[:100]})".encode("utf-8", "surrogatepass"))
        except BaseException as error:
            return _error(error)
        finally:
            doors.flush()


class _Room:
    """Bytes at an address that stays the same."""

    def __init__(self, size: int) -> None:
        room = array("B", bytes(size))
        self.view = memoryview(room)
        self.address = room.buffer_info()[0]


_message = _Room(1 << 14)
"""What the host tells."""

_kept = _Room(1 << 13)
"""The last answer, from its start."""


def _told(size: int) -> Any:
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


def _name_of(answer: Any) -> str:
    name: str = type.__dict__["__name__"].__get__(type(answer))
    return name


def _report(error: BaseException) -> str:
    """A line that says what was raised and where in the bot's file, then the traceback."""
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
    """Undo what :meth:`WitWorld.load` did."""
    global _player
    _player = None
    sys.modules.pop("bot", None)
    linecache.cache.pop(FILE, None)
    doors.unseed()
