"""Honest bots in the sandbox: the same games as natively, the same again, and what their owners are told."""

from __future__ import annotations

import json
import pickle
import time
from pathlib import Path

import pytest

from arena.bots import Bot, BotFailure, InvalidBot, Turn, bot_spec
from arena.cli import run as cli
from arena.games import game_of
from arena.play.match import play, seat_bot
from arena.play.table import Table
from arena.play.time_limits import OutOfTime, time_limit
from arena.sandbox.bot import check_bot, sandboxed_spec
from arena.sandbox.guest.modules import SDK, STANDARD_LIBRARY
from arena.sandbox.limits import SandboxLimits
from arena.tournaments.local_run import Plan, play_group
from benchmarks import sandbox as bench
from tests.sandbox.conftest import QUICK, SEED, bot_of, turn

pytestmark = pytest.mark.usefixtures("python")

ROOT = Path(__file__).parent.parent.parent

SEARCHER = (ROOT / "docs/bots.md").read_text(encoding="utf-8").partition("```python file=searcher.py\n")[2]
SEARCHER = SEARCHER.partition("```")[0]

DICE = """
import random, time, os, secrets, uuid, datetime
from botequim import Bot as Base

class Bot(Base):
    wants_rights = True

    def choose(self, turn):
        print(self.random.random(), random.random(), random.Random().random(), secrets.token_hex(8))
        print(uuid.uuid4(), time.time(), time.perf_counter_ns(), datetime.datetime.now(), os.urandom(4))
        print(list({"a", "b", "c", "play:4C", turn["turn"]}), hash("x"), id(turn) > 0)
        return self.random.choice(turn["legal_actions"])
"""


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_a_bot_plays_the_same_games_in_the_sandbox_as_in_process(kind: str) -> None:
    native, sandboxed, decisions = bench.measure(kind, 1)
    assert native > 0
    assert sandboxed > 0
    assert decisions > 20


def records(source: str, name: str) -> list[str]:
    rules = game_of("toepen").options.complete({"seats": 2})
    bots = (bot_spec("rookie", "toepen"), sandboxed_spec(name, "1", source))
    plan = Plan("toepen", rules, bots, 1, "again")
    return [json.loads(line)["hash"] for line in play_group(plan, 0, plan.all_groups()[0]).records]


def test_a_game_replays_exactly() -> None:
    assert records(DICE, "dice") == records(DICE, "dice")
    one, other = bot_of(DICE), bot_of(DICE)
    for bot in (one, other):
        bot.choose(turn())
        bot.choose(turn())
    assert one.journal == other.journal
    assert one.journal.output.count("\n") == 6
    assert one.wants_rights
    elsewhere = sandboxed_spec("mine", "1", DICE).make(5)
    elsewhere.choose(turn())
    assert elsewhere.journal.output.splitlines()[0] not in one.journal.output


def test_the_bot_of_the_guide_searches_in_the_sandbox() -> None:
    bot = bot_of(SEARCHER, SandboxLimits())
    native = bot_of("from botequim import redeal\ndef choose(turn): return turn['legal_actions'][0]")
    assert native.choose(turn("truco")) is not None
    for kind in ("truco", "toepen"):
        assert bot.choose(turn(kind)) in turn(kind)["legal_actions"]


@pytest.mark.parametrize("step", [1, -1], ids=["first", "last"])
def test_every_module_of_the_list_can_be_imported(step: int) -> None:
    """In either order: none relies on those before it."""
    imports = "\n".join(f"import {name}" for name in [*STANDARD_LIBRARY, *SDK][::step])
    check_bot(sandboxed_spec("mine", "1", f"{imports}\ndef choose(turn): return ''\n"))


def test_the_page_lists_the_modules() -> None:
    page = (ROOT / "docs/sandbox.md").read_text(encoding="utf-8")
    assert [name for name in (*STANDARD_LIBRARY, *SDK) if f"`{name}`" not in page] == []


