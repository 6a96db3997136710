"""What a bot's file may import from this program: the package ``botequim``. The modules behind
it may change.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

_KEPT: Final = {"arena.bots": ("Bot", "redeal"), "arena.bots.redeal": ("redeal",)}
"""What bots may still import, as before there was ``botequim``: modules, with the names from them."""

_NEW: Final = {
    "arena.games.cards": "botequim.cards",
    "arena.games.toepen.cards": "botequim.toepen",
    "arena.games.truco.cards": "botequim.truco",
}
"""What bots imported before, with what takes its place; of all other modules that is ``botequim``."""


def internal_imports(source: str | bytes) -> Iterator[tuple[int, str, str]]:
    """Yield the imports in a source that are not meant for bots: the line, the module, and what to import
    instead. A source that cannot be parsed here has none.
    """
    # Most sources need not be parsed.
    if (b"arena" not in source) if isinstance(source, bytes) else ("arena" not in source):
        return
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _is_ours(alias.name) and alias.name not in _KEPT:
                    yield _internal(node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and _is_ours(node.module or ""):
            for alias in node.names:
                path = f"{node.module}.{alias.name}"
                if path not in _KEPT and alias.name not in _KEPT.get(node.module or "", ()):
                    yield _internal(node.lineno, path if path in _NEW else node.module or "")


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "arena"


def _internal(line: int, module: str) -> tuple[int, str, str]:
    return line, module, _NEW.get(module, "botequim")
