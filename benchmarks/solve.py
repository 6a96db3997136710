"""Solves Truco for two: ``python -m benchmarks.solve``, with one file per preset, ten minutes each.

Two players learn against each other how often to take each action in each spot (see
:mod:`arena.games.truco.bots.solved`), by counterfactual regret minimisation with external sampling (Lanctot
et al., Monte Carlo sampling for regret minimization in extensive games, NIPS 2009). Regrets never fall below
0, and later iterations weigh more (Tammelin, Solving large imperfect information games using CFR+, 2014).
Hands are dealt as in the preset, at any score; a hand is worth what its points are worth in the race to 12.
Cards are never hidden.
"""

from __future__ import annotations

import json
import random
import textwrap
from collections.abc import Callable, Sequence
from operator import mul
from pathlib import Path
from typing import Final

import click

from arena.games import game_of
from arena.games.truco.bots.race import Race
from arena.games.truco.bots.solved import side, spot
from arena.games.truco.cards import TARGET
from arena.games.truco.options import rules_from
from arena.games.truco.table import TIE

PRESETS: Final = ("paulista-2@1", "mineiro-2@1")
ITERATIONS: Final = 600_000
SEED: Final = "botequim solve 1"
DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
"""A probability is stored as one digit, a share of the largest one."""
LINE: Final = 110
"""The length of the lines of a table."""

_Hands = tuple[tuple[int, ...], tuple[int, ...]]


class Solver:
    """Learns the strategy of a preset."""

    def __init__(self, preset: str) -> None:
        game = game_of("truco")
        self._rules = rules_from(game.options.complete(game.preset(preset).rules))
        self._random = random.Random(SEED + preset)
        self._scores = range(0, TARGET, self._rules.low)
        self._learner = 0
        self._may_call = True
        self._weight = 0
        self._regrets: dict[int, list[float]] = {}
        self._sums: dict[int, list[float]] = {}
        # What the hand is worth to seat 0, by the winner (-1 for nobody) and the step of the stakes.
        self._values: dict[int, list[float]] = {}

    def run(self, iterations: int) -> None:
        """Play hands in which one seat learns, then the other."""
        for iteration in range(1, iterations + 1):
            self._weight = iteration
            score = self._random.choice(self._scores), self._random.choice(self._scores)
            hands = self._deal()
            for self._learner in (0, 1):
                self.play(score, hands)

    def play(self, score: tuple[int, int], hands: _Hands) -> float:
        """Play a hand in which seat 0 leads, and return what it is worth to that seat: its chance to win the
        game.

        ``hands`` holds the strengths of the cards of both seats, weakest first.
        """
        rules = self._rules
        self._may_call = rules.threshold not in score
        race = Race(score, rules.max_hands, rules.stakes)
        self._values = {
            TIE: [race.nobody] * len(rules.stakes),
            0: [race.won(points) for points in rules.stakes],
            1: [race.lost(points) for points in rules.stakes],
        }
        # TV-7.3: with one seat at the threshold, the second stake is in force, and nobody calls.
        return self._turn(0, hands, (), 0 if self._may_call else 1, TIE, 0)

    def strategy(self) -> dict[str, str]:
        """Return the actions of each spot (in hexadecimal) as digits to the base 36."""
        found = {}
        most = len(DIGITS) - 1
        for number, sums in sorted(self._sums.items()):
            total = sum(sums)
            found[f"{number:x}"] = "".join(DIGITS[round(most * one / total)] for one in sums)
        return found

    def _deal(self) -> _Hands:
        cards = self._random.sample(range(40), 7)
        strength = self._rules.order(cards[6]).strength
        first, second = (tuple(sorted(strength[card] for card in part)) for part in (cards[:3], cards[3:6]))
        return first, second

    def _turn(
        self, seat: int, hands: _Hands, winners: tuple[int, ...], level: int, raiser: int, table: int
    ) -> float:
        """Return the value of a hand in which ``seat`` is to play a card or to call."""
        hand = hands[seat]
        actions = len(hand) + (self._may_call and level < 4 and raiser != seat)
        if actions == 1:
            return self._card(seat, hands, winners, level, raiser, table, 0)
        number = spot(_seen(winners, seat), level, side(raiser, seat), hand, table, False, False)

        def value(action: int) -> float:
            if action < len(hand):
                return self._card(seat, hands, winners, level, raiser, table, action)
            return self._answer(1 - seat, seat, hands, winners, level, table)

        return self._decide(seat, number, actions, value)

    def _answer(
        self, seat: int, turn: int, hands: _Hands, winners: tuple[int, ...], level: int, table: int
    ) -> float:
        """Return the value of a hand in which ``seat`` is to answer, and ``turn`` plays after that."""
        is_ours = table > 0 and turn != seat
        number = spot(_seen(winners, seat), level, -1, hands[seat], table, is_ours, True)

        def value(action: int) -> float:
            if action == 0:
                return self._values[1 - seat][level]
            if action == 1:
                return self._turn(turn, hands, winners, level + 1, 1 - seat, table)
            return self._answer(1 - seat, turn, hands, winners, level + 1, table)

        return self._decide(seat, number, 3 if level < 3 else 2, value)

    def _card(
        self,
        seat: int,
        hands: _Hands,
        winners: tuple[int, ...],
        level: int,
        raiser: int,
        table: int,
        place: int,
    ) -> float:
        """Return the value of a hand in which ``seat`` plays the card at ``place``."""
        hand = hands[seat]
        card, left = hand[place], hand[:place] + hand[place + 1 :]
        after = (left, hands[1]) if seat == 0 else (hands[0], left)
        if not table:
            return self._turn(1 - seat, after, winners, level, raiser, card)
        winner = seat if card > table else 1 - seat if card < table else TIE
        winners = (*winners, winner)
        over = winner_of(winners)
        if over is not None:
            return self._values[over][level]
        # TV-5.4: after a tie, the same seat leads.
        return self._turn(1 - seat if winner == TIE else winner, after, winners, level, raiser, 0)

    def _decide(self, seat: int, number: int, actions: int, value: Callable[[int], float]) -> float:
        regrets = self._regrets.get(number)
        if regrets is None:
            regrets = self._regrets[number] = [0.0] * actions
        total = sum(regrets)
        chances = [regret / total for regret in regrets] if total > 0 else [1 / actions] * actions
        if seat != self._learner:
            sums = self._sums.setdefault(number, [0.0] * actions)
            for action, chance in enumerate(chances):
                sums[action] += self._weight * chance
            return value(self._random.choices(range(actions), chances)[0])
        values = [value(action) for action in range(actions)]
        mean: float = sum(map(mul, chances, values))
        sign = 1 if seat == 0 else -1
        for action, own in enumerate(values):
            regrets[action] = max(0.0, regrets[action] + sign * (own - mean))
        return mean


