"""Leaderboards, one per preset of a game and division, computed purely from the results."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.games import game_of
from arena.games.descriptor import Awards
from arena.luck.equity import has_table, table_of
from arena.play.board_names import SETTLED_GROUPS as SETTLED_GROUPS
from arena.play.board_names import BoardName, lacking, rank_text
from arena.play.players import COPY_MARK, MODELS, PlayerId
from arena.ratings.blocks import Block
from arena.ratings.bootstrap import REPLICATES, Adjusted, Differences, Z, adjusted
from arena.ratings.counting import HOUSE, Parties, counted
from arena.ratings.counting import figures as count_figures
from arena.ratings.ledger import Ledger, PlayerTotals
from arena.ratings.model import SCALE, Likelihood
from arena.ratings.results import GroupResult
from arena.ratings.solver import IntArray
from arena.ratings.supplement import NO_SUPPLEMENT, PROVEN_PARTIES, Supplement
from arena.text import Cell, csv_text, plain_table

ANCHOR: Final = "rookie"
"""The house bot whose rating is exactly ``ANCHOR_RATING``. All of its versions count as one player."""

ANCHOR_RATING: Final = 1500.0

ADJUSTED_FROM: Final = 5.0
"""The minimum information, as a sum of p(1 - p) over games, for a rating without luck. For bots that nearly
always win or lose, the luck is larger than the information about their strength.
"""

RETIRED_DAYS: Final = 14
"""A bot has retired if it was last seen more than this many days before the newest group of the board."""

METHOD: Final = 5
"""The version of the method by which ratings and intervals are computed (see ``docs/ratings.md``)."""

DIGITS: Final = 1
"""The number of decimals in published ratings and bounds."""


@dataclass(frozen=True)
class Rating:
    """The rating of one version of a bot.

    ``low`` and ``high`` bound the 95% interval of its difference from the anchor. A rating is ``provisional``
    if the version has too few groups or no chain of games connects it to the anchor. ``groups`` and ``games``
    are the numbers of groups and games that count for the version, and ``forfeits`` is the number of groups
    that it lost by forfeit. ``last_seen_ms`` is Unix time in milliseconds, or None if the records do not
    contain it. ``adjusted`` is the rating without the luck of the cards, with the bounds of its interval; all
    three are None if too little is known. On boards of the division ``models``, ``illegal`` and ``late`` are
    the numbers of the version's answers that were refused or too late. In ``house_groups`` of the groups, it
    met a house bot; ``without_house`` is what its rating would be without these, or None if it has too few
    others.
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
    adjusted: float | None = None
    adjusted_low: float | None = None
    adjusted_high: float | None = None
    illegal: int = 0
    late: int = 0
    house_groups: int = 0
    without_house: float | None = None


@dataclass(frozen=True)
class Row:
    """The row of one bot, with the rating of its current version (the one last seen or, in case of a tie,
    with the highest number), its best version, and all of its versions. ``rank`` and ``worst_rank`` bound its
    rank; both are None while the rating is provisional and once the bot has ``retired``: it was not seen for
    long, or was withdrawn. ``versions_tried`` is the number of versions that have played on this board.
    ``proven``: whether its owners have proven to be persons; house bots are proven. ``chosen``: whether its
    owners want a rank for it, of the few that they can have.
    """

    rank: int | None
    worst_rank: int | None
    name: str
    rating: Rating
    best_version: str
    versions: tuple[Rating, ...]
    retired: bool
    versions_tried: int
    proven: bool
    chosen: bool


@dataclass(frozen=True)
class Title:
    """The holders of a title, with the value that earned it and what that value measures."""

    holders: tuple[str, ...]
    value: float
    measure: str


