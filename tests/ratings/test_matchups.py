"""Who beats whom: the matrix, its marks, the worst opponents and the Nash column."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import log
from random import Random

import pytest

from arena.play.players import PlayerId
from arena.ratings.board import ledger_board
from arena.ratings.ledger import Ledger
from arena.ratings.matchups import MOST_BOTS, Matchups, differences, matchups
from arena.ratings.results import GroupResult
from tests.ratings.made_up import group, player
from tests.ratings.recompute_matchups import recompute_matchups
from tests.service import environment

REPLICATES = 40

CYCLE: Mapping[tuple[str, str], float] = {
    ("timid", "bold"): 0.72,
    ("bold", "maniac"): 0.87,
    ("maniac", "rookie"): 0.76,
    ("rookie", "timid"): 0.68,
    ("maniac", "timid"): 0.6,
    ("rookie", "bold"): 0.55,
}
"""Shares of the first bot of each pair: each bot beats the next one, and the last one the first."""


def duels(shares: Mapping[tuple[str, str], float], rounds: int, *, seed: int = 1) -> list[GroupResult]:
    """Groups of two games; of these shares, to the nearest game, in a random order."""
    order = Random(seed)
    found = []
    for (one, other), share in shares.items():
        won = ["1212"] * round(2 * rounds * share)
        games = won + ["2121"] * (2 * rounds - len(won))
        order.shuffle(games)
        for number in range(rounds):
            seats = [one, other, one, other]
            name = f"{number}-{one}-{other}"
            found.append(group(name, seats, *games[2 * number : 2 * number + 2], kind="truco"))
    return found


def ladder(names: Sequence[str], odds: float = 2.0) -> dict[tuple[str, str], float]:
    """Shares that ratings fit: each bot wins with ``odds`` against the next one."""
    return {
        (one, other): odds ** (j - i) / (1 + odds ** (j - i))
        for j, other in enumerate(names)
        for i, one in enumerate(names[:j])
    }


def found_for(groups: Sequence[GroupResult], replicates: int = REPLICATES) -> Matchups:
    found = found_or_none(groups, replicates)
    assert found is not None
    return found


def found_or_none(groups: Sequence[GroupResult], replicates: int = REPLICATES) -> Matchups | None:
    ledger = Ledger("truco" if groups[0].kind == "truco" else "toepen", "sealed")
    for one in groups:
        ledger.add(one)
    return matchups(ledger, ledger_board(ledger, replicates=replicates), replicates=replicates)


def with_all_there_is() -> list[GroupResult]:
    """Pairs that have not met, draws, a single group, forfeits, an earlier version, a provisional bot."""
    shares = {pair: share for pair, share in CYCLE.items() if pair != ("maniac", "timid")}
    groups = duels(shares, 40)
    groups += duels({("bold@0", "rookie"): 0.1}, 31)
    groups += duels({("late", "rookie"): 0.5}, 5)
    groups.append(group("one", "timid maniac timid maniac", "1212", "1111", kind="truco"))
    for number in range(7):
        forfeits = [(), (0, 2)]
        games = ("1212", "2121")
        groups.append(
            group(f"lost-{number}", "bold rookie bold rookie", *games, kind="truco", forfeits=forfeits)
        )
    return groups


@pytest.mark.parametrize("groups", [duels(CYCLE, 60), with_all_there_is()], ids=["cycle", "all there is"])
def test_an_independent_recomputation_finds_the_same(groups: list[GroupResult]) -> None:
    found = found_for(groups)
    bots = [PlayerId(bot.name, bot.version) for bot in found.bots]
    counting = [one for one in groups if one.counts_for]
    expected = recompute_matchups(counting, bots, REPLICATES)
    assert sorted(bot.name for bot in found.bots) == ["bold", "maniac", "rookie", "timid"]
    assert len(found.pairs) == len(expected.pairs) == 6
    for pair, own in zip(found.pairs, expected.pairs.values(), strict=True):
        assert pair.groups == own.groups
        assert pair.predicted == pytest.approx(own.predicted, abs=6e-4)
        for mine, theirs in ((pair.share, own.share), (pair.low, own.low), (pair.high, own.high)):
            assert (mine is None) == (theirs is None)
            assert mine is None or mine == pytest.approx(theirs, abs=6e-4)
        assert pair.fits == own.fits
    for number, bot in enumerate(found.bots):
        assert bot.nash == pytest.approx(expected.nash[number], abs=0.6)
        assert bot.mix == pytest.approx(expected.mix[number], abs=0.026)
        assert bot.in_mix == pytest.approx(expected.in_mix[number], abs=0.026 + 1.01 / REPLICATES)
    assert found.fit.error == pytest.approx(expected.error, abs=6e-4)
    assert found.fit.explained == pytest.approx(expected.explained, abs=0.006)


def test_the_pairs_of_a_cycle_are_marked_and_all_its_bots_are_in_the_mix() -> None:
    found = found_for(duels(CYCLE, 60))
    pairs = {(pair.bot, pair.opponent): pair for pair in found.pairs}
    pairs |= {(pair.opponent, pair.bot): pair.reversed() for pair in found.pairs}
    for one, other in list(CYCLE)[:4]:
        pair = pairs[one, other]
        assert pair.groups == 60
        assert pair.share == pytest.approx(CYCLE[one, other], abs=0.01)
        assert pair.share is not None
        assert pair.low is not None
        assert pair.high is not None
        assert 0.5 < pair.low < pair.share < pair.high
        assert pair.predicted < pair.low
        assert pair.fits is False
        assert pairs[other, one].high == pytest.approx(1 - pair.low)
    assert found.fit.met == found.fit.pairs == 6
    assert found.fit.marked >= 4
    assert found.fit.error > 0.15
    assert found.fit.explained is not None
    assert found.fit.explained < 0.5
    assert f"fits {6 - found.fit.marked} of the 6 pairs" in found.fit.as_text()
    bots = {bot.name: bot for bot in found.bots}
    assert {name: bot.worst for name, bot in bots.items()} == {
        "bold": "timid", "maniac": "bold", "rookie": "maniac", "timid": "rookie"
    }  # fmt: skip
    # In the cycle bold, maniac, rookie each has the weight of the result in which it has no part.
    shares = {"bold": 0.76, "maniac": 0.55, "rookie": 0.87}
    logits = {name: log(share / (1 - share)) for name, share in shares.items()}
    for name, logit in logits.items():
        assert bots[name].mix == pytest.approx(logit / sum(logits.values()), abs=0.06)
        assert bots[name].nash == 0
    assert bots["timid"].mix == 0
    assert -60 < bots["timid"].nash < 0
    # Everybody is beaten by somebody, so each is in the mix of some resamples.
    assert all(bot.in_mix > 0 for bot in bots.values())
    assert bots["rookie"].in_mix > bots["timid"].in_mix


def test_a_field_that_one_number_fits_has_no_marks_and_one_bot_in_the_mix() -> None:
    found = found_for(duels(ladder(["best", "good", "rookie", "worst"]), 60))
    assert [bot.name for bot in found.bots] == ["best", "good", "rookie", "worst"]
    assert found.fit.marked == 0
    assert found.fit.error < 0.03
    assert found.fit.explained is not None
    assert found.fit.explained > 0.95
    assert [bot.mix for bot in found.bots] == [1, 0, 0, 0]
    assert [bot.worst for bot in found.bots] == ["good", "best", "best", "best"]
    nash = [bot.nash for bot in found.bots]
    assert nash[0] == 0
    assert nash == sorted(nash, reverse=True)
    # Odds of 2 are 120 points.
    assert nash[1] == pytest.approx(-120, abs=10)


def test_clones_do_not_change_the_nash_column_of_others() -> None:
    before = {bot.name: bot for bot in found_for(duels(CYCLE, 60)).bots}
    more = dict(CYCLE)
    for clone in ("clone1", "clone2"):
        for (one, other), share in CYCLE.items():
            if "timid" in (one, other):
                more[clone if one == "timid" else one, clone if other == "timid" else other] = share
        more["timid", clone] = 0.5
    more["clone1", "clone2"] = 0.5
    after = {bot.name: bot for bot in found_for(duels(more, 60)).bots}
    for name in ("bold", "maniac", "rookie"):
        assert after[name].nash == pytest.approx(before[name].nash, abs=8)
        assert after[name].mix == pytest.approx(before[name].mix, abs=0.051)
    copies = sum(after[name].mix for name in ("timid", "clone1", "clone2"))
    assert copies == pytest.approx(before["timid"].mix, abs=0.11)


def test_pairs_that_have_not_met_have_the_prediction_and_are_marked_as_such() -> None:
    shares = {("a", "rookie"): 0.6, ("b", "rookie"): 0.4}
    found = found_for(duels(shares, 40))
    pair = next(pair for pair in found.pairs if {pair.bot, pair.opponent} == {"a", "b"})
    assert (pair.groups, pair.share, pair.low, pair.high, pair.fits) == (0, None, None, None, None)
    # Odds of 1.5 twice, a little less because of the virtual draws.
    assert pair.predicted == pytest.approx(1.5**2 / (1 + 1.5**2), abs=0.01)
    assert (found.fit.pairs, found.fit.met) == (3, 2)
    assert f"({100 * pair.predicted:.0f})" in found.as_text()


def test_an_interval_never_has_the_length_zero() -> None:
    """Thirty groups of thirty won do not mean that all will be won."""
    found = found_for(duels({("best", "rookie"): 1.0}, 30))
    (pair,) = found.pairs
    assert pair.share == pair.high == 1
    assert pair.low == pytest.approx(0.91, abs=0.01)


def test_only_the_best_ranked_bots_are_in_the_matrix() -> None:
    names = [f"b{number:02}" for number in range(MOST_BOTS + 3)]
    shares = {(name, "rookie"): 0.9 if number < MOST_BOTS else 0.1 for number, name in enumerate(names)}
    groups = duels(shares, 30) + duels({("few", "rookie"): 1.0}, 20)
    ledger = Ledger("truco", "sealed")
    for one in groups:
        ledger.add(one)
    board = ledger_board(ledger, replicates=2)
    found = matchups(ledger, board, replicates=2)
    assert found is not None
    assert [bot.name for bot in found.bots] == names[:MOST_BOTS]
    assert found.fit.met == 0
    assert found.fit.as_text() == "None of these bots have met each other."
    assert all(bot.worst is None for bot in found.bots)


def test_there_is_no_matrix_of_tables_or_of_one_bot() -> None:
    tables = [
        group(f"{number}", "rookie a b", *(["123", "231", "312"][number % 3],) * 3) for number in range(40)
    ]
    assert found_or_none(tables) is None
    assert found_or_none(duels({("few", "rookie"): 0.5}, 5)) is None


def test_a_forfeited_group_is_lost_by_the_one_who_forfeited() -> None:
    """Else a bot that quits whenever it lost the first game would have won all that it finished."""
    groups = duels({("quitter", "rookie"): 1.0, ("other", "rookie"): 0.5}, 30)
    for number in range(30):
        seats = [player("quitter"), player("rookie")] * 2
        names = [f"{who.name}@{who.version}" for who in seats]
        groups.append(group(f"q{number}", names, "2121", "2121", kind="truco", forfeits=[(), (1, 3)]))
    (pair,) = (pair for pair in found_for(groups).pairs if {pair.bot, pair.opponent} == {"quitter", "rookie"})
    assert pair.groups == 60
    assert pair.share == pytest.approx(0.5)


def test_the_order_of_groups_is_of_no_matter() -> None:
    groups = with_all_there_is()
    again = list(groups)
    Random(3).shuffle(again)
    assert found_for(again) == found_for(groups)


def test_json_csv_and_text_show_the_same() -> None:
    found = found_for(with_all_there_is())
    data = json.loads(json.dumps(found.as_json()))
    assert Matchups.from_json({**data, "new": 1}) == found
    assert data["records_hash"] == found.records_hash
    lines = list(csv.DictReader(io.StringIO(found.as_csv())))
    assert len(lines) == len(found.bots) * (len(found.bots) - 1)
    for line in lines:
        pair = next(
            pair
            for own in found.pairs
            for pair in (own, own.reversed())
            if (pair.bot, pair.opponent) == (line["name"], line["opponent"])
        )
        assert int(line["groups"]) == pair.groups
        assert line["share"] == ("" if pair.share is None else str(pair.share))
        assert line["fits"] == ("" if pair.fits is None else str(int(pair.fits)))
        bot = next(bot for bot in found.bots if bot.name == line["name"])
        assert float(line["nash"]) == bot.nash
        assert line["worst"] == str(int(bot.worst == line["opponent"]))
    text = found.as_text()
    assert found.fit.as_text() in text
    for bot, row in zip(found.bots, found.rows(), strict=True):
        for pair in row:
            if pair is not None and pair.share is not None and pair.low is not None and pair.high is not None:
                mark = "" if pair.fits else "*"
                shown = f"{100 * pair.share:.0f} {100 * pair.low:.0f}-{100 * pair.high:.0f}{mark}"
                assert shown in text, bot.name


def test_differences_allow_for_roundings_alone() -> None:
    found = found_for(duels(CYCLE, 60))
    data = found.as_json()
    assert differences(found, Matchups.from_json(data)) == []
    near = json.loads(json.dumps(data))
    near["bots"][0]["in_mix"] -= 0.05
    near["bots"][0]["nash"] -= 2
    near["pairs"][0]["low"] += 0.001
    assert differences(found, Matchups.from_json(near)) == []
    for change in ({"nash": -50}, {"mix": 0.5}, {"in_mix": 0.5}, {"name": "x"}):
        other = json.loads(json.dumps(data))
        other["bots"][0] |= change
        assert differences(found, Matchups.from_json(other)), change
    for change in ({"groups": 61}, {"share": 0.5}, {"low": 0.0}, {"predicted": 0.9}):
        other = json.loads(json.dumps(data))
        other["pairs"][0] |= change
        assert differences(found, Matchups.from_json(other)), change


def test_the_seed_is_the_hash_of_the_records() -> None:
    groups = duels(CYCLE, 40)
    hashes = sorted(bytes.fromhex(game.hash) for one in groups for game in one.games)
    assert found_for(groups).records_hash == sha256(b"".join(hashes)).hexdigest()


def test_only_what_computes_matchups_loads_scipy() -> None:
    """It takes 50 MB of every process."""
    code = "import sys, api.app, workers.worker; print('scipy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout == "False\n"
