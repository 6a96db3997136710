"""Series: a season table, computed purely from the final standings of several tournaments."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any, Final

from arena.ratings.series_rules import InvalidSeries, SeriesRules
from arena.records.record import canonical_hash
from arena.text import csv_text, plain_table

_DIGITS: Final = 6


@dataclass(frozen=True)
class FinalPlaces:
    """The final standings of a tournament: the place, name, version and owner of each player. The owner is
    empty for house bots and for other players that take no place in a series.
    """

    id: str
    name: str
    records_hash: str
    rows: tuple[tuple[int, str, str, str], ...]

    def as_json(self) -> dict[str, object]:
        """Return a form that :meth:`from_json` can read."""
        return {
            "id": self.id,
            "name": self.name,
            "records_hash": self.records_hash,
            "rows": [
                {"place": place, "name": name, "version": version, "owner": owner or None}
                for place, name, version, owner in self.rows
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FinalPlaces:
        """Return the standings from the output of :meth:`as_json`, ignoring unknown keys."""
        rows = ((row["place"], row["name"], row["version"], row["owner"] or "") for row in data["rows"])
        return cls(data["id"], data["name"], data["records_hash"], tuple(rows))


@dataclass(frozen=True)
class SeriesRow:
    """The row of one player. ``results`` holds its points in each tournament, or None for tournaments in
    which it did not play, and ``counted`` marks the results that count. ``tie_breaks`` holds the values of
    the tie-breaks that were needed.
    """

    place: int
    name: str
    points: float
    results: tuple[float | None, ...]
    counted: tuple[bool, ...]
    tie_breaks: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Return the published form."""
        return {
            "place": self.place,
            "name": self.name,
            "points": self.points,
            "results": list(self.results),
            "counted": list(self.counted),
            "tie_breaks": dict(self.tie_breaks),
        }


@dataclass(frozen=True)
class SeriesTable:
    """The table of a series. ``inputs_hash`` is the hash of the rules and the standings from which the table
    was computed.
    """

    rules: SeriesRules
    inputs: tuple[FinalPlaces, ...]
    rows: tuple[SeriesRow, ...]
    inputs_hash: str

    def as_json(self) -> dict[str, object]:
        """Return the published form, from which :func:`recomputed` can compute the table again."""
        return {
            "rules": self.rules.as_json(),
            "inputs": [one.as_json() for one in self.inputs],
            "inputs_hash": self.inputs_hash,
            "rows": [row.as_json() for row in self.rows],
        }

    def as_csv(self) -> str:
        """Return the table as CSV, with one column of points per tournament, named by its id."""
        headings = ("place", self.rules.by, "points", *(one.id for one in self.inputs))
        return csv_text(headings, [(row.place, row.name, row.points, *row.results) for row in self.rows])

    def as_text(self) -> str:
        """Return the table as plain text; results that do not count are in brackets."""
        headings = ("place", self.rules.by, "points", *(str(n) for n in range(1, len(self.inputs) + 1)))
        lines: list[Sequence[str | int | float | None]] = [
            (row.place, row.name, _number(row.points), *map(_result, row.results, row.counted))
            for row in self.rows
        ]
        names = "".join(f"{n}: {one.name} ({one.id})\n" for n, one in enumerate(self.inputs, 1))
        return f"{plain_table(headings, lines, left=2)}{names}inputs {self.inputs_hash}\n"


def series_table(rules: SeriesRules, inputs: Sequence[FinalPlaces]) -> SeriesTable:
    """Return the table after the tournaments ``inputs``, in the order of the season. Raises
    :class:`InvalidSeries`.

    Only players with an owner take part. Each gets the points for its place among these players or, if the
    series is by ``owner``, for the place of the owner's best bot. Players that share a place share the points
    of the places that they occupy.
    """
    rules.check()
    results = [_gained(rules, one) for one in inputs]
    names = sorted({name for gained in results for name in gained})
    rows = {name: _row(rules, name, [gained.get(name) for gained in results]) for name in names}
    firsts = [
        {name for name, points in gained.items() if points == max(gained.values())} for gained in results
    ]
    tally = _SeriesTally(rows, firsts)
    placed: list[SeriesRow] = []
    for level in _by_value(names, lambda name: rows[name].points):
        for tied, values in _split(tally, level, rules.tie_breaks, {name: {} for name in level}):
            place = len(placed) + 1
            for name in tied:
                row = rows[name]
                placed.append(SeriesRow(place, name, row.points, row.results, row.counted, values[name]))
    return SeriesTable(rules, tuple(inputs), tuple(placed), _hash(rules, inputs))


