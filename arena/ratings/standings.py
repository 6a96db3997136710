"""Final and running standings of a tournament, with the crosstable, computed from its groups."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from math import fsum, isfinite
from typing import Any, Final

from arena.errors import ArenaError
from arena.luck.share import without_luck
from arena.play.players import PlayerId
from arena.play.stats import SCORES_SPAN, is_telling, mean_interval, wilson
from arena.ratings.results import GroupResult, record_set_hash
from arena.text import csv_text, plain_table

_DIGITS: Final = 9
"""Scores that are equal when rounded to this many decimals are tied, because sums of thirds are not exact."""


_SHARE_DIGITS: Final = 6
"""The number of decimals in published shares."""


class UnknownTieBreak(ArenaError):
    """The tie-break does not exist."""

    code = "unknown_tie_break"


@dataclass(frozen=True)
class Meeting:
    """A player's ``points`` against one opponent, out of at most ``groups``."""

    points: float
    groups: int

    def as_json(self) -> dict[str, object]:
        """Return the published form, with ``share`` (the points per group) and the bounds ``low`` and
        ``high`` of its 95% interval.
        """
        share, low, high = _shares(self.points, self.groups)
        return {"points": self.points, "groups": self.groups, "share": share, "low": low, "high": high}


@dataclass(frozen=True)
class StandingsRow:
    """The row of one player. ``place`` is None for a ``baseline`` player, which takes no place.

    ``points`` is the sum over all groups and byes. A group gives from 0 to 1: the mean over its games of the
    share of the other sides that the player beat, with ties counting half. A bye gives 1. If others forfeited
    a group, only its finished games count, as a fraction of a group. ``score``, which determines the order,
    is the points per group played or bye. ``half_width`` is half the width of the 95% interval of the mean
    group, or None with fewer than two groups. ``won`` is the number of groups without a forfeit in which no
    other player scored as much. ``used_ms`` is the time for all actions, or None if the records do not
    contain it. ``adjusted`` is the score without the luck of the cards, with the half-width of its interval.
    It does not affect the order, and is None if luck is not measured or the interval would be wider.
    ``tie_breaks`` holds the values of the tie-breaks that were needed, by name.
    """

    place: int | None
    name: str
    version: str
    groups: int
    byes: int
    points: float
    score: float
    half_width: float | None
    won: int
    games: int
    faults: int
    forfeits: int
    used_ms: int | None
    tie_breaks: dict[str, float]
    baseline: bool = False
    adjusted: float | None = None
    adjusted_half_width: float | None = None