@dataclass(frozen=True)
class Board:
    """A leaderboard.

    ``preset`` is the preset of the rules that were played. ``records_hash`` is the hash of the hashes of its
    ``records`` records, and the seed of the intervals. ``anchored``: whether the anchor has played on this
    board; if not, all ratings are relative to the average bot. ``method`` is the version of the method by
    which the board was computed. ``luck_table`` is the hash of the equity table used to measure luck, or None
    if luck is not measured. ``supplement_hash`` is the hash of the supplement with which the board was
    computed, and ``proven_parties`` is the number of its parties that are proven.
    """

    kind: str
    division: str
    preset: str
    records: int
    records_hash: str
    groups: int
    anchored: bool
    rows: tuple[Row, ...]
    titles: dict[str, Title] = field(default_factory=dict)
    method: int = METHOD
    luck_table: str | None = None
    supplement_hash: str = NO_SUPPLEMENT.hash
    proven_parties: int = 0

    @property
    def has_supplement(self) -> bool:
        """Whether the board was computed from more than its records."""
        return self.supplement_hash != NO_SUPPLEMENT.hash

    def as_json(self) -> dict[str, Any]:
        """Return the published form."""
        rows = []
        for row in self.rows:
            entry: dict[str, object] = {"rank": row.rank, "worst_rank": row.worst_rank, "name": row.name}
            entry |= self._shown(row.rating)
            entry |= {name: getattr(row, name) for name in _OF_ROW}
            entry["versions"] = [self._shown(rating) for rating in row.versions]
            rows.append(entry)
        return {
            "kind": self.kind,
            "preset": self.preset,
            "division": self.division,
            "method": self.method,
            "luck_table": self.luck_table,
            "anchor": {"name": ANCHOR, "rating": ANCHOR_RATING, "played": self.anchored},
            "records": self.records,
            "records_hash": self.records_hash,
            "supplement_hash": self.supplement_hash,
            "proven_parties": self.proven_parties,
            "proven_needed": PROVEN_PARTIES,
            "groups": self.groups,
            "rows": rows,
            "titles": {name: asdict(title) for name, title in self.titles.items()},
        }

    def _shown(self, rating: Rating) -> dict[str, object]:
        values = asdict(rating)
        if self.division != MODELS:
            for name in MISTAKES:
                del values[name]
        return values

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Board:
        """Return the board from the output of :meth:`as_json`, ignoring unknown keys at every level."""
        rows = []
        for row in data["rows"]:
            versions = tuple(map(_rating, row["versions"]))
            current = {rating.version: rating for rating in versions}[row["version"]]
            best, *more = (row[name] for name in _OF_ROW)
            rows.append(Row(row["rank"], row["worst_rank"], row["name"], current, best, versions, *more))
        titles = {
            name: Title(tuple(title["holders"]), title["value"], title["measure"])
            for name, title in data["titles"].items()
        }
        return cls(
            data["kind"],
            data["division"],
            data["preset"],
            data["records"],
            data["records_hash"],
            data["groups"],
            data["anchor"]["played"],
            tuple(rows),
            titles,
            data["method"],
            data["luck_table"],
            data["supplement_hash"],
            data["proven_parties"],
        )

    def as_csv(self) -> str:
        """Return all versions as CSV, one per line; see :func:`boards_csv`."""
        return boards_csv([self])

    def as_text(self, declared: Mapping[str, Sequence[Cell]] = MappingProxyType({})) -> str:
        """Return the leaderboard as a plain-text table. ``declared`` maps each bot of the division ``models``
        to its model and its cost per game.
        """
        with_luck = any(row.rating.adjusted is not None for row in self.rows)
        more: tuple[str, ...] = (*MISTAKES, "model", "$ per game") if self.division == MODELS else ()
        table = plain_table(
            (
                "rank",
                "bot",
                "version",
                "rating",
                "95%",
                *(("less luck", "95%") if with_luck else ()),
                "",
                "groups",
                "games",
                "faults",
                "last seen",
                *more,
            ),
            (
                (
                    rank_text(row.rank, row.worst_rank),
                    row.name,
                    row.rating.version,
                    *(
                        ("-", "")
                        if row.rating.provisional
                        else _rating_text(row.rating.rating, row.rating.low, row.rating.high)
                    ),
                    *(
                        _rating_text(row.rating.adjusted, row.rating.adjusted_low, row.rating.adjusted_high)
                        if with_luck
                        else ()
                    ),
                    _state_text(row),
                    row.rating.groups,
                    row.rating.games,
                    row.rating.faults,
                    _day(row.rating.last_seen_ms),
                    *self._mistakes(row.rating),
                    *(declared.get(row.name, ("", "")) if more else ()),
                )
                for row in self.rows
            ),
            left=3,
        )
        name = BoardName(self.kind, self.division, self.preset)
        lines = [
            f"{name.title}: {self.groups} groups, {self.records} records\n",
            f"records hash: {self.records_hash}\n",
            *([f"supplement hash: {self.supplement_hash}\n"] if self.has_supplement else []),
            "\n",
            table,
        ]
        if not self.anchored:
            lines.append(
                f"{ANCHOR} has not played here: {ANCHOR_RATING:.0f} is the rating of the average bot.\n"
            )
        for award, title in self.titles.items():
            lines.append(f"{award}: {', '.join(title.holders)} ({title.measure}: {title.value:g})\n")
        return "".join(lines)

    def _mistakes(self, rating: Rating) -> tuple[int, ...]:
        return (rating.illegal, rating.late) if self.division == MODELS else ()


