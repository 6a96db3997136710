"""Learns Truco paulista for two from the environment alone, with OpenSpiel's tabular Q-learning.

    pip install '.[rl,spiel]'
    python examples/learn_truco.py --minutes 2

The learner sees what docs/research.md describes: a vector, a mask and a reward per hand. It plays against the
house bot random, which sits in the environment, and prints the share of whole games that it wins afterwards.
"""

import argparse
import math
import time

import numpy as np
from open_spiel.python.algorithms.tabular_qlearner import QLearner
from open_spiel.python.rl_environment import StepType, TimeStep
from open_spiel.python.rl_tools import LinearSchedule

from botequim import truco_v0

SEEN = ("phase", "stake", "strengths", "won", "proposed", "threshold")
"""The parts of the vector that make a state of the table, besides the card of the opponent in this trick."""

WORDS = ("play", "hide")
"""The actions that name a card."""


class Table:
    """The environment with choices that do not name cards: play the one of strength 12."""

    def __init__(self, opponent, rewards):
        self.env = truco_v0.env("paulista-2@1", bots={1: opponent}, rewards=rewards)
        self.raw = self.env.unwrapped
        self.parts = {}
        layout = self.raw.features.layout
        for name, shape in layout.parts.items():
            start = layout.start(name)
            self.parts[name] = (slice(start, start + math.prod(shape)), shape)
        self.cards = [action[5:] for action in self.raw.actions if action.startswith("play:")]
        self.others = [name for name in self.raw.actions if name.partition(":")[0] not in WORDS]
        self.size = 15 * len(WORDS) + len(self.others)

    def part(self, vector, name):
        where, shape = self.parts[name]
        return vector[where].reshape(shape)

    def state(self, vector):
        """The state as a text."""
        seen = [np.flatnonzero(self.part(vector, name)).tolist() for name in SEEN]
        played = self.part(vector, "played")
        trick = int(self.part(vector, "won").any(axis=1).sum())
        table = np.flatnonzero(played[min(trick, 2), 1]).tolist()
        return str([*seen, table])

    def options(self, vector, mask):
        """The legal choices: ``{choice: action}``."""
        manilhas = [self.cards[place] for place in np.flatnonzero(self.part(vector, "manilhas"))]
        options = {}
        for action in np.flatnonzero(mask):
            word, _, card = self.raw.actions[action].partition(":")
            if word in WORDS:
                choice = 15 * WORDS.index(word) + self.strength(card, manilhas)
            else:
                choice = 15 * len(WORDS) + self.others.index(self.raw.actions[action])
            options[choice] = int(action)
        return options

    @staticmethod
    def strength(card, manilhas):
        """How strong a card is, 1 to 14."""
        return 14 - "CHSD".index(card[1]) if card in manilhas else 1 + "4567QJKA23".index(card[0])


def step_of(state, options, reward, last):
    """What the environment returned, in the form that OpenSpiel's learners take."""
    observations = {"info_state": [state], "legal_actions": [sorted(options)], "current_player": 0}
    return TimeStep(observations, [reward], [1.0], StepType.LAST if last else StepType.MID)


def play(table, learner, seed=None, learns=True):
    """One game; returns the sum of its rewards."""
    table.env.reset(seed=seed)
    total = 0.0
    for _ in table.env.agent_iter():
        observation, reward, over, _, _ = table.env.last()
        total += reward
        vector, mask = observation["observation"], observation["action_mask"]
        state, options = table.state(vector), table.options(vector, mask)
        if learns and (reward or over):
            # A hand is an episode.
            learner.step(step_of(state, options, reward, last=True))
        if over:
            table.env.step(None)
            continue
        chosen = learner.step(step_of(state, options, 0.0, last=False), is_evaluation=not learns)
        table.env.step(options[int(chosen.action)])
    return total


def share(table, learner, games):
    """The share of games won without learning, a draw as a half, and the half of its 95 % interval."""
    results = np.array([(1 + play(table, learner, seed, learns=False)) / 2 for seed in range(games)])
    return results.mean(), 1.96 * results.std(ddof=1) / math.sqrt(games)


def main():
    """Learn, then play."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--minutes", type=float, default=2.0, help="how long to learn")
    arguments.add_argument("--games", type=int, default=1000, help="how many games to play afterwards")
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    np.random.seed(given.seed)
    table = Table("random", rewards="hands")
    learner = QLearner(0, table.size, step_size=0.05, epsilon_schedule=LinearSchedule(0.5, 0.05, 300_000))
    until = time.process_time() + 60 * given.minutes
    played = 0
    while time.process_time() < until:
        play(table, learner, seed=given.seed + 10**6 if played == 0 else None)
        played += 1
    test = Table("random", rewards="game")
    mean, half = share(test, learner, given.games)
    untaught, width = share(test, QLearner(0, table.size), given.games)
    print(f"learned from {played} games in {given.minutes:g} minutes of one core")
    print(f"before: wins {untaught:.3f} ± {width:.3f} of {given.games} games against random")
    print(f"after:  wins {mean:.3f} ± {half:.3f} of {given.games} games against random")
    return 0 if mean - half > 0.5 else 1


if __name__ == "__main__":
    raise SystemExit(main())
