"""Database access to the names that format 7 does not index, for the step to format 8."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.store.connection import Command, Repository
from arena.store.search import Of, additions

_AT_ONCE: Final = 500


class FormerNames(Repository):
    """The names of owners, and the index in which they are missing."""

    def owners(self) -> list[str]:
        """Return the names of all owners, also of those who were deleted."""
        keys = (key.decode() for key in self._connection.keys("{o:*}"))
        return [key.removeprefix("{o:").removesuffix("}") for key in keys]

    def add(self, of: Of, names: Iterable[str]) -> None:
        """Add names to the index. Can be repeated."""
        commands: list[Command] = [command for name in names for command in additions(of, name)]
        for start in range(0, len(commands), _AT_ONCE):
            self._connection.run(commands[start : start + _AT_ONCE])
