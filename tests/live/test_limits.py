"""How long a live game can be: rules that are refused, and games that end void."""

from __future__ import annotations

from typing import Any

import pytest

from arena.events.creation import new_tournament
from arena.events.editing import edit
from arena.games import GAMES, game_of
from arena.games.options import Rules
from arena.live import game as live_game
from arena.live.header import GameHeader
from arena.live.limits import MOST_MOVES, MOST_USUAL_MOVES, TOO_LONG, GameTooLong, check_length
from arena.live.service import LiveGames
from arena.ops.jobs import Job, JobName
from tests.live.clock import skip
from tests.live.conftest import MakeGames
from tests.live.playing import BOTS, NotedJobs, answer, awaited_turn, new_game, quiet

LONGEST = {"seats": 8, "lives": 30, "end": "rubber", "rubbers": 20}
EIGHT = [{"house": "shark"}] * 8
FEW = 10


def test_all_presets_are_short_enough() -> None:
    for game in GAMES.values():
        for rules in (*(preset.rules for preset in game.presets), game.duel_rules, *game.ladder_rules):
            check_length(game, game.options.complete(rules))


def test_rules_that_are_too_long_are_refused_with_values_that_fit(games: LiveGames) -> None:
    with pytest.raises(GameTooLong) as refused:
        games.create("toepen", rules=LONGEST, seats=EIGHT)
    error = refused.value
    assert (error.code, error.field) == ("game_too_long", "rules.rubbers")
    assert "about 10800 moves" in error.message
    assert error.expected == "rubbers of at most 14 or lives of at most 22"
    for name, value in (("rubbers", 14), ("lives", 22)):
        games.create("toepen", rules={**LONGEST, name: value}, seats=[{"open": True}] * 8)
        with pytest.raises(GameTooLong):
            games.create("toepen", rules={**LONGEST, name: value + 1}, seats=EIGHT)


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("end", ["elimination", "rubber"])
def test_every_value_that_an_error_names_is_accepted(seats: int, end: str) -> None:
    toepen = game_of("toepen")
    assert toepen.usual_moves is not None
    for lives in range(1, 31):
        for rubbers in range(1, 21):
            rules = toepen.options.complete({"seats": seats, "end": end, "lives": lives, "rubbers": rubbers})
            expected = refusal(rules)
            assert bool(expected) == (toepen.usual_moves(rules) > MOST_USUAL_MOVES)
            for named in filter(None, expected.split(" or ")):
                name, _, _, _, value = named.split()
                assert refusal({**rules, name: int(value)}) == ""


def refusal(rules: Rules) -> str:
    try:
        check_length(game_of("toepen"), rules)
    except GameTooLong as error:
        return str(error.expected)
    return ""


def test_a_tournament_is_refused_when_it_is_announced() -> None:
    fields = {"name": "Cup", "kind": "toepen", "format": "round_robin", "opens_ms": 0, "locks_ms": 60_000}
    with pytest.raises(GameTooLong):
        new_tournament({**fields, "rules": LONGEST}, "cup", "olga", 0, bytes(32))
    cup = new_tournament({**fields, "rules": {**LONGEST, "rubbers": 14}}, "cup", "olga", 0, bytes(32))
    edit(cup, {"rules": {**LONGEST, "rubbers": 13}}, None, 0)
    with pytest.raises(GameTooLong):
        edit(cup, {"rules": LONGEST}, None, 0)
    assert cup.spec.rules["rubbers"] == 13


def test_a_game_of_a_group_begins_by_the_rules_of_its_tournament(games: LiveGames) -> None:
    group = {"id": "cup-r1-p1-g1", "index": 0, "size": 1, "mirrored": False, "attempt": 0}
    made = games.create("toepen", rules=LONGEST, seats=[{"bot": "ann"}] * 8, group=group)
    assert made["state"] == "running"


def test_a_game_is_void_after_ten_thousand_moves(games: LiveGames) -> None:
    """Players who never knock play on by default actions, in memory only."""
    rules = game_of("toepen").options.complete({**LONGEST, "rubbers": 14})
    made = games.create("toepen", rules=rules, seats=[{"bot": name} for name in (*BOTS, *"efgh")])
    game = games.repository.load(made["game"])
    clock = games.store.clock()
    steps = 0
    while game.is_running:
        game.begin()
        table = game.playing
        for _ in range(500):
            if table.is_over() or table.logged >= MOST_MOVES:
                break
            table.act_for(table.awaited()[0], "clock")
        moves = table.logged
        step = game.step(clock, game.version + 1)
        assert step is not None
        game.trim()
        steps += 1
    assert (game.header.state, moves, steps > 10) == ("void", MOST_MOVES, True)
    assert {change.op for change in step.turns} == {"gone"}
    assert GameHeader.loads(step.header).reason == "not over after 10000 moves"


def by_answers(games: LiveGames, game: str) -> None:
    bot, turn = awaited_turn(games, game)
    assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"


def by_clocks(games: LiveGames, game: str) -> None:
    skip(games, 130_000)
    games.finalizer.check(game)


def by_house_bots(games: LiveGames, game: str) -> None:
    games.move_house_bots(game)


@pytest.mark.parametrize(
    ("move", "seats"),
    [
        (by_answers, [{"bot": name} for name in BOTS]),
        (by_clocks, [{"bot": name} for name in BOTS]),
        (by_house_bots, [{"house": "random"}] * 4),
    ],
)
def test_whoever_moves_ends_a_game_that_is_too_long(
    make_games: MakeGames, monkeypatch: pytest.MonkeyPatch, move: Any, seats: list[dict[str, object]]
) -> None:
    monkeypatch.setattr(live_game, "MOST_MOVES", FEW)
    jobs = NotedJobs()
    games = make_games(jobs=jobs)
    game = new_game(games, "toepen", seats=seats, rules={"lives": 30})
    other = make_games()
    while games.summary(game)["state"] == "running":
        move(games, game)
    view = other.view(game)
    assert view is not None
    assert (view["state"], view["reason"], view["turn"]) == ("void", TOO_LONG, None)
    assert len(games.store.log(game)) == FEW
    assert jobs.requested[-1] == Job(JobName.FINISH_GAME, (game,))
    for name in BOTS:
        assert games.turns(name).turns == []
        assert answer(games, name, f"{game}.0.1", "x")["status"] == "unknown_turn"
    games.finish(game)
    assert [one["game"] for one in games.list(state="void").items] == [game]
    assert games.events(game)["over"]


def test_the_last_move_can_be_the_last_allowed(games: LiveGames, monkeypatch: pytest.MonkeyPatch) -> None:
    game = new_game(games, "truco", seats=[{"bot": "ann"}] * 4)
    monkeypatch.setattr(live_game, "MOST_MOVES", 3)
    games.resign(game, "ann")
    assert games.summary(game)["state"] == "finished"
