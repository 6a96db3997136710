"""How often the report of suspicions names somebody: in honest fields, and where results are arranged.

    python -m benchmarks.integrity [--repetitions N]

Each repetition is a round robin, or several, of simulated duels: house bots and a bot each of other owners.
In a cyclic field the log odds of every pair are off from what the strengths say by a normal deviate (the
*spread*), or bots have one of three styles, of which each beats the next.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import combinations
from math import exp
from random import Random
from typing import Final, NamedTuple

from arena.integrity.dumping import dumping_gains
from arena.integrity.encounters import Encounter
from arena.integrity.suspicions import LEVEL
from arena.play.players import PlayerId

HOUSE: Final = {"random": -2.6, "rookie": 0.0, "regular": 1.1, "shark": 1.6}
"""The house bots, with their strengths in log odds."""


class Scene(NamedTuple):
    """A field. ``spread``: the standard deviation of the log odds of pairs; ``styles``: by how much one style
    beats the next. ``arranged``: how many puppets lose nine of ten games to the hero on purpose, and
    ``owners`` whose they are; in all tournaments, or in the last one alone (``once``).
    """

    title: str
    bots: int = 10
    groups: int = 20
    spread: float = 0.0
    styles: float = 0.0
    hero: float = 0.0
    arranged: int = 0
    owners: int = 1
    tournaments: int = 1
    once: bool = False


SCENES: Final = (
    Scene("honest"),
    Scene("honest, 40 groups", groups=40),
    Scene("honest, 5 bots", bots=5),
    Scene("honest, spread 0.5", spread=0.5),
    Scene("honest, spread 1", spread=1.0),
    Scene("honest, spread 1, 100 groups", spread=1.0, groups=100),
    Scene("honest, spread 1, 5 bots", spread=1.0, bots=5, groups=60),
    Scene("honest, three styles", styles=1.0, groups=60),
    Scene("honest, 3 tournaments", tournaments=3),
    Scene("honest, spread 1, 3 tournaments", tournaments=3, spread=1.0),
    Scene("3 puppets of one owner", arranged=3),
    Scene("3 puppets of 3 owners", arranged=3, owners=3),
    Scene("3 puppets of 3 owners, spread 0.5", arranged=3, owners=3, spread=0.5),
    Scene("3 puppets of 3 owners, spread 1", arranged=3, owners=3, spread=1.0),
    Scene("3 puppets of 3 owners, weak hero, spread 1", arranged=3, owners=3, hero=-2.0, spread=1.0),
    Scene("1 puppet", arranged=1),
    Scene("1 puppet, weak hero", arranged=1, hero=-1.0),
    Scene("3 puppets, in one tournament of 3, spread 1", 10, 20, 1.0, 0.0, 0.0, 3, 3, 3, True),
)


def names_of(scene: Scene) -> list[str]:
    """The bots that are not house bots: the hero, the puppets, and the honest ones."""
    puppets = [f"puppet-{number}" for number in range(scene.arranged)]
    return ["hero", *puppets, *(f"bot-{number}" for number in range(scene.bots - 1 - scene.arranged))]


def owners_of(scene: Scene) -> dict[str, str]:
    """The owners of all bots."""
    found = {name: f"of-{name}" for name in names_of(scene)}
    found |= {f"puppet-{number}": f"puppeteer-{number % scene.owners}" for number in range(scene.arranged)}
    return found | dict.fromkeys(HOUSE, "")


def meetings_of(scene: Scene, random: Random) -> list[Encounter]:
    """The results of all tournaments."""
    strengths = dict(HOUSE)
    for name in names_of(scene):
        strengths[name] = scene.hero if name == "hero" else random.gauss(0.3, 0.9)
    style = {name: random.randrange(3) for name in strengths}
    owners = owners_of(scene)
    pairs = [
        pair
        for pair in combinations(strengths, 2)
        if not owners[pair[0]] or owners[pair[0]] != owners[pair[1]]
    ]
    found = []
    for one, other in pairs:
        against = {0: 0.0, 1: scene.styles, 2: -scene.styles}[(style[other] - style[one]) % 3]
        gap = strengths[one] - strengths[other] + random.gauss(0, scene.spread) + against
        for tournament in range(scene.tournaments):
            chance = 1 / (1 + exp(-gap))
            last = tournament == scene.tournaments - 1
            if one == "hero" and other.startswith("puppet") and (last or not scene.once):
                chance = 0.9 + 0.1 * chance
            for number in range(scene.groups):
                score = sum(random.random() < chance for _ in range(2)) / 2
                group = f"{one} {other} {tournament} {number}"
                players = PlayerId(one, "1"), PlayerId(other, "1")
                found.append(Encounter(group, str(tournament), *players, score))
                found.append(Encounter(group, str(tournament), *players[::-1], 1 - score))
    return found


def named(scene: Scene, seed: int) -> list[tuple[str, Sequence[str]]]:
    """The gainers that are named, each with the helpers."""
    meetings = meetings_of(scene, Random(f"{scene.title} {seed}"))
    found = dumping_gains(meetings, owners_of(scene), LEVEL, by_tournament=True)
    return [(one.gainer.name, [helper.name for helper in one.helpers]) for one in found]


def rates(scene: Scene, repetitions: int) -> tuple[float, float]:
    """In which share of repetitions the hero is named, and in which anybody else is, as gainer or helper."""
    hero = wrong = 0
    for seed in range(repetitions):
        found = named(scene, seed)
        hero += any(gainer == "hero" for gainer, _ in found) if scene.arranged else 0
        wrong += any(
            not scene.arranged
            or gainer != "hero"
            or not all(helper.startswith("puppet") for helper in helpers)
            for gainer, helpers in found
        )
    return hero / repetitions, wrong / repetitions


def main() -> None:
    """Print the rates of all scenes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=200)
    repetitions = parser.parse_args().repetitions
    print(f"{repetitions} repetitions of each scene")
    print(f"{'scene':46s} {'found':>7s} {'wrong':>7s}")
    for scene in SCENES:
        hero, wrong = rates(scene, repetitions)
        print(f"{scene.title:46s} {f'{hero:.1%}' if scene.arranged else '':>7s} {wrong:>7.1%}", flush=True)


if __name__ == "__main__":
    main()
