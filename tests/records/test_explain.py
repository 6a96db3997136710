"""``botequim explain``: the remarks and what they cost, and the command as a user runs it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import arena.cli
from arena.bots import bot_spec
from arena.games import GAMES, game_of
from arena.records.costs import cost_of
from arena.records.record import Record, parse_record
from arena.records.remarks import Remark, own_decisions
from arena.tournaments.local_run import Plan, play_group

PRESETS = [(game.kind, preset.name) for game in GAMES.values() for preset in game.presets]


def played(kind: str, preset: str, *bots: str, groups: int = 1) -> list[str]:
    """The records of some groups, as lines."""
    rules = game_of(kind).options.complete(game_of(kind).preset(preset).rules)
    plan = Plan(kind, rules, tuple(bot_spec(bot, kind) for bot in bots), groups, "explain")
    return [
        line for number, one in enumerate(plan.all_groups()) for line in play_group(plan, number, one).records
    ]


@pytest.fixture(scope="module")
def duel() -> Record:
    return parse_record(played("toepen", "duel@1", "rookie", "random")[0])


@pytest.mark.parametrize(("kind", "preset"), PRESETS)
@pytest.mark.parametrize("until", ["hand", pytest.param("game", marks=pytest.mark.nightly("simulations"))])
def test_costs_of_every_preset(kind: str, preset: str, until: Any) -> None:
    record = parse_record(played(kind, preset, "rookie", "random")[0])
    units = set()
    for one in islice(own_decisions(record, [0, 1]), 8):
        for action in {one.turn["legal_actions"][0], one.turn["legal_actions"][-1]} - {one.action}:
            cost = cost_of(Remark(one, action), "1", 3, until)
            assert cost.low <= cost.value <= cost.high
            units.add(cost.unit)
            if until == "game":
                assert -1 <= cost.value <= 1
    assert units == {"share" if until == "game" else "points" if kind == "truco" else "lives"}


def test_costs_are_differences_in_the_same_worlds(duel: Record) -> None:
    for one in islice(own_decisions(duel, [0]), 6):
        assert cost_of(Remark(one, one.action), "1", 4)[:3] == (0, 0, 0)
        other = one.turn["legal_actions"][0]
        cost = cost_of(Remark(one, other), "1", 4)
        back = cost_of(Remark(one._replace(action=other), one.action), "1", 4)
        assert cost.value == pytest.approx(-back.value)
        assert cost == cost_of(Remark(one, other), "1", 4)


def test_a_blunder_costs() -> None:
    """To run from a call in the first trick with one of the two strongest cards of the pack costs points."""
    for line in played("truco", "paulista-2@1", "regular", "rookie", groups=10):
        record = parse_record(line)
        for one in own_decisions(record, [0, 1]):
            legal = one.turn["legal_actions"]
            run = next((action for action in legal if action.startswith("run:")), None)
            stay = next((action for action in legal if action.startswith("accept:")), None)
            seen = one.turn["observation"]
            strongest = {card for card in seen["manilhas"] or () if card[1] in "CH"}
            if run and stay and len(seen["hand"]) == 3 and strongest & set(seen["hand"]):
                cost = cost_of(Remark(one._replace(action=run), stay), "1", 60)
                assert cost.low > 0
                assert cost.unit == "points"
                return
    pytest.fail("no such turn in these games")


def explain(*words: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert arena.cli.run(["explain", *words]) == 0
    done = capsys.readouterr()
    assert done.err == ""
    return done.out


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "my_bot.py"
    bot.write_text("def choose(turn):\n    return turn['legal_actions'][-1]\n")
    file = tmp_path / "games.jsonl"
    file.write_text("".join(line + "\n" for line in played("truco", "mineiro-2@1", str(bot), "rookie")))
    words = (str(file), "--number", "2", "--worlds", "5")
    shown = explain(*words, "--bot", str(bot), capsys=capsys)
    assert shown == explain(*words, "--bot", str(bot), capsys=capsys)
    assert shown == explain(*words, "--seat", "1", capsys=capsys)
    # It is the only one that is no house bot.
    assert shown == explain(*words, capsys=capsys)
    heading, *lines, last = shown.splitlines()
    found = re.fullmatch(
        r"truco, game \S+, seat 1 \(my_bot\): "
        r"shark would have chosen differently at (\d+) of (\d+) decisions",
        heading,
    )
    assert found is not None
    assert 0 < int(found[1]) == len(lines) <= int(found[2])
    for line in lines:
        assert re.fullmatch(
            r"turn \S+\.1\.\d+, hand \d+: \S+; shark: \S+; "
            r"cost [+-]\d+\.\d\d points \([+-]\d+\.\d\d to [+-]\d+\.\d\d(, no clear difference)?\)",
            line,
        )
    assert re.match(r"together [+-]\d+\.\d\d points; means of 5 re-deals played on by regular", last)

    data: Mapping[str, Any] = json.loads(explain(*words, "--player", "my_bot", "--json", capsys=capsys))
    assert (data["kind"], data["seats"], data["reviewer"]) == ("truco", [1], "shark")
    assert len(data["others"]) == len(lines) == data["decisions"] - data["same"]
    for one in data["others"]:
        assert one["action"] != one["reviewer_action"]
        assert one["cost"]["low"] <= one["cost"]["value"] <= one["cost"]["high"]
    text = explain(*words, "--seat", "0", "--until", "game", capsys=capsys)
    assert re.search(r"cost [+-]\d\.\d\d share|at 0 of", text)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "choose whose decisions to explain"),
        (("--seat", "2"), "the record has no such player; at --seat; expected --seat 0 to 1, or"),
        (("--player", "nobody"), "expected --seat 0 to 1, or --player with one of random, rookie"),
        (("--bot", "shark"), "the record has no such player"),
        (("--seat", "0", "--player", "rookie"), "use only one of --bot, --player and --seat"),
    ],
)
def test_whose_decisions(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.json"
    file.write_text(played("toepen", "duel@1", "random", "rookie")[0])
    assert arena.cli.run(["explain", str(file), *words]) == 2
    assert said in capsys.readouterr().err