_OF_ROW: Final = ("best_version", "retired", "versions_tried", "proven", "chosen")
"""The fields of a row beside its rank, name and ratings."""

MISTAKES: Final = ("illegal", "late")
"""The fields of a rating that only boards of the division ``models`` show."""


def _rating_text(rating: float | None, low: float | None, high: float | None) -> tuple[str, str]:
    if rating is None or low is None or high is None:
        return "", ""
    return f"{rating:.{DIGITS}f}", f"{low:.{DIGITS}f}-{high:.{DIGITS}f}"


def _state_text(row: Row) -> str:
    if row.retired:
        return "retired"
    return f"provisional: {lacking(row.rating.groups)}" if row.rating.provisional else ""


def _rating(values: Mapping[str, Any]) -> Rating:
    # Only boards of the division models have these counts.
    names = [item.name for item in fields(Rating) if item.name in values or item.name not in MISTAKES]
    return Rating(**{name: values[name] for name in names})


CSV_HEADINGS: Final = (
    "kind", "preset", "division", "rank", "worst_rank", "name", "version", "rating", "low", "high",
    "provisional", "groups", "games", "faults", "forfeits", "last_seen_ms", "adjusted", "adjusted_low",
    "adjusted_high", "current", "best", "retired", "versions_tried", "records", "records_hash",
    "house_groups", "without_house", "proven", "chosen", "illegal", "late",
)  # fmt: skip


def boards_csv(boards: Iterable[Board]) -> str:
    """Return all versions on all ``boards`` as CSV, one per line. Only current versions can have a rank."""
    lines: list[Sequence[Cell]] = []
    for board in boards:
        for row in board.rows:
            owners = int(row.proven), int(row.chosen)
            for rating in row.versions:
                current = rating.version == row.rating.version
                flags = (int(current), int(rating.version == row.best_version))
                values = {**asdict(rating), "provisional": int(rating.provisional)}
                mistakes = [values.pop(name) for name in MISTAKES]
                house = [values.pop(name) for name in ("house_groups", "without_house")]
                version, *rest = values.values()
                shown = mistakes if board.division == MODELS else [None, None]
                ranks = (row.rank, row.worst_rank) if current else (None, None)
                source = (int(row.retired), row.versions_tried, board.records, board.records_hash)
                where = (board.kind, board.preset, board.division)
                lines.append(
                    (*where, *ranks, row.name, version, *rest, *flags, *source, *house, *owners, *shown)
                )
    return csv_text(CSV_HEADINGS, lines)


def board(
    groups: Iterable[GroupResult],
    kind: str,
    division: str,
    preset: str | None = None,
    supplement: Supplement = NO_SUPPLEMENT,
    *,
    replicates: int = REPLICATES,
) -> Board:
    """Return one leaderboard, by default that of the game's first preset. ``groups`` can include other games
    and can be in any order.
    """
    ledger = Ledger(kind, division, preset)
    for group in groups:
        ledger.add(group)
    return ledger_board(ledger, supplement, replicates=replicates)


def ledgers(groups: Iterable[GroupResult]) -> list[Ledger]:
    """Return the ledger of every board on which any of ``groups`` count, sorted by kind, division and
    preset.
    """
    found: dict[BoardName, Ledger] = {}
    for group in groups:
        if group.counts_for and group.board is not None:
            found.setdefault(group.board, Ledger(*group.board)).add(group)
    return [found[name] for name in sorted(found)]


def boards(groups: Iterable[GroupResult], *, replicates: int = REPLICATES) -> list[Board]:
    """Return every board on which any of ``groups`` count, sorted by kind, division and preset."""
    return [ledger_board(ledger, replicates=replicates) for ledger in ledgers(groups)]


