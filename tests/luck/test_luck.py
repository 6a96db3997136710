"""Luck: the tables, the luck of records, and that its mean is 0."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

import pytest

from arena.bots import bot_spec
from arena.games import GAMES, game_of
from arena.games.kernel import CHANCE
from arena.luck import equity, games
from arena.luck.equity import (
    NoLuck,
    has_table,
    measured_presets,
    read_table,
    table_hash,
    table_name,
    table_of,
)
from arena.luck.games import luck_json, luck_of, luck_of_actions, millionths
from arena.luck.making import PACKS, make_table, sample_hash, table_packs
from arena.luck.par import model_of
from arena.luck.share import without_luck
from arena.records.record import dumps
from arena.tournaments.local_run import Plan, lucks_in_margins, margins, play_group
from tests.luck.recompute import PLAYS, WEIGHTS, ends, equities, lucks
from tests.replays.games import played
from tests.runner.test_play import botequim

MEASURED = [
    (game.kind, preset.name)
    for game in GAMES.values()
    for preset in game.presets
    if len(game.teams(game.options.complete(preset.rules))) == 2
]
TABLES = [(game.kind, preset.name) for game in GAMES.values() for preset in measured_presets(game)]


def rules_of(kind: str, preset: str) -> dict[str, Any]:
    game = game_of(kind)
    return game.options.complete(game.preset(preset).rules)


def test_every_preset_of_two_teams_is_measured() -> None:
    assert ("truco", "mineiro-2@1") in MEASURED
    assert ("toepen", "duel@1") in MEASURED
    assert all(has_table(kind, rules_of(kind, preset)) for kind, preset in MEASURED)
    files = {path.stem for path in Path(equity.__file__).parent.joinpath("tables").glob("*.json")}
    assert files == {table_name(game_of(kind), game_of(kind).preset(preset)) for kind, preset in TABLES}
    assert table_of("truco", rules_of("truco", "no-cut@1")) is table_of("truco", rules_of("truco", "base@1"))


@pytest.mark.parametrize(("kind", "preset"), TABLES)
def test_a_table_is_what_it_was_made_from(kind: str, preset: str) -> None:
    game, rules = game_of(kind), rules_of(kind, preset)
    model, table = model_of(game), table_of(kind, rules)
    data = table.data
    assert table.hash == table_hash(data)
    assert data["rules"] == dict(model.rules(rules))
    assert data["rules_version"] == game.version
    assert data["par"] == {"bot": model.level, "version": model.version}
    assert data["plays"] == model.plays == PLAYS[kind]
    assert table.weight == model.weight == WEIGHTS[kind]
    assert table.packs == PACKS
    assert list(table.equity) == list(model.standings(rules))
    assert all(sum(result.packs for result in ended) == table.packs for ended in table.results.values())
    assert data["sample_hash"] == sample_hash(game, rules), "par plays otherwise: see docs/luck.md"


@pytest.mark.parametrize(("kind", "preset"), TABLES)
def test_equities_solve_the_equations(kind: str, preset: str) -> None:
    table = table_of(kind, rules_of(kind, preset))
    assert table.equity == pytest.approx(equities(dict(table.data)), abs=1e-11)
    values = table.equity
    assert all(0 < value < 1 for value in values.values())
    top = max(own for own, _ in values)
    low = min(own for own, _ in values)
    assert values[top, low] > 0.85
    assert values[low, top] < 0.15


@pytest.mark.parametrize(("kind", "preset"), TABLES)
def test_packs_follow_from_the_page_alone(kind: str, preset: str) -> None:
    game, rules = game_of(kind), rules_of(kind, preset)
    table = make_table(game, rules, 12)
    data = dict(table_of(kind, rules).data)
    for own, other in (list(model_of(game).standings(rules))[index] for index in (0, 9, -1)):
        (results,) = [row[3] for row in table["standings"] if row[:2] == [own, other]]
        counts = Counter(ends(data, own, other, data["packs_text"], 12))
        assert results == [[int(turned), *rest, packs] for (turned, *rest), packs in sorted(counts.items())]


@pytest.mark.parametrize(("kind", "preset"), TABLES)
def test_fresh_packs_have_no_luck_on_average(kind: str, preset: str) -> None:
    table = table_of(kind, rules_of(kind, preset))
    middle = list(table.equity)[len(table.equity) // 3]
    values = []
    for turned, own, other in ends(dict(table.data), *middle, "fresh packs of a test", 400):
        value = table.equity.get((own, other), float(own > other))
        values.append((1 - value if turned else value) - table.equity[middle])
    pairs = [(one + other) / 2 for one, other in zip(values[::2], values[1::2], strict=True)]
    error = stdev(pairs) / len(pairs) ** 0.5
    assert abs(fmean(pairs)) < 3.5 * error
    # Without the exchange of hands, both would be alike. It does not help where the forehand may burn hands.
    assert preset == "base@1" or stdev(pairs) < 0.98 * stdev(values) / 2**0.5


@pytest.mark.parametrize(
    ("kind", "preset"), [("truco", "base@1"), ("truco", "paulista-2@1"), ("toepen", "duel@1")]
)
def test_the_mean_luck_of_a_hand_is_exactly_0_over_the_packs_of_a_table(
    kind: str, preset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever plays: here random players."""
    game, rules, packs = game_of(kind), rules_of(kind, preset), 12
    table = read_table("small", make_table(game, rules, packs))
    monkeypatch.setattr(games, "table_of", lambda kind, rules: table)
    # A table is made of one play of each pack.
    monkeypatch.setattr(games, "model_of", lambda game: replace(model_of(game), plays=1))
    random = Random(1)
    found = []
    for number in range(packs):
        state = game.new_state(rules)
        actions: list[list[Any]] = [[CHANCE, "dealer:0"]]
        state.apply(*actions[0])
        chance = state.chance()
        assert chance is not None
        actions.append(
            [CHANCE, table_packs(tuple(chance.items), game.seats(rules), model_of(game).hand, packs)[number]]
        )
        state.apply(*actions[1])
        while (seat := state.awaiting()[0]) != CHANCE:
            legal = state.legal_actions(seat)
            actions.append([seat, "no_cut" if "no_cut" in legal else random.choice(legal)])
            state.apply(*actions[-1])
        (hand,) = luck_of_actions(kind, rules, actions).hands
        found.append(hand.luck)
    assert fmean(found) == pytest.approx(0, abs=1e-11)
    assert stdev(found) > 0.001


