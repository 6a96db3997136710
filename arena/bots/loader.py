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
from arena.bots.games import check_game
from arena.bots.imports import internal_imports
from arena.errors import ArenaError, UnknownBot
from arena.games import GAMES, game_of


class InvalidBot(ArenaError):
    """Raised for a bot file that cannot be loaded or does not define a bot."""

    code = "invalid_bot"


class InternalImport(InvalidBot):
    """Raised for a bot file that imports a module of the program that is not meant for bots."""

    code = "internal_import"


HOUSE_BOTS: Final[dict[str, tuple[str, str]]] = {
    "random": ("arena.bots.random_bot", "RandomBot"),
    "rookie": ("arena.bots.rookie", "RookieBot"),
    "regular": ("arena.bots.regular", "RegularBot"),
    "barfly": ("arena.bots.barfly", "BarflyBot"),
    "shark": ("arena.bots.shark", "SharkBot"),
}
"""The levels of house bots, weakest first, with module and class; ``barfly`` is as strong as ``regular``. The
descriptor of a game says which of them play it, and in which version.
"""
POOL: Final = "pool"
"""A name for one of ``POOL_BOTS`` in tournaments, drawn by lot at the lock."""
POOL_BOTS: Final = ("regular", "barfly")
"""House bots with the same code, the same strength and other habits."""


@dataclass(frozen=True)
class BotSpec:
    """A bot that can be created in any process: ``name`` and ``version`` as written in records, ``source`` as
    given (a house name or a path). ``games`` are those that its file names; if empty, it plays all, or they
    are not known yet.
    """

    name: str
    version: str
    source: str
    games: tuple[str, ...] = ()

    def make(self, seed: int) -> Bot:
        """Return a new bot whose randomness follows from ``seed``. Raises :class:`InvalidBot`."""
        bot = _factory(self.source)()
        bot.random = random.Random(seed)
        return bot


def bot_spec(text: str, kind: str | None = None, *, check: bool = True) -> BotSpec:
    """Return the bot that ``text`` names: a house name, ``path/to/file.py`` or ``label=path/to/file.py``.

    A house bot has the version that plays games of ``kind``; without a kind its version is empty, and it
    cannot be put in a record. A file is run once to check that it defines a bot, which plays ``kind``, unless
    ``check`` is false. Raises :class:`~arena.errors.UnknownBot`, :class:`~arena.errors.UnknownGame`,
    :class:`InvalidBot` or :class:`~arena.bots.games.GameNotPlayed`.
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
    digest = hashlib.sha256(data_of(path)).hexdigest()[:12]
    games = games_of(_factory(source), source) if check else ()
    if kind is not None:
        check_game(source, games, kind)
    return BotSpec(label or path.stem, digest, source, games)


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
    check_imports(source_of(path), str(path))
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


def data_of(path: str | Path) -> bytes:
    """Return the bytes of a bot's file. Raises :class:`InvalidBot`."""
    # The runtime of the sandbox has this module, too, and reads no files.
    from arena.inputs.reading import read_file

    return read_file(path, "bot", InvalidBot)


def source_of(path: str | Path) -> str:
    """Return the source in a file as Python reads it. Raises :class:`InvalidBot`."""
    from arena.inputs.files import MARK, decode_source

    def refuse(message: str, field: str, expected: str) -> InvalidBot:
        return InvalidBot(f"{path}: {message}", field=field, expected=expected)

    return decode_source(data_of(path), "bot", refuse).removeprefix(MARK)


def check_imports(text: str | bytes, source: str) -> None:
    """Raise :class:`InternalImport`, saying what to import instead, if the ``text`` of the file ``source``
    imports a module of the program that is not meant for bots.
    """
    first = min(internal_imports(text), default=None)
    if first is not None:
        line, module, new = first
        raise InternalImport(f"{source}:{line}: {module} is internal; bots import {new}", field="bot")


def factory_of_module(module: ModuleType, source: str) -> Callable[[], Bot]:
    """Return the class ``Bot`` of a file, or its only subclass of ``Bot`` that no other one derives from, or
    its function ``choose``. Raises :class:`InvalidBot`.
    """
    bot_class: Any = module.__dict__.get("Bot")
    leaves: list[type[Bot]] = []
    if bot_class is None or bot_class is Bot:
        subclasses = {
            value
            for value in module.__dict__.values()
            if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
        }
        leaves = [
            one for one in subclasses if not any(issubclass(other, one) for other in subclasses - {one})
        ]
        bot_class = leaves[0] if len(leaves) == 1 else None
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
        made_of = {"function": staticmethod(choose), "games": module.__dict__.get("games", ())}
        return type("FunctionBot", (_FunctionBot,), made_of)
    if leaves:
        raise InvalidBot(
            f"{source} contains several bots: {', '.join(sorted(one.__name__ for one in leaves))}",
            field="bot",
            expected="only one, or one of them named Bot",
        )
    raise InvalidBot(
        f"{source} contains no bot",
        field="bot",
        expected="a class Bot with a method choose(self, turn), or a function choose(turn)",
    )


class _FunctionBot(Bot):
    """A bot made from a function."""

    function: Callable[[Turn], str | None]

    def choose(self, turn: Turn) -> str | None:
        return self.function(turn)


def games_of(bot_class: object, source: str) -> tuple[str, ...]:
    """Return the games that a bot of :func:`factory_of_module` lists in ``games``, or no games if it plays
    all. Raises :class:`InvalidBot`.
    """
    return checked_games(getattr(bot_class, "games", ()), source)


def checked_games(games: object, source: str) -> tuple[str, ...]:
    """Return the games that the bot of ``source`` names, each once. Raises :class:`InvalidBot`."""
    if not isinstance(games, tuple | list) or not all(isinstance(game, str) for game in games):
        raise InvalidBot(
            f"{source}: games must be a tuple of names, not {_one_line_of(games)}",
            field="bot",
            expected='names, such as ("truco",)',
        )
    for game in games:
        if game not in GAMES:
            raise InvalidBot(
                f"{source}: games names the unknown game {_one_line_of(game)}",
                field="bot",
                expected="some of " + ", ".join(GAMES),
            )
    return tuple(dict.fromkeys(games))


def line_in(error: BaseException, path: str) -> int | None:
    """Return the line of the innermost frame in the file ``path``, or that of a syntax error in it."""
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


def _one_line_of(value: object) -> str:
    return " ".join(repr(value).split())[:80]
