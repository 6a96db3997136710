"""Results of finished games for ratings and standings: whole groups, with every game once, in a fixed
order.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from arena.errors import ArenaError
from arena.games import game_of
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE, Event
from arena.games.options import Rules
from arena.luck.equity import TABLES_VERSION
from arena.luck.games import MILLION, millionths
from arena.play.board_names import BoardName
from arena.play.faults import FAULT_LIMIT
from arena.play.outcomes import final_places, points
from arena.play.players import PlayerId, division_of
from arena.records.record import (
    Canonical,
    InvalidRecord,
    Record,
    RecordedFault,
    canonical_hash,
    parse_record,
    record_texts,
)

_LATEST_MS: Final = 2**53 - 1
"""The largest integer that every JSON parser reads exactly."""


class GameResult(NamedTuple):
    """One finished game, number ``number`` (from 0) of its group.

    The following are per seat: ``players``, ``places``, ``faults`` (the number of faults), ``used_ms`` (the
    time that the seat took for its actions; empty if unknown), ``styles`` (see
    :class:`~arena.games.descriptor.Awards`; empty if the game has none) and ``scores`` (empty in some results
    from before format 5). ``finished_ms`` is Unix time in milliseconds, or 0 if unknown. ``forfeited_late``:
    whether a player forfeited, but none did so before the first hand was over. ``luck`` is the luck to
    subtract from the points of the first team, in millionths (see :func:`arena.luck.games.millionths`), or
    None if it was not measured. ``mistakes`` holds the numbers of illegal and late answers of each seat, in
    the division ``models``.
    """

    number: int
    hash: str
    players: tuple[PlayerId, ...]
    places: tuple[int, ...]
    forfeits: tuple[int, ...]
    faults: tuple[int, ...]
    used_ms: tuple[int, ...]
    styles: tuple[tuple[int, ...], ...]
    finished_ms: int
    forfeited_late: bool = False
    luck: int | None = None
    mistakes: tuple[tuple[int, int], ...] = ()
    scores: tuple[int, ...] = ()


class GroupResult:
    """The games of a group, each once, in order. The same players take part in all of them.

    ``teams`` holds the seats of each team, and ``players`` holds each player once, sorted. ``forfeiters`` are
    the players that forfeited any of the games; they lose the group. ``finished`` holds the games that count
    for the other players: games without a forfeit, and games forfeited late unless a forfeiter had a partner.
    ``counts_for`` holds the players for whom the group counts. If it is complete without a forfeit, it counts
    for all players. If there are forfeiters, it counts for them and, if any game is ``finished``, also for
    the others. It counts for nobody if a game is missing without a forfeit, if it is ``annulled``, or if it
    has only one player. ``preset`` is the name of the preset that the rules match, or empty if they match
    none. ``models``: whether its tournament is for language models.
    """

    __slots__ = (
        "annulled", "counts_for", "finished", "forfeiters", "games", "id", "kind", "mirrored", "models",
        "players", "preset", "size", "teams",
    )  # fmt: skip

    def __init__(
        self,
        kind: str,
        group_id: str,
        size: int,
        mirrored: bool,
        teams: tuple[tuple[int, ...], ...],
        games: Iterable[GameResult],
        annulled: bool = False,
        *,
        preset: str,
        models: bool = False,
    ) -> None:
        self.kind = kind
        self.preset = preset
        self.models = models
        self.id = group_id
        self.size = size
        self.mirrored = mirrored
        self.teams = teams
        self.games = tuple(sorted(games))
        self.annulled = annulled
        self.players = tuple(sorted(set(self.games[0].players)))
        self.forfeiters = frozenset([game.players[seat] for game in self.games for seat in game.forfeits])
        self.finished = self.games
        if self.forfeiters:
            self.finished = tuple(game for game in self.games if self._counts_for_others(game))
        self.counts_for: tuple[PlayerId, ...] = ()
        if not annulled and len(self.players) > 1:
            if self.forfeiters:
                self.counts_for = self.players if self.finished else tuple(sorted(self.forfeiters))
            elif len(self.games) == size:
                self.counts_for = self.players

    @property
    def division(self) -> str:
        """Return the division: ``sealed``, ``models`` or ``open``."""
        return division_of(self.mirrored, self.models)

    @property
    def board(self) -> BoardName | None:
        """Return the leaderboard on which the group counts if rated, or None if its rules match no preset."""
        return BoardName(self.kind, self.division, self.preset) if self.preset else None

    @property
    def lacks_games(self) -> bool:
        """Return whether the group does not count because games are missing."""
        return len(self.games) < self.size and not self.annulled and not self.forfeiters

    def _counts_for_others(self, game: GameResult) -> bool:
        partners = {
            game.players[seat]
            for team in self.teams
            if not set(team).isdisjoint(game.forfeits)
            for seat in team
        }
        return not game.forfeits or (
            game.forfeited_late and partners == {game.players[seat] for seat in game.forfeits}
        )

    def games_for(self, player: PlayerId) -> tuple[GameResult, ...]:
        """Return the games that count for ``player``, or none if the group does not count for it."""
        return self.games if player in self.forfeiters else self.finished

    def share(self, player: PlayerId) -> float:
        """Return the fraction of the group, from 0 to 1, that counts for ``player``."""
        return 1.0 if player in self.forfeiters else len(self.finished) / self.size

    def places_for(self, game: GameResult, player: PlayerId) -> tuple[int, ...]:
        """Return the places of ``game`` as they count for ``player``. A player that forfeited a group is last
        in all of its games.
        """
        if player not in self.forfeiters:
            return game.places
        lost = {seat for seat, other in enumerate(game.players) if other == player}
        return final_places(game.places, self.teams, lost | set(game.forfeits))

    def score(self, player: PlayerId) -> float:
        """Return the mean points of ``player`` over the games that count for it, from 0 (last) to 1 (first),
        or 0 if it forfeited.
        """
        if player in self.forfeiters or not self.finished:
            return 0.0
        gained = []
        teams = tuple(map(tuple, self.teams))
        for game in self.finished:
            worth = _points(tuple(game.places), teams)
            points_of_seats = [worth[seat] for seat, other in enumerate(game.players) if other == player]
            gained.append(sum(points_of_seats) / len(points_of_seats))
        return sum(gained) / len(gained)

    def luck(self, player: PlayerId) -> float | None:
        """Return the part of :meth:`score` that is due to luck, or None if luck was not measured."""
        lucks = {game.number: game.luck for game in self.games if game.luck is not None}
        if len(lucks) < len(self.games):
            return None
        if player in self.forfeiters or not self.finished:
            return 0.0
        parts = []
        for game in self.finished:
            seats = [seat for seat, other in enumerate(game.players) if other == player]
            signs = [1 if seat in self.teams[0] else -1 for seat in seats]
            parts.append(lucks[game.number] * sum(signs) / len(signs) / MILLION)
        return sum(parts) / len(parts)

    def as_json(self) -> list[object]:
        """Return a compact form that :meth:`from_json` can read. Each game ends with the version of the
        equity tables.
        """
        known = {player: number for number, player in enumerate(self.players)}
        games = [
            [*game[:2], [known[player] for player in game.players], *game[3:], TABLES_VERSION]
            for game in self.games
        ]
        head = [self.kind, self.id, self.size, self.mirrored, self.teams, self.annulled]
        return [*head, list(known), games, self.preset, *([True] if self.models else [])]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> GroupResult:
        """Return the group from the output of :meth:`as_json`. Luck that was measured with other equity
        tables is unknown.
        """
        kind, group_id, size, mirrored, teams, annulled, names, games, preset, *models = data
        players = [PlayerId(*name) for name in names]
        results = [
            GameResult(
                number,
                digest,
                tuple(players[place] for place in seats),
                tuple(places),
                tuple(forfeits),
                tuple(faults),
                tuple(used_ms),
                tuple(map(tuple, styles)),
                finished_ms,
                forfeited_late,
                luck if tables == TABLES_VERSION else None,
                tuple((illegal, late) for illegal, late in mistakes),
                tuple(scores),
            )
            for number, digest, seats, places, forfeits, faults, used_ms, styles, finished_ms, *more in games
            for forfeited_late, luck, mistakes, scores, tables, *_ in [(*more, (), (), None)]
        ]
        seats_of_teams = tuple(map(tuple, teams))
        return cls(
            kind,
            group_id,
            size,
            mirrored,
            seats_of_teams,
            results,
            annulled,
            preset=preset,
            models=bool(models),
        )


@lru_cache(1 << 14)
def _points(places: tuple[int, ...], teams: tuple[tuple[int, ...], ...]) -> tuple[float, ...]:
    """Return :func:`~arena.play.outcomes.points`, cached because most games have one of a few outcomes."""
    return points(places, teams)


class _Setting(NamedTuple):
    """The properties that all games of a group share."""

    kind: str
    id: str
    attempt: int
    size: int
    mirrored: bool
    rules: str
    preset: str
    teams: tuple[tuple[int, ...], ...]
    players: tuple[PlayerId, ...]


class Results:
    """A collection of records, added in any order; duplicates are ignored.

    Games outside groups are ignored and, with ``rated_only``, so are unrated games (whose ``info.rated`` is
    false). If a group was replayed, only the last attempt is kept. With ``luck``, the luck of each game is
    measured, which takes a few milliseconds.
    """

    def __init__(self, *, rated_only: bool = True, luck: bool = False) -> None:
        self._rated_only = rated_only
        self._luck = luck
        self._games: dict[str, tuple[_Setting, GameResult]] = {}
        self._settings: dict[_Setting, _Setting] = {}
        self._where: dict[str, str] = {}
        self._annulled: set[str] = set()
        self._models: set[str] = set()
        self._unrated: set[str] = set()

    @property
    def games(self) -> int:
        """Return the number of games, rated or not."""
        return len(self._games.keys() | self._unrated)

    @property
    def unrated(self) -> int:
        """The number of games that are ignored."""
        return len(self._unrated)

    def add_file(self, path: str | Path) -> None:
        """Add all records of a file; see :func:`arena.records.record.record_texts` for its formats.

        Raises the errors of :func:`load_records` and :meth:`add`, with the file and line in the message.
        """
        for where, text in record_texts(path):
            try:
                self.add(parse_record(text), where)
            except ArenaError as error:
                raise type(error)(
                    f"{where}: {error.message}", code=error.code, field=error.field, expected=error.expected
                ) from None

    def add(self, record: Record, where: str = "") -> None:
        """Add a record whose structure has been checked by ``arena.records.record.parse_record``.

        ``where`` is the position of the record, for messages about contradictions. Raises
        :class:`~arena.records.record.InvalidRecord` if its hash is wrong or it contradicts itself,
        :class:`~arena.errors.UnknownGame` or :class:`~arena.errors.InvalidOption`.
        """
        canonical, info = record["canonical"], record["info"]
        digest = canonical_hash(canonical)
        if digest != record["hash"]:
            raise InvalidRecord("the hash does not match the canonical part", field="hash", expected=digest)
        # Info is not hashed, so copies can differ in it: what one copy says applies to all copies.
        if info.get("annulled"):
            self._annulled.add(digest)
        if info.get("models"):
            self._models.add(digest)
        if canonical["group"] is None or (self._rated_only and info.get("rated") is False):
            self._unrated.add(digest)
        elif digest in self._games:
            setting, game = self._games[digest]
            used_ms = max(game.used_ms, _used_ms(canonical, info))
            finished_ms = max(game.finished_ms, _whole(info.get("finished_ms")))
            self._games[digest] = setting, game._replace(used_ms=used_ms, finished_ms=finished_ms)
        else:
            setting, game = _read(record, digest, self._luck)
            self._games[digest] = self._settings.setdefault(setting, setting), game
            self._where[digest] = where

    def groups(self) -> list[GroupResult]:
        """Return all groups, complete or not, sorted by kind and id.

        Raises :class:`~arena.records.record.InvalidRecord` if records contradict each other.
        """
        attempts: dict[tuple[str, str], dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        for digest, (setting, _) in self._games.items():
            if digest not in self._unrated:
                attempts[setting.kind, setting.id][setting.attempt].append(digest)
        return [self._group(numbered[max(numbered)]) for _, numbered in sorted(attempts.items())]

    def _group(self, digests: Sequence[str]) -> GroupResult:
        first = digests[0]
        setting = self._games[first][0]
        by_number: dict[int, str] = {}
        for digest in digests:
            game_setting, game = self._games[digest]
            if game_setting != setting:
                what = f"the games of group {setting.id} differ in size, mirroring, rules or players"
                self._contradiction(what, digest, first)
            if by_number.setdefault(game.number, digest) != digest:
                what = f"group {setting.id} has two different records of its game {game.number}"
                self._contradiction(what, digest, by_number[game.number])
        games = [self._games[digest][1] for digest in digests]
        models = not self._models.isdisjoint(digests)
        if not models:
            games = [game._replace(mistakes=()) for game in games]
        annulled = not self._annulled.isdisjoint(digests)
        return GroupResult(
            setting.kind,
            setting.id,
            setting.size,
            setting.mirrored,
            setting.teams,
            games,
            annulled,
            preset=setting.preset,
            models=models,
        )

    def _contradiction(self, what: str, digest: str, other: str) -> NoReturn:
        here, there = self._where[digest], self._where[other]
        message = f"{here}: {what} (the other is {there})" if here and there else what
        raise InvalidRecord(message, field="group")


def collect(records: Iterable[Record], *, rated_only: bool = True, luck: bool = False) -> list[GroupResult]:
    """Return the groups of ``records``; see :class:`Results`. For standings, use ``rated_only=False``."""
    results = Results(rated_only=rated_only, luck=luck)
    for record in records:
        results.add(record)
    return results.groups()


def record_set_hash(groups: Iterable[GroupResult]) -> bytes:
    """Return the SHA-256 of the hashes (32 bytes each, sorted) of the records of ``groups``."""
    hashes = sorted(game.hash for group in groups for game in group.games)
    return sha256(bytes.fromhex("".join(hashes))).digest()


def _read(record: Record, digest: str, luck: bool) -> tuple[_Setting, GameResult]:
    canonical, info = record["canonical"], record["info"]
    game = game_of(canonical["kind"])
    rules = game.options.complete(canonical["rules"])
    seats = game.seats(rules)
    group, outcome = canonical["group"], canonical["outcome"]
    assert group is not None
    faulty = [fault["seat"] for fault in canonical["faults"]]
    if not len(canonical["players"]) == len(outcome["places"]) == seats:
        raise InvalidRecord(
            f"the record has {len(canonical['players'])} players and {len(outcome['places'])} places",
            field="players",
            expected=f"{seats} of each",
        )
    if any(not 0 <= seat < seats for seat in (*faulty, *outcome["forfeits"])):
        raise InvalidRecord("a listed seat does not exist", field="faults", expected=f"0 to {seats - 1}")
    if not group["index"] < group["size"]:
        raise InvalidRecord(
            f"a group of size {group['size']} cannot have a game with index {group['index']}",
            field="group.index",
            expected=f"0 to {group['size'] - 1}",
        )
    players = tuple(PlayerId(player["name"], player["version"]) for player in canonical["players"])
    result = GameResult(
        group["index"],
        digest,
        players,
        tuple(outcome["places"]),
        tuple(sorted(outcome["forfeits"])),
        tuple(faulty.count(seat) for seat in range(seats)),
        _used_ms(canonical, info),
        _styles(game, canonical, rules, seats),
        _whole(info.get("finished_ms")),
        forfeited_late(
            [(action[0], action[1]) for action in canonical["actions"]],
            [(fault["seat"], fault["after"]) for fault in canonical["faults"]],
            outcome["forfeits"],
        ),
        _luck(canonical) if luck else None,
        _mistakes(canonical["faults"], seats),
        tuple(outcome["scores"]),
    )
    setting = _Setting(
        canonical["kind"],
        group["id"],
        group["attempt"],
        group["size"],
        group["mirrored"],
        json.dumps(rules),
        game.preset_of(rules) or "",
        game.teams(rules),
        tuple(sorted(players)),
    )
    return setting, result


def _mistakes(faults: Sequence[RecordedFault], seats: int) -> tuple[tuple[int, int], ...]:
    """Return, for each seat, the number of illegal or malformed answers and the number of turns not answered
    in time.
    """
    counted = Counter((fault["seat"], fault["type"]) for fault in faults)

    def count(seat: int, *types: str) -> int:
        return sum(counted[seat, one] for one in types)

    return tuple(
        (count(seat, "illegal", "malformed"), count(seat, "late", "unreachable")) for seat in range(seats)
    )


def forfeited_late(
    actions: Sequence[tuple[int, str]], faults: Iterable[tuple[int, int]], forfeits: Collection[int]
) -> bool:
    """Return whether a player forfeited a game, but none did so before its first hand was over.

    ``actions`` are pairs of a seat and an action. ``faults`` are pairs of a seat and the number of actions
    before the fault, in order. ``forfeits`` are seats.
    """
    if not forfeits:
        return False
    counted: Counter[int] = Counter()
    for seat, after in faults:
        counted[seat] += 1
        if seat in forfeits and counted[seat] == FAULT_LIMIT:
            deals = sum(who == CHANCE and action.startswith("deal:") for who, action in actions[:after])
            return deals > 1
    return False


def _styles(game: Game, canonical: Canonical, rules: Rules, seats: int) -> tuple[tuple[int, ...], ...]:
    """Return the style counts of each seat, from the events of the replayed game."""
    if game.awards is None:
        return ()
    state = game.new_state(rules)
    events: list[Event] = []
    try:
        for seat, action, *_ in canonical["actions"]:
            if seat >= seats:
                raise state.illegal(seat, action)
            events += state.apply(seat, action)
    except ArenaError as error:
        raise InvalidRecord(f"the game cannot be replayed: {error}", field="actions") from None
    return game.awards.styles(events, seats)


def _luck(canonical: Canonical) -> int | None:
    try:
        return millionths(canonical["kind"], canonical["rules"], canonical["actions"])
    except ArenaError as error:
        raise InvalidRecord(f"the game cannot be replayed: {error}", field="actions") from None


def _used_ms(canonical: Canonical, info: Mapping[str, object]) -> tuple[int, ...]:
    """Return, for each seat, the total time between its actions and the actions before them."""
    times = info.get("action_ms")
    actions = canonical["actions"]
    if not isinstance(times, list) or len(times) != len(actions):
        return ()
    used = [0] * len(canonical["players"])
    before = _whole(times[0]) if times else 0
    for (seat, *_), at in zip(actions, times, strict=True):
        now = _whole(at)
        if 0 <= seat < len(used):  # chance has no seat
            used[seat] += max(0, now - before)
        before = now
    return tuple(used)


def _whole(value: object) -> int:
    """Return a time from the unhashed part, which can contain anything, or 0 if it is not a valid time."""
    return value if type(value) is int and 0 <= value <= _LATEST_MS else 0
