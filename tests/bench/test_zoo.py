"""The exploiters of ``benchmarks.zoo``, and ``benchmarks.exploiters``, which measures them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from arena.bots import Bot, Turn, bot_spec
from arena.games import GAMES, game_of
from arena.play.match import play, seat_bot
from arena.play.table import Table
from arena.tournaments.local_run import play_group
from benchmarks.exploiters import Found, main, measure, plan
from benchmarks.zoo import ZOO, ExploiterSpec

PRESETS = [(game.kind, preset.name) for game in GAMES.values() for preset in game.presets]

Decision = tuple[str, Sequence[str], str | None]
"""The phase, the legal actions, and the answer."""


@pytest.mark.parametrize(("kind", "preset"), PRESETS)
def test_every_exploiter_plays_every_preset_without_faults(kind: str, preset: str) -> None:
    for name in ZOO[kind]:
        run = plan(kind, preset, name, "regular", 1)
        (group,) = run.all_groups()
        summary = play_group(run, 0, group)
        assert not summary.void
        assert not any(tally.faults for tally in summary.tallies.values())


class Watched(Bot):
    """An exploiter whose decisions are kept."""

    def __init__(self, bot: Bot, decisions: list[Decision]) -> None:
        self._bot, self._decisions = bot, decisions

    def choose(self, turn: Turn) -> str | None:
        action = self._bot.choose(turn)
        self._decisions.append((turn["observation"]["phase"], turn["legal_actions"], action))
        return action


@dataclass(frozen=True)
class WatchedSpec(ExploiterSpec):
    """An exploiter of rookie, whose decisions are kept."""

    decisions: tuple[list[Decision], ...] = ()

    def make(self, seed: int) -> Watched:  # type: ignore[override]
        return Watched(super().make(seed), self.decisions[0])


def decisions_of(kind: str, preset: str, name: str) -> list[Decision]:
    """The decisions of an exploiter of rookie in three games."""
    game = game_of(kind)
    rules = game.options.complete(game.preset(preset).rules)
    decisions: list[Decision] = []
    for number in range(3):
        table = Table(f"g{number}", kind, rules, bytes([number]) * 32)
        watched = WatchedSpec(name, "1", "rookie", kind=kind, decisions=(decisions,))
        play(table, [seat_bot(watched, 0), seat_bot(bot_spec("rookie", kind), 1)])
    return decisions


def begins(words: tuple[str, ...]) -> Callable[[str], bool]:
    return lambda action: action.startswith(words)


@pytest.mark.parametrize(
    ("kind", "name", "phases", "words"),
    [
        ("truco", "calling", ("play",), ("truco",)),
        ("truco", "running", ("answer",), ("run",)),
        ("truco", "staying", ("answer", "eleven"), ("accept",)),
        ("truco", "raising", ("answer",), ("raise",)),
        ("truco", "maniac", ("play", "answer"), ("truco", "raise")),
        ("toepen", "accusing", ("challenge",), ("challenge",)),
        ("toepen", "trusting", ("challenge",), ("trust",)),
        ("toepen", "exchanging", ("exchange",), ("exchange",)),
        ("toepen", "staying", ("knock", "poverty"), ("stay",)),
        ("toepen", "folding", ("knock", "poverty"), ("fold",)),
    ],
)
def test_a_habit_is_followed_whenever_it_is_legal(
    kind: str, name: str, phases: Sequence[str], words: tuple[str, ...]
) -> None:
    preset = {"truco": "mineiro-2@1", "toepen": "duel@1"}[kind]
    possible = [
        (legal, action)
        for phase, legal, action in decisions_of(kind, preset, name)
        if phase in phases and any(map(begins(words), legal))
    ]
    assert possible
    assert all(action is not None and action.startswith(words) for _, action in possible)


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("truco", "silent", ("truco", "raise")),
        ("toepen", "keeping", ("exchange",)),
        ("toepen", "silent", ("knock",)),
    ],
)
def test_a_habit_that_gives_an_action_up_never_takes_it(kind: str, name: str, words: tuple[str, ...]) -> None:
    preset = {"truco": "mineiro-2@1", "toepen": "duel@1"}[kind]
    decisions = decisions_of(kind, preset, name)
    assert any(any(map(begins(words), legal)) for _, legal, _ in decisions)
    assert not any(action is not None and action.startswith(words) for _, _, action in decisions)


def test_a_known_exploiter_is_found() -> None:
    """``rookie`` never changes: it gives up most hands in which it is behind."""
    found = measure("truco", "paulista-2@1", "ahead", "rookie", 60)
    assert found.exceeds(0.03)
    assert not measure("truco", "paulista-2@1", "maniac", "rookie", 10).exceeds(0.03)


def test_an_estimate_exceeds_the_goal_only_with_its_interval() -> None:
    found = Found.of([0.5, 0.0, 0.5, 0.0])
    assert (found.margin, found.groups) == (0.25, 4)
    assert found.error == pytest.approx(0.1443, abs=1e-4)
    assert found.half == pytest.approx(3.18 * found.error, rel=0.01)
    assert not found.exceeds(0.0)
    assert found.exceeds(-0.3)


def test_the_command_prints_a_line_for_each_exploiter_and_fails_above_the_goal() -> None:
    given = ["--preset", "duel@1", "--exploiter", "folding", "--exploiter", "calling", "--jobs", "1"]
    result = CliRunner().invoke(main, [*given, "--groups", "4"])
    assert result.exit_code == 0, result.output
    (line,) = result.output.splitlines()
    assert line.split()[:2] == ["toepen/duel@1", "folding"]
    assert line.endswith("4 groups: at most 0.02")
    result = CliRunner().invoke(main, ["--preset", "duel@1", "--exploiter", "calling"])
    assert result.exit_code == 2
    assert result.output.endswith("no such exploiter plays these presets\n")


@pytest.mark.nightly("simulations")
@pytest.mark.parametrize("preset", ["paulista-2@1", "mineiro-2@1"])
def test_calling_with_any_hand_gains_nothing_against_regular(preset: str) -> None:
    """Against version 0.1.0 at Truco for two, it gained 0.4 a game."""
    names = ("calling", "bluffing", "ahead")
    given = [word for name in names for word in ("--exploiter", name)]
    result = CliRunner().invoke(main, ["--preset", preset, *given, "--groups", "100", "--jobs", "1"])
    assert result.exit_code == 0, result.output
