"""Bots by name: the house's own, and files of the form ``path/to/file.py``."""

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

from arena import __version__
from arena.bots.base import Bot, Turn
from arena.errors import ArenaError


class UnknownBot(ArenaError):
    """No house bot of that name and no file at that path."""

    code = "unknown_bot"


class InvalidBot(ArenaError):
    """A bot file that cannot be loaded or holds no bot."""

    code = "invalid_bot"


HOUSE_BOTS: Final[dict[str, tuple[str, str]]] = {
    "random": ("arena.bots.random_bot", "RandomBot"),
    "rookie": ("arena.bots.rookie", "RookieBot"),
    "regular": ("arena.bots.regular", "RegularBot"),
    "shark": ("arena.bots.shark", "SharkBot"),
}
"""The house bots, weakest first: module and class of each."""


@dataclass(frozen=True)
class BotSpec:
    """A bot that can be made again anywhere: ``name`` and ``version`` as they stand in records,
    ``source`` as given (a house name or a path).
    """

    name: str
    version: str
    source: str

    def make(self, seed: int) -> Bot:
        """A fresh bot whose randomness follows from ``seed``. Raises :class:`InvalidBot`."""
        bot = _factory(self.source)()
        bot.random = random.Random(seed)
        return bot


def bot_spec(text: str, *, check: bool = True) -> BotSpec:
    """The bot meant by ``text``: a house name, ``path/to/file.py`` or ``label=path/to/file.py``.

    The file is run once, here, to see that it holds a bot, unless ``check`` is false. Raises
    :class:`UnknownBot` or :class:`InvalidBot`.
    """
    label, separator, source = text.partition("=")
    if not separator:
        label, source = "", text
    if source in HOUSE_BOTS:
        return BotSpec(label or source, __version__, source)
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
        line = _line_in(error, str(path))
        where = f"{path}:{line}" if line else str(path)
        raise InvalidBot(f"{where}: {type(error).__name__}: {_one_line(error)}", field="bot") from error
    return module


def factory_of_module(module: ModuleType, source: str) -> Callable[[], Bot]:
    """The class ``Bot`` of a file, else its only subclass of ``Bot``, else its function ``choose``."""
    found: Any = module.__dict__.get("Bot")
    if found is None or found is Bot:
        own = [
            value
            for value in module.__dict__.values()
            if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
        ]
        found = own[0] if len(own) == 1 else None
    if isinstance(found, type) and callable(getattr(found, "choose", None)):
        return found
    choose = module.__dict__.get("choose")
    if callable(choose):
        return lambda: _FunctionBot(choose)
    raise InvalidBot(
        f"{source} holds no bot",
        field="bot",
        expected="a class Bot with a method choose(self, turn), or a function choose(turn)",
    )


class _FunctionBot(Bot):
    """A bot that is only a function."""

    def __init__(self, function: Callable[[Turn], str | None]) -> None:
        self._function = function

    def choose(self, turn: Turn) -> str | None:
        return self._function(turn)


def _line_in(error: BaseException, path: str) -> int | None:
    if isinstance(error, SyntaxError):
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