@pytest.mark.parametrize(("kind", "preset"), MEASURED)
def test_the_luck_of_a_record_follows_from_the_page_alone(kind: str, preset: str) -> None:
    record = played(kind, rules_of(kind, preset), 5)
    found = luck_of(record)
    lot, *hands = lucks(record, found.table.name)
    assert found.lot == pytest.approx(lot)
    assert [hand.luck for hand in found.hands] == pytest.approx(hands)
    deals = [action for seat, action, *_ in record["canonical"]["actions"] if action.startswith("deal:")]
    assert [hand.hand for hand in found.hands] == list(range(1, len(deals) + 1))
    assert millionths(kind, record["canonical"]["rules"], record["canonical"]["actions"]) == round(
        1e6 * WEIGHTS[kind] * (lot + sum(hands))
    )


def test_equities_go_from_hand_to_hand() -> None:
    for kind in ("truco", "toepen"):
        preset = "base@1" if kind == "truco" else "duel@1"
        record = played(kind, rules_of(kind, preset), 2)
        found = luck_of(record)
        assert found.hands[0].before == pytest.approx(0.5 + found.lot)
        for earlier, later in pairwise(found.hands):
            assert earlier.after == later.before
        won = record["canonical"]["outcome"]["places"][0] == 1
        assert found.hands[-1].after == float(won)
        assert found.hands[-1].points != found.hands[0].points


def test_the_cut_is_a_part_of_the_luck() -> None:
    """The same cards after the cut have the same luck, however they were cut."""
    game, rules = game_of("truco"), rules_of("truco", "base@1")
    start = game.new_state(rules)
    start.apply(CHANCE, "dealer:0")
    chance = start.chance()
    assert chance is not None
    deal = table_packs(tuple(chance.items), 4, 3, 1)[0]
    found = []
    for lifted in (0, 7):
        cards = deal.removeprefix("deal:")
        # What is lifted from the top goes under.
        shuffled = cards[-2 * lifted :] + cards[: -2 * lifted] if lifted else cards
        cut = f"cut:{lifted}:top" if lifted else "no_cut"
        actions = [[CHANCE, "dealer:0"], [CHANCE, f"deal:{shuffled}"], [3, cut]]
        found.append(luck_of_actions("truco", rules, actions).hands[0].luck)
    assert found[0] == found[1] != 0


@pytest.mark.parametrize(
    ("kind", "rules", "message"),
    [
        ("toepen", {"seats": 4}, "luck is not measured for three or more players"),
        ("toepen", {"seats": 2, "lives": 3}, "luck is not measured for Toepen with these rules"),
        ("truco", {"signals": "table"}, "luck is not measured for Brazilian Truco with these rules"),
    ],
)
def test_what_is_not_measured_says_why(kind: str, rules: dict[str, Any], message: str) -> None:
    complete = game_of(kind).options.complete(rules)
    with pytest.raises(NoLuck, match=message) as error:
        table_of(kind, complete)
    assert error.value.code == "no_luck"
    assert error.value.expected
    assert not has_table(kind, complete)
    assert millionths(kind, rules, []) is None


@pytest.mark.nightly("simulations")
def test_it_is_0_on_average_and_saves_games() -> None:
    """Seeded: groups without mirrored deals, as in the open division."""
    bots = (bot_spec("regular", "truco"), bot_spec("rookie", "truco"))
    plan = Plan("truco", rules_of("truco", "paulista-2@1"), bots, 240, "luck", mirrored=False, luck=True)
    results = [play_group(plan, index, group) for index, group in enumerate(plan.all_groups())]
    plain, luck = margins(results), lucks_in_margins(results)
    adjusted = without_luck(plain, luck)
    assert abs(fmean(luck)) < 3 * stdev(luck) / len(luck) ** 0.5
    assert stdev(adjusted) < 0.8 * stdev(plain)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("luck") / "games.jsonl"
    records = [played("truco", {}, 2), played("toepen", {"seats": 2}, 2), played("toepen", {"seats": 4}, 2)]
    path.write_text("".join(f"{dumps(record)}\n" for record in records))
    return path


def test_the_command(file: Path) -> None:
    done = botequim("luck", str(file), "--number", "1", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found == luck_json(played("truco", {}, 2))
    first, second = found["teams"]
    assert (first["luck"], first["points"]) == (-second["luck"], 1 - second["points"])
    assert first["adjusted"] == pytest.approx(first["points"] - found["weight"] * first["luck"])
    assert first["luck"] == pytest.approx(
        found["lot"] + sum(hand["luck"] for hand in found["hands"]), abs=1e-4
    )
    done = botequim("luck", str(file), "--number", "2")
    assert done.returncode == 0, done.stderr
    assert f"table toepen-duel-1, hash {table_of('toepen', rules_of('toepen', 'duel@1')).hash}" in done.stdout
    assert "points less 0.65 luck" in done.stdout
    done = botequim("luck", str(file), "--number", "3")
    assert done.returncode == 2
    assert "luck is not measured for three or more players" in done.stderr
