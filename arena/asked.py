"""What the bots of a recorded game were asked, turn by turn, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from arena.errors import ArenaError
from arena.records import Record
from arena.table import Table
from arena.verify import MARK_OF_FAULT


class Asked(NamedTuple):
    """One time that a seat was asked: its turn, and what came of it: an action (``mark``: who chose it, if
    not the bot) or a ``fault`` without one. ``after``: how many actions of the game came before.
    """

    turn: dict[str, Any]
    action: str | None
    mark: str | None
    fault: str | None
    after: int

    @property
    def seat(self) -> int:
        """Who was asked."""
        seat: int = self.turn["seat"]
        return seat

    @property
    def told(self) -> str:
        """What is recorded, for people."""
        if self.action is None:
            return f"a fault ({self.fault})"
        return self.action if self.mark is None else f"{self.action} ({self.mark})"


def asked(record: Record) -> Iterator[Asked]:
    """Every decision of a proven record, in order. Optional turns that were let pass are not recorded."""
    canonical = record["canonical"]
    table = Table(
        canonical["game"],
        canonical["kind"],
        canonical["rules"],
        bytes.fromhex(canonical["seed"]),
        canonical["nonces"],
    )
    incidents = [(fault["after"], fault["seat"], fault["type"]) for fault in canonical["faults"]]
    incidents += [(entry["after"], entry["seat"], "resigned") for entry in canonical["resigned"]]
    incidents.sort(key=lambda incident: incident[0])
    table.start()
    while table.logged < len(canonical["actions"]):
        if incidents and incidents[0][0] <= table.logged:
            after, seat, what = incidents.pop(0)
            told = table.turn(seat)
            if what == "resigned":
                table.resign(seat)
                continue
            forfeited = table.fault(seat, what)
            # Where the table then acts for the seat, that action tells of the fault.
            if told is not None and (forfeited or told["optional"] or what not in MARK_OF_FAULT):
                yield Asked(told, None, None, what, after)
            continue
        acting, action, *mark = canonical["actions"][table.logged]
        told = table.turn(acting)
        assert told is not None
        yield Asked(told, action, mark[0] if mark else None, None, table.logged)
        if mark:
            table.act_for(acting, mark[0])
        else:
            table.submit(acting, table.turn_number(acting), action)


def asked_until(record: Record, where: int | str, seat: int | None = None) -> list[Asked]:
    """What the seat was asked that made decision number ``where`` (from 1, of ``seat``, or of all), or that
    had the turn with the id ``where``, up to then. The record must be a proven one.

    Raises :class:`~arena.errors.ArenaError` if there is no such turn.
    """
    everything = [one for one in asked(record) if seat in (None, one.seat)]
    count = 0
    last = None
    for number, one in enumerate(everything):
        count += one.action is not None
        # A turn is asked again after some faults: then its last time counts.
        if one.turn["turn"] == where or (one.action is not None and count == where):
            last = number
    if last is not None:
        return [one for one in everything[: last + 1] if one.seat == everything[last].seat]
    whose = "" if seat is None else f" of seat {seat}"
    what = "decision" if isinstance(where, int) else "turn"
    raise ArenaError(
        f"there is no {what} {where}{whose} in game {record['canonical']['game']}",
        code="unknown_turn",
        field="turn",
        expected=f"1 to {count}, or the id of a turn of the game",
    )
