"""What attacks on a leaderboard gain: ``python -m benchmarks.attacks``.

Results are made from known strengths and rated as the arena rates records. Every figure is the mean over
``--repetitions`` of the rating less the rating that the bot has without the attack, in points.
"""

from __future__ import annotations

import os

# Before numpy starts its own threads: the figures are for one core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from math import sqrt
from statistics import fmean, stdev
from typing import Final, NamedTuple

import click
import numpy as np

from arena.play.players import PlayerId
from arena.ratings.board import ANCHOR, ledger_board
from arena.ratings.ledger import Ledger
from arena.ratings.results import GameResult, GroupResult

POINTS: Final = 12
"""A game is a race to this number of points; every hand gives one or more to one side."""

STAKES: Final = (1, 1, 1, 2, 3)
"""The points of a hand, each with the same probability."""


class Bout(NamedTuple):
    """A game between two sides. ``won``: by the first one. ``quit_after``: the second side quit after this
    number of hands, None if it did not.
    """

    won: bool
    quit_after: int | None = None


class Groups:
    """Groups of two bots, each with a name of its own."""

    def __init__(self) -> None:
        self._number = 0

    def group(
        self, first: PlayerId, second: PlayerId, games: Sequence[Bout], finished_ms: int = 0
    ) -> GroupResult:
        """A group of two games, of which those after the last one were not played."""
        self._number += 1
        found = []
        for index, game in enumerate(games):
            quits = game.quit_after is not None
            found.append(
                GameResult(
                    index,
                    sha256(b"%d %d" % (self._number, index)).hexdigest(),
                    (first, second),
                    (1, 2) if game.won or quits else (2, 1),
                    (1,) if quits else (),
                    (0, 3 if quits else 0),
                    (),
                    (),
                    finished_ms,
                    bool(game.quit_after),
                )
            )
        return GroupResult("toepen", str(self._number), 2, False, ((0,), (1,)), found, preset="duel@1")


def chance(gap: float) -> float:
    """The probability to win a game against a bot that is ``gap`` rating points weaker."""
    return float(1 / (1 + 10 ** (-gap / 400)))


def ratings(groups: Sequence[GroupResult], base: bytes | None = None) -> dict[str, float]:
    """The ratings by name of the groups, added to those of a ledger."""
    ledger = Ledger("toepen", "open") if base is None else Ledger.from_bytes(base)
    for group in groups:
        ledger.add(group)
    return {row.name: row.rating.rating for row in ledger_board(ledger, replicates=2).rows}


# Quitting

FIELD: Final = {ANCHOR: 1500.0, "target": 1700.0, "quitter": 1500.0, "c": 1600.0, "d": 1650.0, "e": 1750.0}


def race(rng: np.random.Generator, hand: float, quits: Callable[[int, int, int], bool]) -> Bout:
    """A game in which the second side quits when ``quits`` says so, by the points of both and the number of
    hands.
    """
    points = [0, 0]
    hands = 0
    while max(points) < POINTS:
        if quits(points[0], points[1], hands):
            return Bout(False, hands)
        points[rng.random() >= hand] += rng.choice(STAKES)
        hands += 1
    return Bout(points[0] >= POINTS)


