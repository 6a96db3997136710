"""The names of leaderboards. There is one leaderboard per game, division and preset of rules."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.games import GAMES, game_of
from arena.play.players import DIVISIONS, MODELS, OPEN, SEALED

DIVISION_TITLES: Final = {
    SEALED: "Uploaded bots",
    OPEN: "Bots that run elsewhere",
    MODELS: "Language models",
}
"""What plays in each division, for people."""

SETTLED_GROUPS: Final = 30
"""The number of groups below which a rating is provisional and its interval is computed from the likelihood.
"""


def lacking(groups: int) -> str:
    """Return what a provisional rating based on this number of groups lacks."""
    more = SETTLED_GROUPS - groups
    if more <= 0:
        return "no chain of games to the anchor"
    return f"{more} more group{'' if more == 1 else 's'}"


def rank_text(best: int | None, worst: int | None, to: str = "-") -> str:
    """Return a rank for people: an interval such as ``1-3``, one number, or nothing if there is no rank."""
    if best is None:
        return ""
    return str(best) if worst == best else f"{best}{to}{worst}"


class BoardName(NamedTuple):
    """The name of a leaderboard. ``preset`` is the name of one of the game's presets, without the game."""

    kind: str
    division: str
    preset: str

    @classmethod
    def of(cls, kind: str, division: str, preset: str | None = None) -> BoardName:
        """Return the board of a preset, by default the game's first preset.

        Raises :class:`~arena.errors.UnknownGame` and :class:`~arena.errors.UnknownPreset`.
        """
        return cls(kind, division, game_of(kind).preset(preset).name)

    @property
    def is_first(self) -> bool:
        """Whether the board belongs to the game's first preset."""
        return self.preset == game_of(self.kind).presets[0].name

    @property
    def key(self) -> str:
        """The board's name in the database, which omits the first preset."""
        own = (self.kind, self.division) if self.is_first else (self.kind, self.preset, self.division)
        return "/".join(own)

    @property
    def preset_title(self) -> str:
        """The name of the preset for people."""
        return game_of(self.kind).preset(self.preset).title

    @property
    def bots(self) -> str:
        """What plays in the division, for people."""
        return DIVISION_TITLES[self.division]

    @property
    def words(self) -> str:
        """The board's name for people."""
        return f"{self.preset_title}, {self.bots.lower()}"

    @property
    def title(self) -> str:
        """The board's display name for programmers."""
        return f"{self.kind}/{self.preset}, {self.division}"


def all_boards() -> list[BoardName]:
    """Return all leaderboards, ordered by game and preset."""
    return [
        BoardName(kind, division, preset.name)
        for kind, game in GAMES.items()
        for preset in game.presets
        for division in DIVISIONS
    ]
