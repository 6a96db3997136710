"""Comparisons: two versions of a bot play mirrored groups until a sequential test reaches a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, Final

from arena.errors import ArenaError
from arena.luck.share import LuckShare
from arena.play.outcomes import points
from arena.play.players import PlayerId
from arena.ratings.results import GroupResult
from arena.tournaments.entry import Entrant
from arena.tournaments.formats.format import TournamentFormat
from arena.tournaments.plan import Field, GroupPlan
from arena.tournaments.sequential import FLOOR, Estimate, SequentialTest
from arena.tournaments.spec import Spec

BATCH: Final = 30
"""The number of groups planned at once after the first :data:`FLOOR`. Groups after the decision do not
count.
"""

MOST_GROUPS: Final = 5000
MOST_ELO: Final = 2000

_MOST_VOID: Final = 10
_MOST_LLR: Final = 99.99
_SHOWN_ELO: Final = 999


@dataclass(frozen=True)
class ComparisonSettings:
    """The settings of a test of whether version ``new`` is better than ``old``. ``most`` is the number of
    groups after which the comparison ends undecided. For the other settings, see
    :class:`~arena.tournaments.sequential.SequentialTest`.
    """

    new: str
    old: str
    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    most: int = MOST_GROUPS

    def check(self) -> None:
        """Raise :class:`~arena.errors.ArenaError` with the code ``invalid_comparison`` if the settings are
        invalid.
        """
        if self.new == self.old:
            raise _invalid(f"{self.new} cannot be both the new and the old version", "old", "another version")
        for name in ("elo0", "elo1"):
            if not -MOST_ELO <= getattr(self, name) <= MOST_ELO:
                raise _invalid(f"{name} is out of range", name, f"from -{MOST_ELO} to {MOST_ELO}")
        if self.elo1 <= self.elo0:
            raise _invalid(
                f"{self.elo1:g} is not greater than elo0 ({self.elo0:g})",
                "elo1",
                "a number greater than elo0",
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise _invalid(
                    f"{name} cannot be {getattr(self, name):g}",
                    name,
                    "a number greater than 0 and less than 0.5",
                )
        if not FLOOR <= self.most <= MOST_GROUPS:
            raise _invalid(f"most cannot be {self.most}", "most", f"from {FLOOR} to {MOST_GROUPS} groups")

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ComparisonSettings:
        """Return the settings stored in a row, ignoring unknown keys. Raises KeyError."""
        return cls(**{item.name: data[item.name] for item in fields(cls)})

    def test(self) -> SequentialTest:
        """Return a new test with these settings."""
        return SequentialTest(self.elo0, self.elo1, self.alpha, self.beta)


def _invalid(message: str, field: str, expected: str) -> ArenaError:
    return ArenaError(message, code="invalid_comparison", field=field, expected=expected)


class ComparisonFormat(TournamentFormat):
    """The format of comparisons, which plays batches of groups. Only comparisons use it, so it is not one of
    ``FORMATS``.
    """

    name = "comparison"
    doc = "two versions of a bot meet until it is known whether the new one is better"
    plans_in_batches = True

    def __init__(self, settings: ComparisonSettings) -> None:
        self._settings = settings

    def check_entrants(self, spec: Spec, entrants: Sequence[Entrant]) -> None:
        versions = {entrant.version for entrant in entrants}
        if versions != {self._settings.new, self._settings.old}:
            raise ArenaError("the bot cannot play at the moment", code="too_few_entrants", field="bot")

    def most_groups(self, spec: Spec, entrants: int) -> int:
        return self._settings.most

    def due(self, field: Field) -> list[GroupPlan]:
        count = min(BATCH if field.planned else FLOOR, self._settings.most - len(field.planned))
        test, void = self._played(field)
        if test.decision is not None or void >= _MOST_VOID or count <= 0:
            return []
        # The versions alternate between the teams.
        table = [seat % 2 for seat in range(field.spec.table)]
        return field.groups_of(field.round + 1, 1, table, first=len(field.planned) + 1, count=count)

    def expected(self, field: Field) -> int:
        return len(field.planned)

    def state(self, field: Field) -> dict[str, object]:
        """Return the JSON-ready state of the test after the groups played so far: the number of ``groups``
        that count and of ``void`` groups, ``llr``, ``decision`` (``elo0``, ``elo1`` or None), and ``margin``
        and ``elo`` with their intervals (None until two groups count).
        """
        test, void = self._played(field)
        decision = {None: None, test.elo0: "elo0", test.elo1: "elo1"}[test.decision]
        known = len(test.margins) > 1
        return {
            "groups": len(test.margins),
            "void": void,
            "llr": round(min(_MOST_LLR, max(-_MOST_LLR, test.llr)), 4),
            "decision": decision,
            "margin": _estimate(test.margin, 1) if known else None,
            "elo": _estimate(test.elo, _SHOWN_ELO) if known else None,
        }

    def _played(self, field: Field) -> tuple[SequentialTest, int]:
        """Return the test after the finished groups, in order, and the number of void groups."""
        (new,) = [entrant.player for entrant in field.entrants if entrant.version == self._settings.new]
        test, void, fitted = self._settings.test(), 0, LuckShare()
        for group in sorted(field.planned, key=GroupPlan.order):
            if group.id not in field.done:
                break
            result = field.done[group.id]
            if result is None or result.annulled:
                void += 1
            elif test.decision is None:
                margin, luck = group_margin(result, new), luck_in_margin(result, new)
                if luck is None:
                    test.add(margin)
                else:
                    test.add(margin - fitted.share * luck)
                    fitted.add(margin, luck)
        return test, void


def group_margin(result: GroupResult, player: PlayerId) -> float:
    """Return a player's mean margin over the others, from -1 to 1, in the games of a group."""
    margins = []
    for game in result.games:
        worth = points(game.places, result.teams)
        own = [value for value, other in zip(worth, game.players, strict=True) if other == player]
        others = [value for value, other in zip(worth, game.players, strict=True) if other != player]
        margins.append(sum(own) / len(own) - sum(others) / len(others))
    return sum(margins) / len(margins)


def luck_in_margin(result: GroupResult, player: PlayerId) -> float | None:
    """Return the part of a player's margin that is due to luck, or None if luck was not measured."""
    own = result.luck(player)
    others = [result.luck(other) for other in result.players if other != player]
    known = [luck for luck in others if luck is not None]
    if own is None or len(known) < len(others):
        return None
    return own - sum(known) / len(known)


def _estimate(estimate: Estimate, most: float) -> dict[str, float]:
    """Return the estimate with its bounds, which can be infinite, clamped to ±``most``."""
    values = [value if isfinite(value) else (most if value > 0 else -most) for value in estimate]
    cut = [round(min(most, max(-most, value)), 4) for value in values]
    return dict(zip(Estimate._fields, cut, strict=True))
