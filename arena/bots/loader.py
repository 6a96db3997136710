"""Bots by name: house bots, and files of the form ``path/to/file.py``."""

from __future__ import annotations

import hashlib
import importlib.util
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from arena.bots.base import Bot, Turn
from arena.errors import ArenaError, UnknownBot
from arena.games import game_of


class InvalidBot(ArenaError):
    """A bot file that cannot be loaded or does not define a bot."""

    code = "invalid_bot"


HOUSE_BOTS: Final[dict[str, tuple[str, str]]] = {
    "random": ("arena.bots.random_bot", "RandomBot"),
    "rookie": ("arena.bots.rookie", "RookieBot"),
    "regular": ("arena.bots.regular", "RegularBot"),
    "shark": ("arena.bots.shark", "SharkBot"),
}
"""The levels of house bots, weakest first, with module and class. The descriptor of a game says which of
them play it, and in which version.
"""


@dataclass(frozen=True)
class BotSpec:
    """A bot that can be made in any process: ``name`` and ``version`` as they stand in records,
    ``source`` as given (a house name or a path).
    """

    name: str
    version: str
    source: str

    def make(self, seed: int) -> Bot:
        """A new bot whose randomness follows from ``seed``. Raises :class:`InvalidBot`."""
        bot = _factory(self.source)()
        bot.random = random.Random(seed)
        return bot


def bot_spec(text: str, kind: str | None = None, *, check: bool = True) -> BotSpec:
    """The bot that ``text`` names: a house name, ``path/to/file.py`` or ``label=path/to/file.py``.

    A house bot has the version that plays games of ``kind``; without a kind its version is empty, and it
    cannot be put in a record. A file is run once to check that it defines a bot, unless ``check`` is false.
    Raises :class:`~arena.errors.UnknownBot`, :class:`~arena.errors.UnknownGame` or :class:`InvalidBot`.
    """
    label, separator, source = text.partition("=")
    if not separator:
        label, source = "", text
    if source in HOUSE_BOTS:
        version = "" if kind is None else game_of(kind).house_bot(source).version
        return BotSpec(label or source, version, source)
    path = Path(source)
    if path.suffix != ".py":
        raise UnknownBot(
            f"there is no bot {source!r}",
            field="bot",
            expected="one of " + ", ".join(HOUSE_BOTS) + " or path/to/file.py",
        )
    if not path.is_file():
        raise UnknownBot(
            f"there is no file {source!r}", field="bot", expected="a Python file with a class Bot"
        )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    if check:
        _factory(source)
    return BotSpec(label or path.stem, digest, source)


_factories: dict[str, Callable[[], Bot]] = {}


def _factory(source: str) -> Callable[[], Bot]:
    factory = _factories.get(source)
    if factory is None:
        if source in HOUSE_BOTS:
            module, name = HOUSE_BOTS[source]
            factory = getattr(importlib.import_module(module), name)
        else:
            factory = factory_of_module(_run_file(Path(source)), source)
        _factories[source] = factory
    return factory


def _run_file(path: Path) -> ModuleType:
    name = "botequim_bot_" + hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InvalidBot(f"{path} cannot be loaded as a Python file", field="bot")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        line = line_in(error, spec.origin or "")
        where = f"{path}:{line}" if line else str(path)
        raise InvalidBot(f"{where}: {type(error).__name__}: {_one_line(error)}", field="bot") from error
    return module


def factory_of_module(module: ModuleType, source: str) -> Callable[[], Bot]:
    """The class ``Bot`` of a file, else its only subclass of ``Bot``, else its function ``choose``."""
    bot_class: Any = module.__dict__.get("Bot")
    if bot_class is None or bot_class is Bot:
        subclasses = [
            value
            for value in module.__dict__.values()
            if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
        ]
        bot_class = subclasses[0] if len(subclasses) == 1 else None
    if isinstance(bot_class, type):
        if getattr(bot_class, "choose", Bot.choose) is Bot.choose:
            raise InvalidBot(
                f"{source}: the class {bot_class.__name__} has no method choose",
                field="bot",
                expected="a method choose(self, turn)",
            )
        return bot_class
    choose = module.__dict__.get("choose")
    if callable(choose):
        return lambda: _FunctionBot(choose)
    raise InvalidBot(
        f"{source} holds no bot",
        field="bot",
        expected="a class Bot with a method choose(self, turn), or a function choose(turn)",
    )


class _FunctionBot(Bot):
    """A bot made from a function."""

    def __init__(self, function: Callable[[Turn], str | None]) -> None:
        self._function = function

    def choose(self, turn: Turn) -> str | None:
        return self._function(turn)


def line_in(error: BaseException, path: str) -> int | None:
    """The line of the innermost frame in the file ``path``, or that of a syntax error in it."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _one_line(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return " ".join(text.split())[:200]
