"""Leaderboards: one per game and division, a pure function of the results."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.games import game_of
from arena.games.descriptor import Awards
from arena.play.players import PlayerId
from arena.ratings.bootstrap import REPLICATES, Z, standard_errors
from arena.ratings.ledger import Ledger, PlayerTotals
from arena.ratings.model import SCALE, Block, Likelihood
from arena.ratings.results import GroupResult
from arena.text import Cell, csv_text, plain_table

ANCHOR: Final = "rookie"
"""The house bot with a rating of exactly ``ANCHOR_RATING``; all its versions are one player."""

ANCHOR_RATING: Final = 1500.0

SETTLED_GROUPS: Final = 30
"""With fewer groups a rating is provisional, and its interval is that of the likelihood."""

METHOD: Final = 2
"""The version of the method by which ratings and intervals are computed; boards without one have the first
(``docs/ratings.md``).
"""

DIGITS: Final = 1
"""Decimals of published ratings and bounds."""


@dataclass(frozen=True)
class Rating:
    """One version of a bot.

    ``low`` and ``high`` bound the 95% interval of its difference to the anchor. ``provisional``: too
    few groups, or no game connects it with the anchor. ``groups`` and ``games`` are those that
    count for it, ``forfeits`` the groups that it lost by forfeit. ``last_seen_ms``: milliseconds since
    1970, None if the records do not say.
    """

    version: str
    rating: float
    low: float
    high: float
    provisional: bool
    groups: int
    games: int
    faults: int
    forfeits: int
    last_seen_ms: int | None


@dataclass(frozen=True)
class Row:
    """One bot: the rating of its current version (the last seen, else the highest number), the
    version with the best rating, and all of them.
    """

    rank: int
    name: str
    rating: Rating
    best_version: str
    versions: tuple[Rating, ...]


@dataclass(frozen=True)
class Title:
    """The holders of a title, with the value of its measure."""

    holders: tuple[str, ...]
    value: float
    measure: str


@dataclass(frozen=True)
class Board:
    """A leaderboard. ``records_hash``: the hash of the hashes of its ``records`` records, and the seed of
    the intervals. ``anchored``: whether the anchor has played here; else the level of all ratings
    is that of the average bot. ``method``: by which version of the method it was computed.
    """

    kind: str
    division: str
    records: int
    records_hash: str
    groups: int
    anchored: bool
    rows: tuple[Row, ...]
    titles: dict[str, Title] = field(default_factory=dict)
    method: int = METHOD

    def as_json(self) -> dict[str, Any]:
        """As it is published."""
        rows = []
        for row in self.rows:
            entry: dict[str, Any] = {"rank": row.rank, "name": row.name, **asdict(row.rating)}
            entry["best_version"] = row.best_version
            entry["versions"] = [asdict(rating) for rating in row.versions]
            rows.append(entry)
        return {
            "kind": self.kind,
            "division": self.division,
            "method": self.method,
            "anchor": {"name": ANCHOR, "rating": ANCHOR_RATING, "played": self.anchored},
            "records": self.records,
            "records_hash": self.records_hash,
            "groups": self.groups,
            "rows": rows,
            "titles": {name: asdict(title) for name, title in self.titles.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Board:
        """The board of an :meth:`as_json`; other keys are ignored, on all levels."""
        rows = []
        for row in data["rows"]:
            versions = tuple(map(_rating, row["versions"]))
            current = {rating.version: rating for rating in versions}[row["version"]]
            rows.append(Row(row["rank"], row["name"], current, row["best_version"], versions))
        titles = {
            name: Title(tuple(title["holders"]), title["value"], title["measure"])
            for name, title in data["titles"].items()
        }
        return cls(
            data["kind"],
            data["division"],
            data["records"],
            data["records_hash"],
            data["groups"],
            data["anchor"]["played"],
            tuple(rows),
            titles,
            data.get("method", 1),
        )

    def as_csv(self) -> str:
        """All versions, a line each; see :func:`boards_csv`."""
        return boards_csv([self])

    def as_text(self) -> str:
        """The table for people."""
        table = plain_table(
            ("rank", "bot", "version", "rating", "95%", "", "groups", "games", "faults", "last seen"),
            (
                (
                    row.rank,
                    row.name,
                    row.rating.version,
                    f"{row.rating.rating:.{DIGITS}f}",
                    f"{row.rating.low:.{DIGITS}f}-{row.rating.high:.{DIGITS}f}",
                    "provisional" if row.rating.provisional else "",
                    row.rating.groups,
                    row.rating.games,
                    row.rating.faults,
                    _day(row.rating.last_seen_ms),
                )
                for row in self.rows
            ),
            left=3,
        )
        lines = [
            f"{self.kind}, {self.division}: {self.groups} groups, {self.records} records\n",
            f"records hash: {self.records_hash}\n\n",
            table,
        ]
        if not self.anchored:
            lines.append(f"{ANCHOR} has not played here: {ANCHOR_RATING:.0f} is the average bot.\n")
        for name, title in self.titles.items():
            lines.append(f"{name}: {', '.join(title.holders)} ({title.measure}: {title.value:g})\n")
        return "".join(lines)


def _rating(values: Mapping[str, Any]) -> Rating:
    return Rating(*(values[item.name] for item in fields(Rating)))


CSV_HEADINGS: Final = (
    "kind", "division", "rank", "name", "version", "rating", "low", "high", "provisional", "groups", "games",
    "faults", "forfeits", "last_seen_ms", "current", "best", "records", "records_hash",
)  # fmt: skip


def boards_csv(boards: Iterable[Board]) -> str:
    """All versions on all ``boards``, a line each; only current versions have a rank."""
    lines: list[Sequence[Cell]] = []
    for board in boards:
        for row in board.rows:
            for rating in row.versions:
                current = rating.version == row.rating.version
                flags = (int(current), int(rating.version == row.best_version))
                values = {**asdict(rating), "provisional": int(rating.provisional)}.values()
                version, *rest = values
                rank = row.rank if current else None
                source = (board.records, board.records_hash)
                lines.append((board.kind, board.division, rank, row.name, version, *rest, *flags, *source))
    return csv_text(CSV_HEADINGS, lines)


def board(groups: Iterable[GroupResult], kind: str, division: str, *, replicates: int = REPLICATES) -> Board:
    """The leaderboard of one game and division. ``groups``: of any games, in any order."""
    ledger = Ledger(kind, division)
    for group in groups:
        ledger.add(group)
    return ledger_board(ledger, replicates=replicates)


def boards(groups: Iterable[GroupResult], *, replicates: int = REPLICATES) -> list[Board]:
    """Every board that ``groups`` fill, sorted by kind and division."""
    ledgers: dict[tuple[str, str], Ledger] = {}
    for group in groups:
        if group.counts_for:
            where = group.kind, group.division
            ledgers.setdefault(where, Ledger(*where)).add(group)
    return [ledger_board(ledger, replicates=replicates) for _, ledger in sorted(ledgers.items())]


def ledger_board(ledger: Ledger, *, replicates: int = REPLICATES) -> Board:
    """The leaderboard of the groups of ``ledger``, independent of the order in which they were added."""
    seed = ledger.records_hash()
    anchor = PlayerId(ANCHOR, "")
    players = sorted({_rated(player) for player in ledger.totals} | {anchor})
    index = {player: number for number, player in enumerate(players)}
    blocks = ledger.blocks({player: index[_rated(player)] for player in ledger.totals})
    likelihood = Likelihood(len(players), blocks)
    strengths = likelihood.fit()
    rated = _rated_totals(ledger.totals)
    settled = np.zeros(len(players), dtype=np.bool_)
    for player, _, own in rated:
        settled[index[player]] = own.groups >= SETTLED_GROUPS
    errors = standard_errors(likelihood, strengths, index[anchor], seed, settled, replicates)
    connected = _connected(blocks, len(players), index[anchor])
    ratings: dict[str, list[Rating]] = defaultdict(list)
    for player, version, own in rated:
        number = index[player]
        center = float(strengths[likelihood.rated[number]] - strengths[index[anchor]])
        half = Z * float(errors[number])
        if player == anchor:
            center = half = 0.0
        ratings[player.name].append(
            Rating(
                version,
                _published(center),
                _published(center - half),
                _published(center + half),
                player != anchor and not bool(settled[number] and connected[number]),
                own.groups,
                own.games,
                own.faults,
                own.forfeits,
                own.last_seen_ms or None,
            )
        )
    awards = game_of(ledger.kind).awards
    return Board(
        ledger.kind,
        ledger.division,
        ledger.records,
        seed.hex(),
        ledger.groups,
        ANCHOR in ratings,
        _rows(ratings),
        {} if awards is None else _titles(awards, ledger.totals),
    )


def _published(strength: float) -> float:
    return round(ANCHOR_RATING + SCALE * strength, DIGITS)


def _rated(player: PlayerId) -> PlayerId:
    """The player that is rated for the games of ``player``."""
    return PlayerId(ANCHOR, "") if player.name == ANCHOR else player


def _rated_totals(totals: Mapping[PlayerId, PlayerTotals]) -> list[tuple[PlayerId, str, PlayerTotals]]:
    """The players with a rating: as rated, with the version (of the anchor, the last seen) and the totals."""
    found = []
    anchor = PlayerTotals()
    version = ""
    for player, own in sorted(totals.items(), key=lambda item: item[0]):
        if not own.groups:
            continue
        if player.name != ANCHOR:
            found.append((player, player.version, own))
            continue
        newer = (own.last_seen_ms, _natural(player.version)) > (anchor.last_seen_ms, _natural(version))
        version = player.version if newer else version
        anchor = anchor.merged(own)
    if anchor.groups:
        found.append((PlayerId(ANCHOR, ""), version, anchor))
    return found


def _connected(blocks: Sequence[Block], players: int, anchor: int) -> NDArray[np.bool_]:
    """For each player, whether a chain of games connects it with the anchor."""
    part = np.arange(players)
    while True:
        joined = part.copy()
        for block in blocks:
            table = block.sides.reshape(len(block.sides), -1)
            least = part[table].min(axis=1)
            for slot in table.T:
                np.minimum.at(joined, part[slot], least)
        while (joined[joined] != joined).any():
            joined = joined[joined]
        if (joined == part).all():
            found: NDArray[np.bool_] = part == part[anchor]
            return found
        part = joined


def _rows(ratings: dict[str, list[Rating]]) -> tuple[Row, ...]:
    current = {name: max(own, key=_currency) for name, own in ratings.items()}
    bounds = sorted(rating.low for rating in current.values())
    rows = []
    for name, own in ratings.items():
        mine = current[name]
        rank = 1 + len(bounds) - bisect_right(bounds, mine.high)
        best = max(own, key=lambda rating: (not rating.provisional, rating.rating, _currency(rating)))
        versions = tuple(sorted(own, key=_currency, reverse=True))
        rows.append(Row(rank, name, mine, best.version, versions))
    rows.sort(key=lambda row: (row.rating.provisional, row.rank, -row.rating.rating, row.name))
    return tuple(rows)


def _currency(rating: Rating) -> tuple[int, list[tuple[int, int, str]]]:
    """The sort key by which the current version is the greatest."""
    return rating.last_seen_ms or 0, _natural(rating.version)


def _natural(version: str) -> list[tuple[int, int, str]]:
    """A key that puts version 10 after version 9."""
    parts = re.findall(r"[0-9]+|[^0-9]+", version)
    return [(1, int(part), part) if part[0] in "0123456789" else (0, 0, part) for part in parts]


def _titles(awards: Awards, totals: Mapping[PlayerId, PlayerTotals]) -> dict[str, Title]:
    """The holders of a game's titles; some titles require enough groups for a settled rating."""
    bots: dict[str, PlayerTotals] = defaultdict(PlayerTotals)
    for player, own in totals.items():
        bots[player.name] = bots[player.name].merged(own)
    titles = {}
    for award in awards.awards:
        values = {
            name: value
            for name, own in bots.items()
            if (not award.settled or own.groups >= SETTLED_GROUPS)
            and (value := award.value(own.tally)) is not None
        }
        if any(values.values()):
            titles[award.title] = _most(values, award.measure)
    return titles


def _most(values: Mapping[str, float], measure: str) -> Title:
    most = max(values.values())
    return Title(tuple(sorted(name for name, value in values.items() if value == most)), most, measure)


def _day(milliseconds: int | None) -> str:
    if milliseconds is None:
        return ""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return ""
