"""What an owner gains by arranged results in rated tournaments: ``python -m benchmarks.pairing``.

Bots of known strengths play tournaments that are planned by the arena, and are rated by its equations. Every
result of an attack is drawn from the same random numbers as without it, so the *gain* is that of the attack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, NamedTuple

import click
import numpy as np

from arena.bots import POOL_BOTS
from arena.games import game_of
from arena.play.players import SEALED, PlayerId
from arena.ratings.board import rated_blocks
from arena.ratings.ledger import Ledger
from arena.ratings.model import SCALE, Likelihood
from arena.ratings.results import GameResult, GroupResult
from arena.ratings.supplement import BotFacts, Party, Supplement, name_digest
from arena.tournaments.entry import Entrant
from arena.tournaments.formats import plan
from arena.tournaments.parsing import parse_spec
from arena.tournaments.plan import GroupPlan
from arena.tournaments.spec import Spec
from workers.initial_data import UNTIL_GROUPS

HOUSE: Final = {"random": 1040.0, "rookie": 1500.0, "regular": 1700.0, "barfly": 1700.0}
"""The house bots of the seeded schedules, about as strong as they are at Toepen."""

HONEST: Final = {f"honest-{number}": rating for number, rating in enumerate(range(1300, 1900, 50))}
"""Other bots, of an owner each: enough for the rule about proven owners."""

_GAMES: Final = 2
_PRESET: Final = "duel@1"


class Contestant(NamedTuple):
    """A bot of a field. ``proven``: whether its owner has proven to be a person."""

    name: str
    owner: str
    rating: float
    proven: bool = True


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


def as_paired(format: str, **fields: object) -> Spec:
    """A duel of Toepen in this format."""
    rules = game_of("toepen").duel_rules
    given = {
        "name": "Attack",
        "kind": "toepen",
        "rules": rules,
        "format": format,
        "max_entries": 64,
        "per_owner": 8,
        **fields,
    }
    return parse_spec(given, 0)


RATING: Final = as_paired("rating", rounds=UNTIL_GROUPS)
"""A tournament of the seeded schedules."""


def supplement(world: World) -> Supplement:
    """What the arena would publish about the owners of the field."""
    owners: dict[str, list[Contestant]] = {}
    for bot in world.bots:
        if bot.owner:
            owners.setdefault(bot.owner, []).append(bot)
    return Supplement(
        tuple(
            Party(own[0].proven, {name_digest(bot.name): BotFacts() for bot in own})
            for own in owners.values()
        )
    )


def ratings(world: World, spec: Spec, repetition: int, tournaments: int = 1) -> dict[str, float]:
    """Return the rating of every bot after this number of tournaments."""
    ledger = played([world] * tournaments, spec, repetition)
    numbers, blocks, party, _ = rated_blocks(ledger, supplement(world))
    likelihood = Likelihood(len(party), blocks, party)
    strengths = likelihood.fit()[likelihood.rated]
    anchor = strengths[numbers[PlayerId("rookie", "")]]
    return {
        player.name: 1500 + SCALE * float(strengths[number] - anchor) for player, number in numbers.items()
    }


def played(fields: Sequence[World], spec: Spec, repetition: int) -> Ledger:
    """The groups of one tournament for each of these fields."""
    ledger = Ledger(spec.kind, SEALED, _PRESET)
    for number, world in enumerate(fields):
        seed = sha256(f"{repetition} {number}".encode()).digest()
        drawn = POOL_BOTS[(repetition + number) % len(POOL_BOTS)]
        present = [bot for bot in world.bots if bot.name not in POOL_BOTS or bot.name == drawn]
        for result in _results(world, spec, present, seed):
            ledger.add(result)
    return ledger


def _results(world: World, spec: Spec, present: Sequence[Contestant], seed: bytes) -> list[GroupResult]:
    """The groups of one tournament."""
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
            done[group.id] = _result(spec, f"{seed.hex()} {group.id}", one, other, won)
            found.append(done[group.id])
    return [result for result in found if result is not None]


def _result(spec: Spec, group: str, one: Contestant, other: Contestant, won: Sequence[bool]) -> GroupResult:
    players = PlayerId(one.name, "1"), PlayerId(other.name, "1")
    games = [
        GameResult(
            number,
            sha256(f"{group} {number}".encode()).hexdigest(),
            players,
            (1, 2) if win else (2, 1),
            *((), (0, 0), (), (), 0),
        )
        for number, win in enumerate(won)
    ]
    return GroupResult(spec.kind, group, len(games), True, ((0,), (1,)), games, preset=_PRESET)


class Attack(NamedTuple):
    """An attack: the field with it and without it, and whose rating it moves."""

    title: str
    attack: World
    without: World
    name: str


def gain(attack: Attack, repetitions: int, spec: Spec = RATING) -> tuple[float, float]:
    """By how much the attack lifts the bot on average, and half of the 95% interval of that."""
    gains = [
        ratings(attack.attack, spec, number)[attack.name] - ratings(attack.without, spec, number)[attack.name]
        for number in range(repetitions)
    ]
    return float(np.mean(gains)), 1.96 * float(np.std(gains)) / len(gains) ** 0.5


def puppets(strength: float, puppet: float, accounts: int, *, proven: bool = False) -> Attack:
    """A bot for each of some accounts that plays at ``puppet``, and loses every game to a hero of another
    owner on purpose.
    """
    hero = Contestant("hero", "hero", strength)
    fellows = [
        Contestant(f"puppet-{number}", f"puppets-{number}", puppet, proven) for number in range(accounts)
    ]
    bots = [*house(), *honest(), hero, *fellows]

    def lost(one: str, other: str) -> float | None:
        return 1.0 if one == "hero" and other.startswith("puppet") else None

    title = f"{accounts}{' proven' if proven else ''} puppets of {puppet}, hero {strength}"
    return Attack(title, World(bots, lost), World(bots), "hero")


def sandbagging(accounts: int, *, proven: bool = False) -> Attack:
    """Bots that are rated 1400, and meet a rival of 1700 at 2000."""
    rival = Contestant("rival", "rival", 1700)
    bags = [Contestant(f"bag-{number}", f"bags-{number}", 1400, proven) for number in range(accounts)]
    bots = [*house(), *honest(), rival, *bags]

    def strong(one: str, other: str) -> float | None:
        return 1 / (1 + 10 ** (-300 / 400)) if one.startswith("bag") and other == "rival" else None

    title = f"{accounts}{' proven' if proven else ''} sandbaggers, rival 1700"
    return Attack(title, World(bots, strong), World(bots), "rival")


def knows_house(others: int, chance: float, *, proven: bool = True) -> Attack:
    """A bot of 1600 that knows the code of `regular`, and beats it with a ``chance``."""
    hero = Contestant("hero", "hero", 1600, proven)
    field_ = [
        Contestant(f"other-{number}", f"owner-{number}", 1300 + 75 * (number % 9)) for number in range(others)
    ]
    bots = [*house(), hero, *field_]

    def beats(one: str, other: str) -> float | None:
        return chance if (one, other) == ("hero", "regular") else None

    title = f"wins {chance:.0%} against regular, {others} others"
    return Attack(title, World(bots, beats), World(bots), "hero")


def in_cycle(bots_of_b: int) -> World:
    """A beats B beats C beats A, in 70% of the games; B has ``bots_of_b`` bots."""
    rating = 1690.0
    bots = [Contestant("A", "a", rating), Contestant("C", "c", rating)]
    bots += [Contestant(f"B{index}", "b", rating) for index in range(bots_of_b)]
    return World([*house(), *bots], _cycle)


def clones(number: int) -> tuple[Attack, Attack]:
    """B has ``number`` bots in the cycle instead of one. That lifts A and lowers C, if all bots meet equally
    often.
    """
    fields = in_cycle(number), in_cycle(1)
    return (
        Attack(f"{number} clones in a cycle: A", *fields, "A"),
        Attack(f"{number} clones in a cycle: C", *fields, "C"),
    )


def _cycle(one: str, other: str) -> float | None:
    return 0.7 if (one[0], other[0]) in (("A", "B"), ("B", "C"), ("C", "A")) else None


def attacks() -> list[Attack]:
    """All of them."""
    found = [puppets(strength, 1800, 12) for strength in (1040, 1500, 1700, 1900)]
    found += [sandbagging(1), sandbagging(12)]
    found += [knows_house(others, 0.717) for others in (0, 3, 8, 40)]
    found += [knows_house(8, 0.58), *clones(8)]
    found += [puppets(1700, 1800, accounts, proven=True) for accounts in (1, 12)]
    return [*found, sandbagging(12, proven=True)]


@click.command()
@click.option("--repetitions", default=100, show_default=True)
@click.option("--only", default="", help="Only attacks whose title contains this text.")
def main(repetitions: int, only: str) -> None:
    """Print by how many points each attack moves a rating."""
    click.echo(f"gain in points, mean of {repetitions} repetitions and half of its 95% interval")
    for attack in attacks():
        if only in attack.title:
            mean, half = gain(attack, repetitions)
            click.echo(f"{attack.title:42} {mean:+7.1f} ± {half:4.1f}")


if __name__ == "__main__":
    main()
