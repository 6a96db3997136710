"""Plays groups of bots that the arena runs (house bots and uploaded bots), with a new instance of the bot on
every seat and the same deals in every game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from arena import __version__
from arena.errors import ArenaError
from arena.games import game_of
from arena.luck.games import millionths
from arena.play.groups import PlayedGame, SeatedGroup, play_games
from arena.play.match import Journaled
from arena.play.players import PlayerId
from arena.play.time_limits import OutOfTime, processor_time_limit
from arena.ratings.results import GameResult, GroupResult, forfeited_late
from arena.records.record import Record, build_record, dumps
from arena.text import printable

GAME_SECONDS: Final = 150.0
"""The processor time that a game can take without its uploaded bots. Bots of the arena do not play by the
clock, so exceeding this limit is a server fault.
"""

SEAT_SECONDS: Final = 90.0
"""The processor time that a game can take additionally for each seat of an uploaded bot. The bot can use 60 s
of fuel, and honest code takes up to 1.3 times its fuel.
"""


class ServerFault(ArenaError):
    """The service could not play a group, so no player gets a fault for it."""

    code = "server_fault"


@dataclass(frozen=True)
class LocalGroup(SeatedGroup):
    """A group that the arena itself plays. ``uploaded`` are the players that run in the sandbox. ``runtime``
    is the id of the sandbox's runtime.
    """

    rated: bool
    uploaded: frozenset[int] = frozenset()
    runtime: str = ""


class SeatJournal(NamedTuple):
    """The journal of an uploaded bot on one seat of a game; only its owner may read it."""

    game: str
    bot: str
    journal: dict[str, Any]


@dataclass(frozen=True)
class PlayedGroup:
    """A group, or its first games, as played: the records (one line of JSON each), the result, and the
    journals of uploaded bots.
    """

    records: list[str]
    result: GroupResult
    journals: list[SeatJournal] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether all games of the group have been played."""
        return len(self.records) == self.result.size

    def as_json(self) -> list[object]:
        """Return the group in a form that :meth:`from_json` reads."""
        return [self.records, self.result.as_json(), self.journals]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> PlayedGroup:
        """Return the group that was stored in this form."""
        records, result, journals = data
        return cls(records, GroupResult.from_json(result), [SeatJournal(*journal) for journal in journals])


def play_local_group(
    group: LocalGroup,
    finished_ms: Callable[[], int],
    on_decision: Callable[[int], None] | None = None,
    before: PlayedGroup | None = None,
    gives_way: Callable[[], bool] = lambda: False,
) -> PlayedGroup:
    """Play ``group`` in this process, or the rest of it: ``before`` are its first games, if they have been
    played. ``finished_ms`` is called when each game ends and returns the time. After each game, play ends if
    ``gives_way`` returns True.

    The same group gives the same hashes on every machine and in every run, however often it gave way.
    Raises :class:`ServerFault`.
    """
    first = 0 if before is None else len(before.records)
    games = _limited(group, play_games(group, first=first, on_decision=on_decision))
    return recorded(group, _until(gives_way, games), finished_ms, before)


def _limited(group: LocalGroup, games: Iterator[PlayedGame]) -> Iterator[PlayedGame]:
    """Limit the processor time of each game. Raises :class:`ServerFault`."""
    seconds = GAME_SECONDS + SEAT_SECONDS * sum(player in group.uploaded for player in group.seats[0])
    while True:
        try:
            with processor_time_limit(seconds):
                played = next(games, None)
        except OutOfTime:
            raise ServerFault(
                f"a game of group {group.id} took more than {seconds:.0f} s of processor time"
            ) from None
        if played is None:
            return
        yield played


def _until(is_over: Callable[[], bool], games: Iterable[PlayedGame]) -> Iterator[PlayedGame]:
    for played in games:
        yield played
        if is_over():
            return


def recorded(
    group: LocalGroup,
    games: Iterable[PlayedGame],
    finished_ms: Callable[[], int],
    before: PlayedGroup | None = None,
) -> PlayedGroup:
    """Return the played ``group`` with its games, which are played as the iterator is consumed. For
    ``finished_ms`` and ``before``, see :func:`play_local_group`.
    """
    records = [] if before is None else [*before.records]
    results = [] if before is None else [*before.result.games]
    journals = [] if before is None else [*before.journals]
    for played in games:
        sandboxed = [seat for seat, player in enumerate(played.players) if player in group.uploaded]
        journals += (_seat_journal(group, played, seat) for seat in sandboxed)
        record, result = _results(group, played, finished_ms(), bool(sandboxed))
        records.append(dumps(record))
        results.append(result)
    game = game_of(group.kind)
    teams, preset = game.teams(group.rules), game.preset_of(group.rules) or ""
    size = len(group.seats)
    return PlayedGroup(
        records,
        GroupResult(group.kind, group.id, size, True, teams, results, preset=preset),
        journals,
    )


def _results(
    group: LocalGroup, played: PlayedGame, finished_ms: int, sandboxed: bool
) -> tuple[Record, GameResult]:
    table = played.table
    players = [PlayerId(group.bots[player].name, group.bots[player].version) for player in played.players]
    record = build_record(
        table,
        players=players,
        group=group.place(played.number),
        info={
            "producer": f"botequim {__version__}",
            "finished_ms": finished_ms,
            "rated": group.rated,
            "house": [player not in group.uploaded for player in played.players],
            **({"sandbox": group.runtime} if sandboxed else {}),
        },
    )
    # Details of an uploaded bot's faults are shown only to its owner, except which limit it exceeded.
    if sandboxed and record["info"].pop("fault_details", None):
        details = [fault.detail if fault.type == "late" else "" for fault in table.faults]
        if any(details):
            record["info"]["fault_details"] = details
    outcome = table.outcome()
    assert outcome is not None
    awards = table.game.awards
    return record, GameResult(
        played.number,
        record["hash"],
        tuple(players),
        outcome.places,
        outcome.forfeits,
        tuple(sum(fault.seat == seat for fault in table.faults) for seat in range(table.size)),
        (),
        () if awards is None else awards.styles(table.events, table.size),
        finished_ms,
        forfeited_late(
            [(seat, action) for seat, action, _ in table.actions],
            [(fault.seat, fault.after) for fault in table.faults],
            outcome.forfeits,
        ),
        millionths(group.kind, group.rules, record["canonical"]["actions"]),
        scores=outcome.scores,
    )


def _seat_journal(group: LocalGroup, played: PlayedGame, seat: int) -> SeatJournal:
    table, bot = played.table, played.bots[seat]
    spec = group.bots[played.players[seat]]
    journal: dict[str, Any] = bot.journal.as_json() if isinstance(bot, Journaled) else _NOTHING_DONE
    decisions = [{**one, "turn": table.own_id(one["turn"])} for one in journal["decisions"]]
    faults = [
        {"type": fault.type, "after": fault.after, "detail": printable(fault.detail, _DETAIL)}
        for fault in table.faults
        if fault.seat == seat
    ]
    own = {"seat": seat, "version": spec.version, **journal, "decisions": decisions, "faults": faults}
    return SeatJournal(table.game_id, spec.name, own)


_NOTHING_DONE: Final = {"output": "", "cut": False, "load_ms": 0.0, "decisions": []}
_DETAIL: Final = 300
