"""Solves Truco: ``python -m benchmarks.solve``, with one file per preset, up to an hour each.

The seats learn against each other how often to take each action in each spot (see
:mod:`arena.games.truco.bots.spots`), by counterfactual regret minimisation with external sampling (Lanctot et
al., Monte Carlo sampling for regret minimization in extensive games, NIPS 2009). Regrets never fall below 0,
and later iterations weigh more (Tammelin, Solving large imperfect information games using CFR+, 2014). The
seats learn in turn, into one table. Hands are played by the rules, at any score; a hand is worth what its
points are worth in the race to 12. Cards are never hidden.
"""

from __future__ import annotations

import random
from operator import mul
from pathlib import Path
from typing import Final

import click

from arena.games import game_of
from arena.games.kernel import CHANCE
from arena.games.truco.bots.manner import REGULAR
from arena.games.truco.bots.race import Race
from arena.games.truco.bots.regular import kept_hand
from arena.games.truco.bots.solved import SHARES, TABLES, Solution
from arena.games.truco.bots.spots import spot_of
from arena.games.truco.cards import TARGET
from arena.games.truco.options import rules_from
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, CHOOSE, ELEVEN, PLAY

PRESETS: Final = ("base@1", "paulista@1", "paulista-2@1", "mineiro@1", "mineiro-2@1")
ITERATIONS: Final = 250_000
SEED: Final = "botequim solve 2"
RARE: Final = 3
"""Spots that were reached fewer times than this are not stored."""


class Solver:
    """Learns the strategy of a preset."""

    def __init__(self, preset: str) -> None:
        game = game_of("truco")
        rules = game.options.complete({**game.preset(preset).rules, "cut": "none"})
        self._rules = rules_from(rules)
        self._random = random.Random(SEED + preset)
        self._scores = range(0, TARGET, self._rules.low)
        self._learner = 0
        self._weight = 0
        self._regrets: dict[int, list[float]] = {}
        self._sums: dict[int, list[float]] = {}
        self._visits: dict[int, int] = {}

    def run(self, iterations: int) -> None:
        """Play hands in which each seat learns, one after the other."""
        for iteration in range(1, iterations + 1):
            self._weight = iteration
            state = self._deal()
            if state.blind:
                continue
            race = Race(state, 0)
            for seat in range(self._rules.seats):
                self._learner = seat
                self._play(state.clone(), race)

    def solution(self) -> Solution:
        """Return the average strategy."""
        numbers = sorted(number for number in self._sums if self._visits[number] >= RARE)
        shares = bytearray()
        for number in numbers:
            sums = self._sums[number]
            most = max(sums)
            shares += bytes(round(255 * one / most) for one in sums).ljust(SHARES, b"\0")
        return Solution(numbers, bytes(shares))

    def _deal(self) -> TrucoState:
        """Return a hand before its first card."""
        state = TrucoState(self._rules)
        state.score = [self._random.choice(self._scores) for _ in range(2)]
        state.apply(CHANCE, f"dealer:{self._random.randrange(self._rules.seats)}")
        state.clear_hand()
        cards = list(self._rules.pack.cards)
        self._random.shuffle(cards)
        state.apply(CHANCE, "deal:" + "".join(cards))
        while state.phase in (CHOOSE, ELEVEN):
            is_choice = state.phase == CHOOSE
            action = kept_hand(state, REGULAR.keep_from) if is_choice else state.legal[1]
            state.apply(state.actor, action)
        return state

    def _play(self, state: TrucoState, race: Race) -> float:
        """Play a hand, and return what it is worth to the first team: its chance to win the game."""
        while state.phase in (PLAY, ANSWER):
            seat = state.actor
            number, actions = spot_of(state)
            if len(actions) == 1:
                state.apply(seat, actions[0])
                continue
            regrets = self._regrets.get(number)
            if regrets is None:
                regrets = self._regrets[number] = [0.0] * len(actions)
            total = sum(regrets)
            count = len(actions)
            chances = [one / total for one in regrets] if total > 0 else [1 / count] * count
            if seat == self._learner:
                values = []
                for action in actions:
                    after = state.clone()
                    after.apply(seat, action)
                    values.append(self._play(after, race))
                return _learn(regrets, chances, values, -1 if seat & 1 else 1)
            sums = self._sums.setdefault(number, [0.0] * count)
            self._visits[number] = self._visits.get(number, 0) + 1
            for place, chance in enumerate(chances):
                sums[place] += self._weight * chance
            state.apply(seat, self._random.choices(actions, chances)[0])
        return race.chance_in(state)


def _learn(regrets: list[float], chances: list[float], values: list[float], sign: int) -> float:
    """Add what each action would have gained to its regret, and return the mean of the values."""
    mean: float = sum(map(mul, chances, values))
    for place, value in enumerate(values):
        regrets[place] = max(0.0, regrets[place] + sign * (value - mean))
    return mean


@click.command()
@click.option("--preset", "presets", multiple=True, type=click.Choice(PRESETS), help="Only this one.")
@click.option("--iterations", type=click.IntRange(min=1), default=ITERATIONS, show_default=True)
@click.option(
    "--out", type=click.Path(exists=True, file_okay=False, path_type=Path), default=TABLES, help="The folder."
)
def main(presets: tuple[str, ...], iterations: int, out: Path) -> None:
    """Write the strategy of each preset to a file, by default to that which the house bots read."""
    for preset in presets or PRESETS:
        solver = Solver(preset)
        solver.run(iterations)
        solution = solver.solution()
        file = out / f"{preset.partition('@')[0]}.bin"
        solution.write(file)
        print(f"{file}: {len(solution)} spots, {iterations} iterations", flush=True)


if __name__ == "__main__":
    main()
