"""What an owner gains by arranged results: in rated tournaments as the arena pairs them, and in others.

    python -m benchmarks.pairing [--repetitions N]

Bots of known strengths play tournaments that are planned by the arena, and are rated by its equations. Every
result of an attack is drawn from the same random numbers as without it, so the *gain* is that of the attack.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, NamedTuple

import numpy as np

from arena.games import game_of
from arena.play.players import PlayerId
from arena.ratings.blocks import Block
from arena.ratings.model import SCALE, Likelihood
from arena.ratings.results import GameResult, GroupResult
from arena.tournaments.entry import Entrant
from arena.tournaments.formats import plan
from arena.tournaments.parsing import parse_spec
from arena.tournaments.plan import GroupPlan
from arena.tournaments.spec import Spec
from workers.initial_data import UNTIL_GROUPS

HOUSE: Final = {"random": 1040.0, "rookie": 1500.0, "regular": 1700.0}
"""The house bots of the seeded schedules, about as strong as they are at Toepen."""

HONEST: Final = {f"honest-{number}": rating for number, rating in enumerate(range(1300, 1900, 75))}
"""Other bots, of an owner each."""

_GAMES: Final = 2


class Contestant(NamedTuple):
    """A bot of a field."""

    name: str
    owner: str
    rating: float


@dataclass
class World:
    """A field and how it plays: ``chance(one, other)`` is None, or the probability that ``one`` wins a game,
    whatever the ratings say.
    """

    bots: Sequence[Contestant]
    chance: Callable[[str, str], float | None] = field(default=lambda one, other: None)

    def wins(self, one: Contestant, other: Contestant) -> float:
        """The probability that ``one`` wins a game."""
        said = self.chance(one.name, other.name)
        if said is None:
            against = self.chance(other.name, one.name)
            said = None if against is None else 1 - against
        return 1 / (1 + 10 ** ((other.rating - one.rating) / 400)) if said is None else said


def house() -> list[Contestant]:
    """The house bots."""
    return [Contestant(name, "", rating) for name, rating in HOUSE.items()]


def honest() -> list[Contestant]:
    """The bots of other owners."""
    return [Contestant(name, f"of-{name}", rating) for name, rating in HONEST.items()]


class Series(NamedTuple):
    """Tournaments of one kind, repeated until a bot has about ``UNTIL_GROUPS`` groups. ``enters``: which bots
    take part.
    """

    spec: Spec
    repeated: int
    enters: Callable[[Contestant], bool] = lambda bot: True


def as_paired(format: str, **fields: object) -> Spec:
    """A duel of Toepen in this format."""
    rules = game_of("toepen").duel_rules
    given = {
        "name": "Attack",
        "kind": "toepen",
        "rules": rules,
        "format": format,
        "max_entries": 32,
        "per_owner": 8,
        **fields,
    }
    return parse_spec(given, 0)


SWISS: Final = Series(as_paired("swiss", rounds=3, groups=10), 4)
"""As the seeded schedules paired until they had the format ``rating``."""

RATING: Final = Series(as_paired("rating", rounds=UNTIL_GROUPS), 1)
"""As they pair now."""


def ratings(world: World, series: Sequence[Series], repetition: int) -> dict[str, float]:
    """The rating of every bot after the tournaments."""
    numbers = {bot.name: number for number, bot in enumerate(world.bots)}
    sides, places = [], []
    for kind, tournaments in enumerate(series):
        present = [bot for bot in world.bots if tournaments.enters(bot)]
        for number in range(tournaments.repeated):
            seed = sha256(f"{repetition} {kind} {number}".encode()).digest()
            for one, other, won in _results(world, tournaments.spec, present, seed):
                sides.append(((numbers[one.name],), (numbers[other.name],)))
                places.append([(1, 2) if win else (2, 1) for win in won])
    likelihood = Likelihood(len(numbers), [Block(np.array(sides), np.array(places))])
    strengths = likelihood.fit()[likelihood.rated]
    return {
        name: 1500 + SCALE * float(strengths[number] - strengths[numbers["rookie"]])
        for name, number in numbers.items()
    }


def _results(
    world: World, spec: Spec, present: Sequence[Contestant], seed: bytes
) -> list[tuple[Contestant, Contestant, list[bool]]]:
    """The groups of one tournament: who met whom, and which games the first won."""
    entrants = [Entrant(bot.name, "1", bot.owner) for bot in present]
    groups: list[GroupPlan] = []
    done: dict[str, GroupResult | None] = {}
    met: Counter[tuple[str, str]] = Counter()
    found = []
    while due := plan(spec, entrants, done, seed, planned=groups).groups:
        groups += due
        for group in due:
            one, other = (present[index] for index in group.members)
            # The same draws for the same meeting, whoever else meets.
            met[one.name, other.name] += 1
            text = f"{seed.hex()} {one.name} {other.name} {met[one.name, other.name]}"
            draws = np.random.default_rng(list(sha256(text.encode()).digest())).random(_GAMES)
            won = [bool(draw < world.wins(one, other)) for draw in draws]
            found.append((one, other, won))
            done[group.id] = _result(spec, group.id, one, other, won)
    return found


def _result(spec: Spec, group: str, one: Contestant, other: Contestant, won: Sequence[bool]) -> GroupResult:
    players = PlayerId(one.name, "1"), PlayerId(other.name, "1")
    games = [
        GameResult(number, f"{number:064x}", players, (1, 2) if win else (2, 1), (), (0, 0), (), (), 0)
        for number, win in enumerate(won)
    ]
    teams, preset = ((0,), (1,)), spec.preset or ""
    return GroupResult(spec.kind, group, len(games), True, teams, games, preset=preset)


class Attack(NamedTuple):
    """An attack: the field with it, and without it; whom it lifts, and in which tournaments."""

    title: str
    attack: World
    without: World
    name: str
    before: Sequence[Series]
    after: Sequence[Series] = (RATING,)


def gain(attack: Attack, series: Sequence[Series], repetitions: int) -> tuple[float, float]:
    """By how much the attack lifts the bot on average, and half of the 95% interval of that."""
    gains = [
        ratings(attack.attack, series, number)[attack.name]
        - ratings(attack.without, series, number)[attack.name]
        for number in range(repetitions)
    ]
    return float(np.mean(gains)), 1.96 * float(np.std(gains)) / len(gains) ** 0.5


def puppets(strength: float, puppet: float, owners: int = 1) -> Attack:
    """Four bots that play at ``puppet``, and lose every game to a hero of another owner on purpose.

    Before, owners announced rated tournaments: one of the hero and the puppets, 150 groups per pair.
    """
    hero = Contestant("hero", "hero", strength)
    fellows = [Contestant(f"puppet-{number}", f"puppets-{number % owners}", puppet) for number in range(4)]
    bots = [*house(), *honest(), hero, *fellows]

    def lost(one: str, other: str) -> float | None:
        return 1.0 if one == "hero" and other.startswith("puppet") else None

    closed = Series(as_paired("round_robin", groups=150), 1, lambda bot: bot in (hero, *fellows))
    title = f"hero {strength:.0f}, puppets {puppet:.0f}"
    if owners > 1:
        title += f", {owners} owners"
    return Attack(title, World(bots, lost), World(bots), "hero", (SWISS, closed))


def scheduled(attack: Attack) -> Attack:
    """The same in the schedules alone, as they paired before."""
    return attack._replace(title=f"{attack.title}, schedules only", before=(SWISS,))


def chosen() -> Attack:
    """A hero that beats one bot far beyond its strength, and met it alone before, except for `rookie`."""
    hero, prey = Contestant("hero", "hero", 1600), "honest-4"
    bots = [*house(), *honest(), hero]

    def beats(one: str, other: str) -> float | None:
        return 0.87 if (one, other) == ("hero", prey) else None

    duel = Series(as_paired("round_robin", groups=100), 1, lambda bot: bot.name in ("hero", prey, "rookie"))
    rest = RATING._replace(enters=lambda bot: bot != hero)
    field_ = World(bots, beats)
    return Attack("chosen opponents", field_, World(bots), "hero", (rest, duel))


def clones(number: int) -> tuple[Attack, Attack]:
    """A beats B beats C beats A, in 70% of the games; B has ``number`` bots instead of one. That lifts A and
    lowers C.
    """
    rating = 1690.0

    def field_of(count: int) -> World:
        bots = [Contestant("A", "a", rating), Contestant("C", "c", rating)]
        bots += [Contestant(f"B{index}", "b", rating) for index in range(count)]
        return World([*house(), *bots], _cycle)

    everybody = Series(as_paired("round_robin", groups=20), 1)
    fields = field_of(number), field_of(1)
    return (
        Attack(f"{number} clones: A", *fields, "A", (everybody,)),
        Attack(f"{number} clones: C", *fields, "C", (everybody,)),
    )


def _cycle(one: str, other: str) -> float | None:
    return 0.7 if (one[0], other[0]) in (("A", "B"), ("B", "C"), ("C", "A")) else None


def attacks() -> list[Attack]:
    """All of them."""
    found = []
    for strength in (1040, 1500, 1700, 1900):
        found += [puppets(strength, 1500), puppets(strength, 1800)]
    found += [
        scheduled(puppets(1500, 1500)),
        scheduled(puppets(1700, 1800)),
        puppets(1700, 1800, 4),
        chosen(),
    ]
    for number in (4, 8):
        found += clones(number)
    return found


def main() -> None:
    """Print what each attack gains before and after."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=100)
    repetitions = parser.parse_args().repetitions
    print(f"gain in points, mean of {repetitions} repetitions and half of its 95% interval")
    print(f"{'attack':42s} {'before':>14s} {'after':>14s}")
    for attack in attacks():
        cells = []
        for played in (attack.before, attack.after):
            mean, half = gain(attack, played, repetitions)
            cells.append(f"{mean:+7.1f} ± {half:4.1f}")
        print(f"{attack.title:42s} {cells[0]:>14s} {cells[1]:>14s}", flush=True)


if __name__ == "__main__":
    main()
