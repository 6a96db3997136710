"""Plays the games of a group between bots in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.bots import Bot, BotSpec
from arena.games.options import Rules
from arena.play.dealing import bot_seed, game_seed, shown_game_id
from arena.play.fault_reports import FaultReport
from arena.play.game_ids import game_id
from arena.play.match import Thinking, close_bots, play, seat_bot
from arena.play.table import Table


@dataclass(frozen=True)
class SeatedGroup:
    """A group to be played. ``seats[i]`` lists the players of game ``i`` (indexes of ``bots``) in seat order.

    ``id`` is the group's id in the format of records, and ``seed`` is the seed of the group. If ``mirrored``
    is set, all games have the same deals.
    """

    id: str
    kind: str
    rules: Rules
    bots: Sequence[BotSpec]
    seats: Sequence[Sequence[int]]
    seed: bytes
    mirrored: bool = field(default=True, kw_only=True)

    def place(self, number: int) -> dict[str, object]:
        """Return the place of game ``number`` in the group, in the format of records."""
        return {"id": self.id, "index": number, "size": len(self.seats), "mirrored": self.mirrored}


class PlayedGame(NamedTuple):
    """A finished game of a group. The players, the closed bots and their thinking times are listed in seat
    order.
    """

    number: int
    players: Sequence[int]
    table: Table
    bots: Sequence[Bot]
    thinking: Sequence[Thinking]


def play_games(
    group: SeatedGroup,
    *,
    first: int = 0,
    think_limit: float | None = None,
    on_decision: Callable[[int], None] | None = None,
    on_fault: Callable[[int, FaultReport], None] | None = None,
) -> Iterator[PlayedGame]:
    """Play the games of ``group`` in order from number ``first`` on, with a new bot for each seat of each
    game.

    ``on_decision`` is called with the player before its bot is created and before each of its decisions.
    ``on_fault`` is called after each fault. Raises the same errors as :func:`~arena.play.match.play`.
    """
    for number, players in enumerate(group.seats[first:], first):
        seed = game_seed(group.seed, number, group.mirrored)
        game = game_id(group.id, number)
        shown = shown_game_id(seed, game) if group.mirrored else None
        table = Table(game, group.kind, group.rules, seed, shown_id=shown)

        def decides(seat: int, players: Sequence[int] = players) -> None:
            if on_decision is not None:
                on_decision(players[seat])

        def failed(seat: int, report: FaultReport, players: Sequence[int] = players) -> None:
            if on_fault is not None:
                on_fault(players[seat], report)

        bots: list[Bot] = []
        try:
            for seat, player in enumerate(players):
                decides(seat)
                bots.append(seat_bot(group.bots[player], bot_seed(seed, seat), think_limit))
            thinking = play(
                table,
                bots,
                think_limit=think_limit,
                on_decision=decides,
                on_fault=None if on_fault is None else failed,
            )
        finally:
            close_bots(bots)
        yield PlayedGame(number, players, table, bots, thinking)
