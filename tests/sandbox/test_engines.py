"""The plain engine is the oracle of the fast one: the same bots decide alike in both."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from arena.bots import BotFailure, BotSpec, InvalidBot
from arena.games import game_of
from arena.sandbox import runtime
from arena.sandbox.bot import SandboxedBot
from arena.sandbox.building import python_component
from arena.sandbox.engine import fast
from arena.sandbox.engine.fast import FastEngine
from arena.sandbox.errors import BuildFailed
from arena.sandbox.limits import SandboxLimits
from arena.sandbox.plain import PlainEngine
from arena.sandbox.program import Program, SandboxEngine
from arena.tournaments.local_run import Plan, play_group
from tests.sandbox.conftest import QUICK, turn
from tests.sandbox.test_bot import ROOT

pytestmark = pytest.mark.system

PATIENT = SandboxLimits(load_ms=5_000, decision_ms=20_000, game_ms=600_000)
"""The engines differ in fuel, so no bot may come near the limits here."""


@pytest.fixture(scope="module")
def engines() -> tuple[SandboxEngine, SandboxEngine]:
    component = python_component()
    return FastEngine(component), PlainEngine(component)


@dataclass(frozen=True)
class EngineSpec(BotSpec):
    """A sandboxed bot of one engine."""

    program: Program | None = None

    def make(self, seed: int) -> SandboxedBot:
        assert self.program is not None
        return SandboxedBot(self.program, self.source, seed, PATIENT)


def choosing(body: str, top: str = "") -> str:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return (
        f"{top}\nfrom botequim import Bot as Base\nclass Bot(Base):\n    def choose(self, turn):\n"
        f"        legal, optional = turn['legal_actions'], turn['optional']\n{lines}"
    )


HOUSE = {name: f"from botequim import {name.title()}Bot as Bot\n" for name in ("rookie", "regular")}

DRAWS = choosing(
    "source = [self.random, random, random.Random(), secrets.SystemRandom()][len(turn['events']) % 4]\n"
    "print(uuid.uuid4(), os.urandom(4).hex(), source.random())\nreturn source.choice(legal)",
    "import os, random, secrets, uuid",
)
SETS = choosing("return sorted(legal, key=list({*legal, *turn}).index)[0]")
REDEALS = choosing(
    "totals = dict.fromkeys(legal, 0)\n"
    "for action in legal:\n"
    "  world = redeal(turn, self.random)\n"
    "  world.apply(turn['seat'], action)\n"
    "  totals[action] = sum(map(ord, json.dumps(world.observation(turn['seat']), sort_keys=True)))\n"
    "return max(totals, key=totals.get)",
    "import json\nfrom botequim import redeal",
)
REMEMBERS = choosing(
    "self.turns = getattr(self, 'turns', []) + [turn]\n"
    "total = sum(map(ord, json.dumps(self.turns, sort_keys=True)))\nreturn legal[total % len(legal)]",
    "import json",
)
RIGHTS = choosing("return None if optional and self.random.random() < 0.5 else legal[-1]") + (
    "    wants_rights = True\n"
)

HONEST = {
    **HOUSE,
    "draws": DRAWS,
    "sets": SETS,
    "re-deals": REDEALS,
    "remembers": REMEMBERS,
    "rights": RIGHTS,
}
BY_DAY = ("rookie", "draws", "re-deals")

RULES: dict[str, Mapping[str, Any]] = {
    "truco": {"cut": "none"},
    "truco paulista": {"variant": "paulista", "seats": 2},
    "toepen": {"seats": 2},
}
"""By kind, and after a space what else is said of the rules."""


def played(engine: SandboxEngine, name: str, sources: Mapping[str, str]) -> list[dict[str, Any]]:
    """The provable part of all games of two bots, by rules of ``RULES``."""
    kind = name.split()[0]
    specs = tuple(EngineSpec(name, "1", source, program=engine.python) for name, source in sources.items())
    plan = Plan(kind, game_of(kind).options.complete(dict(RULES[name])), specs, 2, "engines")
    results = [play_group(plan, index, group) for index, group in enumerate(plan.all_groups())]
    return [json.loads(record)["canonical"] for result in results for record in result.records]


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize(
    "name",
    [name if name in BY_DAY else pytest.param(name, marks=pytest.mark.nightly("sandbox")) for name in HONEST],
)
def test_both_engines_play_the_same_games(
    engines: tuple[SandboxEngine, SandboxEngine], kind: str, name: str
) -> None:
    sources = {"rookie": HOUSE["rookie"], name: HONEST[name]}
    if name == "rookie":
        sources = {"rookie": HOUSE["rookie"], "other": HOUSE["rookie"]}
    records, others = (played(engine, kind, sources) for engine in engines)
    assert len(records) >= 4
    assert all(len(record["actions"]) > 5 and not record["faults"] for record in records)
    assert records == others


FAULTY = {
    "raises": choosing("raise ValueError('x' * 1000)"),
    "hostile exception": choosing("class Bad(Exception):\n    __str__ = None\nraise Bad"),
    "ends itself": choosing("raise SystemExit"),
    "no source": "def choose(",
    "bad escape": "print('\\d')\ndef choose(turn): return turn['legal_actions'][0]\n",
    "raises when loaded": "print('loading', end='')\nx = 1 / 0\n",
    "no bot": "x = 1\n",
    "illegal": choosing("return 'nothing'"),
    "a number": choosing("return 7"),
    "odd type": choosing("return type('\\ud800', (), {})()"),
    "a subclass": choosing("return type('S', (str,), {})(legal[0])"),
    "surrogates": choosing("return '\\ud800\\\\' + '\\x00\\x7f\"\\u2028'"),
    "longest": choosing("return '\"' * 1000"),
    "longest in JSON": choosing("return '\\x00' * 1000"),
    "too long": choosing("return 'x' * 1001"),
    "none": choosing("return None"),
    "no JSON": choosing("json.loads = json.dumps = None\nreturn legal[0]", "import json"),
    "changes the turn": choosing("print(sorted(turn))\nturn.clear()\nreturn legal[-1]"),
    "prints a part": choosing("print('part', end='')\nreturn legal[0]"),
    "traps": choosing("import wit_world\nwit_world.log('\\ud800')"),
}


def decided(program: Program, source: str) -> list[Any]:
    """The bot's answers or faults, and what it printed without tracebacks, whose frames differ."""
    bot = SandboxedBot(program, source, 5, QUICK)
    answers: list[Any] = [bot.failure and (bot.failure.type, str(bot.failure))]
    for number in range(3):
        try:
            answers.append(bot.choose(turn(("toepen", "truco")[number % 2])))
        except BotFailure as failure:
            answers.append((failure.type, str(failure)))
    bot.close()
    return [
        *answers,
        [line for line in bot.journal.output.splitlines() if not line.startswith(("  ", "Trace"))],
    ]


