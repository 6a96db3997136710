"""Bots that are JavaScript files, which Node plays."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots import BotSpec, GameNotPlayed, InvalidBot, UnknownBot, bot_spec
from arena.cli import run as command
from arena.cli.local_bots import files_of, is_script, local_bot
from arena.games import GAMES
from arena.play.javascript import ScriptBot, has_node
from arena.play.match import close_bots
from arena.tournaments.local_run import Plan, play_group, run
from tests.blocks import file_of

pytestmark = pytest.mark.skipif(not has_node(), reason="needs Node")

FIRST = "export function choose(turn) {\n  return turn.legal_actions[0];\n}\n"

AT_RANDOM = """
export class MyBot {
  choose(turn) {
    return turn.legal_actions[Math.floor(Math.random() * turn.legal_actions.length)];
  }
}
"""


def write(folder: Path, source: str, name: str = "my-bot.js") -> str:
    (folder / name).write_text(source)
    return str(folder / name)


def plan(kind: str, spec: BotSpec, groups: int = 1) -> Plan:
    """A plan in which the deals do not depend on the bots."""
    bots = tuple(
        replace(one, name=f"bot-{place}", version="1") for place, one in enumerate((spec, bot_spec("random")))
    )
    return Plan(kind, GAMES[kind].options.complete({}), bots, groups, "scripts")


def faults(path: str, think_limit: float | None = None) -> tuple[list[str], list[str]]:
    """The faults of a file in a group of Toepen against ``random``, and their reports."""
    whole = plan("toepen", local_bot(path))
    summary = play_group(whole, 0, whole.all_groups()[0], think_limit=think_limit)
    assert all(player == 0 for player, _ in summary.reports)
    return summary.tallies[0].faults, [report.described() for report in summary.reports.values()]


def games(kind: str, path: str, groups: int = 3, jobs: int = 1) -> list[Any]:
    found = [
        line for one in run(plan(kind, local_bot(path, kind), groups), jobs=jobs) for line in one.records
    ]
    return sorted((json.loads(line)["canonical"] for line in found), key=lambda game: str(game["game"]))


@pytest.mark.parametrize("kind", GAMES)
def test_the_same_seed_gives_the_same_games(kind: str, tmp_path: Path) -> None:
    path = write(tmp_path, AT_RANDOM)
    first = games(kind, path)
    assert len(first) >= 6
    assert not any(game["faults"] for game in first)
    assert games(kind, path, jobs=2) == first
    other = write(tmp_path, AT_RANDOM.replace("Math.floor(", "Math.floor(0.999 - "), "other.js")
    assert games(kind, other) != first


def test_the_example_of_the_page_plays(tmp_path: Path) -> None:
    found = games("truco", write(tmp_path, file_of("docs/bots.md", "my-bot.js")), 1)
    assert not any(game["faults"] for game in found)


def test_each_object_plays_one_seat_with_its_own_globals(tmp_path: Path) -> None:
    source = """
    export class Bot {
      seen = new Set();
      choose(turn) {
        this.seen.add(`${turn.game} ${turn.seat}`);
        globalThis.count = (globalThis.count ?? 0) + 1;
        if (this.seen.size > 1 || !(turn.legal_actions instanceof Array)) throw "shared";
        return turn.legal_actions[0];
      }
    }
    """
    path = write(tmp_path, source)
    assert faults(path) == ([], [])
    bots = [local_bot(path).make(seed) for seed in (1, 2)]
    assert isinstance(bots[0], ScriptBot)
    assert isinstance(bots[1], ScriptBot)
    assert bots[0]._program is bots[1]._program
    close_bots(bots)


@pytest.mark.parametrize(
    "source",
    [
        FIRST,
        "export default class {\n  choose(turn) { return turn.legal_actions[0]; }\n}",
        "class A { choose(turn) { return turn.legal_actions[0]; } }\nexport { A, A as default };",
        "export const choose = async (turn) => turn.legal_actions[0];",
        "\ufeffconst first = (turn) => turn.legal_actions[0];\nexport { first as choose };",
    ],
)
def test_a_file_exports_a_function_or_a_class(source: str, tmp_path: Path) -> None:
    assert faults(write(tmp_path, source)) == ([], [])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("export function choose(turn) {\n  retrun 1;\n}\n", ":2: SyntaxError: "),
        ("const a = 1;\nnull.x;\n" + FIRST, ":2: TypeError: Cannot read properties of null"),
        ("export function pick(turn) {}", ": it exports no bot; expected a function choose(turn) or a class"),
        ("export class A { choose() {} }\nexport class B extends A {}", ": it exports several bots: A, B"),
        ('import fs from "node:fs";\n' + FIRST, ": it imports node:fs; a bot is a single file"),
        ('export const games = ["chess"];\n' + FIRST, ": games names the unknown game 'chess'"),
        ("export const wants_rights = 1;\n" + FIRST, ": rights must be true or false"),
        ("export class A {\n  constructor() { this.x.y; }\n  choose() {}\n}", ":2: TypeError: "),
        ("throw 'no';" + FIRST, "no"),
    ],
)
def test_a_file_that_is_no_bot_is_refused_with_its_line(source: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, source)
    with pytest.raises(InvalidBot, match=re.escape(message)):
        local_bot(path)


@pytest.mark.parametrize(
    ("code", "fault", "shown"),
    [
        (
            "return turn.nothing.x;",
            "crashed",
            r"TypeError: .* \(\S*my-bot\.js:3\)\n +at \S+ \(\S*my-bot\.js:3:23\)",
        ),
        ("throw 'boo';", "crashed", "crashed, boo\n"),
        ("return choose(turn);", "crashed", r"RangeError: Maximum call stack size exceeded \(\S+:3\)"),
        ("return 42;", "malformed", 'must be a text.*\n +the line: {"turn":".*","action":42}'),
        ("return;", "malformed", "must be a text"),
        ("return {a: 1n};", "crashed", "TypeError: .*BigInt"),
        ("return 'play:ZZ';", "illegal", "play:ZZ"),
        ("return 'x'.repeat(100_000);", "malformed", "a line of more than 65536 bytes"),
        ("return new Promise(() => 0);", "crashed", "it ended with exit code 13"),
        ("throw {toString() { throw 1; }};", "crashed", "the message could not be created"),
    ],
)
def test_every_mistake_is_a_fault_that_shows_its_line(
    code: str, fault: str, shown: str, tmp_path: Path
) -> None:
    found, reports = faults(
        write(tmp_path, f"export function choose(turn) {{\n  // A comment.\n  {code}\n}}\n")
    )
    assert set(found) == {fault}
    assert re.search(shown, reports[0]), reports[0]


def test_a_bot_that_throws_once_keeps_what_it_remembers(tmp_path: Path) -> None:
    source = (
        "let n = 0;\nexport function choose(turn) {\n  n += 1;\n  if (n === 2) throw new Error(`at ${n}`);\n"
    )
    found, _ = faults(write(tmp_path, source + "  return turn.legal_actions[0];\n}\n"))
    # Once in each game.
    assert found == ["crashed"] * 4


def test_an_endless_loop_is_late(tmp_path: Path) -> None:
    found, reports = faults(write(tmp_path, "export function choose() { for (;;); }"), think_limit=0.3)
    assert set(found) == {"late"}
    assert reports[0].startswith("late, no answer within 0.3 s\n    at turn ")


def test_a_file_says_which_games_it_plays_and_whether_it_wants_rights(tmp_path: Path) -> None:
    path = write(tmp_path, 'export const games = ["toepen"];\nexport const wants_rights = true;\n' + FIRST)
    spec = local_bot(path)
    assert spec.games == ("toepen",)
    bot = spec.make(0)
    assert bot.wants_rights
    close_bots([bot])
    with pytest.raises(GameNotPlayed, match="does not play truco"):
        local_bot(path, "truco")


def test_the_name_and_the_version_are_those_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, FIRST)
    spec = local_bot(path, check=False)
    assert (spec.name, spec.source) == ("my-bot", path)
    assert local_bot(f"mine={path}").name == "mine"
    assert files_of(f"mine={path}") == [Path(path)]
    write(tmp_path, FIRST + "// changed\n")
    assert local_bot(path).version != spec.version
    assert not is_script("cmd:node my-bot.js")
    assert not is_script("mine=cmd:node my-bot.js")
    with pytest.raises(UnknownBot, match=r"there is no file 'nothing\.js'"):
        local_bot("nothing.js")
    with pytest.raises(UnknownBot) as caught:
        local_bot("nothing")
    assert "path/to/file.py or .js" in str(caught.value)


@pytest.mark.system
def test_the_commands_take_javascript_files(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, FIRST.replace("return", "console.log('seat', turn.seat, {a: 1});\n  return"))
    records = str(tmp_path / "out.jsonl")
    play = ["play", "truco", path, "random", "--groups", "1", "--seed", "1", "--records", records]
    assert command(play) == 0
    assert "seat" not in capfd.readouterr().err
    with suppress(SystemExit):
        # It can be undecided.
        command(["compare", f"new={path}", "random", "--kind", "truco", "--most", "60", "--seed", "1"])
    assert "groups: " in capfd.readouterr().out
    assert command(["bot", "test", path, "--games", "2", "--preset", "duel@1", "--no-sandbox"]) == 0
    assert " process " in capfd.readouterr().out
    assert command(["bot", "debug", records, "--number", "1", "--turn", "3", "--bot", path]) == 0
    said = capfd.readouterr()
    assert re.search(r'^seat \d \{"a":1\}$', said.err, re.MULTILINE)
    assert re.search(r"^now: +'\S+'$", said.out, re.MULTILINE)
    assert command(["explain", records, "--number", "1", "--bot", path, "--worlds", "2"]) == 0
    assert "(my-bot): shark would have chosen differently" in capfd.readouterr().out


def test_a_file_that_has_changed_is_played_as_it_is_now(tmp_path: Path) -> None:
    answers = set()
    for source in (FIRST, FIRST.replace("legal_actions[0]", "default_action")):
        bot = local_bot(write(tmp_path, source)).make(0)
        turn: Any = {"turn": "t", "optional": False, "legal_actions": ["first"], "default_action": "default"}
        answers.add(bot.choose(turn))
        close_bots([bot])
    assert answers == {"first", "default"}