def hand_chance(wanted: float) -> float:
    """The probability to win a hand with which a game is won with the probability ``wanted``."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _game_chance(middle) < wanted else (low, middle)
    return low


def _game_chance(hand: float) -> float:
    wins = np.zeros((POINTS + 3, POINTS + 3))
    wins[POINTS:, :POINTS] = 1
    for mine in reversed(range(POINTS)):
        for theirs in reversed(range(POINTS)):
            wins[mine, theirs] = fmean(
                hand * wins[mine + stake, theirs] + (1 - hand) * wins[mine, theirs + stake]
                for stake in STAKES
            )
    return float(wins[0, 0])


def never(mine: int, theirs: int, hands: int) -> bool:
    """Quit never."""
    return False


def at_once(mine: int, theirs: int, hands: int) -> bool:
    """Quit before the first hand."""
    return True


Group = Callable[[np.random.Generator, float], list[Bout]]


def after(lost: bool) -> Group:
    """Quits before the second game if it lost (or won) the first one."""

    def play(rng: np.random.Generator, hand: float) -> list[Bout]:
        first = race(rng, hand, never)
        return [first, race(rng, hand, at_once if first.won == lost else never)]

    return play


def always(quits: Callable[[int, int, int], bool]) -> Group:
    """Quits when ``quits`` says so, in both games."""
    return lambda rng, hand: [race(rng, hand, quits), race(rng, hand, quits)]


QUITTING: Final[Mapping[str, Group]] = {
    "quits after a game it lost": after(lost=True),
    "quits after a game it won": after(lost=False),
    "quits before every second game": lambda rng, hand: [race(rng, hand, never), Bout(False, 0)],
    "quits a game that is nearly lost": always(lambda mine, theirs, hands: mine >= POINTS - 2 > theirs),
    "quits after the first hand, if lost": always(lambda mine, theirs, hands: hands == 1 and mine > theirs),
    "quits a game that is nearly won": always(lambda mine, theirs, hands: theirs >= POINTS - 2 > mine),
    "loses on purpose, quits nothing": lambda rng, hand: [Bout(True), Bout(True)],
}
"""What the second bot of a group does."""


def _left_out(games: Sequence[Bout]) -> list[Bout]:
    """The games of a group as if a group with a forfeit counted for the forfeiter alone."""
    quit = any(game.quit_after is not None for game in games)
    return [game._replace(quit_after=0) if quit else game for game in games]


def _as_won(games: Sequence[Bout]) -> list[Bout]:
    """The games as if a forfeited game counted as won in any case."""
    return [game if game.quit_after is None else game._replace(quit_after=1) for game in games]


RULES: Final[Mapping[str, Callable[[Sequence[Bout]], list[Bout]]]] = {
    "as it is": list,
    "all left out": _left_out,
    "all won": _as_won,
}


def quitting(repetitions: int, groups: int = 100) -> Iterator[str]:
    """A throw-away bot or an accomplice quits groups against a target. Both also play others honestly."""
    yield (
        f"A bot of 1500 quits {groups} groups against a target of 1700 with 160 other groups: the target's"
        f" gain\n{'':40}" + "".join(f"{name:>16}" for name in RULES) + f"{'quitter':>16}\n"
    )
    wins = {(one, other): chance(FIELD[one] - FIELD[other]) for one in FIELD for other in FIELD}
    names = list(FIELD)
    hand = hand_chance(wins["target", "quitter"])
    for name, play in QUITTING.items():
        gains: dict[str, list[float]] = {rule: [] for rule in (*RULES, "quitter")}
        for repetition in range(repetitions):
            rng = np.random.default_rng(repetition)
            made = Groups()
            base = Ledger("toepen", "open")
            for number, first in enumerate(names):
                for second in names[:number]:
                    for _ in range(40):
                        won = (rng.random(2) < wins[first, second]).tolist()
                        base.add(made.group(PlayerId(first, "1"), PlayerId(second, "1"), [*map(Bout, won)]))
            stored = base.to_bytes()
            both = PlayerId("target", "1"), PlayerId("quitter", "1")
            fair = [[race(rng, hand, never), race(rng, hand, never)] for _ in range(groups)]
            honest = ratings([made.group(*both, games) for games in fair], stored)
            played = [play(rng, hand) for _ in range(groups)]
            for rule, counted in RULES.items():
                found = ratings([made.group(*both, counted(games)) for games in played], stored)
                gains[rule].append(found["target"] - honest["target"])
                if rule == "as it is":
                    gains["quitter"].append(found["quitter"] - honest["quitter"])
        yield f"{name:40}" + "".join(f"{_gain(own):>16}" for own in gains.values()) + "\n"


# Choosing a version, or a moment

STRENGTH: Final = 1600.0
OPPONENTS: Final = {ANCHOR: 1500.0, **{f"f{rating}": float(rating) for rating in range(1400, 1801, 40)}}
VERSIONS: Final = 20
LUCKY: Final = 50.0
"""A rating so far above the bot's true one makes it keep a version."""


