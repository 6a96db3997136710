"""Builds the equity tables: ``python -m arena.luck.making``.

Par plays the same packs from every standing. The equity of a standing is the mean equity of the standings
that result. These equations are solved together, so the mean luck of a hand over all packs is 0 at every
standing. ``--fresh`` plays other packs, over which it is not exactly 0.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from hashlib import sha256
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final, NamedTuple

import click

from arena.games import GAMES, game_of
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE, Chance
from arena.games.options import Rules
from arena.luck.equity import (
    TABLES_VERSION,
    EquityTable,
    Result,
    measured_presets,
    read_table,
    table_hash,
    table_name,
    win_chance,
)
from arena.luck.par import model_of, play_on
from arena.play.dealing import Dealer

PACKS: Final = 12_000
PACKS_TEXT: Final = "botequim luck v2"
"""The packs are derived from the SHA-256 of this text, like the deals of a game for 0 seats."""

FRESH_TEXT: Final = "botequim luck fresh"
"""The same for the packs with which a table is checked."""

_CARD_LETTERS: Final = 2

SAMPLE: Final = 4
"""The number of first packs whose actions have a separate hash in the file, for a quick check that par still
plays the same.
"""

_DIGITS: Final = 12
_CLOSE: Final = 1e-15


def make_table(game: Game, rules: Rules, packs: int = PACKS, jobs: int = 1) -> dict[str, object]:
    """Return the content of an equity table file for these complete rules (``docs/luck.md``)."""
    model = model_of(game)
    shared = dict(model.rules(rules))
    standings = list(model.standings(shared))
    played = _played(game, shared, standings, packs, PACKS_TEXT, jobs)
    results = {
        standing: tuple(Result(*ended, packs) for ended, packs in sorted(Counter(ends).items()))
        for standing, (ends, _, _) in zip(standings, played, strict=True)
    }
    equity = solve(results)
    data = {
        "v": TABLES_VERSION,
        "kind": game.kind,
        "rules_version": game.version,
        "rules": shared,
        "par": {"bot": model.level, "version": model.version},
        "plays": model.plays,
        "weight": model.weight,
        "packs": packs,
        "packs_text": PACKS_TEXT,
        "plays_hash": _joined(one.digest for one in played),
        "sample_hash": _joined(one.sample for one in played),
        "standings": [
            [*standing, equity[standing], [[int(turned), *rest] for turned, *rest in results[standing]]]
            for standing in standings
        ],
    }
    return {**data, "hash": table_hash(data)}


def _played(
    game: Game, rules: Rules, standings: Sequence[tuple[int, int]], packs: int, text: str, jobs: int
) -> list[PlayedPacks]:
    play = partial(play_packs, game.kind, rules, packs=packs, text=text)
    if jobs == 1:
        return list(map(play, standings))
    with ProcessPoolExecutor(jobs) as processes:
        return list(processes.map(play, standings))


def _joined(digests: Iterable[bytes]) -> str:
    return sha256(b"".join(digests)).hexdigest()


def sample_hash(game: Game, rules: Rules) -> str:
    """Return the ``sample_hash`` of the table for these complete rules."""
    model = model_of(game)
    shared = dict(model.rules(rules))
    return _joined(play_packs(game.kind, shared, one, SAMPLE).sample for one in model.standings(shared))


class PlayedPacks(NamedTuple):
    """Packs that par played at one standing: how each of them ended, as in
    :class:`~arena.luck.equity.Result`, the hash of all actions, and the hash of those of the first
    :data:`SAMPLE` packs.
    """

    ends: list[tuple[bool, int, int]]
    digest: bytes
    sample: bytes


def play_packs(
    kind: str, rules: Rules, standing: tuple[int, int], packs: int, text: str = PACKS_TEXT
) -> PlayedPacks:
    """Play the first ``packs`` packs of a text at a standing."""
    game = game_of(kind)
    model = model_of(game)
    start = model.start(rules, *standing)
    team = model.standing(start).team
    chance = start.chance()
    assert chance is not None
    ends = []
    digest, sample = sha256(), sha256()
    all_packs = table_packs(tuple(chance.items), game.seats(rules), model.hand, packs, text)
    for number, deal in enumerate(all_packs):
        state = start.clone()
        done = [deal]
        state.apply(CHANCE, deal)
        done += [f"{seat} {action}" for seat, action in play_on(game, state, deal)]
        after = model.standing(state)
        ends.append((after.team != team, after.own, after.other))
        digest.update("\n".join([*done, f"{after}\n"]).encode())
        if number + 1 == SAMPLE:
            sample = digest.copy()
    return PlayedPacks(ends, digest.digest(), sample.digest())


@lru_cache(maxsize=4)
def table_packs(
    items: tuple[str, ...], seats: int, hand: int, count: int, text: str = PACKS_TEXT
) -> list[str]:
    """Return the first ``count`` packs of a text, as actions of chance. ``items`` are the cards, of which
    each of the ``seats`` gets ``hand``. Every second pack is the one before it with the hands of neighbours
    exchanged, so that the luck of the two nearly cancels out.
    """
    dealer = Dealer(sha256(text.encode()).digest(), ())
    found = []
    for number in range(1, (count + 1) // 2 + 1):
        deal = dealer.action(Chance("deal", number, items))
        found += [deal, _exchanged(deal, seats, hand)]
    return found[:count]


def _exchanged(deal: str, seats: int, hand: int) -> str:
    """Return the pack with the first two hands exchanged, and so on."""
    cards = deal.removeprefix("deal:")
    width = hand * _CARD_LETTERS
    hands = [cards[place * width : (place + 1) * width] for place in range(seats)]
    hands[::2], hands[1::2] = hands[1::2], hands[::2]
    return "deal:" + "".join(hands) + cards[seats * width :]


class FreshLuck(NamedTuple):
    """The mean luck of packs from which a table was not made.

    ``mean`` is that over all standings, ``error`` its standard error from the fresh packs, and ``own_error``
    the standard error of the same mean from the packs of the table. ``largest_z`` is the largest distance
    from 0 of the mean at a standing, in standard errors from both, and ``largest_own_error`` is the largest
    standard error from the packs of the table at a standing.
    """

    mean: float
    error: float
    own_error: float
    largest_z: float
    largest_own_error: float


def fresh_luck(game: Game, table: EquityTable, pairs: int, jobs: int = 1) -> FreshLuck:
    """Play ``pairs`` fresh pairs of packs at every standing of a table."""
    standings = list(table.equity)
    played = _played(game, table.data["rules"], standings, 2 * pairs, FRESH_TEXT, jobs)
    # The unit is the pair, because the luck of its packs is nearly opposite.
    lucks = [
        [
            fmean(_equity_of(table.equity, Result(*end, 1)) - table.equity[standing] for end in pair)
            for pair in zip(found.ends[::2], found.ends[1::2], strict=True)
        ]
        for standing, found in zip(standings, played, strict=True)
    ]
    own_pairs = table.packs / 2
    means = [fmean(own) for own in lucks]
    spreads = [stdev(own) for own in lucks]
    spread = stdev(map(fmean, zip(*lucks, strict=True)))
    both = sqrt(1 / pairs + 1 / own_pairs)
    return FreshLuck(
        fmean(means),
        spread / sqrt(pairs),
        spread / sqrt(own_pairs),
        max(abs(mean) / (own * both) for mean, own in zip(means, spreads, strict=True) if own),
        max(spreads) / sqrt(own_pairs),
    )


def solve(results: Mapping[tuple[int, int], Sequence[Result]]) -> dict[tuple[int, int], float]:
    """Return the equity of every standing: the mean equity of the standings to which its packs lead."""
    equity = dict.fromkeys(results, 0.5)
    totals = {standing: sum(result.packs for result in ended) for standing, ended in results.items()}
    moved = 1.0
    while moved > _CLOSE:
        moved = 0.0
        for standing, ended in results.items():
            value = sum(_equity_of(equity, result) * result.packs for result in ended) / totals[standing]
            moved = max(moved, abs(value - equity[standing]))
            equity[standing] = value
    return {standing: round(value, _DIGITS) for standing, value in equity.items()}


def _equity_of(equity: Mapping[tuple[int, int], float], result: Result) -> float:
    value = win_chance(equity, result.own, result.other)
    return 1.0 - value if result.turned else value


@click.command()
@click.argument("names", nargs=-1)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=Path(__file__).parent / "tables"
)
@click.option("--packs", type=click.IntRange(SAMPLE), default=PACKS, show_default=True)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--check", is_flag=True, help="Write nothing; check whether the files are up to date.")
@click.option(
    "--fresh",
    type=click.IntRange(2),
    metavar="PAIRS",
    help="Write nothing; play this number of fresh pairs of packs at every standing, and show their luck.",
)
def main(names: tuple[str, ...], out: Path, packs: int, jobs: int, check: bool, fresh: int | None) -> None:
    """Build the equity tables NAMES, such as truco-base-1, or all of them."""
    tables = {
        table_name(game, preset): (game, game.options.complete(preset.rules))
        for game in GAMES.values()
        for preset in measured_presets(game)
    }
    unknown = sorted(set(names) - tables.keys())
    if unknown:
        raise click.BadParameter(f"{unknown[0]} is not one of {', '.join(tables)}", param_hint="'NAMES'")
    differing = []
    for name in names or tables:
        game, rules = tables[name]
        path = out / f"{name}.json"
        published = path.read_text(encoding="utf-8") if check or fresh else ""
        if fresh:
            found = fresh_luck(game, read_table(name, json.loads(published)), fresh, jobs)
            click.echo(
                f"{name:20} mean {found.mean:+.4f}, standard error {found.error:.4f}, own error "
                f"{found.own_error:.4f} (at a score at most {found.largest_own_error:.4f}), largest |z| "
                f"{found.largest_z:.1f}"
            )
            continue
        count = json.loads(published)["packs"] if check else packs
        text = _text(make_table(game, rules, count, jobs))
        if not check:
            path.write_text(text, encoding="utf-8")
        elif published != text:
            differing.append(name)
        click.echo(f"{name}: {json.loads(text)['hash']}")
    if differing:
        raise click.ClickException(f"out of date: {', '.join(differing)}")


def _text(data: Mapping[str, Any]) -> str:
    """Format the data as JSON with one line per standing."""
    head = {name: value for name, value in data.items() if name != "standings"}
    rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in data["standings"])
    return json.dumps(head, indent=1)[:-2] + f',\n "standings": [\n{rows}\n]}}\n'


if __name__ == "__main__":
    main()
