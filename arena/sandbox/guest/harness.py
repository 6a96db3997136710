"""What runs inside the sandbox, around a bot's source. Built into the runtime by ``arena.sandbox.runtime``.

Nothing here keeps a bot in: the component has no import but ``log`` and ``clock``, so that is all there
is. This module makes what does not exist fail as a Python exception, and makes the rest deterministic.
"""

# ruff: noqa: E402  (the order of the imports matters here)

from __future__ import annotations

from arena.sandbox.guest import doors

doors.make_deterministic()

import importlib
import json
import linecache
import marshal
import random
import re
import sys
import traceback
import types
from typing import Any

import wit_world
from componentize_py_types import Err

from arena.sandbox.guest.modules import MODULES

for _name in MODULES:
    importlib.import_module(_name)

from arena.bots.base import Bot
from arena.bots.loader import factory_of_module

FILE = "bot.py"
MOST_ANSWER = 1000
MOST_REPORT = 8000

_PLAIN = re.compile("[0-9A-Za-z:_ -]+")
"""What every action is made of; it needs no escapes."""

_player: Bot | None = None


class WitWorld(wit_world.WitWorld):  # type: ignore[misc]
    """The exports of the world ``python``. Every call makes a new object of this class."""

    def prepare(self, source: str) -> str:
        doors.seed(0)
        try:
            return marshal.dumps(compile(source, FILE, "exec")).decode("latin-1")
        except BaseException as error:
            raise Err(_report(error)) from None
        finally:
            doors.flush()

    def load(self, source: str, code: str, seed: str) -> bool:
        global _player
        number = int(seed)
        doors.seed(number)
        linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
        try:
            module = types.ModuleType("bot")
            module.__file__ = FILE
            sys.modules["bot"] = module
            exec(marshal.loads(code.encode("latin-1")), module.__dict__)
            player = factory_of_module(module, FILE)()
            player.random = random.Random(number)
            wants_rights = bool(getattr(player, "wants_rights", False))
        except BaseException as error:
            raise Err(_report(error)) from None
        _player = player
        return wants_rights

    def choose(self, turn: str) -> str:
        assert _player is not None
        try:
            return _encoded(_player.choose(marshal.loads(turn.encode("latin-1"))))
        except BaseException as error:
            raise Err(_report(error)) from None
        finally:
            doors.flush()


def _encoded(answer: Any) -> str:
    """An answer as JSON; what can be no action as a text that is no JSON and says what it was."""
    if isinstance(answer, str):
        if len(answer) <= MOST_ANSWER:
            if _PLAIN.fullmatch(answer):
                return f'"{answer}"'
            return json.dumps(answer)
        return f"(text of {len(answer)} characters)"
    if answer is None:
        return "null"
    return f"({type.__dict__['__name__'].__get__(type(answer))[:100]})"


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
