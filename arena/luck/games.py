"""The luck of the hands of a recorded game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from arena.games import game_of
from arena.games.descriptor import Standing
from arena.games.kernel import CHANCE
from arena.games.options import Rules
from arena.luck.equity import EquityTable, has_table, table_of
from arena.luck.par import model_of, play_on
from arena.play.outcomes import points
from arena.records.record import Record

_DIGITS: Final = 6
"""Decimals of published chances."""

MILLION: Final = 1_000_000
"""Stored luck is in whole millionths of a game, so that sums do not depend on their order."""


class HandLuck(NamedTuple):
    """A hand from the point of view of the first team. ``hand`` counts from 1; ``points`` holds the points or
    lives of the first team and of the other one before it. ``before`` and ``after`` are the equity before and
    after the hand as it was played, and ``par`` is the equity after par has played its pack.
    """

    hand: int
    points: tuple[int, int]
    before: float
    par: float
    after: float

    @property
    def luck(self) -> float:
        """What the cards of the hand brought."""
        return self.par - self.before


@dataclass(frozen=True)
class GameLuck:
    """The luck of a game of two teams, in chances to win the game, from the point of view of the first one.
    ``lot`` is what the lot for the first dealer brought.
    """

    table: EquityTable
    lot: float
    hands: tuple[HandLuck, ...]

    @property
    def luck(self) -> float:
        """The luck of the first team in the whole game; that of the other team is the same with the opposite
        sign. Its mean is 0, whoever plays.
        """
        return self.lot + sum(hand.luck for hand in self.hands)

    def taken_out(self, teams: Sequence[Sequence[int]]) -> list[float]:
        """Return, by seat, what is subtracted from its points (0 to 1) to get the luck-adjusted ones. Those
        of a single game may be below 0 or above 1; their mean is that of the points.
        """
        luck = self.table.weight * self.luck
        return [luck if seat in teams[0] else -luck for seat in range(sum(map(len, teams)))]


def millionths(kind: str, rules: Rules, actions: Iterable[Sequence[Any]]) -> int | None:
    """Return what is subtracted from the points of the first team (:meth:`GameLuck.taken_out`), in
    millionths, as stored with results, or None if the luck is not measured for these rules.
    """
    if not has_table(kind, game_of(kind).options.complete(rules)):
        return None
    luck = luck_of_actions(kind, rules, actions)
    return round(MILLION * luck.table.weight * luck.luck)


def luck_of(record: Record) -> GameLuck:
    """Return the luck of a recorded game whose actions are legal. Raises :class:`~arena.luck.equity.NoLuck`
    if it is not measured for its rules, and what the rules raise for a record that cannot be played through.
    """
    canonical = record["canonical"]
    return luck_of_actions(canonical["kind"], canonical["rules"], canonical["actions"])


def luck_of_actions(kind: str, given: Rules, actions: Iterable[Sequence[Any]]) -> GameLuck:
    """See :func:`luck_of`. ``actions`` are written as in records, from the first one on."""
    game = game_of(kind)
    rules = game.options.complete(given)
    table = table_of(kind, rules)
    model = model_of(game)
    state = game.new_state(rules)
    seats = game.seats(rules)
    lot = 0.0
    hands: list[HandLuck] = []
    dealt: HandLuck | None = None
    deal = ""
    for seat, action, *_ in actions:
        if seat >= seats:
            raise state.illegal(seat, action)
        chance = state.chance() if seat == CHANCE else None
        if chance is not None and chance.kind == "deal":
            team, *values = model.standing(state)
            before = table.of_team(Standing(team, *values), 0)
            shown = (values[team], values[1 - team])
            deal, dealt = action, HandLuck(chance.hand, shown, before, before, before)
        state.apply(seat, action)
        if chance is not None and chance.kind == "dealer":
            lot = table.of_team(model.standing(state), 0) - 0.5
        if dealt is not None and not model.is_blind(state):
            played = state.clone()
            play_on(game, rules, played, deal)
            hands.append(dealt._replace(par=table.of_team(model.standing(played), 0)))
            dealt = None
        if hands and dealt is None and state.awaiting() in ((), (CHANCE,)):
            hands[-1] = hands[-1]._replace(after=table.of_team(model.standing(state), 0))
    return GameLuck(table, lot, tuple(hands))


def luck_json(record: Record) -> dict[str, object]:
    """Return the luck of a recorded game for programs, rounded: per team its points (0 to 1), its luck, and
    the points without it; per hand what :class:`HandLuck` has, from the point of view of the first team.
    Raises what :func:`luck_of` raises.
    """
    found = luck_of(record)
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    teams = game.teams(game.options.complete(canonical["rules"]))
    worth = points(canonical["outcome"]["places"], teams)
    taken_out = found.taken_out(teams)
    return {
        "game": canonical["game"],
        "kind": canonical["kind"],
        "table": found.table.name,
        "table_hash": found.table.hash,
        "weight": found.table.weight,
        "teams": [
            {
                "seats": list(team),
                "players": list(dict.fromkeys(canonical["players"][seat]["name"] for seat in team)),
                "points": worth[team[0]],
                "luck": round(found.luck if number == 0 else -found.luck, _DIGITS),
                "adjusted": round(worth[team[0]] - taken_out[team[0]], _DIGITS),
            }
            for number, team in enumerate(teams)
        ],
        "lot": round(found.lot, _DIGITS),
        "hands": [
            {
                "hand": hand.hand,
                "points": list(hand.points),
                "before": round(hand.before, _DIGITS),
                "par": round(hand.par, _DIGITS),
                "after": round(hand.after, _DIGITS),
                "luck": round(hand.luck, _DIGITS),
            }
            for hand in found.hands
        ],
    }
