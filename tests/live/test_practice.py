"""A game that begins with the deals and the first actions of another one."""

from __future__ import annotations

from functools import cache

import pytest

from arena.bots import bot_spec
from arena.errors import IllegalAction
from arena.games import GAMES, game_of
from arena.people.practice import opening_of
from arena.play.table import Table
from arena.records.decisions import decisions
from arena.records.record import Record, parse_record
from arena.tournaments.local_run import Plan, play_group

PRESETS = [(game.kind, preset.name) for game in GAMES.values() for preset in game.presets]
SHORT = {"truco": {"max_hands": 4}, "toepen": {"lives": 3}}


@cache
def played(kind: str, preset: str) -> Record:
    """A seeded game of a preset, made short."""
    game = game_of(kind)
    rules = game.options.complete({**game.preset(preset).rules, **SHORT[kind]})
    plan = Plan(kind, rules, (bot_spec("regular", kind), bot_spec("random", kind)), 1, "practice")
    return parse_record(play_group(plan, 0, plan.all_groups()[0]).records[0])


def restarted(record: Record, after: int) -> Table:
    canonical, opening = record["canonical"], opening_of(record, after)
    table = Table("again", canonical["kind"], canonical["rules"], opening.seed, opening.nonces)
    table.start()
    table.play_again(opening.actions)
    return table


@pytest.mark.parametrize(("kind", "preset"), PRESETS)
def test_every_logged_action_can_be_the_start(kind: str, preset: str) -> None:
    """Position, turns and events are those of the game that was played."""
    record = played(kind, preset)
    canonical = record["canonical"]
    game = game_of(kind)
    state = game.new_state(game.options.complete(canonical["rules"]))
    events = []
    ones = {one.after: one for one in decisions(record)}
    for after, (seat, action, *_) in enumerate(canonical["actions"]):
        if after in ones:
            table = restarted(record, after)
            assert table.logged == after
            assert table.state.serialise() == state.serialise()
            assert table.events == events
            turn, before = table.turn(seat), ones[after].turn
            assert turn is not None
            for name in ("legal_actions", "default_action", "observation", "optional"):
                assert turn[name] == before[name]  # type: ignore[literal-required]
        events += state.apply(seat, action)
    assert len(ones) == sum(seat >= 0 for seat, *_ in canonical["actions"]) > 10
    whole = restarted(record, len(canonical["actions"]))
    assert whole.is_over()
    assert whole.state.serialise() == state.serialise()


def test_the_deals_after_it_are_the_same() -> None:
    """The rest of the recorded game can be played from anywhere."""
    record = played("toepen", "duel@1")
    actions = record["canonical"]["actions"]
    for after in range(0, len(actions), 7):
        table = restarted(record, after)
        table.play_again(actions)
        assert [[seat, action] for seat, action, _ in table.actions] == [entry[:2] for entry in actions]


def test_actions_of_another_game_are_refused() -> None:
    record = played("toepen", "duel@1")
    canonical = record["canonical"]
    other = Table("other", canonical["kind"], canonical["rules"], bytes(32))
    other.start()
    with pytest.raises(IllegalAction):
        other.play_again(canonical["actions"])
