"""Modules by the names that bots written for release 0.1 import them by."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, cast

FORMER_NAMES: Final = {
    "arena.bots.toepen": "arena.games.toepen.bots",
    "arena.bots.toepen.odds": "arena.games.toepen.bots.odds",
    "arena.bots.toepen.playout": "arena.games.toepen.bots.playout",
    "arena.bots.toepen.regular": "arena.games.toepen.bots.regular",
    "arena.bots.toepen.rookie": "arena.games.toepen.bots.rookie",
    "arena.bots.toepen.shark": "arena.games.toepen.bots.shark",
    "arena.bots.truco": "arena.games.truco.bots",
    "arena.bots.truco.chances": "arena.games.truco.bots.chances",
    "arena.bots.truco.playout": "arena.games.truco.bots.playout",
    "arena.bots.truco.regular": "arena.games.truco.bots.regular",
    "arena.bots.truco.rookie": "arena.games.truco.bots.rookie",
    "arena.bots.truco.shark": "arena.games.truco.bots.shark",
    "arena.dealing": "arena.play.dealing",
    "arena.outcomes": "arena.play.outcomes",
    "arena.redeal": "arena.bots.redeal",
    "arena.redeal.toepen": "arena.games.toepen.redeal",
    "arena.redeal.truco": "arena.games.truco.redeal",
    "arena.table": "arena.play.table",
}
"""Former name: present name. It names games because those are the names of a release."""


class _FormerNames:
    """The last finder: asked only for what exists nowhere else, so it costs other imports nothing."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See :class:`importlib.abc.MetaPathFinder`."""
        return ModuleSpec(fullname, cast(Any, self)) if fullname in FORMER_NAMES else None

    def create_module(self, spec: ModuleSpec) -> None:
        """See :class:`importlib.abc.Loader`: an ordinary module, to be replaced at once."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the present module, and all below it, in the place of the former ones."""
        name = module.__name__
        for former, present in FORMER_NAMES.items():
            if former == name or former.startswith(name + "."):
                sys.modules[former] = found = import_module(present)
                parent, _, child = former.rpartition(".")
                setattr(sys.modules[parent], child, found)


def install() -> None:
    """Let former names be imported, in this process."""
    if not any(isinstance(finder, _FormerNames) for finder in sys.meta_path):
        sys.meta_path.append(_FormerNames())