def test_the_owner_sees_the_line_and_the_output() -> None:
    bot = bot_of("def choose(turn):\n    print('thinking', end='')\n    return turn['nothing']\n")
    with pytest.raises(BotFailure) as caught:
        bot.choose(turn())
    assert caught.value.type == "crashed"
    assert str(caught.value) == "KeyError: 'nothing' (bot.py, line 3)"
    assert bot.journal.output.startswith("thinkingTraceback (most recent call last):\n")
    assert 'File "bot.py", line 3, in choose\n    return turn[' in bot.journal.output
    (decision,) = bot.journal.as_json()["decisions"]
    assert decision["fault"] == "crashed"
    assert decision["turn"] == turn()["turn"]
    assert decision["ms"] > 0


def test_decisions_say_where_they_printed() -> None:
    bot = bot_of(
        "print('loaded')\ndef choose(turn):\n    print('my turn')\n    return turn['legal_actions'][0]\n"
    )
    for after in (3, 8):
        bot.journal.after = after
        bot.choose(turn())
    noted = [(one["after"], one["output_start"]) for one in bot.journal.as_json()["decisions"]]
    assert noted == [(3, len("loaded\n")), (8, len("loaded\nmy turn\n"))]


def test_printed_text_is_kept_up_to_its_limit() -> None:
    bot = bot_of("def choose(turn):\n    print('x' * 30_000)\n    return turn['legal_actions'][0]\n")
    bot.choose(turn())
    assert bot.journal.output == "x" * QUICK.output_chars
    assert bot.journal.cut


def test_the_clock_counts_thinking() -> None:
    bot = bot_of(
        "import time\ndef choose(turn):\n    start = time.perf_counter()\n"
        "    while time.perf_counter() - start < 0.05: pass\n    return turn['legal_actions'][0]\n"
    )
    bot.choose(turn())
    assert bot.journal.decisions[0].ms >= 50


@pytest.mark.parametrize(
    ("named", "games"),
    [("", ()), ('games = ("truco",)\n', ("truco",)), ('games = ["toepen"]\n', ("toepen",))],
)
def test_a_source_says_which_games_it_plays(named: str, games: tuple[str, ...]) -> None:
    source = f"{named}def choose(turn): return turn['legal_actions'][0]\n"
    assert check_bot(sandboxed_spec("mine", "1", source)) == games


HARNESS = "import sys\nharness = sys.modules['arena.sandbox.guest.harness']\n"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "games = 'truco'\n",
            "InvalidBot: bot.py: games must be a tuple of names, not 'truco'; at bot; expected names",
        ),
        (
            "games = ('chess',)\n",
            "InvalidBot: bot.py: games names the unknown game 'chess'; at bot; expected some of truco",
        ),
        # It answers in place of what runs around it.
        (
            f"{HARNESS}harness.games_of = lambda *_: ('chess', 'x' * 200)\n",
            "the bot: games names the unknown game 'chess'; at bot; expected some of truco",
        ),
        (f"{HARNESS}def lost(*_):\n    while True: pass\nharness.games_of = lost\n", "no answer within"),
    ],
)
def test_games_that_nobody_plays_are_refused(source: str, said: str) -> None:
    with pytest.raises(InvalidBot) as caught:
        check_bot(sandboxed_spec("mine", "1", source + "def choose(turn): return ''\n", QUICK))
    assert str(caught.value).startswith(said)


def test_a_source_that_does_not_load_is_refused() -> None:
    with pytest.raises(InvalidBot) as caught:
        check_bot(sandboxed_spec("mine", "1", "x = 1\ny = x / 0\n"))
    assert str(caught.value) == "ZeroDivisionError: division by zero (bot.py, line 2); at source"
    with pytest.raises(InvalidBot, match="the bot has 1048577 bytes"):
        sandboxed_spec("mine", "1", "#" * (QUICK.source_bytes + 1))


def test_every_game_reports_the_errors_of_the_compiler() -> None:
    source = "def choose(turn):\n    print('\\d')\n    return turn['legal_actions'][0]\n"
    outputs = []
    for _ in range(2):
        bot = bot_of(source)
        bot.choose(turn())
        outputs.append(bot.journal.output)
    assert "bot.py:2: SyntaxWarning" in outputs[0]
    assert outputs[0].endswith("\\d\n")
    assert outputs[0] == outputs[1]


