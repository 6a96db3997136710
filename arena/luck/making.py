"""Builds the equity tables: ``python -m arena.luck.making``.

Par plays the same packs from every standing. The equity of a standing is the mean equity of the standings
that result. These equations are solved together, so the mean luck of a hand over all packs is 0 at every
standing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import click

from arena.games import GAMES, game_of
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE, Chance
from arena.games.options import Rules
from arena.luck.equity import VERSION, Result, measured_presets, table_hash, table_name, win_chance
from arena.luck.par import model_of, play_on
from arena.play.dealing import Dealer

PACKS: Final = 600
PACKS_TEXT: Final = "botequim luck v1"
"""The packs are derived from the SHA-256 of this text, in the same way as the deals of a game without nonces.
"""

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
    if jobs > 1:
        with ProcessPoolExecutor(jobs) as processes:
            count = len(standings)
            of_all = ([game.kind] * count, [shared] * count, standings, [packs] * count)
            played = list(processes.map(play_packs, *of_all))
    else:
        played = [play_packs(game.kind, shared, standing, packs) for standing in standings]
    results = {
        standing: tuple(Result(*ended, packs) for ended, packs in sorted(counts.items()))
        for standing, (counts, _, _) in zip(standings, played, strict=True)
    }
    equity = solve(results)
    data = {
        "v": VERSION,
        "kind": game.kind,
        "rules_version": game.version,
        "rules": shared,
        "par": {"bot": model.level, "version": model.version},
        "weight": model.weight,
        "packs": packs,
        "packs_text": PACKS_TEXT,
        "plays_hash": _joined(digest for _, digest, _ in played),
        "sample_hash": _joined(sample for _, _, sample in played),
        "standings": [
            [*standing, equity[standing], [[int(turned), *rest] for turned, *rest in results[standing]]]
            for standing in standings
        ],
    }
    return {**data, "hash": table_hash(data)}


def _joined(digests: Iterable[bytes]) -> str:
    return sha256(b"".join(digests)).hexdigest()


def sample_hash(game: Game, rules: Rules) -> str:
    """Return the ``sample_hash`` of the table for these complete rules."""
    model = model_of(game)
    shared = dict(model.rules(rules))
    return _joined(play_packs(game.kind, shared, one, SAMPLE)[2] for one in model.standings(shared))


def play_packs(
    kind: str, rules: Rules, standing: tuple[int, int], packs: int
) -> tuple[Counter[tuple[bool, int, int]], bytes, bytes]:
    """Play the first ``packs`` packs at a standing. Return the counts of their results, as in
    :class:`~arena.luck.equity.Result`, the hash of all actions played, and the hash of the actions for the
    first :data:`SAMPLE` packs.
    """
    game = game_of(kind)
    model = model_of(game)
    start = model.start(rules, *standing)
    team = model.standing(start).team
    chance = start.chance()
    assert chance is not None
    found: Counter[tuple[bool, int, int]] = Counter()
    digest, sample = sha256(), sha256()
    for number, deal in enumerate(table_packs(tuple(chance.items), packs)):
        state = start.clone()
        done = [deal]
        state.apply(CHANCE, deal)
        play_on(game, rules, state, deal, lambda seat, action, done=done: done.append(f"{seat} {action}"))  # type: ignore[misc]
        after = model.standing(state)
        found[after.team != team, after.own, after.other] += 1
        digest.update("\n".join([*done, f"{after}\n"]).encode())
        if number + 1 == SAMPLE:
            sample = digest.copy()
    return found, digest.digest(), sample.digest()


@lru_cache(maxsize=4)
def table_packs(items: tuple[str, ...], count: int) -> list[str]:
    """Return the first ``count`` packs of a table, as actions of chance. ``items`` are the cards."""
    dealer = Dealer(sha256(PACKS_TEXT.encode()).digest(), ())
    return [dealer.action(Chance("deal", number, items)) for number in range(1, count + 1)]


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
def main(names: tuple[str, ...], out: Path, packs: int, jobs: int, check: bool) -> None:
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
        published = path.read_text(encoding="utf-8") if check else ""
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
