"""The luck of each hand of a recorded game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final, NamedTuple

from arena.games import game_of
from arena.games.descriptor import Game, Standing
from arena.games.kernel import CHANCE, State
from arena.games.options import Rules
from arena.luck.equity import EquityTable, has_table, table_of
from arena.luck.par import model_of, play_on
from arena.play.outcomes import points
from arena.records.record import Record

_DIGITS: Final = 6
"""The number of decimals in published chances."""

MILLION: Final = 1_000_000
"""Luck is stored in whole millionths of a game, so that sums do not depend on the order of addition."""


class HandLuck(NamedTuple):
    """A hand from the point of view of the first team. ``hand`` counts from 1. ``points`` holds the points or
    lives of the first team and of the other team before the hand. ``before`` and ``after`` are the equity
    before the hand and after it was played. ``par`` is the mean of the equities after par has played the same
    pack.
    """

    hand: int
    points: tuple[int, int]
    before: float
    par: float
    after: float

    @property
    def luck(self) -> float:
        """The luck of the hand: what its cards were worth to the first team."""
        return self.par - self.before


@dataclass(frozen=True)
class GameLuck:
    """The luck in a game of two teams, in chances to win the game, from the point of view of the first team.
    ``lot`` is the luck of the draw for the first dealer.
    """

    table: EquityTable
    lot: float
    hands: tuple[HandLuck, ...]

    @property
    def luck(self) -> float:
        """The luck of the first team in the whole game. The luck of the other team is the negative of it.
        Apart from the table's own error, its mean is 0, whatever the skill of the players.
        """
        return self.lot + sum(hand.luck for hand in self.hands)

    def taken_out(self, teams: Sequence[Sequence[int]]) -> list[float]:
        """Return, by seat, what is subtracted from its points (0 to 1) to get the luck-adjusted points. The
        adjusted points of a single game can be below 0 or above 1; apart from the table's own error, their
        mean is that of the plain points.
        """
        luck = self.table.weight * self.luck
        return [luck if seat in teams[0] else -luck for seat in range(sum(map(len, teams)))]


def millionths(kind: str, rules: Rules, actions: Iterable[Sequence[Any]]) -> int | None:
    """Return what is subtracted from the points of the first team (:meth:`GameLuck.taken_out`), in
    millionths, as stored with results. Return None if luck is not measured for these rules.
    """
    if not has_table(kind, game_of(kind).options.complete(rules)):
        return None
    luck = luck_of_actions(kind, rules, actions)
    return round(MILLION * luck.table.weight * luck.luck)


def luck_of(record: Record) -> GameLuck:
    """Return the luck of a recorded game whose actions are legal. Raises :class:`~arena.luck.equity.NoLuck`
    if luck is not measured for its rules. Rule errors are raised unchanged for a record that cannot be
    replayed.
    """
    canonical = record["canonical"]
    return luck_of_actions(canonical["kind"], canonical["rules"], canonical["actions"])


def luck_of_actions(kind: str, given: Rules, actions: Iterable[Sequence[Any]]) -> GameLuck:
    """Return the luck of a game from its actions, like :func:`luck_of`. ``actions`` are in the format of
    records and start with the first action of the game.
    """
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
            hands.append(dealt._replace(par=_after_par(game, table, state, deal)))
            dealt = None
        if hands and dealt is None and state.awaiting() in ((), (CHANCE,)):
            hands[-1] = hands[-1]._replace(after=table.of_team(model.standing(state), 0))
    return GameLuck(table, lot, tuple(hands))


def _after_par(game: Game, table: EquityTable, state: State, deal: str) -> float:
    """Return the mean equity of the first team after each play of the hand by par."""
    model = model_of(game)
    values = []
    for play in range(1, model.plays + 1):
        played = state.clone()
        play_on(game, played, deal, play)
        values.append(table.of_team(model.standing(played), 0))
    return fmean(values)


class HandEquity(NamedTuple):
    """The equity of the first team before a hand and after it was played. ``hand`` counts from 1."""

    hand: int
    before: float
    after: float


def hand_equities(kind: str, given: Rules, actions: Iterable[Sequence[Any]]) -> list[HandEquity]:
    """Return the equities around each hand of a game, from its actions in the format of records. Unlike luck,
    this takes no play of par. Raises :class:`~arena.luck.equity.NoLuck` if luck is not measured for these
    rules.
    """
    game = game_of(kind)
    rules = game.options.complete(given)
    table = table_of(kind, rules)
    model = model_of(game)
    state = game.new_state(rules)
    hands: list[HandEquity] = []
    for seat, action, *_ in actions:
        chance = state.chance() if seat == CHANCE else None
        if chance is not None and chance.kind == "deal":
            before = table.of_team(model.standing(state), 0)
            hands.append(HandEquity(chance.hand, before, before))
        state.apply(seat, action)
        if hands and state.awaiting() in ((), (CHANCE,)):
            hands[-1] = hands[-1]._replace(after=table.of_team(model.standing(state), 0))
    return hands


def luck_json(record: Record) -> dict[str, object]:
    """Return the luck of a recorded game as JSON data with rounded values. Each team has its points (0 to 1),
    its luck, and its points less luck. Each hand has the fields of :class:`HandLuck`, from the point of view
    of the first team. Raises the same errors as :func:`luck_of`.
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
