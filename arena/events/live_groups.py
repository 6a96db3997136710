"""Live groups of tournaments, in which at least one bot is not run by the arena."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from arena.accounts.allowances import BudgetExceeded
from arena.events.local_groups import void
from arena.events.tournament import PlannedGroup, Tournament
from arena.live.finalizer import ENDED, GameNotOver
from arena.live.header import GameHeader, GameNotFound
from arena.live.service import LiveGames
from arena.live.unfinished import TooManyTables
from arena.play.clocks import ServiceClock
from arena.play.dealing import game_seed
from arena.play.game_ids import game_id
from arena.play.players import MODELS
from arena.ratings.results import collect
from arena.records.record import Record
from arena.store.amounts import DAY_MS
from arena.store.chunks import StoredGroup
from arena.store.documents import Flags
from arena.store.tournaments import NewResult, TournamentStore

log = logging.getLogger(__name__)

_AT_ONCE: Final = 50

_SAID_MS: Final = DAY_MS
"""The reason for which a tournament waits is logged at most once in this time."""


class LiveGroups:
    """Starts games, collects their results, and releases them. Every method is safe to repeat."""

    def __init__(
        self, store: TournamentStore, live: LiveGames, clock: Callable[[], ServiceClock], flags: Flags
    ) -> None:
        self._store = store
        self._live = live
        self._clock = clock
        self._flags = flags

    def start_and_collect(self, tournament: Tournament) -> bool:
        """Start games and collect results, and return whether a group got a result or a void. Games with
        house bots wait while the organiser has no processor time left, or too many unfinished games with
        house bots.
        """
        busy: Counter[str] = Counter()
        remote = {entry.name for entry in tournament.playing if not entry.runner.arena_run}
        ids = sorted(self._store.remote(tournament.id), key=_natural)
        changed = False
        waiting: list[tuple[PlannedGroup, int, list[GameHeader | None]]] = []
        for start in range(0, len(ids), _AT_ONCE):
            some = ids[start : start + _AT_ONCE]
            begun = False
            for name, (row, voided) in zip(some, self._store.rows(tournament.id, some), strict=True):
                if row is None:
                    continue
                group = PlannedGroup.loads(name, row)
                headers = self._headers(tournament, group, voided)
                begun = begun or any(headers)
                if self._take(tournament, group, voided, headers):
                    changed = True
                    continue
                for header in headers:
                    if header is not None and header.state == "running":
                        busy.update(header.bots())
                waiting.append((group, voided, headers))
            if not begun and all(busy[name] >= tournament.spec.games_per_bot for name in remote):
                # The remaining groups have not begun either, and cannot begin now.
                break
        house_bots_wait = False
        for group, voided, headers in waiting:
            if house_bots_wait and any(tournament.playing[player].source for player in group.players):
                continue
            if not self._start(tournament, group, voided, headers, busy):
                house_bots_wait = True
        return changed

    def collect(self, tournament: Tournament) -> None:
        """Collect the results of groups whose games are over."""
        ids = self._store.remote(tournament.id)
        for name, (row, voided) in zip(ids, self._store.rows(tournament.id, ids), strict=True):
            if row is not None:
                group = PlannedGroup.loads(name, row)
                self._take(tournament, group, voided, self._headers(tournament, group, voided))

    def release(self, tournament: Tournament, group: PlannedGroup, voided: int) -> None:
        """Release the games of a group that is over."""
        for game in self._games(tournament, group, voided):
            try:
                self._live.release(game)
            except (GameNotFound, GameNotOver):
                log.warning("game %s is not released", game, exc_info=True)

    def records(self, tournament: Tournament, stored: StoredGroup) -> Iterator[bytes]:
        """Yield the records of a group that is over."""
        group = PlannedGroup.loads(stored.id, stored.row)
        for game in self._games(tournament, group, stored.voided):
            ended = self._live.finished.game(game)
            if ended is not None and ended.record is not None:
                yield ended.record

    def give_up(self, tournament: Tournament, reason: str) -> None:
        """Void all unfinished games of the tournament."""
        for name, (row, voided) in zip(
            ids := self._store.remote(tournament.id), self._store.rows(tournament.id, ids), strict=True
        ):
            if row is None:
                continue
            group = PlannedGroup.loads(name, row)
            for header in self._headers(tournament, group, voided):
                if header is not None and header.state not in ENDED:
                    self._live.void(header.game, reason)

    def _games(self, tournament: Tournament, group: PlannedGroup, attempt: int) -> list[str]:
        return [game_id(tournament.group_id(group.id), number, attempt) for number in range(len(group.seats))]

    def _headers(self, tournament: Tournament, group: PlannedGroup, attempt: int) -> list[GameHeader | None]:
        stored = self._live.index.headers(self._games(tournament, group, attempt))
        return [None if data is None else GameHeader.loads(data) for data in stored]

    def _take(
        self, tournament: Tournament, group: PlannedGroup, voided: int, headers: Sequence[GameHeader | None]
    ) -> bool:
        """Store the result of a group whose games are over, or void the group if one of its games is void."""
        games = [header for header in headers if header is not None]
        lost = next((header for header in games if header.state in ("void", "cancelled")), None)
        if lost is not None:
            reason = f"game {lost.game} is {lost.state}: {lost.reason}"
            for header in games:
                if header.state not in ENDED:
                    self._live.void(header.game, "another game of the group is void")
            void(self._store, tournament.id, group.id, voided, reason, self._clock().now_ms)
            return True
        if not games and any(tournament.playing[player].withdrawn is not None for player in group.players):
            # The group has not begun and never will, so it is abandoned.
            fields = {"tournament": tournament.id, "group": group.id, "attempt": voided}
            text = "group %s of %s is abandoned: an entrant was withdrawn before it began"
            log.info(text, group.id, tournament.id, extra=fields)
            self._store.add_results(
                tournament.id, [NewResult(group.id, voided, 0, b"null", b"")], self._clock().now_ms
            )
            return True
        if len(games) < len(headers) or any(header.state != "finished" for header in games):
            return False
        records: list[Record] = []
        for header in games:
            ended = self._live.finished.game(header.game)
            if ended is None or ended.record is None:
                # A game has only just ended, or its record is lost.
                return False
            records.append(json.loads(ended.record))
        # Unrated tournaments have standings too.
        (result,) = collect(records, rated_only=False, luck=True)
        data = json.dumps(result.as_json(), separators=(",", ":")).encode()
        result_row = NewResult(group.id, voided, len(records), data, b"")
        self._store.add_results(tournament.id, [result_row], self._clock().now_ms)
        return True

    def _start(
        self,
        tournament: Tournament,
        group: PlannedGroup,
        attempt: int,
        headers: Sequence[GameHeader | None],
        busy: Counter[str],
    ) -> bool:
        """Start the games of a group that may begin now, and return False if its house bots must wait."""
        bots = {
            tournament.playing[player].name
            for player in group.players
            if not tournament.playing[player].runner.arena_run
        }
        begun = []
        waits = None
        seed = tournament.seed_of(group.id, attempt)
        for number, (game, header) in enumerate(
            zip(self._games(tournament, group, attempt), headers, strict=True)
        ):
            if header is not None or any(busy[bot] >= tournament.spec.games_per_bot for bot in bots):
                continue
            seats = []
            for player in group.seats[number]:
                entry = tournament.playing[player]
                seats.append(
                    {"house": entry.source} if entry.source else {"bot": entry.name, "version": entry.version}
                )
            try:
                self._live.create(
                    tournament.spec.kind,
                    seats=seats,
                    rules=tournament.rules_of(group),
                    clock=tournament.spec.clock,
                    created_by=tournament.created_by,
                    visibility=tournament.visibility,
                    rated=tournament.board_of(group) is not None,
                    models=tournament.spec.division == MODELS,
                    group={
                        "id": tournament.group_id(group.id),
                        "index": number,
                        "size": len(group.seats),
                        "mirrored": False,
                        "attempt": attempt,
                    },
                    seed=game_seed(seed, number, False),
                    game_id=game,
                )
            except (BudgetExceeded, TooManyTables) as error:
                waits = error
                break
            busy.update(bots)
            begun.append(game)
        if begun:
            fields = {"tournament": tournament.id, "group": group.id, "attempt": attempt, "games": begun}
            text = "group %s of %s: games %s begin"
            log.info(text, group.id, tournament.id, ", ".join(begun), extra=fields)
        # The tick retries.
        if waits is not None and self._flags.first(f"waits-{waits.code}-{tournament.id}", _SAID_MS):
            fields = {"tournament": tournament.id, "owner": tournament.created_by}
            text = "tournament %s starts no live games for now: %s"
            log.info(text, tournament.id, waits.message, extra=fields)
        return waits is None


def _natural(name: str) -> list[int]:
    """A sort key that orders groups by round, pairing and number."""
    return [int(part.lstrip("rpgx")) for part in name.split("-")]
