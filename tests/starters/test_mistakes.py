"""What the loops of the starters do when the bot fails: a mistake costs one decision, not the game or the
process.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from arena.cli.new import LANGUAGES, commands, write_starter
from arena.records.verify import verify
from tests.service import Service
from tests.starters.relay import NOT_AN_ACTION, relay
from tests.starters.toolchains import CLOCK, done, needs, played, prepare, runs

pytestmark = pytest.mark.nightly("starters")

KIND: Final = "truco"

HEADS: Final = {
    "python": ("my_bot.py", '"""Return one of turn["legal_actions"]."""\n'),
    "javascript": ("my-bot.js", "export function choose(turn) {\n"),
    "go": ("bot.go", "func choose(turn Turn) string {\n"),
    "rust": ("src/bot.rs", "pub fn choose(turn: &Value) -> String {\n"),
    "java": ("Bot.java", "public String choose(Map<String, Object> turn) {\n"),
    "c": ("bot.c", "static json choose(json turn) {\n"),
}
"""The file with the decision, and the line after which it begins."""

MISTAKES: Final = {
    "python": """
        if turn["turn"].endswith("3"):
            raise ValueError("lost my glasses")
        if turn["turn"].endswith("5"):
            return "play:ZZ"
        if turn["turn"].endswith("7"):
            raise SystemExit
        if turn["turn"].endswith("9"):
            return ["\\ud800"]
""",
    "javascript": """
  if (turn.turn.endsWith("3")) throw new RangeError("lost my glasses");
  if (turn.turn.endsWith("5")) return "play:ZZ";
  if (turn.turn.endsWith("7")) return Promise.reject("lost my hat");
  if (turn.turn.endsWith("9")) return undefined;
""",
    "go": """
	if strings.HasSuffix(turn.Turn, "3") {
		panic("lost my glasses")
	}
	if strings.HasSuffix(turn.Turn, "5") {
		return "play:ZZ"
	}
	if strings.HasSuffix(turn.Turn, "7") {
		return turn.LegalActions[len(turn.LegalActions)]
	}
	if strings.HasSuffix(turn.Turn, "9") {
		return ""
	}
""",
    "rust": """
    let number = turn["turn"].as_str().unwrap();
    if number.ends_with('3') { panic!("lost my glasses"); }
    if number.ends_with('5') { return "play:ZZ".into(); }
    if number.ends_with('7') { return turn["legal_actions"][1000].as_str().unwrap().into(); }
    if number.ends_with('9') { return String::new(); }
""",
    "java": """
        String number = (String) turn.get("turn");
        if (number.endsWith("3")) throw new IllegalStateException("lost my glasses");
        if (number.endsWith("5")) return "play:ZZ";
        if (number.endsWith("7")) return choose(turn);
        if (number.endsWith("9")) return null;
""",
    "c": """
    char last = end_of(member(turn, "turn"))[-2];
    if (last == '3') { fprintf(stderr, "%s: lost my glasses\\n", __FILE__); abort(); }
    if (last == '5') return "\\"play:ZZ\\"";
    if (last == '7') return member(turn, "hat");
    if (last == '9') return "\\"\\"";
""",
}
"""Code that throws at one turn, is not legal at another, and fails in further ways of the language."""


@pytest.mark.parametrize("language", [pytest.param(name, marks=needs(name)) for name in LANGUAGES])
def test_a_mistake_costs_one_decision(language: str, arena: Service, workshop: Path) -> None:
    folder = workshop / f"mistakes_{language}"
    name = folder.name.replace("_", "-")
    write_starter(folder, KIND, language)
    file, head = HEADS[language]
    file = file.replace("my_bot", folder.name).replace("my-bot", name)
    path = folder / file
    before, found, after = path.read_text().partition(head)
    assert found
    path.write_text(before + head + MISTAKES[language] + after)
    todo = commands((folder / "README.md").read_text())
    settings = prepare(language, workshop)
    done(todo["build"], folder, settings)
    owner = arena.client(arena.client().sign_up(f"{language}-erring"))
    token = owner.register_bot(name)
    seats = [{"bot": name}, {"house": "random"}, {"bot": name}, {"house": "random"}]
    games = [owner.create_game(KIND, seats, clock=CLOCK)["game"] for _ in range(2)]
    with relay(arena.url) as (url, changed), runs(todo["run"], folder, settings, url, token) as bot:
        records = [played(owner, game, bot) for game in games]
    said = bot.said
    assert [verify(record) for record in records] == [[], []]
    assert [record["canonical"]["outcome"]["forfeits"] for record in records] == [[], []]
    # The service saw the one answer that was changed on its way, and nothing else that is a fault.
    faults = [fault["type"] for record in records for fault in record["canonical"]["faults"]]
    assert (len(changed), faults) == (1, ["illegal"]), said
    assert re.search(rf"{changed[0]}\W.*illegal_action.*{NOT_AN_ACTION}", said), said
    assert "lost my glasses" in said
    assert file.rpartition("/")[2] in said, "where it failed"
    message = re.search(
        r"\.\d+\.\d*5\W*: (?=.*play:ZZ)(?=.*legal: \S+)(?=.*(playing|default action) \S+).*", said
    )
    assert message, said
