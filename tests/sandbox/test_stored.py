"""Bots as they are stored play on, in the sandbox as in process, and new ones import what is for bots."""

from __future__ import annotations

import json

import pytest

from arena.bots import BotSpec, InvalidBot, bot_spec
from arena.games import GAMES, game_of
from arena.games.options import Rules
from arena.sandbox.bot import check_bot, sandboxed_spec
from arena.tournaments.local_run import Plan, play_group
from tests.service import ROOT

pytestmark = pytest.mark.usefixtures("python")

STORED = ROOT / "tests/bots/stored"


def played(kind: str, rules: Rules, bot: BotSpec) -> list[dict[str, object]]:
    """The provable parts of the games of a group."""
    complete = game_of(kind).options.complete(dict(rules))
    plan = Plan(kind, complete, (bot, bot_spec("rookie", kind)), 1, "stored")
    group = play_group(plan, 0, plan.all_groups()[0])
    return [json.loads(record)["canonical"] for record in group.records]


@pytest.mark.parametrize(
    ("name", "kind", "rules"),
    [
        *(("older", game.kind, game.duel_rules) for game in GAMES.values()),
        *(("public", game.kind, preset.rules) for game in GAMES.values() for preset in game.presets),
    ],
)
def test_a_stored_bot_plays_in_the_sandbox_as_in_process(name: str, kind: str, rules: Rules) -> None:
    path = STORED / f"{name}.py"
    native = bot_spec(str(path))
    sandboxed = sandboxed_spec(name, native.version, path.read_text(encoding="utf-8"))
    check_bot(sandboxed)
    games = played(kind, rules, sandboxed)
    assert games == played(kind, rules, native)
    assert [game["faults"] for game in games] == [[]] * len(games)


@pytest.mark.parametrize("name", ["Client", "verify"])
def test_what_is_not_in_the_sandbox_is_said_in_one_line(name: str) -> None:
    source = f"import random\nfrom botequim import {name}\ndef choose(turn): return ''\n"
    with pytest.raises(InvalidBot) as caught:
        check_bot(sandboxed_spec("mine", "1", source))
    assert caught.value.message.startswith(
        f"ImportError: {name} of botequim is not available here: there is no"
    )
    assert caught.value.message.endswith(" in the sandbox (docs/sandbox.md has the list) (bot.py, line 2)")


def test_an_upload_that_imports_what_is_internal_reads_the_new_name() -> None:
    source = "import random\nfrom arena.games.toepen.cards import PACK\ndef choose(turn): return ''\n"
    with pytest.raises(InvalidBot) as caught:
        check_bot(sandboxed_spec("mine", "1", source))
    assert (
        caught.value.message == "bot.py:2: arena.games.toepen.cards is internal; bots import botequim.toepen"
    )
    # What was checked by an earlier release plays on.
    spec = sandboxed_spec("mine", "1", source)
    assert spec.make(0).failure is None
