"""The settings of a series, each declared once (see :mod:`arena.declarations`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.declarations import as_json, declared, from_json, read_settings, setting, settings_of
from arena.errors import ArenaError

MAX_TOURNAMENTS: Final = 60


class InvalidSeries(ArenaError):
    """The settings of a series are invalid."""

    code = "invalid_series"


@declared
class SeriesContents:
    """The name and tournaments of a series."""

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
    """The rules by which a series awards points."""

    points: tuple[float, ...] = setting(
        "The points for first place, second place and so on; later places get none.",
        label="Points by place",
        minimum=0,
        maximum=10_000,
        min_items=1,
        max_items=100,
        default=(10.0, 8.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0),
        response="The points for each place, from first.",
    )
    best: int | None = setting(
        "The number of best results that count; by default all.",
        label="Results that count",
        minimum=1,
        maximum=MAX_TOURNAMENTS,
        nullable=True,
        default=None,
        response="The number of best results that count; null: all.",
    )
    by: str = setting(
        "`owner`: the best bot of each owner in a tournament counts; `bot`: each bot.",
        label="A row for",
        choices=("owner", "bot"),
        default="owner",
    )
    tie_breaks: tuple[str, ...] = setting(
        "How to break ties: `wins` (tournaments won), `best` (the best result), `last` (the latest "
        "tournament), `played` (tournaments played).",
        label="Tie-breaks",
        choices=("wins", "best", "last", "played"),
        default=("wins", "best", "last"),
    )

    def check(self) -> None:
        """Raise :class:`InvalidSeries` if the rules are invalid."""
        read_settings(SeriesRules, self.as_json(), InvalidSeries, "a series")
        if list(self.points) != sorted(self.points, reverse=True):
            raise InvalidSeries(
                "a later place has more points than an earlier one",
                field="points",
                expected="points that never increase",
            )
        if len(set(self.tie_breaks)) < len(self.tie_breaks):
            allowed = settings_of(SeriesRules)["tie_breaks"].allowed
            raise InvalidSeries("a tie-break is listed twice", field="tie_breaks", expected=allowed)

    def as_json(self) -> dict[str, object]:
        """Return a form that :meth:`from_json` can read."""
        return as_json(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SeriesRules:
        """Return the rules from the output of :meth:`as_json`, ignoring unknown keys."""
        return cls(**from_json(cls, data))
