"""The exploiters of ``benchmarks.zoo``, and ``benchmarks.exploiters``, which measures them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

import pytest
from click import ClickException
from click.testing import CliRunner

from arena.bots import Bot, Turn, bot_spec
from arena.games import GAMES, game_of
from arena.games.kernel import State
from arena.games.toepen.bots.sight import ToepenSight
from arena.games.truco.bots.sight import TrucoSight
from arena.play.match import play, seat_bot
from arena.play.table import Table
from arena.tournaments.local_run import play_group
from benchmarks import exploiters
from benchmarks.exploiters import (
    MOST,
    RESPONDED,
    Found,
    Precision,
    bound,
    chosen,
    main,
    measure,
    plan,
    tables,
)
from benchmarks.zoo import RESPONDER, ZOO, ExploiterSpec, toepen
from benchmarks.zoo.exploiter import Exploiter
from benchmarks.zoo.toepen import minding, unseen

PRESETS = [(game.kind, preset.name) for game in GAMES.values() for preset in game.presets]

Decision = tuple[Turn, str | None]
"""A turn, and the answer."""


@pytest.mark.parametrize(("kind", "preset"), PRESETS)
def test_every_habit_is_played_in_every_preset_without_faults(kind: str, preset: str) -> None:
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
        self._decisions.append((turn, action))
        return action


@dataclass(frozen=True)
class WatchedSpec(ExploiterSpec):
    """An exploiter whose decisions are kept."""

    decisions: tuple[list[Decision], ...] = ()

    def make(self, seed: int) -> Watched:
        return Watched(super().make(seed), self.decisions[0])


def decisions_of(
    kind: str, name: str, level: str = "rookie", preset: str = "", games: int = 3
) -> list[Decision]:
    """The decisions of an exploiter of a house bot in some games of a preset."""
    preset = preset or {"truco": "mineiro-2@1", "toepen": "table-4@1"}[kind]
    game = game_of(kind)
    rules = game.options.complete(game.preset(preset).rules)
    decisions: list[Decision] = []
    for number in range(games):
        table = Table(f"g{number}", kind, rules, bytes([number]) * 32)
        watched = WatchedSpec(name, "1", level, kind=kind, decisions=(decisions,))
        house = bot_spec(level, kind)
        play(table, [seat_bot(watched, 0), *(seat_bot(house, seat) for seat in range(1, game.seats(rules)))])
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
    possible = [
        (turn["observation"]["phase"], action)
        for turn, action in decisions_of(kind, name)
        if turn["observation"]["phase"] in phases and any(map(begins(words), turn["legal_actions"]))
    ]
    assert {phase for phase, _ in possible} == set(phases)
    assert all(action is not None and action.startswith(words) for _, action in possible)


@pytest.mark.parametrize(
    ("kind", "name", "applies", "words"),
    [
        ("truco", "ahead", lambda turn: TrucoSight(turn).lead > 0, ("truco",)),
        ("truco", "behind", lambda turn: TrucoSight(turn).lead < 0, ("truco",)),
        ("truco", "late", lambda turn: len(turn["observation"]["hand"]) == 1, ("truco",)),
        ("truco", "maniac", lambda turn: turn["observation"]["phase"] == "answer", ("raise", "accept")),
        ("toepen", "knocking", lambda turn: turn["observation"]["knocker"] is None, ("knock",)),
    ],
)
def test_a_habit_is_followed_where_it_applies(
    kind: str, name: str, applies: Callable[[Turn], bool], words: tuple[str, ...]
) -> None:
    possible = [
        action
        for turn, action in decisions_of(kind, name, games=6)
        if any(map(begins(words), turn["legal_actions"])) and applies(turn)
    ]
    assert len(possible) > 2
    assert all(action is not None and action.startswith(words) for action in possible)


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("truco", "silent", ("truco", "raise")),
        ("toepen", "keeping", ("exchange",)),
        ("toepen", "silent", ("knock",)),
    ],
)
def test_a_habit_that_gives_an_action_up_never_takes_it(kind: str, name: str, words: tuple[str, ...]) -> None:
    decisions = decisions_of(kind, name)
    assert any(any(map(begins(words), turn["legal_actions"])) for turn, _ in decisions)
    assert not any(action is not None and action.startswith(words) for _, action in decisions)


def toepen_turns(phase: str, legal: str, players: int = 4) -> list[Turn]:
    """Return the turns of one seat at ``table-4@1`` with this number of players in the hand."""
    return [
        turn
        for turn, _ in decisions_of("toepen", "keeping", "regular")
        if turn["observation"]["phase"] == phase
        and any(map(begins((legal,)), turn["legal_actions"]))
        and ToepenSight(turn).in_hand.bit_count() == players
    ]


def test_unseen_lays_weak_hands_away_until_it_has_been_caught() -> None:
    turns = [
        turn for turn in toepen_turns("exchange", "exchange") if ToepenSight(turn).lives[turn["seat"]] > 1
    ]
    caught = {"type": "challenge", "seat": 1, "exchanger": 0, "cards": ["7C", "7D", "7H", "7S"]}
    laid_away = []
    for turn in turns:
        bot = Exploiter("toepen", "regular", unseen, 1)
        laid_away.append(unseen(bot, turn, "usual") == "exchange")
        assert laid_away[-1] == (ToepenSight(turn).spot.hand_chance() < 0.15)
        bot.events = [{**caught, "n": number} for number in range(20)]
        assert unseen(bot, {**turn, "events": []}, "usual") == "usual"
    assert 5 < sum(laid_away) < len(turns) - 5
    challenged = toepen_turns("challenge", "challenge")
    assert challenged
    assert all(unseen(bot, turn, "challenge") == "trust" for turn in challenged)


def test_minding_knocks_if_it_imagines_that_all_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(word: str) -> type[Bot]:
        class Answers(Bot):
            def __init__(self, _: object) -> None: ...

            def choose_in(self, state: State) -> str:
                (seat,) = state.awaiting()
                return next(action for action in state.legal_actions(seat) if action.startswith(word))

        return Answers

    bot = Exploiter("toepen", "regular", minding, 1)
    turns = toepen_turns("play", "knock")
    assert len(turns) > 10
    for word, knocks in (("fold", True), ("stay", False)):
        monkeypatch.setattr(toepen, "ToepenRegular", answers(word))
        assert all(minding(bot, turn, "usual").startswith("knock") is knocks for turn in turns)


def one_batch(groups: int) -> Precision:
    return Precision(2.0, groups)


def test_a_known_exploiter_is_found() -> None:
    """``rookie`` never changes: it gives up most hands in which it is behind."""
    found = measure("truco", "paulista-2@1", "ahead", "rookie", one_batch(60))
    assert found.exceeds(0.03)
    assert not measure("truco", "paulista-2@1", "maniac", "rookie", one_batch(10)).exceeds(0.03)


def test_a_bot_that_fails_has_no_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(bot: Exploiter, turn: Turn, usual: str) -> str:
        return f"{usual}, or not"

    monkeypatch.setitem(ZOO["toepen"], "keeping", fails)
    with pytest.raises(ClickException, match=r"^toepen/duel@1: keeping illegal at .*: keep, or not$"):
        measure("toepen", "duel@1", "keeping", "rookie", one_batch(2))


def test_batches_are_played_until_the_error_is_small_enough() -> None:
    one = measure("toepen", "duel@1", "folding", "rookie", one_batch(4))
    more = measure("toepen", "duel@1", "folding", "rookie", Precision(0.09, 4))
    assert one.groups == 4
    assert one.error > 0.09 >= more.error
    assert more.groups in range(8, 40, 4)


def test_a_habit_that_changes_no_result_is_played_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ZOO["toepen"], "keeping", lambda bot, turn, usual: usual)
    monkeypatch.setattr(exploiters, "UNCHANGED", 10)
    found = measure("toepen", "duel@1", "keeping", "rookie", one_batch(4))
    assert found == Found(0.0, 0.0, 0.0, 12)


def test_an_estimate_exceeds_the_goal_only_with_its_interval() -> None:
    found = Found.of([0.5, 0.0, 0.5, 0.0])
    assert (found.margin, found.groups) == (0.25, 4)
    assert found.error == pytest.approx(0.1443, abs=1e-4)
    assert found.half == pytest.approx(3.18 * found.error, rel=0.01)
    assert not found.exceeds(0.0)
    assert found.exceeds(-0.3)


def test_the_command_prints_a_line_for_each_exploiter_and_fails_above_the_goal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = ["--preset", "duel@1", "--exploiter", "folding", "--exploiter", "exchanging", "--jobs", "1"]
    given += ["--error", "1", "--batch", "4"]
    result = CliRunner().invoke(main, given)
    assert result.exit_code == 0, result.output
    *lines, _, head, _, _, _ = result.output.splitlines()
    assert head == "| exploiter | `duel@1` |"
    assert [line.split()[:2] for line in lines] == [
        ["toepen/duel@1", "exchanging"],
        ["toepen/duel@1", "folding"],
    ]
    assert all(line.endswith("4 groups: at most 0.02") for line in lines)
    monkeypatch.setitem(MOST, "toepen", -2.0)
    result = CliRunner().invoke(main, given)
    assert result.exit_code == 1, result.output
    assert result.output.count("4 groups: above -2.0\n") == 2
    result = CliRunner().invoke(main, ["--preset", "duel@1", "--exploiter", "calling"])
    assert result.exit_code == 2
    assert result.output.endswith("no such exploiter plays these presets\n")


@pytest.mark.costly(6, "a search at each decision")
def test_the_responder_finds_what_an_easy_opponent_gives_away() -> None:
    """``rookie`` runs from most calls: the responder, which knows that, wins nearly every game."""
    found = measure("truco", "paulista-2@1", RESPONDER, "rookie", one_batch(4))
    assert found.margin - found.half > 0.5


@pytest.mark.parametrize(
    ("kind", "level", "preset", "phases"),
    [
        ("truco", "rookie", "base@1", {"choose", "play", "answer"}),
        ("truco", "barfly", "mineiro-2@1", {"play", "answer"}),
        ("toepen", "regular", "table-4@1", {"exchange", "play", "knock"}),
    ],
)
def test_the_responder_plays_the_main_phases_without_faults(
    kind: str, level: str, preset: str, phases: set[str]
) -> None:
    decisions = decisions_of(kind, RESPONDER, level, preset, games=1)
    assert {turn["observation"]["phase"] for turn, _ in decisions} >= phases
    assert all(action in turn["legal_actions"] for turn, action in decisions)


@pytest.mark.parametrize("name", ["calling", "bluffing"])
def test_calling_with_any_hand_gains_nothing_against_regular(name: str) -> None:
    """Against version 0.1.0 at Truco for two, it gained 0.4 a game."""
    assert measure("truco", "paulista-2@1", name, "regular", one_batch(40)).margin < 0.0


@pytest.mark.costly(6, "60 groups")
def test_calling_with_any_hand_when_ahead_gains_nothing_against_regular() -> None:
    """Against version 0.4.0, it gained 0.08 a game."""
    assert measure("truco", "paulista@1", "ahead", "regular", one_batch(60)).margin < 0.015


def test_tables_show_each_margin_with_its_error() -> None:
    one, other = Found(0.1, 0.01, 0.02, 9), Found(-0.2, 0.03, 0.06, 9)
    found = {("truco", "base@1", "calling"): one, ("truco", "mineiro@1", "running"): other}
    assert list(tables(found)) == [
        "",
        "| exploiter | `base@1` | `mineiro@1` |",
        "|---|--:|--:|",
        "| calling | +0.100 ± 0.010 |  |",
        "| running |  | -0.200 ± 0.030 |",
    ]


def test_the_responder_is_played_in_its_presets_only_unless_it_is_named() -> None:
    def presets(names: list[str], level: str) -> set[str]:
        return {preset for _, preset, name in chosen(None, [], names, level) if name == RESPONDER}

    assert presets([], "regular") == set(RESPONDED)
    assert presets([], "shark") == set()
    assert presets([RESPONDER], "regular") == {preset for _, preset in PRESETS}
    assert presets([RESPONDER], "shark") == {preset for kind, preset in PRESETS if kind == "truco"}
    assert bound("toepen", RESPONDER, "regular") == bound("truco", RESPONDER, "barfly") == 0.15
    assert bound("truco", RESPONDER, "shark") == inf
    assert bound("toepen", "minding", "shark") == 0.02
