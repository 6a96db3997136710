"""Dry runs: the size and estimated duration of a tournament before it is announced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from arena.accounts.allowances import Budgets
from arena.events.creation import new_tournament
from arena.events.tournament import Tournament
from arena.play.clocks import ServiceClock
from arena.play.dealing import SEED_BYTES
from arena.play.players import SEALED
from arena.store.documents import Documents
from arena.tournaments.formats import FORMATS
from arena.tournaments.parsing import without_rating
from arena.tournaments.plan import group_plan
from arena.tournaments.spec import Spec, check_entrants, invalid

HOUSE_GAMES: Final = "house"
UPLOADED_GAMES: Final = "uploaded"
LIVE_GAMES: Final = "live"

ASSUMED_SECONDS: Final[Mapping[str, float]] = {HOUSE_GAMES: 0.01, UPLOADED_GAMES: 0.03, LIVE_GAMES: 10.0}
"""Seconds per game, used until games have been measured: a worker's time, or for a live game the time from
its first to its last turn.
"""

_REMEMBERED_GAMES: Final = 20_000
"""After this many games, earlier measurements count half."""


class GameTimes:
    """The durations of games as measured by workers, by kind of game and by who runs the bots."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def note(self, kind: str, how: str, games: int, seconds: float) -> None:
        """Add a measurement: ``seconds`` is the total for all ``games``."""
        if games <= 0 or seconds <= 0:
            return

        def act(known: Sequence[float] | None) -> list[float]:
            old_games, old_seconds = known or (0, 0.0)
            if old_games > _REMEMBERED_GAMES:
                old_games, old_seconds = old_games / 2, old_seconds / 2
            return [old_games + games, round(old_seconds + seconds, 4)]

        self._documents.change(f"{kind}/{how}", act)

    def seconds(self, kind: str, how: str) -> float | None:
        """Return the seconds per game, or None if no games were measured."""
        known = self._documents.find(f"{kind}/{how}")
        return known[1] / known[0] if known else None


def note_live_games(times: GameTimes, tournament: Tournament, games: int) -> None:
    """Record the duration of a finished tournament with bots that run elsewhere."""
    start, end, playing = tournament.started_ms, tournament.finished_ms, tournament.playing
    if tournament.purpose or tournament.spec.ends_ms is not None or start is None or end is None:
        return
    if not all(entry.runner.arena_run for entry in playing):
        seconds = (end - start) / 1000 * _live_slots(tournament.spec, len(playing))
        times.note(tournament.spec.kind, LIVE_GAMES, games, seconds)


def _live_slots(spec: Spec, entrants: int) -> float:
    """The number of live games of a tournament that are played at once."""
    return max(1.0, entrants * spec.games_per_bot / spec.table)


class DryRuns:
    """Validates the settings of tournaments and estimates their size and duration. Stores nothing and uses no
    budget.
    """

    def __init__(self, clock: Callable[[], ServiceClock], budgets: Budgets, times: GameTimes) -> None:
        self._clock = clock
        self._budgets = budgets
        self._times = times

    def run(
        self,
        fields: Mapping[str, object],
        created_by: str,
        *,
        rated: bool = True,
        entrants: int | None = None,
    ) -> dict[str, object]:
        """Return the plan of a tournament with ``entrants`` (by default the maximum number): the numbers of
        groups and games, the seconds and whether they are based on measurements, a summary sentence, and the
        owner's budget. ``fields`` and ``rated`` are as for :meth:`~arena.events.service.Tournaments.create`,
        whose errors it raises.
        """
        if not rated:
            fields = without_rating(fields)
        tournament = new_tournament(fields, "check", created_by, self._clock().now_ms, bytes(SEED_BYTES))
        spec, house = tournament.spec, len(tournament.entries)
        count = _expected_entrants(spec, house) if entrants is None else entrants
        if not max(2, house) <= count <= spec.max_entries:
            raise invalid(
                f"the number of entrants cannot be {count}",
                "entrants",
                f"{max(2, house)} to {spec.max_entries}",
            )
        check_entrants(spec, count)
        format = FORMATS[spec.format]
        groups = format.most_groups(spec, count)
        games = groups * len(group_plan(spec, "r1-p1-g1", 1, 1, range(spec.table)).seats)
        how = HOUSE_GAMES
        if count > house:
            how = UPLOADED_GAMES if spec.division == SEALED else LIVE_GAMES
        measured = self._times.seconds(spec.kind, how)
        each = ASSUMED_SECONDS[how] if measured is None else measured
        seconds = games * each / (_live_slots(spec, count) if how == LIVE_GAMES else 1)
        if spec.ends_ms is not None:
            seconds = (spec.ends_ms - spec.locks_ms) / 1000
        budget = self._budgets.left(created_by)
        return {
            "entrants": count,
            "groups": groups,
            "games": games,
            "seconds": round(seconds, 1),
            "measured": measured is not None or spec.ends_ms is not None,
            "played_by": how,
            "text": _sentence(spec, count, games, seconds, measured is not None),
            "budget": None
            if budget is None
            else {"groups": groups, "left": budget, "fits": groups <= budget},
        }


def _expected_entrants(spec: Spec, house: int) -> int:
    if spec.who == "house":
        return house
    if spec.who == "invited" and spec.invited:
        return min(spec.max_entries, len(set(spec.invited)))
    return spec.max_entries


def _sentence(spec: Spec, count: int, games: int, seconds: float, measured: bool) -> str:
    if spec.ends_ms is not None:
        return f"{count} entrants: up to {games:,} games, {_duration(seconds)} of play"
    text = f"{count} entrants: {games:,} game{'s' if games != 1 else ''}, about {_duration(seconds)}"
    return (
        text if measured else f"{text} (an assumption, because this service has not measured such games yet)"
    )


def _duration(seconds: float) -> str:
    for most, unit, name in ((90, 1, "second"), (5400, 60, "minute"), (129_600, 3600, "hour")):
        if seconds < most:
            number = max(1, round(seconds / unit))
            if number == 60 and unit == 1:
                return "a minute"
            if number == 1:
                return "an hour" if name == "hour" else f"a {name}"
            return f"{number} {name}s"
    return f"{round(seconds / 86_400)} days"
