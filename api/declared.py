"""The language model and the cost of a game that owners declare for their bots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from api.services import services


class Declared(NamedTuple):
    """``model``: empty if not declared. ``game_cost``: US dollars per game, None if not declared."""

    model: str = ""
    game_cost: float | None = None

    @property
    def cells(self) -> tuple[str, str]:
        """For a table of text."""
        return self.model, "" if self.game_cost is None else f"{self.game_cost:g}"


def declared_by(rows: Iterable[Mapping[str, Any]]) -> dict[str, Declared]:
    """What owners declare for the bots of a board's rows, by name."""
    names = sorted({row["name"] for row in rows})
    accounts = services().accounts.listed(names) if names else []
    return {bot.name: Declared(bot.model, bot.game_cost) for bot in accounts}


def with_declared(
    rows: Iterable[Mapping[str, Any]], declared: Mapping[str, Declared]
) -> list[dict[str, Any]]:
    """The rows with ``model`` and ``game_cost``."""
    return [{**row, **declared.get(row["name"], Declared())._asdict()} for row in rows]
