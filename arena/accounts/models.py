"""The language model and the cost per game that owners declare for their bots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from arena.accounts.accounts import Accounts


class ModelStatement(NamedTuple):
    """An owner's declaration for a bot. ``model`` is empty and ``game_cost`` (US dollars per game) is None if
    not declared.
    """

    model: str = ""
    game_cost: float | None = None

    @property
    def cells(self) -> tuple[str, str]:
        """The cells for a text table."""
        return self.model, "" if self.game_cost is None else f"{self.game_cost:g}"


def model_statements(accounts: Accounts, rows: Iterable[Mapping[str, Any]]) -> dict[str, ModelStatement]:
    """Return the declarations of owners for the bots in a board's rows, by name."""
    names = sorted({row["name"] for row in rows})
    bots = accounts.listed(names) if names else []
    return {bot.name: ModelStatement(bot.model, bot.game_cost) for bot in bots}


def with_models(
    rows: Iterable[Mapping[str, Any]], statements: Mapping[str, ModelStatement]
) -> list[dict[str, Any]]:
    """Return the rows with ``model`` and ``game_cost`` added."""
    return [{**row, **statements.get(row["name"], ModelStatement())._asdict()} for row in rows]
