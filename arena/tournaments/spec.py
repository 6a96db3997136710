"""The specification of a tournament: its game, its format and who may enter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from typing import Any, Final, Protocol

from arena.declarations import Moment, as_json, declared, from_json, setting
from arena.errors import ArenaError
from arena.games import game_of
from arena.games.descriptor import Game
from arena.games.options import Rules
from arena.play.board_names import BoardName
from arena.play.clocks import ClockSettings
from arena.tournaments.settings import MIXED, OneOffSettings

MAX_GROUPS: Final = 200_000
"""The maximum number of groups in a tournament; an open tournament ends after this many."""

DEFAULT_PER_OWNER: Final = 4

_MIXED_TABLE: Final = 4


@declared
class Spec(OneOffSettings):
    """The complete, validated settings of a tournament; see ``docs/tournaments.md``.

    ``rules`` has every option filled in. ``rounds`` is the number of times that all entrants meet each other
    in a round robin, the number of rounds of a Swiss (None: as many as halve the field to one), or the number
    of groups per bot in the format ``rating``; otherwise it is None. Entry is open from ``opens_ms`` until
    ``locks_ms``, when play starts. ``ends_ms`` is when an ``open`` tournament ends, and None for other
    formats.
    """

    kind: str
    rules: Mapping[str, Any]
    rounds: int | None = setting("The number of rounds; null if it follows from the format.", default=None)
    clock: Mapping[str, int] = field(default_factory=lambda: ClockSettings().as_json())
    per_owner: int = setting("The maximum number of bots per owner.", default=DEFAULT_PER_OWNER)
    rated: bool = setting("Whether the tournament counts for the leaderboards.", default=True)
    opens_ms: Moment = setting("When entry opens.")
    locks_ms: Moment = setting("When entry is locked and play starts.")
    ends_ms: Moment | None = setting("`open`: when the tournament ends; otherwise null.", default=None)

    @property
    def game(self) -> Game:
        """The game that is played."""
        return game_of(self.kind)

    @property
    def preset(self) -> str | None:
        """The name of the preset that the rules match, or None if they match none."""
        return self.game.preset_of(self.rules)

    def board(self, division: str) -> BoardName | None:
        """Return the leaderboard for these rules in a division, or None if the rules match no preset."""
        preset = self.preset
        return None if preset is None else BoardName(self.kind, division, preset)

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each team."""
        return self.game.teams(self.rules)

    @property
    def table(self) -> int:
        """The number of entrants in one pairing: 2 for duels and teams, 4 with mixed partners, 2 to 8 for
        Toepen.
        """
        return _MIXED_TABLE if self.partners == MIXED else len(self.teams)

    @property
    def duels(self) -> bool:
        """Whether exactly two entrants meet in a pairing."""
        return self.table == 2

    def rules_for(self, seats: int) -> Rules:
        """Return the rules of a group with ``seats`` seats. A table that is replayed without a player who
        forfeited has fewer seats than ``rules`` specify.
        """
        if seats == self.game.seats(self.rules):
            return dict(self.rules)
        return self.game.options.complete({**self.rules, "seats": seats})

    def as_json(self) -> dict[str, object]:
        """Return the published form."""
        return as_json(self)

    def stored(self) -> dict[str, object]:
        """Return the stored form, which :meth:`from_json` reads."""
        return {**self.as_json(), "rules": self.game.options.stored(self.rules)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Spec:
        """Return the settings from the output of :meth:`stored`, ignoring unknown keys."""
        rules = game_of(data["kind"]).options.complete(data["rules"])
        return cls(**{**from_json(cls, data), "rules": rules})


SPEC_FIELDS: Final = tuple(item.name for item in fields(Spec))
"""The names of the stored settings."""


def scheduled_id(schedule: str, due_ms: int) -> str:
    """Return the id of the tournament that a schedule announces for ``due_ms`` (Unix time in
    milliseconds).
    """
    return f"{schedule}-{due_ms // 1000}"


class _Owned(Protocol):
    @property
    def owner(self) -> str: ...


def check_entrants(spec: Spec, entrants: int | Sequence[_Owned]) -> None:
    """Check that ``entrants``, given as a number or as a list of :class:`~arena.tournaments.entry.Entrant`,
    can play.

    Raises :class:`~arena.errors.ArenaError` with the code ``too_few_entrants`` if there are too few entrants
    to fill a table, or too few different owners.
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
            f"{came} are too few for {spec.format} at tables of {spec.table}",
            code="too_few_entrants",
            field="entries",
            expected=f"{spec.table} or more" + ("" if count < spec.table else ", of different owners"),
        )


def invalid(message: str, field: str, expected: str) -> ArenaError:
    """Return an ``invalid_tournament`` error."""
    return ArenaError(message, code="invalid_tournament", field=field, expected=expected)