def ledger_board(
    ledger: Ledger, supplement: Supplement = NO_SUPPLEMENT, *, replicates: int = REPLICATES
) -> Board:
    """Return the leaderboard for the groups of ``ledger``. It does not depend on the order in which they were
    added.
    """
    seed = ledger.records_hash()
    anchor = PlayerId(ANCHOR, "")
    index, blocks, party, figures = rated_blocks(ledger, supplement)
    likelihood = Likelihood(len(party), blocks, party)
    strengths = likelihood.fit()
    rated = _rated_totals(ledger.totals, figures)
    settled = np.zeros(len(party), dtype=np.bool_)
    for player, _, own, _ in rated:
        settled[index[player]] = own.groups >= SETTLED_GROUPS
    differences = Differences(likelihood, strengths, index[anchor], seed, settled, replicates)
    connected = _connected(blocks, len(party), index[anchor])
    luck = adjusted(likelihood, strengths, index[anchor], seed, replicates) if likelihood.luck.any() else None
    centers = strengths[likelihood.rated] - strengths[index[anchor]]
    centers[index[anchor]] = 0.0
    without_house = likelihood.without(strengths, party == HOUSE) - strengths[index[anchor]]
    ratings: dict[str, list[Rating]] = defaultdict(list)
    for player, version, own, house in rated:
        number = index[player]
        center = float(centers[number])
        half = Z * float(differences.to_anchor[number])
        known = bool(settled[number] and connected[number])
        others = own.groups - house
        ratings[player.name].append(
            Rating(
                version,
                _published(center),
                _published(center - half),
                _published(center + half),
                player != anchor and not known,
                own.groups,
                own.games,
                own.faults,
                own.forfeits,
                own.last_seen_ms or None,
                *_without_luck(luck if known else None, number, half),
                own.illegal,
                own.late,
                house,
                _published(float(without_house[number])) if house and others >= SETTLED_GROUPS else None,
            )
        )
    current = {name: max(own, key=_currency) for name, own in ratings.items()}
    newest = max((own.last_seen_ms for own in ledger.totals.values()), default=0)
    retired = {
        name
        for name, rating in current.items()
        if _has_retired(rating, newest) or supplement.facts_of(name).withdrawn
    }
    ranked = {
        name: index[rated_player(PlayerId(name, rating.version))]
        for name, rating in current.items()
        if not rating.provisional and name not in retired and supplement.facts_of(name).ranked
    }
    tried = Counter(player.name for player, own in ledger.totals.items() if own.groups)
    order = sorted(ranked, key=lambda name: -centers[ranked[name]])
    numbers = np.array([ranked[name] for name in order], dtype=np.int64)
    bounds = differences.ranks(numbers, centers[numbers]) if order else []
    ranks = {
        name: (1 + int(better), len(order) - int(worse))
        for name, better, worse in zip(order, *bounds, strict=True)
    }
    awards = game_of(ledger.board.kind).awards
    return Board(
        *ledger.board,
        ledger.records,
        seed.hex(),
        ledger.groups,
        ANCHOR in ratings,
        _rows(ratings, current, ranks, retired, tried, supplement, ledger.board.kind),
        {} if awards is None else _titles(awards, ledger.totals),
        luck_table=_luck_table(ledger.board),
        supplement_hash=supplement.hash,
        proven_parties=supplement.proven,
    )


class RatedBlocks(NamedTuple):
    """The groups of a board in the form in which they are rated.

    ``numbers`` maps the rated players, including the anchor, to their numbers. ``blocks`` holds the groups.
    ``party`` (players) holds the party of each player (see :class:`~arena.ratings.counting.Parties`),
    including the extra players that represent groups that do not count for a current version. ``figures``
    holds what counts for each player.
    """

    numbers: dict[PlayerId, int]
    blocks: list[Block]
    party: IntArray
    figures: dict[PlayerId, PlayerFigures]


class PlayerFigures(NamedTuple):
    """The numbers of groups that count for a player, of their games, of groups lost by forfeit, and of groups
    in which it met a house bot.
    """

    groups: int
    games: int
    forfeits: int
    house: int


