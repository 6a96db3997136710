"""Truco for two as a solved game: what a seat distinguishes, and how often it takes each action.

The tables are made by ``benchmarks.solve``, which plays hands against itself. They are used if calls are
about the whole hand (TV-6.8).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from arena.games.truco.bots.sight import TrucoSight, play
from arena.games.truco.cards import ACCEPT, FACE_DOWN, RAISE
from arena.games.truco.cards import TRUCO as CALL
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, NOBODY

_TABLES: Final = {1: "paulista-2", 2: "mineiro-2"}
"""The table by the lowest stake."""
_SAID: Final = {ACCEPT: 1, RAISE: 2, CALL: 2}
"""The places of answers in :data:`Chances`, by code."""
_HIDDEN: Final = 1
_SURPRISE: Final = 0.02
"""The chance of an action that the table never takes."""

Chances = tuple[float, ...]
"""How often each action is taken: with cards, the cards from the weakest on, then the call; asked, to run, to
accept and to raise.
"""

CLASS: Final[tuple[int, ...]] = (0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 4, 5, 5)
"""The class of a card of each strength: 4 to 7, queen to ace, 2, 3, lower and upper manilhas."""
_BASE: Final = CLASS[-1] + 2
_NONE: Final = 3


def spot(
    results: Sequence[int],
    level: int,
    raiser: int,
    hand: Sequence[int],
    table: int,
    is_ours: bool,
    asked: bool,
) -> int:
    """Return the number of a spot.

    ``results`` are the completed tricks, and ``raiser`` who called or raised last: 1 for the seat itself, -1
    for the other one, and 0 for a tie or nobody. ``level`` is the step of the stakes that is in force.
    ``hand`` holds the strengths of the seat's cards, weakest first. ``table`` is the strength of the card in
    the trick in progress (0 if there is none), and ``is_ours`` says whose it is. ``asked``: the seat answers
    a call; otherwise, it plays or calls.
    """
    number = asked * 2 + is_ours
    for trick in (0, 1):
        number = number * 4 + (results[trick] + 1 if trick < len(results) else _NONE)
    number = (number * 5 + level) * 3 + raiser + 1
    number = number * _BASE + (CLASS[table] + 1 if table else 0)
    for strength in hand:
        number = number * _BASE + CLASS[strength] + 1
    for _ in range(3 - len(hand)):
        number *= _BASE
    weaker = equal = 0
    if table and not is_ours:
        for strength in hand:
            weaker += strength < table
            equal += strength == table
    return (number * 4 + weaker) * 4 + equal


@cache
def strategy(low: int) -> Mapping[int, Chances]:
    """Return the table for stakes that begin with ``low``: the chances of the actions in each spot."""
    name = _TABLES.get(low, _TABLES[1])
    text = Path(__file__).with_name("tables").joinpath(f"{name}.json").read_text()
    found = {}
    for number, digits in json.loads(text).items():
        shares = [int(digit, 36) for digit in digits]
        found[int(number, 16)] = tuple(share / sum(shares) for share in shares)
    return found


def spot_at(sight: TrucoSight) -> int:
    """Return the spot of the seat at its turn."""
    caller = None if sight.truco is None else sight.truco["proposer"]
    return spot(
        sight.results,
        sight.stakes.index(sight.stake),
        0 if caller is None else side(caller, sight.seat),
        sight.strengths,
        max(_HIDDEN, sight.best) if sight.place else 0,
        sight.place > 0 and sight.seat not in sight.to_play,
        sight.phase == "answer",
    )


def spot_in(state: TrucoState, seat: int) -> int:
    """Return the spot of the awaited ``seat``."""
    strength = state.order.strength
    return spot(
        [side(winner, seat) for winner in state.winners],
        state.rules.step_of[state.stake],
        side(state.proposer, seat),
        sorted(strength[card] for card in state.hands[seat]),
        _strength(state.plays[-1], strength) if len(state.plays) & 1 else 0,
        state.leaders[-1] == seat and len(state.plays) & 1 == 1,
        state.phase == ANSWER,
    )


def solved_action(sight: TrucoSight, sharpness: float, random: random.Random) -> str | None:
    """Return the action of the seat at its turn, or None if the table does not know the spot. With an
    ``sharpness`` below 1, actions that are rare in the table become less rare, and above 1, rarer.
    """
    asked = sight.phase == "answer"
    actions = sight.legal if asked else [*map(play, sight.hand), *filter(None, [sight.call])]
    return _draw(strategy(sight.stakes[0]).get(spot_at(sight)), actions, sharpness, random)


def solved_choice(state: TrucoState, seat: int, random: random.Random) -> str | None:
    """Return the action of the awaited ``seat``, which depends only on what that seat can see, or None if the
    table does not know the spot.
    """
    if state.phase == ANSWER:
        actions: Sequence[str] = state.legal
    else:
        cards = sorted(state.hands[seat], key=state.order.strength.__getitem__)
        actions = [*map(play, cards), *filter(None, [state.turn_calls[seat]])]
    return _draw(strategy(state.rules.low).get(spot_in(state, seat)), actions, 1.0, random)


def _draw(
    chances: Chances | None, actions: Sequence[str], sharpness: float, random: random.Random
) -> str | None:
    """Return one of the legal ``actions``, which are in the order of the ``chances``."""
    if chances is None:
        return None
    weights: Sequence[float] = chances[: len(actions)]
    if sharpness != 1.0:
        weights = [chance**sharpness if chance else 0.0 for chance in weights]
    return random.choices(actions[: len(weights)], weights)[0] if any(weights) else None


def likelihood(world: TrucoState, seat: int) -> float:
    """Return how likely it is that the other seat of ``world`` acts as it did, if it plays by the table."""
    table = strategy(world.rules.low)
    weight = 1.0
    for number, action in decisions(world, 1 - seat):
        chances = table.get(number)
        if chances is not None:
            weight *= max(_SURPRISE, chances[action]) if action < len(chances) else _SURPRISE
    return weight


def decisions(world: TrucoState, seat: int) -> Iterator[tuple[int, int]]:
    """Yield the spots in which ``seat`` was in the hand, and what it did there: its place in
    :data:`Chances`. Cards that it hid say nothing.
    """
    strength = world.order.strength
    hand = sorted(strength[card] for card in world.as_dealt(seat))
    level, raiser, asked, table = int(world.elevens > 0), NOBODY, False, 0
    calls = [(call >> 15, call >> 13 & 3, call & 511) for call in world.calls if not world.elevens]
    for played in range(len(world.plays) + 1):
        leader = world.leaders[played >> 1] if played >> 1 < len(world.leaders) else NOBODY
        results = [side(winner, seat) for winner in world.winners[: played >> 1]]
        is_ours = leader == seat and played & 1 == 1
        while calls and calls[0][0] == played:
            _, who, code = calls.pop(0)
            if code in _SAID:
                if who == seat:
                    number = spot(results, level, side(raiser, seat), hand, table, is_ours, asked)
                    yield number, _SAID[code] if asked else len(hand)
                if asked:
                    level += 1
                asked = code != ACCEPT
                raiser = who if asked else raiser
        if played == len(world.plays):
            return
        card = _strength(world.plays[played], strength)
        if leader ^ played & 1 == seat:
            if world.plays[played] < FACE_DOWN:
                number = spot(results, level, side(raiser, seat), hand, table, is_ours, False)
                yield number, hand.index(card)
            hand.remove(strength[world.plays[played] & ~FACE_DOWN])
        table = 0 if played & 1 else card


def side(who: int, seat: int) -> int:
    """Return 1 for the seat itself, -1 for the other one, and 0 for nobody."""
    return 0 if who == NOBODY else 1 if who == seat else -1


def _strength(code: int, strength: Sequence[int]) -> int:
    """Return the strength of a card on the table. A hidden card counts as one of the weakest."""
    return _HIDDEN if code >= FACE_DOWN else strength[code]