def winner_of(winners: Sequence[int]) -> int | None:
    """Return the seat that has won the hand (BT-3.5, BT-3.6), TIE if nobody has, or None if it goes on."""
    if len(winners) == 1:
        return None
    won = [winner for winner in winners if winner != TIE]
    if len(winners) == 2:
        # One trick and a tie decide, and so do two tricks of one seat.
        return won[0] if len(set(won)) == 1 else None
    return TIE if not won else won[0] if winners[2] == TIE else winners[2]


def _seen(winners: Sequence[int], seat: int) -> list[int]:
    return [side(winner, seat) for winner in winners]


@click.command()
@click.option("--preset", "presets", multiple=True, type=click.Choice(PRESETS), help="Only this one.")
@click.option("--iterations", type=click.IntRange(min=1), default=ITERATIONS, show_default=True)
@click.option(
    "--out", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, help="The folder."
)
def main(presets: tuple[str, ...], iterations: int, out: Path) -> None:
    """Write the strategy of each preset to a file."""
    for preset in presets or PRESETS:
        solver = Solver(preset)
        solver.run(iterations)
        spots = solver.strategy()
        file = out / f"{preset.partition('@')[0]}.json"
        file.write_text("\n".join(textwrap.wrap(json.dumps(spots), LINE)) + "\n")
        print(f"{file}: {len(spots)} spots, {iterations} iterations", flush=True)


if __name__ == "__main__":
    main()
