"""The decisions of a recorded game, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arena.errors import ArenaError
from arena.games.kernel import Turn
from arena.play.dealing import shown_game_id
from arena.play.faults import FAULTS
from arena.play.table import Table
from arena.records.record import Canonical, Record


class RecordedDecision(NamedTuple):
    """A turn and its result: an action (``mark`` is why the table chose it, or None if the bot did) or a
    ``fault`` without an action. ``id`` is the turn's id, with the game's id as in the record. ``turn`` is the
    turn as seen by the bot. ``after`` is the number of actions in the game before it.
    """

    id: str
    turn: Turn
    action: str | None
    mark: str | None
    fault: str | None
    after: int

    @property
    def seat(self) -> int:
        """The seat that had the turn."""
        return self.turn["seat"]

    @property
    def summary(self) -> str:
        """The recorded result as readable text."""
        if self.action is None:
            return f"a fault ({self.fault})"
        return self.action if self.mark is None else f"{self.action} ({self.mark})"


def recorded_table(canonical: Canonical) -> Table:
    """Return the table of a recorded game before its first action. It shows turns as the bots saw them."""
    seed = bytes.fromhex(canonical["seed"])
    game, group = canonical["game"], canonical["group"]
    shown = shown_game_id(seed, game) if group is not None and group["mirrored"] else None
    return Table(game, canonical["kind"], canonical["rules"], seed, canonical["nonces"], shown_id=shown)


def decisions(record: Record) -> Iterator[RecordedDecision]:
    """Yield every decision of a verified record, in order. Passed optional turns are not recorded."""
    canonical = record["canonical"]
    table = recorded_table(canonical)
    incidents = [(fault["after"], fault["seat"], fault["type"]) for fault in canonical["faults"]]
    incidents += [(entry["after"], entry["seat"], "resigned") for entry in canonical["resigned"]]
    incidents.sort(key=lambda incident: incident[0])
    table.start()
    while table.logged < len(canonical["actions"]):
        if incidents and incidents[0][0] <= table.logged:
            after, seat, what = incidents.pop(0)
            turn = table.turn(seat)
            if what == "resigned":
                table.resign(seat)
                continue
            forfeited = table.fault(seat, what)
            # If the table then acts for the seat, the mark of that action represents the fault.
            if turn is not None and (forfeited or turn["optional"] or FAULTS[what] is None):
                yield RecordedDecision(table.own_id(turn["turn"]), turn, None, None, what, after)
            continue
        acting, action, *mark = canonical["actions"][table.logged]
        turn = table.turn(acting)
        assert turn is not None
        yield RecordedDecision(
            table.own_id(turn["turn"]), turn, action, mark[0] if mark else None, None, table.logged
        )
        if mark:
            table.act_for(acting, mark[0])
        else:
            table.submit(acting, table.turn_number(acting), action)


def decisions_until(record: Record, where: int | str, seat: int | None = None) -> list[RecordedDecision]:
    """Return the decisions of one seat up to a given one: decision number ``where`` (from 1, counting those
    of ``seat`` or of all seats), or the turn with the id ``where``. The record must be verified.

    Raises :class:`~arena.errors.ArenaError` if there is no such turn.
    """
    everything = [one for one in decisions(record) if seat in (None, one.seat)]
    count = 0
    last = None
    for number, one in enumerate(everything):
        count += one.action is not None
        # A turn stays open after some faults; only its last decision counts.
        if one.id == where or (one.action is not None and count == where):
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
