"""The settings of a series, each declared once (:mod:`arena.declarations`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.declarations import as_json, declared, from_json, read_settings, setting, settings_of
from arena.errors import ArenaError

MAX_TOURNAMENTS: Final = 60


class InvalidSeries(ArenaError):
    """Raised for invalid settings of a series."""

    code = "invalid_series"


@declared
class SeriesContents:
    """Which tournaments a series consists of."""

    name: str = setting(
        "The name of the series.", label="Name", min_length=1, max_length=80, response="Its name."
    )
    tournaments: tuple[str, ...] = setting(
        "The ids of its tournaments, in the order of the season.",
        label="Tournaments",
        max_items=MAX_TOURNAMENTS,
        max_length=64,
        default=(),
        response="The ids of its tournaments, in order.",
    )


@declared
class SeriesRules:
    """How a series counts points."""

    points: tuple[float, ...] = setting(
        "The points of the first place, the second and so on; later places have none.",
        label="Points by place",
        minimum=0,
        maximum=10_000,
        min_items=1,
        max_items=100,
        default=(10.0, 8.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0),
        response="The points by place.",
    )
    best: int | None = setting(
        "How many results count, the best ones; by default all.",
        label="Results that count",
        minimum=1,
        maximum=MAX_TOURNAMENTS,
        nullable=True,
        default=None,
        response="How many results count; null: all.",
    )
    by: str = setting(
        "`owner`: the best bot of each owner in a tournament counts; `bot`: each bot.",
        label="A row for",
        choices=("owner", "bot"),
        default="owner",
    )
    tie_breaks: tuple[str, ...] = setting(
        "How to order equal points: `wins` (tournaments won), `best` (the best result), `last` (the latest "
        "tournament), `played` (tournaments played).",
        label="Tie-breaks",
        choices=("wins", "best", "last", "played"),
        default=("wins", "best", "last"),
    )

    def check(self) -> None:
        """Raise :class:`InvalidSeries` if the rules are invalid."""
        read_settings(SeriesRules, self.as_json(), InvalidSeries, "a series")
        if list(self.points) != sorted(self.points, reverse=True):
            raise InvalidSeries("a later place has more points", field="points", expected="no increase")
        if len(set(self.tie_breaks)) < len(self.tie_breaks):
            allowed = settings_of(SeriesRules)["tie_breaks"].allowed
            raise InvalidSeries("a tie-break is listed twice", field="tie_breaks", expected=allowed)

    def as_json(self) -> dict[str, object]:
        """Return the form that :meth:`from_json` reads."""
        return as_json(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SeriesRules:
        """Return the rules that :meth:`as_json` wrote; unknown keys are ignored."""
        return cls(**from_json(cls, data))
