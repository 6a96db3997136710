"""Practice: games with the deals of a finished game, from any decision of the person who played it.

Only a finished game can be repeated, because its players may see all its cards. A practice game is private,
and in no list, data set, statistics or rating.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.errors import ArenaError
from arena.live.header import EarlierGame, GameHeader
from arena.records.decisions import RecordedDecision, decisions
from arena.records.record import Record

STAND_IN: Final = "regular"
"""The house bot that takes the seats of people and of bots that are not house bots."""


class NoSuchDecision(ArenaError):
    """The person had no such decision in the game."""

    code = "unknown_turn"


def decision_after(record: Record, seat: int, after: int) -> RecordedDecision:
    """Return the decision of a seat in a verified record with ``after`` actions in the game before it. Raises
    :class:`NoSuchDecision`.
    """
    for one in decisions(record):
        if one.after == after and one.seat == seat and one.action is not None:
            return one
    raise NoSuchDecision(
        "you had no decision there",
        field="after",
        expected="the number of actions before a decision of yours",
    )


def decision_in_hand(record: Record, seat: int, hand: int) -> RecordedDecision:
    """Return the first decision of a seat in a hand. Raises :class:`NoSuchDecision`."""
    last = 0
    for one in decisions(record):
        if one.seat == seat and one.action is not None:
            last = one.turn["observation"]["hand_number"]
            if last == hand:
                return one
    raise NoSuchDecision(
        f"you had no decision in hand {hand}", field="hand", expected=f"a hand from 1 to {last}"
    )


def opening_of(record: Record, after: int) -> EarlierGame:
    """Return the opening of a game that repeats the first ``after`` actions of a finished one."""
    canonical = record["canonical"]
    seed = bytes.fromhex(canonical["seed"])
    return EarlierGame(canonical["game"], seed, canonical["nonces"], canonical["actions"][:after])


def practice_seats(header: GameHeader, seat: int, person: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the seats of a practice game: the ``person`` where ``seat`` was, and house bots everywhere
    else.
    """
    return [
        person if number == seat else {"house": entry.house or STAND_IN}
        for number, entry in enumerate(header.seats)
    ]
