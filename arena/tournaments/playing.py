"""Play the groups that the arena plays itself: every seat a fresh bot, of the house or uploaded, and
all deals the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from arena import __version__
from arena.alarms import OutOfTime, time_limit
from arena.bots import Bot, BotSpec
from arena.dealing import bot_seed, game_seed
from arena.errors import ArenaError
from arena.games import game_of
from arena.games.toepen_titles import styles
from arena.match import Journaled, close_bots, play, seat_bot
from arena.ratings.results import GameResult, GroupResult, Player
from arena.records import Record, build_record, dumps
from arena.table import Table
from arena.text import printable

GROUP_LIMIT: Final = 300.0
SANDBOX_GROUP_LIMIT: Final = 840.0
"""Seconds that a group may take, of the house's bots alone and with uploaded ones. None of them thinks by the
clock, so more is our fault.
"""


class ServerFault(ArenaError):
    """The service could not play a group; nobody who takes part has a fault for it."""

    code = "server_fault"


@dataclass(frozen=True)
class HouseGroup:
    """A group to play: ``seats[i]`` are the players (indexes of ``bots``) seat by seat of game ``i``.

    ``id``: as it stands in the records; ``seed``: the group's. ``uploaded``: the players that run in the
    sandbox, and ``runtime`` what names that.
    """

    id: str
    kind: str
    rules: Mapping[str, Any]
    bots: Sequence[BotSpec]
    seats: Sequence[Sequence[int]]
    seed: bytes
    rated: bool
    uploaded: frozenset[int] = frozenset()
    runtime: str = ""


class SeatJournal(NamedTuple):
    """What an uploaded bot did on one seat of a game: for its owner only."""

    game: str
    bot: str
    journal: dict[str, Any]


@dataclass(frozen=True)
class PlayedGroup:
    """A group as played: its records, one line of JSON each, its result, and what uploaded bots did."""

    records: list[str]
    result: GroupResult
    journals: list[SeatJournal] = field(default_factory=list)


def play_house_group(
    group: HouseGroup, finished_ms: Callable[[], int], on_decision: Callable[[int], None] | None = None
) -> PlayedGroup:
    """Play ``group`` in this process. ``finished_ms`` tells the time when a game is over.

    The same group gives the same hashes, wherever and however often. Raises :class:`ServerFault`.
    """
    records = []
    games = []
    journals: list[SeatJournal] = []
    teams = game_of(group.kind).teams(group.rules)
    seconds = SANDBOX_GROUP_LIMIT if group.uploaded else GROUP_LIMIT
    try:
        with time_limit(seconds):
            for number, seats in enumerate(group.seats):
                record, game = _play_game(group, number, seats, finished_ms, on_decision, journals)
                records.append(dumps(record))
                games.append(game)
    except OutOfTime:
        raise ServerFault(f"group {group.id} took more than {seconds:.0f} s") from None
    size = len(group.seats)
    return PlayedGroup(records, GroupResult(group.kind, group.id, size, True, teams, games), journals)


def _play_game(
    group: HouseGroup,
    number: int,
    seats: Sequence[int],
    finished_ms: Callable[[], int],
    on_decision: Callable[[int], None] | None,
    journals: list[SeatJournal],
) -> tuple[Record, GameResult]:
    seed = game_seed(group.seed, number, True)
    table = Table(game_id(group.id, number), group.kind, group.rules, seed)
    bots: list[Bot] = []
    try:
        for seat, player in enumerate(seats):
            bots.append(seat_bot(group.bots[player], bot_seed(seed, seat)))
        play(table, bots, on_decision=on_decision)
    finally:
        close_bots(bots)
    sandboxed = [seat for seat, player in enumerate(seats) if player in group.uploaded]
    journals += (_seat_journal(group, table, seat, seats[seat], bots[seat]) for seat in sandboxed)
    players = [Player(group.bots[player].name, group.bots[player].version) for player in seats]
    finished = finished_ms()
    record = build_record(
        table,
        players=players,
        group={"id": group.id, "index": number, "size": len(group.seats), "mirrored": True},
        info={
            "producer": f"botequim {__version__}",
            "finished_ms": finished,
            "rated": group.rated,
            "house": [player not in group.uploaded for player in seats],
            **({"sandbox": group.runtime} if sandboxed else {}),
        },
    )
    # What an uploaded bot did wrong, its owner alone is told.
    if sandboxed:
        record["info"].pop("fault_details", None)
    outcome = table.outcome()
    assert outcome is not None
    return record, GameResult(
        number,
        record["hash"],
        tuple(players),
        outcome.places,
        outcome.forfeits,
        tuple(sum(fault.seat == seat for fault in table.faults) for seat in range(table.size)),
        (),
        styles(table.events, table.size) if group.kind == "toepen" else (),
        finished,
    )


def _seat_journal(group: HouseGroup, table: Table, seat: int, player: int, bot: Bot) -> SeatJournal:
    spec = group.bots[player]
    told = bot.journal.as_json() if isinstance(bot, Journaled) else _NOTHING_DONE
    faults = [
        {"type": fault.type, "after": fault.after, "detail": printable(fault.detail, _DETAIL)}
        for fault in table.faults
        if fault.seat == seat
    ]
    return SeatJournal(
        table.game_id, spec.name, {"seat": seat, "version": spec.version, **told, "faults": faults}
    )


_NOTHING_DONE: Final = {"output": "", "cut": False, "load_ms": 0.0, "decisions": []}
_DETAIL: Final = 300


class GamePlace(NamedTuple):
    """Which game of a tournament: its group, as the tournament knows it, and its number there (from 0)."""

    tournament: str
    group: str
    number: int


def place_of(game: str) -> GamePlace | None:
    """The inverse of :func:`game_id`; None for a game of no tournament."""
    found = _GAME_ID(game)
    return None if found is None else GamePlace(found[1], found[2], int(found[3]) - 1)


_GAME_ID: Final = re.compile(
    r"(.+?)-(r[0-9]+-p[0-9]+-g[0-9]+(?:-x[0-9]+)?)-([1-9][0-9]{0,3})(?:-a[0-9]+)?\Z"
).match


def game_id(group_id: str, number: int, attempt: int = 0) -> str:
    """The id of game ``number`` (from 0) of a group's ``attempt``."""
    return f"{group_id}-{number + 1}" + (f"-a{attempt}" if attempt else "")