def recomputed(data: Mapping[str, Any]) -> SeriesTable:
    """Recompute the table of a published :meth:`SeriesTable.as_json` from its inputs.

    Raises :class:`InvalidSeries`, including if the rows or the hash of the published table differ.
    """
    try:
        rules = SeriesRules.from_json(data["rules"])
        made = series_table(rules, [FinalPlaces.from_json(one) for one in data["inputs"]])
        published = (data["inputs_hash"], [dict(row) for row in data["rows"]])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidSeries(
            f"the file is not a valid series table: {error!r}", field="file", expected="the JSON of a table"
        ) from None
    if published[0] != made.inputs_hash:
        raise InvalidSeries(
            "the hash does not match the inputs", field="inputs_hash", expected=made.inputs_hash
        )
    if json.loads(json.dumps([row.as_json() for row in made.rows])) != published[1]:
        raise InvalidSeries(
            "the rows do not match the inputs", field="rows", expected="the rows computed from the inputs"
        )
    return made


@dataclass(frozen=True)
class _SeriesTally:
    rows: Mapping[str, SeriesRow]
    firsts: Sequence[set[str]]


def _gained(rules: SeriesRules, one: FinalPlaces) -> dict[str, float]:
    """Return the points of every player that takes part."""
    best: dict[str, int] = {}
    for place, name, _, owner in one.rows:
        if owner:
            who = owner if rules.by == "owner" else name
            best[who] = min(place, best.get(who, place))
    gained: dict[str, float] = {}
    start = 0
    for place in sorted(set(best.values())):
        sharing = [who for who, own in best.items() if own == place]
        filled = [
            rules.points[n] if n < len(rules.points) else 0.0 for n in range(start, start + len(sharing))
        ]
        gained.update(dict.fromkeys(sharing, round(fsum(filled) / len(sharing), _DIGITS)))
        start += len(sharing)
    return gained


def _row(rules: SeriesRules, name: str, results: Sequence[float | None]) -> SeriesRow:
    played = [(points, -number) for number, points in enumerate(results) if points is not None]
    chosen = {-number for _, number in sorted(played, reverse=True)[: rules.best]}
    counted = tuple(number in chosen for number in range(len(results)))
    points = round(
        fsum(points or 0.0 for points, counts in zip(results, counted, strict=True) if counts), _DIGITS
    )
    return SeriesRow(0, name, points, tuple(results), counted)


def _by_value(names: Sequence[str], value: Callable[[str], float]) -> list[list[str]]:
    """Group the names by equal values, highest value first."""
    levels: dict[float, list[str]] = {}
    for name in names:
        levels.setdefault(round(value(name), _DIGITS), []).append(name)
    return [levels[key] for key in sorted(levels, reverse=True)]


def _split(
    tally: _SeriesTally, tied: list[str], rules: Sequence[str], values: dict[str, dict[str, float]]
) -> list[tuple[list[str], dict[str, dict[str, float]]]]:
    if len(tied) == 1 or not rules:
        return [(tied, values)]
    for name in tied:
        values[name][rules[0]] = SERIES_TIE_BREAKS[rules[0]](tally, name)
    levels = _by_value(tied, lambda name: values[name][rules[0]])
    return [part for level in levels for part in _split(tally, level, rules[1:], values)]


def _wins(tally: _SeriesTally, name: str) -> float:
    return float(sum(name in first for first in tally.firsts))


def _best(tally: _SeriesTally, name: str) -> float:
    return max((points for points in tally.rows[name].results if points is not None), default=0.0)


def _last(tally: _SeriesTally, name: str) -> float:
    results = tally.rows[name].results
    return (results[-1] or 0.0) if results else 0.0


def _played(tally: _SeriesTally, name: str) -> float:
    return float(sum(points is not None for points in tally.rows[name].results))


SERIES_TIE_BREAKS: Final[Mapping[str, Callable[[_SeriesTally, str], float]]] = {
    "wins": _wins,
    "best": _best,
    "last": _last,
    "played": _played,
}
"""The tie-breaks: the number of tournaments won, the points of the best result, the points in the latest
tournament, and the number of tournaments played.
"""


def _hash(rules: SeriesRules, inputs: Sequence[FinalPlaces]) -> str:
    return canonical_hash({"rules": rules.as_json(), "inputs": [one.as_json() for one in inputs]})


def _number(value: float) -> str:
    return f"{value:g}"


def _result(points: float | None, counts: bool) -> str:
    if points is None:
        return ""
    return _number(points) if counts else f"({_number(points)})"