def rated_blocks(ledger: Ledger, supplement: Supplement = NO_SUPPLEMENT) -> RatedBlocks:
    """Return the groups of ``ledger`` in the form in which they are rated."""
    players = sorted({rated_player(player) for player in ledger.totals} | {PlayerId(ANCHOR, "")})
    index = {player: number for number, player in enumerate(players)}
    numbers = {player: index[rated_player(player)] for player in ledger.totals}
    stints = ledger.stints(numbers, _rated_since(ledger.totals, supplement))
    everybody = [*players, *sorted(stints.earlier, key=lambda player: stints.earlier[player])]
    parties = _parties([player.name for player in everybody], ledger.board.kind, supplement)
    blocks = stints.blocks
    lost = np.zeros(len(everybody), dtype=np.int64)
    for block in blocks:
        if block.losers is not None:
            lost += np.bincount(block.losers, minlength=len(everybody))
    if supplement.is_applied:
        blocks = list(counted(blocks, parties.counts))
    counts = count_figures(blocks, parties.party)
    found = {}
    for player, own in ledger.totals.items():
        number = numbers[player]
        groups, games, forfeits = own.groups, own.games, own.forfeits
        if player in stints.earlier:
            forfeits = int(lost[number])
        if player in stints.earlier or supplement.is_applied:
            groups, games = int(counts.groups[number]), int(counts.games[number])
        found[player] = PlayerFigures(groups, games, forfeits, int(counts.house[number]))
    return RatedBlocks(index, blocks, parties.party, found)


def _parties(names: Sequence[str], kind: str, supplement: Supplement) -> Parties:
    """Return the parties of players with these names. A bot whose owners are unknown is a party of its own
    that has proven nothing.
    """
    house = game_of(kind).house_bots
    # The numbers after those of the supplement.
    unknown: dict[str, int] = {}
    party, counts = [], []
    for name in names:
        number = HOUSE if name.partition(COPY_MARK)[0] in house else supplement.party_of(name)
        counts.append(number is not None and (number == HOUSE or supplement.parties[number].proven))
        if number is None:
            number = len(supplement.parties) + unknown.setdefault(name, len(unknown))
        party.append(number)
    return Parties(np.array(party, dtype=np.int64), np.array(counts, dtype=np.bool_))


def _rated_since(totals: Mapping[PlayerId, PlayerTotals], supplement: Supplement) -> dict[PlayerId, int]:
    """Return the time (in milliseconds) from which on groups count for the current version of a bot, where
    some do not: since it has been current, and since its owners want a rank for it.
    """
    since = _current_since(totals)
    for name, player in _current_versions(totals).items():
        chosen_ms = supplement.facts_of(name).since_ms
        if chosen_ms:
            since[player] = max(chosen_ms, since.get(player, 0))
    return since


def _current_versions(totals: Mapping[PlayerId, PlayerTotals]) -> dict[str, PlayerId]:
    """Return the current version of each bot but the anchor, of those that completed a game."""
    return {name: tried[-1][2] for name, tried in _tried_versions(totals).items()}


_Tried = tuple[int, list[tuple[int, int, str]], PlayerId]


def _tried_versions(totals: Mapping[PlayerId, PlayerTotals]) -> dict[str, list[_Tried]]:
    """Return the versions of each bot but the anchor that completed a game, the current one last: when it was
    last seen (in milliseconds), its sort key, and the player.
    """
    versions: dict[str, list[_Tried]] = defaultdict(list)
    for player, own in totals.items():
        if own.completed and player.name != ANCHOR:
            versions[player.name].append((own.last_seen_ms, _natural(player.version), player))
    return {name: sorted(tried) for name, tried in versions.items()}


def _current_since(totals: Mapping[PlayerId, PlayerTotals]) -> dict[PlayerId, int]:
    """Return the current version of each bot with several versions, and the time (in milliseconds) since
    which it has been current: the end of the last group of any other version.
    """
    since = {}
    for tried in _tried_versions(totals).values():
        if len(tried) > 1:
            (before_ms, before, _), (_, current, player) = tried[-2:]
            # If two groups ended at the same time, the group of the higher version counts as the later one.
            since[player] = before_ms + (before > current)
    return since


def _has_retired(rating: Rating, newest_ms: int) -> bool:
    seen_ms = rating.last_seen_ms
    return seen_ms is not None and newest_ms - seen_ms > RETIRED_DAYS * 86_400_000