@dataclass(frozen=True)
class Standings:
    """The standings of a tournament.

    ``rows`` are from first to last, with baseline players after all others. ``meetings[i][j]`` is what row
    ``i`` scored against row ``j``, or None if they did not meet as opponents. ``records_hash`` is the hash of
    the hashes of all records.
    """

    rows: tuple[StandingsRow, ...]
    meetings: tuple[tuple[Meeting | None, ...], ...]
    groups: int
    records_hash: str
    tie_breaks: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the published form."""
        return self._json(Meeting.as_json)

    def stored(self) -> dict[str, object]:
        """Return the form to store. Because the crosstable can be large, it omits values that can be computed
        from points and groups.
        """
        return self._json(vars)

    def _json(self, shown: Callable[[Meeting], dict[str, object]]) -> dict[str, object]:
        return {
            "groups": self.groups,
            "records_hash": self.records_hash,
            "tie_breaks": list(self.tie_breaks),
            "rows": [dict(vars(row)) for row in self.rows],
            "crosstable": [
                [None if meeting is None else dict(shown(meeting)) for meeting in row]
                for row in self.meetings
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Standings:
        """Return the standings from the output of :meth:`as_json`, ignoring unknown keys at every level."""
        return cls(
            tuple(StandingsRow(*_values(StandingsRow, row)) for row in data["rows"]),
            tuple(
                tuple(None if meeting is None else Meeting(*_values(Meeting, meeting)) for meeting in row)
                for row in data["crosstable"]
            ),
            data["groups"],
            data["records_hash"],
            tuple(data["tie_breaks"]),
        )

    def placed(self, places: Mapping[PlayerId, int]) -> Standings:
        """Return the standings in the order of ``places``, as determined by a knockout. Players without a
        place come last, in their current order.
        """
        last = len(self.rows)
        row_places = [places.get(PlayerId(row.name, row.version), last) for row in self.rows]
        order = sorted(range(last), key=row_places.__getitem__)
        return replace(
            self,
            rows=tuple(replace(self.rows[number], place=row_places[number]) for number in order),
            meetings=tuple(tuple(self.meetings[mine][other] for other in order) for mine in order),
        )

    def as_csv(self) -> str:
        """Return the rows and the crosstable as CSV, with one column of points per opponent in the order of
        the rows.
        """
        headings = (
            "place", "name", "version", "groups", "byes", "points", "score", "half_width", "won", "games",
            "faults", "forfeits", "used_ms", "adjusted", "adjusted_half_width", "baseline",
            *(f"tie_break_{rule}" for rule in self.tie_breaks),
            *(f"against_{number}" for number in range(1, len(self.rows) + 1)),
        )  # fmt: skip
        lines = []
        for row, meetings in zip(self.rows, self.meetings, strict=True):
            values = [getattr(row, name) for name in headings[:15]]
            used = [row.tie_breaks.get(rule) for rule in self.tie_breaks]
            gained = [None if meeting is None else meeting.points for meeting in meetings]
            lines.append([*values, "baseline" if row.baseline else None, *used, *gained])
        return csv_text(headings, lines)

    def as_text(self) -> str:
        """Return the rows and the crosstable as two plain-text tables."""
        with_luck = any(row.adjusted is not None for row in self.rows)
        lines = plain_table(
            (
                "place",
                "bot",
                "version",
                "points",
                "score",
                "95%",
                *(("less luck", "95%") if with_luck else ()),
                "groups",
                "byes",
                "won",
                "faults",
                "time",
            ),
            (
                (
                    "baseline" if row.place is None else row.place,
                    row.name,
                    row.version,
                    f"{row.points:.2f}",
                    f"{row.score:.3f}",
                    _half_width(row.half_width),
                    *(
                        (
                            "" if row.adjusted is None else f"{row.adjusted:.3f}",
                            _half_width(row.adjusted_half_width),
                        )
                        if with_luck
                        else ()
                    ),
                    row.groups,
                    row.byes,
                    row.won,
                    row.faults,
                    "" if row.used_ms is None else f"{row.used_ms / 1000:.1f} s",
                )
                for row in self.rows
            ),
            left=3,
        )
        cross = plain_table(
            ("", "bot", *(str(number) for number in range(1, len(self.rows) + 1))),
            (
                (number, row.name, *(_meeting_text(meeting) for meeting in meetings))
                for number, (row, meetings) in enumerate(zip(self.rows, self.meetings, strict=True), 1)
            ),
            left=2,
        )
        return f"{lines}\n{cross}"


def _half_width(value: float | None) -> str:
    """Format a half-width. With few groups, the interval can be as wide as all possible scores; it is then
    omitted.
    """
    return f"± {value:.3f}" if is_telling(value, SCORES_SPAN) else ""


def _values(kind: type[StandingsRow | Meeting], row: Mapping[str, Any]) -> list[Any]:
    return [row[item.name] for item in fields(kind)]


def standings(
    groups: Iterable[GroupResult],
    *,
    entrants: Iterable[PlayerId] = (),
    byes: Mapping[PlayerId, int] | None = None,
    tie_breaks: Sequence[str] = ("head_to_head", "sonneborn_berger", "won"),
    baseline: Collection[PlayerId] = (),
) -> Standings:
    """Return the standings after ``groups``, which can be in any order. Only groups that count are included
    (see ``GroupResult.counts_for``).

    ``entrants`` are listed from the start, even if they have played no group or their only opponents
    forfeited. ``tie_breaks`` are names of :data:`TIE_BREAKS`, in the order in which they are applied; players
    still tied after the last one share a place. ``baseline`` players take no place and come last, ordered
    among themselves; groups against them count. Raises :class:`UnknownTieBreak`.
    """
    for rule in tie_breaks:
        if rule not in TIE_BREAKS:
            raise UnknownTieBreak(
                f"there is no tie-break {rule!r}",
                field="tie_breaks",
                expected="one of " + ", ".join(TIE_BREAKS),
            )
    tally = _Tally(groups, entrants, byes or {})
    order: list[tuple[int | None, PlayerId]] = []
    values: dict[PlayerId, dict[str, float]] = defaultdict(dict)
    for apart in (False, True):
        players = [player for player in tally.players if (player in baseline) is apart]
        for level in _levels(players, tally.score):
            for tied in _split(tally, level, tie_breaks, values):
                place = None if apart else len(order) + 1
                order += [(place, player) for player in tied]
    rows = [tally.row(player, place, values[player]) for place, player in order]
    meetings = [[tally.meetings.get((mine, other)) for _, other in order] for _, mine in order]
    return Standings(
        tuple(rows),
        tuple(map(tuple, meetings)),
        len(tally.groups),
        record_set_hash(tally.groups).hex(),
        tuple(tie_breaks),
    )


class _Tally:
    """All points, groups and other totals, by player."""

    def __init__(
        self, groups: Iterable[GroupResult], entrants: Iterable[PlayerId], byes: Mapping[PlayerId, int]
    ) -> None:
        self.groups = sorted((group for group in groups if group.counts_for), key=lambda g: (g.kind, g.id))
        self.byes = byes
        self.played: dict[PlayerId, list[GroupResult]] = {player: [] for player in (*entrants, *byes)}
        self.won: Counter[PlayerId] = Counter()
        gained: dict[tuple[PlayerId, PlayerId], list[float]] = defaultdict(list)
        for group in self.groups:
            scores = {player: round(group.score(player), _DIGITS) for player in group.players}
            best = [player for player, score in scores.items() if score == max(scores.values())]
            for player in group.players:
                self.played.setdefault(player, [])
            for player in group.counts_for:
                self.played[player].append(group)
                self.won[player] += best == [player] and not group.forfeiters
                for other in group.players:
                    forfeited = group.forfeiters and player not in group.forfeiters
                    meeting = None if forfeited else group_points(group, player, other)
                    if meeting is not None:
                        gained[player, other].append(meeting)
        self.players = sorted(self.played)
        self.scores = {
            player: [group.score(player) for group in played] for player, played in self.played.items()
        }
        self.shares = {
            player: [group.share(player) for group in played] for player, played in self.played.items()
        }
        self.meetings = {pair: Meeting(round(fsum(own), _DIGITS), len(own)) for pair, own in gained.items()}

    def points(self, player: PlayerId) -> float:
        parts = [score * share for score, share in zip(self.scores[player], self.shares[player], strict=True)]
        return round(fsum(parts) + self.byes.get(player, 0), _DIGITS)

    def score(self, player: PlayerId) -> float:
        counted = fsum(self.shares[player]) + self.byes.get(player, 0)
        return round(self.points(player) / counted, _DIGITS) if counted else 0.0

    def row(self, player: PlayerId, place: int | None, tie_breaks: dict[str, float]) -> StandingsRow:
        """Return the row of a player; a player without a place is a baseline player."""
        played = self.played[player]
        games = [game for group in played for game in group.games_for(player) if player in game.players]
        seats = [(game, seat) for game in games for seat, p in enumerate(game.players) if p == player]
        timed = bool(games) and all(game.used_ms for game in games)
        _, half = mean_interval(self.scores[player])
        return StandingsRow(
            place,
            player.name,
            player.version,
            len(played),
            self.byes.get(player, 0),
            self.points(player),
            self.score(player),
            round(half, _DIGITS) if isfinite(half) else None,
            self.won[player],
            len(games),
            sum(game.faults[seat] for game, seat in seats),
            sum(player in group.forfeiters for group in played),
            sum(game.used_ms[seat] for game, seat in seats) if timed else None,
            tie_breaks,
            place is None,
            *self._without_luck(player),
        )

    def _without_luck(self, player: PlayerId) -> tuple[float | None, float | None]:
        """Return the score without luck and the half-width of its interval, or None if the interval would be
        wider than that of the score.
        """
        lucks = [group.luck(player) for group in self.played[player]]
        known = [luck for luck in lucks if luck is not None]
        if not known or len(known) < len(lucks):
            return None, None
        adjusted = without_luck(self.scores[player], known)
        parts = [score * share for score, share in zip(adjusted, self.shares[player], strict=True)]
        byes = self.byes.get(player, 0)
        counted = fsum(self.shares[player]) + byes
        _, half = mean_interval(adjusted)
        if not counted or half > mean_interval(self.scores[player])[1]:
            return None, None
        score = round((fsum(parts) + byes) / counted, _DIGITS)
        return score, round(half, _DIGITS) if isfinite(half) else None


def group_points(group: GroupResult, player: PlayerId, other: PlayerId) -> float | None:
    """Return the points of ``player`` against ``other`` in a group, from 0 to 1: the mean over its games of
    being placed better (1), equally (½) or worse (0). Return 0 if ``player`` forfeited, and None if the two
    were not opponents.
    """
    team_of = {seat: number for number, team in enumerate(group.teams) for seat in team}
    points = []
    for game in group.games:
        for mine, name in enumerate(game.players):
            if name != player:
                continue
            for theirs, rival in enumerate(game.players):
                if rival == other != player and team_of[mine] != team_of[theirs]:
                    here, there = game.places[mine], game.places[theirs]
                    points.append(1.0 if here < there else 0.5 if here == there else 0.0)
    if not points:
        return None
    return 0.0 if player in group.forfeiters else fsum(points) / len(points)


def _levels(players: Sequence[PlayerId], value: Callable[[PlayerId], float]) -> list[list[PlayerId]]:
    """Group the players by equal values, highest value first."""
    levels: dict[float, list[PlayerId]] = defaultdict(list)
    for player in players:
        levels[value(player)].append(player)
    return [levels[key] for key in sorted(levels, reverse=True)]


def _split(
    tally: _Tally, tied: list[PlayerId], rules: Sequence[str], values: dict[PlayerId, dict[str, float]]
) -> list[list[PlayerId]]:
    """Split ``tied`` players by the tie-breaks ``rules``, from first to last, and store the values used in
    ``values``.
    """
    if len(tied) == 1 or not rules:
        return [tied]
    scores = {player: round(TIE_BREAKS[rules[0]](tally, player, tied), _DIGITS) for player in tied}
    for player, value in scores.items():
        values[player][rules[0]] = value
    return [
        part
        for level in _levels(tied, scores.__getitem__)
        for part in _split(tally, level, rules[1:], values)
    ]


def _head_to_head(tally: _Tally, player: PlayerId, tied: Sequence[PlayerId]) -> float:
    met = [tally.meetings[player, other] for other in tied if (player, other) in tally.meetings]
    played = sum(meeting.groups for meeting in met)
    return fsum(meeting.points for meeting in met) / played if played else 0.0


def _sonneborn_berger(tally: _Tally, player: PlayerId, tied: Sequence[PlayerId]) -> float:
    return fsum(
        meeting.points * tally.score(other)
        for (mine, other), meeting in tally.meetings.items()
        if mine == player
    )


def _buchholz(tally: _Tally, player: PlayerId, tied: Sequence[PlayerId]) -> float:
    return fsum(
        meeting.groups * tally.score(other)
        for (mine, other), meeting in tally.meetings.items()
        if mine == player
    )


def _won(tally: _Tally, player: PlayerId, tied: Sequence[PlayerId]) -> float:
    return float(tally.won[player])


def _fewest_faults(tally: _Tally, player: PlayerId, tied: Sequence[PlayerId]) -> float:
    return -float(
        sum(
            faults
            for group in tally.played[player]
            for game in group.games_for(player)
            for name, faults in zip(game.players, game.faults, strict=True)
            if name == player
        )
    )


TIE_BREAKS: Final[dict[str, Callable[[_Tally, PlayerId, Sequence[PlayerId]], float]]] = {
    "head_to_head": _head_to_head,
    "sonneborn_berger": _sonneborn_berger,
    "buchholz": _buchholz,
    "won": _won,
    "fewest_faults": _fewest_faults,
}
"""The tie-breaks by name (see ``docs/ratings.md``). The player with the higher value is placed first."""


@lru_cache(1 << 14)
def _shares(points: float, groups: int) -> tuple[float, float, float] | tuple[None, None, None]:
    """Return the points per group with the bounds of its interval, rounded. Results are cached, because a
    crosstable has few different values.
    """
    if not groups:
        return None, None, None
    low, high = wilson(points, groups)
    return round(points / groups, _SHARE_DIGITS), round(low, _SHARE_DIGITS), round(high, _SHARE_DIGITS)


def _meeting_text(meeting: Meeting | None) -> str:
    return "" if meeting is None else f"{meeting.points:g}/{meeting.groups}"
