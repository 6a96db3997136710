"""What taking the luck out of results brings: ``python -m benchmarks.luck``.

Pairs of bots play mirrored groups with fixed seeds. ``bias``: the mean of what is subtracted from the margin
(-1 to 1) of the first bot, with its standard error over groups, and how many of those it is from 0.
``share``: the mean share of the luck that is subtracted. ``saved``: the variance of the margin of a group
over that of the adjusted margin, which is how many times as many mirrored groups the plain margin needs for
the same interval, with its 95% interval (bootstrap over groups). ``held``: how often the 95% interval of 30
groups, drawn from all, holds the mean of all, plain and adjusted; ``board``: the same of the ratings of a
board of 60 groups. ``game`` and ``luck``: CPU milliseconds of a game, and of its luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import repeat
from pathlib import Path
from time import process_time
from typing import Any, Final, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from arena.bots import BotSpec, bot_spec
from arena.games import game_of
from arena.luck.equity import NoLuck, table_of
from arena.luck.games import MILLION, luck_of
from arena.luck.share import without_luck
from arena.play.players import SEALED, PlayerId
from arena.play.stats import mean_interval
from arena.ratings.board import ANCHOR, Rating, board
from arena.ratings.results import GameResult, GroupResult
from arena.records.record import parse_record
from arena.tournaments.local_run import GroupSummary, Plan, lucks_in_margins, margins, play_group
from benchmarks.zoo import NAMES, ZOO, ExploiterSpec

BOLD: Final = f"bold={Path(__file__).with_name('bold_bot.py')}"
SEED: Final = "botequim luck"
SAMPLE: Final = 30
"""Groups of the intervals whose coverage is measured."""
BOARD: Final = 60
"""Groups of the boards whose coverage is measured."""
_RESAMPLES: Final = 2000
_BOARDS: Final = 400
_PIECES: Final = 40
_TIMED: Final = 20
"""Groups whose luck is measured again for its cost."""

FIRST: Final = PlayerId("first", "1")
SECOND: Final = PlayerId(ANCHOR, "1")
"""The players of boards: the rating is that of the difference."""

Floats = NDArray[np.float64]


class LuckPair(NamedTuple):
    """Two bots, and the share of the groups that they play."""

    first: str
    second: str
    share: float


PAIRS: Final = (
    LuckPair("regular", "rookie", 1.0),
    LuckPair(BOLD, "regular", 0.2),
    LuckPair("shark", "regular", 0.1),
    LuckPair("barfly", "regular", 0.2),
    LuckPair("regular", "random", 0.2),
    LuckPair("calling", "regular", 1.0),
)
TABLES: Final = (
    *(("truco", name) for name in ("base@1", "paulista@1", "paulista-2@1", "mineiro@1", "mineiro-2@1")),
    ("toepen", "duel@1"),
    ("toepen", "table-4@1"),
)


@dataclass(frozen=True)
class PlayedPair:
    """Margins of groups, the luck in them, and the margins without it; the groups; CPU milliseconds of a game
    and its luck.
    """

    plain: Floats
    luck: Floats
    adjusted: Floats
    groups: list[GroupResult]
    game_ms: float
    luck_ms: float


def play_some(plan: Plan, piece: int) -> tuple[list[float], list[float], list[GroupResult], float, float]:
    """Every 40th group of the plan from ``piece`` on, and the seconds of CPU of a game and of its luck."""
    groups = list(enumerate(plan.all_groups()))[piece::_PIECES]
    start = process_time()
    results = [play_group(plan, index, group) for index, group in groups]
    whole = process_time() - start
    records = [parse_record(text) for result in results[:_TIMED] for text in result.records]
    start = process_time()
    for record in records:
        luck_of(record)
    luck = (process_time() - start) / len(records)
    games = sum(len(result.records) for result in results)
    made = [_group_result(result, plan.bots[0].name) for result in results]
    return margins(results), lucks_in_margins(results), made, whole / games - luck, luck


def _group_result(summary: GroupSummary, name: str) -> GroupResult:
    """The group for a board, with the luck that was measured already. ``name``: of the first bot."""
    canonicals = [parse_record(text)["canonical"] for text in summary.records]
    game = game_of(canonicals[0]["kind"])
    rules = game.options.complete(canonicals[0]["rules"])
    teams = game.teams(rules)
    own = summary.tallies[0].luck
    games = []
    for number, canonical in enumerate(canonicals):
        # A margin has the luck twice, and it is that of the first team here.
        sign = 1 if canonical["players"][0]["name"] == name else -1
        players = tuple(FIRST if p["name"] == name else SECOND for p in canonical["players"])
        none = (0,) * len(players)
        luck = round(MILLION * sign * own[number] / 2)
        digest = sha256(f"{summary.index} {number}".encode()).hexdigest()
        places = tuple(canonical["outcome"]["places"])
        games.append(GameResult(number, digest, players, places, (), none, (), (), 0, False, luck))
    preset = game.preset_of(rules) or ""
    return GroupResult(game.kind, str(summary.index), len(games), True, teams, games, preset=preset)


def play_pair(
    kind: str, rules: Mapping[str, Any], pair: LuckPair, groups: int, seed: str, jobs: int
) -> PlayedPair:
    """Play the groups of a pair."""
    bots = (_spec(pair.first, kind), bot_spec(pair.second, kind))
    plan = Plan(kind, rules, bots, groups, seed, luck=True)
    with ProcessPoolExecutor(jobs) as processes:
        pieces = list(processes.map(play_some, repeat(plan), range(min(_PIECES, groups))))
    plain, luck, made, game_s, luck_s = zip(*pieces, strict=True)
    values, lucks = np.concatenate(plain), np.concatenate(luck)
    return PlayedPair(
        values,
        lucks,
        np.array(without_luck(values.tolist(), lucks.tolist())),
        [group for some in made for group in some],
        1000 * float(np.mean(game_s)),
        1000 * float(np.mean(luck_s)),
    )


def _spec(name: str, kind: str) -> BotSpec:
    """The bot of a name, which can be one of the exploiters of ``regular``."""
    return ExploiterSpec(name, "1", "regular", kind=kind) if name in ZOO[kind] else bot_spec(name, kind)


def bias(played: PlayedPair) -> tuple[float, float]:
    """The mean of what is subtracted from the margins of the first bot, and its standard error."""
    taken_out = played.plain - played.adjusted
    return float(taken_out.mean()), float(taken_out.std(ddof=1) / np.sqrt(len(taken_out)))


def share(played: PlayedPair) -> float:
    """The mean share of the luck that is subtracted."""
    taken_out = played.plain - played.adjusted
    return float(taken_out @ played.luck / (played.luck @ played.luck))


def saved(played: PlayedPair, resamples: int = _RESAMPLES) -> tuple[float, float, float]:
    """The ratio of the variances, and its 95% interval."""
    random = np.random.default_rng(1)
    count = len(played.plain)
    draws = random.integers(0, count, (resamples, count))
    ratios = played.plain[draws].var(axis=1) / played.adjusted[draws].var(axis=1)
    low, high = np.quantile(ratios, (0.025, 0.975))
    return float(played.plain.var() / played.adjusted.var()), float(low), float(high)


def held(values: Floats, samples: int = _RESAMPLES) -> float:
    """How often the interval of :data:`SAMPLE` of the groups holds the mean of all. Groups are drawn with
    repetition, so that all are a population without an end.
    """
    random = np.random.default_rng(1)
    mean = float(values.mean())
    hits = 0
    for _ in range(samples):
        center, half = mean_interval(values[random.integers(0, len(values), SAMPLE)].tolist())
        hits += abs(center - mean) <= half
    return hits / samples


def held_by_boards(groups: Sequence[GroupResult], boards: int = _BOARDS) -> tuple[float, float | None]:
    """How often the interval of the rating of the first player, on a board of :data:`BOARD` groups drawn from
    all with repetition, holds that of all, with the luck and without it (None if that is not published).
    """
    random = np.random.default_rng(1)

    def rated(some: Sequence[GroupResult]) -> Rating:
        found = board(some, groups[0].kind, SEALED, groups[0].preset)
        (rating,) = (row.rating for row in found.rows if row.name == FIRST.name)
        return rating

    truth = rated(groups)
    held = held_adjusted = known = 0
    for _ in range(boards):
        own = rated([_copy(groups[number], place) for place, number in enumerate(_drawn(random, groups))])
        held += own.low <= truth.rating <= own.high
        if truth.adjusted is not None and own.adjusted_low is not None and own.adjusted_high is not None:
            known += 1
            held_adjusted += own.adjusted_low <= truth.adjusted <= own.adjusted_high
    return held / boards, held_adjusted / known if known else None


def _drawn(random: np.random.Generator, groups: Sequence[GroupResult]) -> list[int]:
    drawn: list[int] = random.integers(0, len(groups), BOARD).tolist()
    return drawn


def _copy(group: GroupResult, place: int) -> GroupResult:
    """The group with other hashes, as a board counts each record once."""
    games = [game._replace(hash=sha256(f"{game.hash} {place}".encode()).hexdigest()) for game in group.games]
    setting = (group.kind, f"{place}", group.size, group.mirrored, group.teams)
    return GroupResult(*setting, games, preset=group.preset)


@click.command()
@click.option("--groups", default=3000, show_default=True, help="Groups of regular against rookie.")
@click.option("--table", "tables", multiple=True, metavar="GAME/PRESET", help="Only these rules.")
@click.option(
    "--pair", "pairs", multiple=True, metavar="A-B", help="Only these pairs, such as shark-regular."
)
@click.option("--seed", "seeds", multiple=True, default=("1", "2"), show_default=True)
@click.option("--jobs", default=1, show_default=True, help="Processes.")
def main(
    groups: int, tables: tuple[str, ...], pairs: tuple[str, ...], seeds: tuple[str, ...], jobs: int
) -> None:
    """Measure the bias, the games saved, the intervals and the cost of luck-adjusted margins."""
    click.echo(
        f"{'rules':21}{'pair':16}{'seed':>5}{'groups':>7}{'margin':>8}{'adjusted':>9}{'bias':>9}{'se':>8}"
        f"{'z':>6}{'share':>7}{'saved':>7} {'95%':>11}{'held':>7}{'adj.':>7}{'board':>7}{'adj.':>7}"
        f"{'game':>8}{'luck':>7} ms"
    )
    for kind, preset in TABLES:
        rules = game_of(kind).options.complete(game_of(kind).preset(preset).rules)
        label = f"{kind}/{preset}"
        if tables and label not in tables:
            continue
        try:
            table_of(kind, rules)
        except NoLuck as error:
            click.echo(f"{label:21}{error.message}")
            continue
        for pair in PAIRS:
            names = "-".join(name.partition("=")[0] for name in pair[:2])
            if (pairs and names not in pairs) or (pair.first in NAMES and pair.first not in ZOO[kind]):
                continue
            for seed in seeds:
                count = max(SAMPLE, int(groups * pair.share))
                played = play_pair(kind, rules, pair, count, f"{SEED} {seed}", jobs)
                mean, error_of_mean = bias(played)
                ratio, low, high = saved(played)
                plain, adjusted = held_by_boards(played.groups)
                click.echo(
                    f"{label:21}{names:16}{seed:>5}{len(played.plain):7}{played.plain.mean():+8.3f}"
                    f"{played.adjusted.mean():+9.3f}{mean:+9.4f}{error_of_mean:8.4f}"
                    f"{mean / error_of_mean:+6.1f}{share(played):7.2f}"
                    f"{ratio:7.2f} {f'{low:.2f}-{high:.2f}':>11}{held(played.plain):7.1%}"
                    f"{held(played.adjusted):7.1%}{plain:7.1%}"
                    f"{'' if adjusted is None else f'{adjusted:.1%}':>7}"
                    f"{played.game_ms:8.1f}{played.luck_ms:7.2f}"
                )


if __name__ == "__main__":
    main()