def _without_luck(
    luck: Adjusted | None, number: int, plain_half: float
) -> tuple[float | None, float | None, float | None]:
    """Return the rating of a player without luck and the bounds of its interval, or None if too little is
    known or the interval would be wider than that of the rating, of which half is ``plain_half``.
    """
    if luck is None or luck.information[number] < ADJUSTED_FROM:
        return None, None, None
    center, half = float(luck.centers[number]), Z * float(luck.errors[number])
    if half > plain_half:
        return None, None, None
    return _published(center), _published(center - half), _published(center + half)


def _luck_table(board: BoardName) -> str | None:
    game = game_of(board.kind)
    rules = game.options.complete(game.preset(board.preset).rules)
    return table_of(board.kind, rules).hash if has_table(board.kind, rules) else None


def _published(strength: float) -> float:
    return round(ANCHOR_RATING + SCALE * strength, DIGITS)


def rated_player(player: PlayerId) -> PlayerId:
    """Return the player to which the games of ``player`` are credited."""
    return PlayerId(ANCHOR, "") if player.name == ANCHOR else player


def _rated_totals(
    totals: Mapping[PlayerId, PlayerTotals], figures: Mapping[PlayerId, PlayerFigures]
) -> list[tuple[PlayerId, str, PlayerTotals, int]]:
    """Return the players that have a rating, each with its version (for the anchor, the version last seen),
    its totals with the ``figures``, and its number of groups with house bots, which is 0 for the anchor.
    Players that never completed a game have no rating.
    """
    found = []
    anchor = PlayerTotals()
    version = ""
    for player, own in sorted(totals.items(), key=lambda item: item[0]):
        if not own.completed:
            continue
        if player.name != ANCHOR:
            groups, games, forfeits, house = figures[player]
            counts = replace(own, groups=groups, games=games, forfeits=forfeits)
            found.append((player, player.version, counts, house))
            continue
        newer = (own.last_seen_ms, _natural(player.version)) > (anchor.last_seen_ms, _natural(version))
        version = player.version if newer else version
        anchor = anchor.merged(own)
    if anchor.completed:
        found.append((PlayerId(ANCHOR, ""), version, anchor, 0))
    return found


def _connected(blocks: Sequence[Block], players: int, anchor: int) -> NDArray[np.bool_]:
    """Return, for each player, whether a chain of games connects it to the anchor."""
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


def _rows(
    ratings: Mapping[str, Sequence[Rating]],
    current: Mapping[str, Rating],
    ranks: Mapping[str, tuple[int, int]],
    retired: Collection[str],
    tried: Mapping[str, int],
    supplement: Supplement,
    kind: str,
) -> tuple[Row, ...]:
    names = list(ratings)
    proven = dict(zip(names, _parties(names, kind, supplement).counts.tolist(), strict=True))
    rows = []
    for name, own in ratings.items():
        rank, worst_rank = ranks.get(name, (None, None))
        best = max(own, key=lambda rating: (not rating.provisional, rating.rating, _currency(rating)))
        versions = tuple(sorted(own, key=_currency, reverse=True))
        rows.append(
            Row(
                rank,
                worst_rank,
                name,
                current[name],
                best.version,
                versions,
                name in retired,
                tried[name],
                proven[name],
                supplement.facts_of(name).ranked,
            )
        )
    rows.sort(key=lambda row: (row.retired, row.rank is None, row.rank or 0, -row.rating.rating, row.name))
    return tuple(rows)


def _currency(rating: Rating) -> tuple[int, list[tuple[int, int, str]]]:
    """Return a sort key by which the current version is the greatest."""
    return rating.last_seen_ms or 0, _natural(rating.version)


def _natural(version: str) -> list[tuple[int, int, str]]:
    """Return a sort key that puts version 10 after version 9."""
    parts = re.findall(r"[0-9]+|[^0-9]+", version)
    return [(1, int(part), part) if part[0] in "0123456789" else (0, 0, part) for part in parts]


def _titles(awards: Awards, totals: Mapping[PlayerId, PlayerTotals]) -> dict[str, Title]:
    """Return the holders of a game's titles. Some titles require enough groups for a rating that is not
    provisional.
    """
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
