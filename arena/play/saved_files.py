"""Bots loaded from files that can change while the program is running."""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from arena.bots import Bot, BotSpec, InvalidBot
from arena.bots.loader import factory_of_module, line_in, source_of
from arena.play.fault_reports import message_of


@dataclass(frozen=True)
class SavedFile(BotSpec):
    """A bot as its file was when it was read. ``text`` is the source, which is not read again."""

    text: str = field(default="", repr=False)

    def make(self, seed: int) -> Bot:
        """See :meth:`arena.bots.BotSpec.make`."""
        bot = self.load()()
        bot.random = random.Random(seed)
        return bot

    def load(self) -> Callable[[], Bot]:
        """Run the file, unless this process has already run it, and return the factory of its bots. Raises
        :class:`~arena.bots.InvalidBot` with the line number.
        """
        factory = _factories.get(self)
        if factory is None:
            factory = _factories[self] = factory_of_module(self._run(), self.source)
        return factory

    def _run(self) -> ModuleType:
        path = str(Path(self.source).resolve())
        name = "botequim_bot_" + hashlib.sha256(f"{path}\n{self.text}".encode()).hexdigest()[:16]
        module = ModuleType(name)
        module.__file__ = path
        sys.modules[name] = module
        try:
            exec(compile(self.text, path, "exec"), module.__dict__)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            line = line_in(error, path)
            where = f"{self.source}:{line}" if line else self.source
            text = error.msg if isinstance(error, SyntaxError) else message_of(error)
            raise InvalidBot(f"{where}: {type(error).__name__}: {text}", field="bot") from error
        return module


_factories: dict[SavedFile, Callable[[], Bot]] = {}


def saved_file(name: str, source: str) -> SavedFile:
    """Return the bot in the current version of the file ``source``. Raises the same errors as
    :func:`source_of`.
    """
    return SavedFile(name, "saved", source, text=source_of(source))
