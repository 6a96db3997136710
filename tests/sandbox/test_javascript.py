"""Bots that are JavaScript files, in the sandbox: what they can do, their faults, that Node plays alike."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots import BotFailure, BotSpec, InvalidBot, bot_spec
from arena.cli import local_bots
from arena.cli.local_bots import local_bot
from arena.cli.new import write_starter
from arena.cli.verify import sources
from arena.games import GAMES
from arena.play.dealing import bot_seed
from arena.play.javascript import has_node
from arena.records.record import parse_record
from arena.sandbox.bot import SandboxedBot, SandboxedSpec, check_bot, sandboxed_spec
from arena.sandbox.limits import SandboxLimits
from arena.sandbox.replaying import replay_bots
from arena.tournaments.local_run import Plan, play_group, run
from tests.sandbox.conftest import QUICK, SEED, turn

pytestmark = pytest.mark.system

needs_node = pytest.mark.skipif(not has_node(), reason="needs Node")

FIRST = "export function choose(turn) {\n  return turn.legal_actions[0];\n}\n"
AT_RANDOM = """
export class MyBot {
  choose(turn) {
    return turn.legal_actions[Math.floor(Math.random() * turn.legal_actions.length)];
  }
}
"""
EARLIER = """
const seen = new Map();
export async function choose(turn) {
  const legal = turn.legal_actions.toSorted();
  for (const event of turn.events) seen.set(JSON.stringify(event), seen.size + Math.random());
  console.log(turn.turn, seen.size);
  return legal[Math.floor([...seen.values()].reduce((sum, one) => sum + one, 0)) % legal.length];
}
"""
"""Remembers what happened, so that it plays differently if anything differs."""


def spec_of(source: str, limits: SandboxLimits = QUICK) -> SandboxedSpec:
    return sandboxed_spec("mine", "1", source, limits, language="javascript")


def bot_of(code: str, limits: SandboxLimits = QUICK) -> SandboxedBot:
    """A bot whose function has ``code`` in its second line."""
    return spec_of(f"export function choose(turn) {{\n  {code}\n}}\n", limits).make(bot_seed(SEED, 0))


def test_a_file_plays() -> None:
    bot = spec_of(FIRST).make(bot_seed(SEED, 0))
    for kind in ("toepen", "truco", "toepen"):
        assert bot.choose(turn(kind)) == turn(kind)["legal_actions"][0]  # type: ignore[index]
    bot.close()


@pytest.mark.parametrize(
    ("code", "fault", "detail", "report"),
    [
        ("for (;;);", "late", "no answer within 300 ms of thinking (fuel)", ""),
        ("return new Promise(() => 0);", "late", "fuel", ""),
        ("return new Uint8Array(200 << 20);", "crashed", "InternalError: out of memory (bot.js:2)", "choose"),
        (
            "const all = []; for (;;) all.push(new Uint8Array(1 << 20));",
            "crashed",
            "out of memory",
            "bot.js:2",
        ),
        (
            "return choose(turn);",
            "crashed",
            "RangeError: Maximum call stack size exceeded (bot.js:2)",
            "choose",
        ),
        ("return JSON.parse('['.repeat(100_000));", "crashed", "call stack exhausted", ""),
        ("return turn.nothing.x;", "crashed", "of undefined (bot.js:2)", "    at choose (bot.js:2:"),
        ("throw 'boo';", "crashed", "boo", ""),
        ("return 42;", "malformed", "must be a text", '"action":42}'),
        ("return;", "malformed", "must be a text", '"action":null}'),
        ("return {a: 1n};", "crashed", "BigInt", ""),
        ("return 'x'.repeat(100_000);", "malformed", "more than 65536 bytes", "xxx"),
    ],
)
def test_faults_of_a_file_are_classified(code: str, fault: str, detail: str, report: str) -> None:
    bot = bot_of(code)
    with pytest.raises(BotFailure) as caught:
        bot.choose(turn())
    bot.close()
    assert (caught.value.type, detail in str(caught.value)) == (fault, True), str(caught.value)
    assert report in caught.value.report


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("export function choose(turn) {\n  retrun 1;\n}\n", "bot.js:2: SyntaxError: "),
        ("const a = 1;\nnull.x;\n" + FIRST, "bot.js:2: TypeError: cannot read property 'x' of null"),
        ("export function pick(turn) {}", "bot.js: it exports no bot; expected a function choose(turn)"),
        ("export class A { choose() {} }\nexport class B extends A {}", "it exports several bots: A, B"),
        ('import fs from "node:fs";\n' + FIRST, "could not load module filename 'node:fs'"),
        ('export const games = ["chess"];\n' + FIRST, "bot.js: games names the unknown game 'chess'"),
        ("for (;;);", "no answer within 2000 ms of thinking (fuel)"),
    ],
)
def test_what_is_no_bot_is_refused_with_its_line(source: str, message: str) -> None:
    with pytest.raises(InvalidBot, match=re.escape(message)):
        check_bot(sandboxed_spec("mine", "1", source, language="javascript"))


def test_a_file_that_is_too_long_is_refused() -> None:
    with pytest.raises(InvalidBot, match="the bot has 1048600 bytes") as caught:
        spec_of("//" + "x" * 1_048_598, SandboxLimits())
    assert caught.value.expected == "at most 1048576 bytes"


def test_a_file_says_which_games_it_plays_and_whether_it_wants_rights() -> None:
    source = 'export const games = ["truco"];\nexport const wants_rights = true;\n' + FIRST
    assert check_bot(spec_of(source)) == ("truco",)
    assert spec_of(source).make(0).wants_rights
    assert check_bot(spec_of(FIRST)) == ()
    assert not spec_of(FIRST).make(0).wants_rights


def test_a_file_sees_neither_the_machine_nor_the_time() -> None:
    code = (
        "console.log(new Date().toISOString().slice(0, 13), Math.random(), {a: [1]}, new Error('x').message);"
    )
    logs = []
    for _ in range(2):
        bot = bot_of(f"{code} return turn.legal_actions[0];")
        bot.choose(turn())
        bot.close()
        logs.append(bot.journal.output)
    assert logs[0] == logs[1]
    assert re.fullmatch(r'2026-01-01T00 0\.\d+ \{"a":\[1\]\} x\n', logs[0])
    files = """
    import * as std from "qjs:std";
    import * as os from "qjs:os";
    export function choose(turn) {
      console.log(std.open("/etc/passwd", "r"), std.loadFile("x"), std.getenv("PATH"), os.remove("x") < 0);
      return turn.legal_actions[0];
    }
    """
    bot = spec_of(files).make(0)
    bot.choose(turn())
    bot.close()
    assert bot.journal.output == "null null undefined true\n"


def test_a_bot_that_throws_once_keeps_what_it_remembers() -> None:
    source = (
        "let n = 0;\nexport function choose(turn) {\n  n += 1;\n  if (n === 2) null.x;\n  return `${n}`;\n}\n"
    )
    bot = spec_of(source).make(0)
    answers: list[str | None] = []
    for _ in range(3):
        try:
            answers.append(bot.choose(turn()))
        except BotFailure as failure:
            answers.append(failure.type)
    bot.close()
    assert answers == ["1", "crashed", "3"]


def test_the_same_decisions_cost_the_same_fuel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used = []
    for _ in range(2):
        bot = spec_of(EARLIER).make(7)
        for kind in ("toepen", "truco") * 20:
            bot.choose(turn(kind))
        bot.close()
        used.append((bot.usage.fuel, [decision.ms for decision in bot.journal.decisions]))
    assert used[0] == used[1]


def canonical(kind: str, spec: BotSpec, groups: int) -> list[Any]:
    """The games of a bot against ``rookie``."""
    game = GAMES[kind]
    bots = (replace(spec, name="bot", version="1"), bot_spec("rookie", kind))
    plan = Plan(kind, game.options.complete(game.presets[0].rules), bots, groups, "alike")
    found = [json.loads(line)["canonical"] for one in run(plan, think_limit=None) for line in one.records]
    assert not any(one["faults"] for one in found)
    return found


def check_alike(kind: str, source: str, folder: Path, groups: int) -> None:
    """By Node and in the sandbox, a file plays the same games."""
    path = folder / "my-bot.js"
    path.write_text(source)
    in_node = canonical(kind, local_bot(str(path)), groups)
    assert len(in_node) >= 2 * groups
    assert in_node == canonical(kind, spec_of(source, SandboxLimits()), groups)


@needs_node
@pytest.mark.parametrize("kind", GAMES)
@pytest.mark.parametrize("source", [AT_RANDOM, EARLIER], ids=["random", "earlier"])
def test_node_and_the_sandbox_play_alike(source: str, kind: str, tmp_path: Path) -> None:
    check_alike(kind, source, tmp_path, 2)


@needs_node
@pytest.mark.nightly("sandbox")
@pytest.mark.parametrize("kind", GAMES)
def test_node_a_program_and_the_sandbox_play_alike_in_many_games(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = 50
    check_alike(kind, AT_RANDOM, tmp_path, groups)
    check_alike(kind, EARLIER, tmp_path, groups)
    write_starter(tmp_path / "my-bot", kind, "javascript")
    monkeypatch.chdir(tmp_path / "my-bot")
    by_lines = canonical(kind, local_bot("cmd:node main.mjs --stdio"), groups)
    assert by_lines == canonical(kind, local_bot("my-bot.js"), groups)
    assert by_lines == canonical(kind, spec_of(Path("my-bot.js").read_text(), SandboxLimits()), groups)


def test_the_games_of_a_record_can_be_replayed() -> None:
    spec = spec_of(EARLIER, SandboxLimits())
    rules = GAMES["toepen"].options.complete({})
    plan = Plan("toepen", rules, (spec, bot_spec("rookie", "toepen")), 1, "again")
    group = play_group(plan, 0, plan.all_groups()[0])
    record = parse_record(group.records[0])
    record["info"]["sandbox"] = "here"
    record["info"]["house"] = [player["name"] == "rookie" for player in record["canonical"]["players"]]
    same = replay_bots(record, {("mine", "1"): spec})
    assert same.decisions > 5
    assert not same.difference
    other = replay_bots(record, {("mine", "1"): spec_of(FIRST)})
    assert "the bot now chose" in other.difference


def test_verify_takes_javascript_sources(tmp_path: Path) -> None:
    (tmp_path / "mine@1.js").write_text(FIRST)
    (tmp_path / "other@2.py").write_text("def choose(turn): return None")
    found = sources(["third@3=" + str(tmp_path / "mine@1.js")], str(tmp_path))
    languages = {name: spec.language for name, spec in found.items() if isinstance(spec, SandboxedSpec)}
    assert languages == {("mine", "1"): "javascript", ("other", "2"): "python", ("third", "3"): "javascript"}


def test_without_node_the_engine_of_the_sandbox_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my-bot.js"
    path.write_text('export const games = ["truco"];\n' + FIRST)
    monkeypatch.setattr(local_bots, "has_node", lambda: False)
    spec = local_bot(f"mine={path}", "truco")
    assert isinstance(spec, SandboxedSpec)
    assert (spec.name, spec.games) == ("mine", ("truco",))
    path.write_text("export function choose() {")
    with pytest.raises(InvalidBot, match=r"bot\.js:1: SyntaxError"):
        local_bot(str(path))
