"""What a tournament is: its game, its format and who may enter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from arena.errors import ArenaError
from arena.games import game_of
from arena.games.descriptor import Game
from arena.play.board_names import BoardName
from arena.play.clocks import ClockSettings
from arena.play.players import OPEN as OPEN_DIVISION

SAME: Final = "same"
MIXED: Final = "mixed"
PARTNERS: Final = (SAME, MIXED)

WHO: Final = ("anyone", "house", "invited")

MAX_ENTRIES: Final = 512
MAX_GROUPS: Final = 200_000
"""The maximum number of groups of a tournament; an open one ends after this many."""

DEFAULT_ENTRY_S: Final = 60
"""Seconds for which entry is open by default."""

DEFAULT_PER_OWNER: Final = 4

_MIXED_TABLE: Final = 4


@dataclass(frozen=True)
class Spec:
    """The settings of a tournament, complete and checked; see ``docs/tournaments.md``.

    ``rules`` are complete. ``groups`` per pairing. ``rounds``: how often everybody meets everybody in
    a round robin, the number of rounds of a Swiss (None: as many as halve the field to one), None
    otherwise. ``partners``: who sits in a team of Truco, the same bot twice or two bots (``mixed``).
    Entry is open from ``opens_ms`` until ``locks_ms``, when play starts; ``ends_ms`` ends an ``open``
    one, None otherwise. ``division``: ``sealed`` if uploaded bots take part, which meet no bots that run
    elsewhere, ``models`` for language models only, else ``open``; house bots may take part in all.
    ``per_owner``: the most bots of one owner. ``games_per_bot``: the most live games of one bot at once.
    ``max_repeats``: how often two may meet in an ``open`` one. ``hidden``: whether only those who organise
    it, are invited or have entered see it. ``baseline``: the names of bots that take no place, if they are
    house bots or bots of those who organise it. ``description`` is plain text with lines, ``link`` an address
    of a web page; both may be empty. Times are milliseconds since 1970.
    """

    name: str
    kind: str
    rules: Mapping[str, Any]
    format: str
    locks_ms: int
    opens_ms: int
    groups: int = 1
    rounds: int | None = None
    partners: str = SAME
    clock: Mapping[str, int] = field(default_factory=lambda: ClockSettings().as_json())
    ends_ms: int | None = None
    max_entries: int = 64
    per_owner: int = DEFAULT_PER_OWNER
    who: str = "anyone"
    invited: tuple[str, ...] = ()
    auto_enter: bool = False
    rated: bool = True
    games_per_bot: int = 4
    max_repeats: int = 10
    tie_breaks: tuple[str, ...] = ("head_to_head", "sonneborn_berger", "won")
    division: str = OPEN_DIVISION
    description: str = ""
    link: str = ""
    hidden: bool = False
    baseline: tuple[str, ...] = ()

    @property
    def game(self) -> Game:
        """The game that is played."""
        return game_of(self.kind)

    @property
    def preset(self) -> str | None:
        """The name of the preset that the rules match, None if they match none."""
        return self.game.preset_of(self.rules)

    def board(self, division: str) -> BoardName | None:
        """The leaderboard of these rules in a division, None if the rules match no preset."""
        preset = self.preset
        return None if preset is None else BoardName(self.kind, division, preset)

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each team."""
        return self.game.teams(self.rules)

    @property
    def table(self) -> int:
        """How many entrants meet in one pairing: 2 for duels and teams, 4 with mixed partners, 2 to 8
        for Toepen.
        """
        return _MIXED_TABLE if self.partners == MIXED else len(self.teams)

    @property
    def duels(self) -> bool:
        """Whether two entrants meet in a pairing."""
        return self.table == 2

    def rules_for(self, seats: int) -> dict[str, Any]:
        """The rules of a group with ``seats`` seats: a table that is played again without a player who
        forfeited has fewer seats than ``rules`` say.
        """
        if seats == self.game.seats(self.rules):
            return dict(self.rules)
        return self.game.options.complete({**self.rules, "seats": seats})

    def as_json(self) -> dict[str, Any]:
        """As it is published."""
        data = {item.name: getattr(self, item.name) for item in fields(self)}
        return {
            **data,
            "rules": dict(self.rules),
            "clock": dict(self.clock),
            "invited": list(self.invited),
            "tie_breaks": list(self.tie_breaks),
            "baseline": list(self.baseline),
        }

    def stored(self) -> dict[str, Any]:
        """As it is stored and as :meth:`from_json` reads it."""
        return {**self.as_json(), "rules": self.game.options.stored(self.rules)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Spec:
        """The settings of a :meth:`stored`; other keys are ignored."""
        values = {item.name: data[item.name] for item in fields(cls)}
        values["rules"] = game_of(data["kind"]).options.complete(data["rules"])
        for name in ("invited", "tie_breaks", "baseline"):
            values[name] = tuple(values[name])
        return cls(**values)


SPEC_FIELDS: Final = tuple(item.name for item in fields(Spec))
"""The settings that are stored."""


def scheduled_id(schedule: str, due_ms: int) -> str:
    """The id of the tournament that a schedule announces for ``due_ms`` (milliseconds since 1970)."""
    return f"{schedule}-{due_ms // 1000}"


def check_entrants(spec: Spec, entrants: int | Sequence[Any]) -> None:
    """Check that a number of entrants, or these (:class:`~arena.tournaments.entry.Entrant`), can play.

    Raises :class:`~arena.errors.ArenaError` ``too_few_entrants``: fewer than a table, or too many
    of one owner to fill a table.
    """
    if isinstance(entrants, int):
        count, apart = entrants, entrants
    else:
        owners = {entrant.owner for entrant in entrants if entrant.owner}
        count = len(entrants)
        apart = len(owners) + sum(not entrant.owner for entrant in entrants)
    if min(count, apart) < spec.table:
        came = f"{count} entrants" if count < spec.table else f"{apart} owners"
        raise ArenaError(
            f"{came} cannot play {spec.format} at tables of {spec.table}",
            code="too_few_entrants",
            field="entries",
            expected=f"{spec.table} or more" + ("" if count < spec.table else ", of different owners"),
        )


def invalid(message: str, field: str, expected: str) -> ArenaError:
    """The error for settings that cannot be."""
    return ArenaError(message, code="invalid_tournament", field=field, expected=expected)
