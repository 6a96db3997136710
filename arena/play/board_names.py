"""The names of leaderboards: one per game, division and preset of rules."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.games import GAMES, game_of
from arena.play.players import DIVISIONS

SETTLED_GROUPS: Final = 30
"""With fewer groups a rating is provisional, and its interval is that of the likelihood."""


class BoardName(NamedTuple):
    """A leaderboard. ``preset``: the name of one of the game's presets, without the game."""

    kind: str
    division: str
    preset: str

    @classmethod
    def of(cls, kind: str, division: str, preset: str | None = None) -> BoardName:
        """The board of a preset, by default of the game's first one.

        Raises :class:`~arena.errors.UnknownGame` and :class:`~arena.errors.UnknownPreset`.
        """
        return cls(kind, division, game_of(kind).preset(preset).name)

    @property
    def is_first(self) -> bool:
        """Whether it is that of the game's first preset."""
        return self.preset == game_of(self.kind).presets[0].name

    @property
    def key(self) -> str:
        """Its name in the database, which leaves out the first preset."""
        own = (self.kind, self.division) if self.is_first else (self.kind, self.preset, self.division)
        return "/".join(own)

    @property
    def title(self) -> str:
        """For people."""
        return f"{self.kind}/{self.preset}, {self.division}"


def all_boards() -> list[BoardName]:
    """All leaderboards, by game and preset in their order."""
    return [
        BoardName(kind, division, preset.name)
        for kind, game in GAMES.items()
        for preset in game.presets
        for division in DIVISIONS
    ]


__all__ = ["SETTLED_GROUPS", "BoardName", "all_boards"]
