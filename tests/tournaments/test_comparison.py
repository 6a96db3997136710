"""The plan of a comparison: batches of groups until the sequential test has decided."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.games import GAMES
from arena.play.players import PlayerId
from arena.ratings.results import GameResult, GroupResult
from arena.tournaments.comparison import BATCH, ComparisonFormat, ComparisonSettings, group_margin
from arena.tournaments.entry import Entrant
from arena.tournaments.parsing import parse_spec
from arena.tournaments.plan import Field, GroupPlan
from arena.tournaments.sequential import FLOOR, SequentialTest
from arena.tournaments.spec import Spec

PRESETS = [(game.kind, preset.name) for game in GAMES.values() for preset in game.presets]
SETTINGS = ComparisonSettings(new="2", old="1", most=200)


def spec_of(kind: str, preset: str) -> Spec:
    fields = {"name": "Test", "kind": kind, "preset": preset, "format": "round_robin", "rated": False}
    return parse_spec(fields, 0)


ENTRANTS = [Entrant("bot", "1", "ana"), Entrant("bot", "2", "ana")]
NEW = PlayerId("bot", "2")


def result_of(spec: Spec, group: GroupPlan, wins: int) -> GroupResult:
    """A group in which the new version wins this many games, and the old one the others."""
    games = []
    for number, seats in enumerate(group.seats):
        players = tuple(ENTRANTS[index].player for index in seats)
        best = NEW if number < wins else PlayerId("bot", "1")
        # With several seats each, those of one version share the first place.
        places = tuple(1 if player == best else 1 + players.count(best) for player in players)
        none = (0,) * len(seats)
        games.append(GameResult(number, "", players, places, (), none, (), (), 0))
    return GroupResult(spec.kind, group.id, len(games), True, spec.teams, games, preset=spec.preset)


def run(settings: ComparisonSettings, wins: list[int | None], spec: Spec) -> tuple[Field, ComparisonFormat]:
    """Play until nothing is due; ``wins``: of each group in turn, None for a void one, repeated."""
    format = ComparisonFormat(settings)
    field = Field(spec, ENTRANTS, (), {}, bytes(32))
    while due := format.plan(field).groups:
        done: dict[str, Any] = dict(field.done)
        for group in due:
            count = wins[len(done) % len(wins)]
            done[group.id] = None if count is None else result_of(spec, group, count)
        field = replace(field, planned=(*field.planned, *due), done=done)
        assert format.plan(replace(field, done={})).groups == (), "it waits for the batch"
    assert format.plan(field).finished
    return field, format


@pytest.mark.parametrize(("kind", "preset"), PRESETS)
def test_a_better_version_in_every_preset(kind: str, preset: str) -> None:
    spec = spec_of(kind, preset)
    field, format = run(SETTINGS, [2, 1], spec)
    assert len(field.planned) == FLOOR
    first = field.planned[0]
    assert set(first.members) == {0, 1}
    assert len(first.seats[0]) == spec.game.seats(spec.rules)
    state = format.state(field)
    assert state["decision"] == "elo1"
    assert (state["groups"], state["void"]) == (FLOOR, 0)
    assert state["margin"]["low"] < state["margin"]["value"] < state["margin"]["high"]


def test_it_decides_as_the_test_does_and_what_comes_later_in_a_batch_does_not_count() -> None:
    spec = spec_of("truco", "mineiro-2@1")
    settings = replace(SETTINGS, most=2000, elo0=0.0, elo1=35.0)
    wins: list[int | None] = [2, 1, 0, 1, 1, 1, 2]
    field, format = run(settings, wins, spec)
    test = SequentialTest(0.0, 35.0)
    for number in range(len(field.planned)):
        if test.decision is not None:
            break
        test.add((wins[number % len(wins)] or 0) - 1.0)
    state = format.state(field)
    assert test.decision is not None
    assert state["groups"] == len(test.margins) <= len(field.planned) < len(test.margins) + BATCH
    assert len(field.planned) > FLOOR
    assert state["decision"] == ("elo1" if test.decision == 35.0 else "elo0")
    assert state["llr"] == pytest.approx(test.llr, abs=1e-4)
    assert state["margin"]["value"] == pytest.approx(test.margin.value, abs=1e-4)
    assert state["elo"]["high"] == pytest.approx(test.elo.high, abs=1e-4)


def test_it_ends_after_the_most_groups_and_when_too_much_is_void() -> None:
    spec = spec_of("toepen", "duel@1")
    field, format = run(replace(SETTINGS, elo0=-1.0, elo1=1.0, most=100), [2, 0, None], spec)
    assert len(field.planned) == 60, "ten void groups of 60"
    assert format.state(field)["void"] == 20
    field, format = run(replace(SETTINGS, elo0=-1.0, elo1=1.0, most=100), [2, 0], spec)
    assert len(field.planned) == 100
    assert format.state(field)["decision"] is None


def test_alike_versions_have_no_variance() -> None:
    spec = spec_of("toepen", "table-4@1")
    field, format = run(SETTINGS, [1], spec)
    state = format.state(field)
    assert (state["decision"], state["llr"], state["groups"]) == ("elo0", -99.99, FLOOR)
    assert state["margin"] == {"value": 0, "low": 0, "high": 0}


def test_margins_are_those_of_the_local_test() -> None:
    spec = spec_of("truco", "base@1")
    format = ComparisonFormat(SETTINGS)
    group = format.plan(Field(spec, ENTRANTS, (), {}, bytes(32))).groups[0]
    assert [group_margin(result_of(spec, group, wins), NEW) for wins in (0, 1, 2)] == [-1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"new": "1"}, "old"), ({"elo1": 0.0}, "elo1"), ({"elo0": -3000.0}, "elo0"),
        ({"alpha": 0.5}, "alpha"), ({"beta": 0.0}, "beta"), ({"most": 59}, "most"), ({"most": 5001}, "most"),
    ],
)  # fmt: skip
def test_settings_that_make_no_test(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ArenaError) as refused:
        replace(SETTINGS, **changes).check()
    assert (refused.value.code, refused.value.field) == ("invalid_comparison", field)
    assert refused.value.expected