def test_faults_at_a_table_are_classified_and_the_game_continues() -> None:
    table = Table("g1", "toepen", {"seats": 2}, SEED)
    loops = sandboxed_spec("loops", "1", "def choose(turn):\n    while True: pass\n", QUICK)
    play(table, [seat_bot(loops, 1), seat_bot(bot_spec("rookie", "toepen"), 2)])
    assert [(fault.seat, fault.type) for fault in table.faults] == [(0, "late")] * 3
    assert table.forfeits == [0]
    table = Table("g1", "toepen", {"seats": 2}, SEED)
    play(table, [seat_bot(sandboxed_spec("none", "1", "x ="), 1), seat_bot(bot_spec("rookie", "toepen"), 2)])
    assert [(fault.seat, fault.type) for fault in table.faults] == [(0, "crashed")] * 3


class Sleeper(Bot):
    def choose(self, turn: Turn) -> str | None:
        time.sleep(60)
        return None


def test_a_time_limit_of_the_caller_is_no_fault_of_a_seat() -> None:
    table = Table("g1", "toepen", {"seats": 2}, SEED)
    with pytest.raises(OutOfTime), time_limit(0.1):
        play(table, [Sleeper(), Sleeper()])
    assert table.faults == []


def test_a_bot_gets_the_turn_unchanged() -> None:
    class Text(str):
        pass

    bot = bot_of("import json\ndef choose(turn):\n    print(json.dumps(turn))\n    turn['events'].clear()")
    told = {**turn(), "more": [1.5, -(10**30), 200, None, True, "\u00e9\U0001f0a1", {}, {"a": [[]]}]}
    for given in (told, told, {**told, Text("text"): Text("text")}):
        bot.choose(given)
    lines = bot.journal.output.splitlines()
    assert lines == [json.dumps(told)] * 2 + [json.dumps({**told, "text": "text"})]


def test_a_spec_goes_to_other_processes() -> None:
    spec = sandboxed_spec("mine", "1", "def choose(turn): return turn['legal_actions'][0]")
    assert pickle.loads(pickle.dumps(spec)) == spec


@pytest.fixture
def played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, Path]:
    """A bot's file, and the record of a game that it played in the sandbox."""
    file, out = tmp_path / "dicer.py", tmp_path / "games.jsonl"
    file.write_text("import os\nprint('hello')\nassert not hasattr(os, 'fork')\n" + DICE)
    arguments = ["play", "toepen", str(file), "rookie", "--rule", "seats=2", "--groups", "1", "--jobs", "1"]
    assert cli([*arguments, "--sandbox", "--records", str(out)]) == 0
    capsys.readouterr()
    return file, out


def test_the_debug_command_repeats_a_decision(
    played: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = played
    seat = [player["name"] for player in json.loads(out.read_text().splitlines()[0])["canonical"]["players"]]
    arguments = ["bot", "debug", str(out), "--number", "1", "--seat", str(seat.index("dicer"))]
    for number in ("1", "7"):
        assert cli([*arguments, "--turn", number, "--bot", str(file), "--sandbox"]) == 0
        said = capsys.readouterr().out.splitlines()
        recorded, now = said[-2].split()[-1], said[-1].split()[-1]
        assert now == repr(recorded)
        assert said[0] == "hello"
    assert cli([*arguments, "--turn", "2", "--bot", "random", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["turn"]["legal_actions"]
    assert cli([*arguments, "--turn", "9999", "--bot", "random"]) == 2
    assert "there is no decision 9999 of seat" in capsys.readouterr().err


def test_the_debug_command_obeys_no_escape_sequences(
    played: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A published bot of somebody else may print them, or have them in its errors."""
    _, out = played
    for last in (
        "return turn['legal_actions'][0]",
        "raise ValueError('\\x1b[2J')",
        "return '\\x1b]0;x\\x07'",
    ):
        file = tmp_path / "stranger.py"
        file.write_text(f"def choose(turn):\n    print('a\\tb\\x1b[31m\\x9b1m\\rc')\n    {last}\n")
        arguments = ["bot", "debug", str(out), "--number", "1", "--turn", "1", "--bot", str(file)]
        assert cli([*arguments, "--seat", "0", "--sandbox"]) == 0
        said = capsys.readouterr().out
        assert said.startswith("a\tb\\x1b[31m\\x9b1m\\rc\n")
        assert all(char.isprintable() or char in "\n\t" for char in said)