class Shopper:
    """A bot of a known strength that plays against a field with settled ratings."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._made = Groups()
        self._names = list(OPPONENTS)
        self._now_ms = 0
        base = Ledger("toepen", "open")
        for number, first in enumerate(self._names):
            for second in self._names[:number]:
                for _ in range(20):
                    base.add(self._group(PlayerId(first, "1"), OPPONENTS[first], second))
        self._base = base.to_bytes()

    def _group(self, first: PlayerId, strength: float, second: str) -> GroupResult:
        self._now_ms += 1
        won = self._rng.random(2) < chance(strength - OPPONENTS[second])
        return self._made.group(first, PlayerId(second, "1"), [*map(Bout, won.tolist())], self._now_ms)

    def play(self, version: int, groups: int) -> list[GroupResult]:
        """Groups against opponents drawn by lot."""
        bot = PlayerId("shopper", str(version))
        return [self._group(bot, STRENGTH, self._rng.choice(self._names)) for _ in range(groups)]

    def gains(self, groups: Sequence[GroupResult]) -> dict[str, float]:
        """By how much the ratings of its versions are too high."""
        ledger = Ledger.from_bytes(self._base)
        for group in groups:
            ledger.add(group)
        rows = ledger_board(ledger, replicates=2).rows
        (row,) = [row for row in rows if row.name == "shopper"]
        return {rating.version: rating.rating - STRENGTH for rating in row.versions}


def shopping(repetitions: int) -> Iterator[str]:
    """A bot tries versions that are all the same, and keeps one for its luck."""
    gains: dict[str, list[float]] = {
        "the best version": [],
        "it is current again, for 30 groups": [],
        "the same if all its groups counted": [],
        f"the first that is {LUCKY:.0f} too high, or the last": [],
        "it plays 30 groups more": [],
        "it plays 100 groups more": [],
    }
    for repetition in range(repetitions):
        bot = Shopper(repetition)
        played = {version: bot.play(version, 30) for version in range(1, VERSIONS + 1)}
        everything = [group for groups in played.values() for group in groups]
        found = bot.gains(everything)
        best = max(found, key=found.__getitem__)
        more = bot.play(int(best), 30)
        again = bot.gains([*everything, *more])[best]
        merged = bot.gains([*played[int(best)], *more])[best]
        lucky = next((version for version in played if found[str(version)] >= LUCKY), VERSIONS)
        later = bot.play(lucky, 100)
        kept = [bot.gains([*played[lucky], *later[:count]])[str(lucky)] for count in (30, 100)]
        for own, value in zip(
            gains.values(), (found[best], again, merged, found[str(lucky)], *kept), strict=True
        ):
            own.append(value)
    yield f"A bot of {STRENGTH:.0f} tries {VERSIONS} equal versions of 30 groups: how much too high it is\n"
    for name, own in gains.items():
        yield f"{name:40}{_gain(own):>16}\n"


def stopping(repetitions: int) -> Iterator[str]:
    """A bot stops when its rating is best, between 30 and 300 groups."""
    gains: dict[str, list[float]] = {"at the best moment": [], "at the end": []}
    for repetition in range(repetitions):
        bot = Shopper(repetition)
        played = bot.play(1, 300)
        found = [bot.gains(played[:count])["1"] for count in range(30, 301, 15)]
        gains["at the best moment"].append(max(found))
        gains["at the end"].append(found[-1])
    yield f"A bot of {STRENGTH:.0f} plays 30 to 300 groups: how much too high it is\n"
    for name, own in gains.items():
        yield f"{name:40}{_gain(own):>16}\n"
    yield "who stops keeps its rank for 14 days, and then has none\n"


def _gain(values: Sequence[float]) -> str:
    return f"{fmean(values):+.0f} ± {1.96 * stdev(values) / sqrt(len(values)):.0f}"


ATTACKS: Final[Mapping[str, Callable[[int], Iterator[str]]]] = {
    "quitting": quitting,
    "shopping": shopping,
    "stopping": stopping,
}


@click.command()
@click.option("--repetitions", default=40, show_default=True)
@click.option("--only", default="", help="Only attacks with this in their name.")
def main(repetitions: int, only: str) -> None:
    """Show what attacks on a leaderboard gain."""
    for name, attack in ATTACKS.items():
        if only in name:
            for line in attack(repetitions):
                click.echo(line, nl=False)
            click.echo()


if __name__ == "__main__":
    main()
