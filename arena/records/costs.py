"""How much another action would have been worth, judged by what the seat could see.

A turn is re-dealt many times (``arena.bots.redeal``), and both actions are tried in each re-dealt world. In
each, ``regular`` continues the game for all seats, with the same randomness. Therefore the difference has
much less noise than either value. Re-deals are uniform over the cards that the seat does not see; information
about other seats' cards from calls and bids is ignored.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple

from arena.bots import Bot, bot_spec
from arena.bots.redeal import redeal
from arena.games import game_of
from arena.games.kernel import CHANCE, State, Turn, turn_in
from arena.play.dealing import Dealer
from arena.play.outcomes import points
from arena.play.stats import mean_interval
from arena.records.remarks import Remark

Until = Literal["hand", "game"]

PLAYED_BY: Final = "regular"


class Cost(NamedTuple):
    """The cost of an action compared with another one: the mean over ``worlds`` re-deals, and its 95%
    interval.

    ``unit`` is ``points`` or ``lives`` (the seat's own minus those of the others), or ``share``, the share of
    the other teams that are beaten (0 to 1).
    """

    value: float
    low: float
    high: float
    unit: str
    worlds: int


def cost_of(remark: Remark, seed: str, worlds: int, until: Until = "hand") -> Cost:
    """Return the cost of the recorded action compared with the reviewer's. It is positive if the reviewer's
    action was better.

    ``until`` determines whether play continues to the end of the hand, for points or lives, or to the end of
    the game, for the share. ``seed`` is the seed of the randomness.
    """
    turn, action = remark.decision.turn, remark.decision.action
    differences = []
    unit = ""
    for number in range(worlds):
        key = sha256(f"cost {seed} {remark.decision.id} {number}".encode()).digest()
        world = redeal(turn, random.Random(key))
        better, unit = _value(world.clone(), turn, remark.action, key, until)
        done, unit = _value(world, turn, action, key, until)
        differences.append(better - done)
    mean, half = mean_interval(differences)
    return Cost(mean, mean - half, mean + half, unit, worlds)


def _value(state: State, turn: Turn, action: str | None, key: bytes, until: Until) -> tuple[float, str]:
    """Return the value to which ``action`` leads for the seat of the turn, and its unit. ``key`` determines
    all randomness.
    """
    seat: int = turn["seat"]
    game = game_of(turn["kind"])
    rules = turn["rules"]
    bots: dict[int, Bot] = {}
    dealer = Dealer(key, [""] * game.seats(rules))
    if action is not None:
        state.apply(seat, action)
    while state.awaiting():
        chance = state.chance()
        if chance is not None:
            standing = _standing(state, seat, game.teams(rules)) if until == "hand" else None
            if standing is not None:
                return standing
            state.apply(CHANCE, dealer.action(chance))
            continue
        awaited = state.awaiting()[0]
        bot = bots.get(awaited)
        if bot is None:
            own = sha256(key + bytes([awaited])).digest()
            bot = bots[awaited] = bot_spec(PLAYED_BY, game.kind).make(int.from_bytes(own))
        chosen = bot.choose(turn_in(state, game.kind, rules, awaited))
        state.apply(awaited, state.default_action(awaited) if chosen is None else chosen)
    if until == "hand":
        standing = _standing(state, seat, game.teams(rules))
        if standing is not None:
            return standing
    outcome = state.outcome()
    assert outcome is not None
    return points(outcome.places, game.teams(rules))[seat], "share"


def _standing(state: State, seat: int, teams: tuple[tuple[int, ...], ...]) -> tuple[float, str] | None:
    """Return the lead of the seat over the others, and its unit, or None if the game has no team scores or
    lives.
    """
    seen: Mapping[str, Any] = state.observation(None)
    if "score" in seen:
        values, own, unit = seen["score"], [seat in team for team in teams].index(True), "points"
    elif "lives" in seen:
        values, own, unit = seen["lives"], seat, "lives"
    else:
        return None
    others = [value for index, value in enumerate(values) if index != own]
    return values[own] - sum(others) / len(others), unit