@pytest.mark.parametrize("source", FAULTY.values(), ids=FAULTY)
def test_both_engines_find_the_same_faults(engines: tuple[SandboxEngine, SandboxEngine], source: str) -> None:
    answers, others = (decided(engine.python, source) for engine in engines)
    assert answers == others


def test_a_source_that_is_not_utf_8_fails_in_both(engines: tuple[SandboxEngine, SandboxEngine]) -> None:
    answers, others = (decided(engine.python, "x = '\ud800'\n")[:4] for engine in engines)
    assert answers == others
    assert str(answers[0][1]).startswith("UnicodeEncodeError: ")


def test_a_bot_that_uses_up_its_fuel_is_late_in_both(engines: tuple[SandboxEngine, SandboxEngine]) -> None:
    for engine in engines:
        answers = decided(engine.python, choosing("while True: pass"))
        assert [fault for fault, _ in answers[1:4]] == ["late"] * 3


def test_each_engine_names_itself_in_records(engines: tuple[SandboxEngine, SandboxEngine]) -> None:
    quick, plain = (engine.runtime_id.split("-") for engine in engines)
    engines_of_uploads = ["wasmtime", "50", "quickjs", "0.17.0"]
    assert [quick[0], *quick[2:]] == ["python", *engines_of_uploads]
    assert [plain[0], *plain[2:]] == ["python", *engines_of_uploads, "plain"]
    assert quick[1] != plain[1]
    assert {len(quick[1]), len(plain[1])} == {16}


def test_the_fast_engine_is_used_where_it_can_be_built() -> None:
    assert isinstance(runtime.sandbox_engine(), FastEngine)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("linked_module", BuildFailed("the linker refuses it")),
        ("check_version", BuildFailed("another wasmtime")),
        ("compiled", InvalidBot("the module takes too long to compile")),
        ("LinkedPython", AttributeError("no such name")),
    ],
)
def test_where_the_fast_engine_cannot_be_built_the_plain_one_plays(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str, error: Exception
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(fast, name, fails)
    engine = runtime.best_engine(python_component())
    assert isinstance(engine, PlainEngine)
    assert str(error) in caplog.text
    assert decided(engine.python, HOUSE["rookie"])[1] in turn()["legal_actions"]  # type: ignore[operator]


WITHOUT_PRIVATE_NAMES = """
import sys
import wasmtime._func
del wasmtime._func.maybe_raise_last_exn
from arena.sandbox.bot import sandboxed_spec
from arena.sandbox.runtime import runtime_id

bot = sandboxed_spec("mine", "1", "def choose(turn): return turn['legal_actions'][0]").make(1)
print(bot.choose({"turn": "g1.0.1", "legal_actions": ["play:4C"]}), runtime_id())
"""


def test_without_wasmtimes_private_names_the_plain_engine_plays() -> None:
    command = [sys.executable, "-c", WITHOUT_PRIVATE_NAMES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    action, name = done.stdout.split()
    assert (action, name.endswith("-plain")) == ("play:4C", True)
