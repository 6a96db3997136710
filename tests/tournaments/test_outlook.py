"""What comes next for an uploaded bot, and schedules and results in words."""

from __future__ import annotations

from typing import Any

import pytest

from arena.play.board_names import BoardName
from arena.play.bot_results import opponents, ordinal, partners, result_words
from arena.play.players import SEALED, PlayerId
from arena.text import relative
from arena.tournaments.outlook import outlook, standing, takes_all
from arena.tournaments.schedule_words import next_words

NOW = 1_800_000_000_000
MINUTE = 60_000
BOARD = BoardName.of("truco", SEALED)
PLAYER = PlayerId("careful", "2")
SETTINGS = {"name": "Sealed Truco", "kind": "truco", "division": "sealed", "auto_enter": True}


def event(state: str, *entries: str, **more: Any) -> dict[str, Any]:
    """A tournament with entries ``NAME@VERSION``."""
    return {
        **SETTINGS,
        "id": "e1",
        "state": state,
        "locks_ms": NOW + 4 * MINUTE,
        "progress": {"done": 37, "planned": 151},
        "entries": [
            {"bot": name, "version": version, "status": "qualified"}
            for name, _, version in (one.partition("@") for one in entries)
        ],
        **more,
    }


def schedule(waits_for: str | None, **more: Any) -> dict[str, Any]:
    until = None if waits_for == "time" else 100
    found = {
        "enabled": True,
        "next_ms": NOW + MINUTE,
        "until_groups": until,
        "current": None,
        "daily_ms": None,
    }
    return {**found, "waits_for": waits_for, "tournament": SETTINGS, **more}


def says(
    tournaments: list[dict[str, Any]], schedules: list[dict[str, Any]], groups: int = 0
) -> tuple[str, str, str | None]:
    found = outlook(BOARD, PLAYER, groups, tournaments, schedules, NOW)
    return found.state, found.words, found.tournament


def test_a_tournament_that_is_announced_is_named() -> None:
    words = "plays in 'Sealed Truco', which locks in 4 min"
    assert says([event("entry")], [schedule("tournament", current="e1")]) == ("plays", words, "e1")
    late = event("entry", locks_ms=NOW - 1)
    assert says([late], [])[1] == "plays in 'Sealed Truco', which begins now"


def test_a_bot_plays_in_the_tournament_that_its_version_entered() -> None:
    mine = event("running", "rookie@1", "careful@2")
    words = "plays in 'Sealed Truco', 37 of 151 groups"
    assert says([mine], [schedule("tournament", current="e1")]) == ("plays", words, "e1")
    other = event("running", "careful@1")
    waits = ("waits", "waits for the end of 'Sealed Truco', 37 of 151 groups", "e1")
    assert says([other], [schedule("tournament", current="e1")]) == waits
    # Nothing follows from the end of a tournament that no schedule has announced.
    assert says([other], [schedule("bots")])[1] == "waits for 'Sealed Truco', which starts automatically"


def test_a_schedule_that_rests_has_no_time() -> None:
    found = outlook(BOARD, PLAYER, 0, [], [schedule("bots")], NOW)
    assert (found.state, found.from_ms) == ("waits", None)
    assert " at " not in found.words
    assert says([], [schedule("bots")], groups=100) == (
        *("rests", "has all its groups; plays again when another bot or version arrives"),
        None,
    )
    daily = [schedule("bots", daily_ms=NOW + minutes * MINUTE) for minutes in (300, 120)]
    assert says([], daily, groups=100)[1] == "has all its groups, and plays a few more every day, next in 2 h"


def test_a_real_time_is_said() -> None:
    later = schedule("time", next_ms=NOW + 120 * MINUTE)
    found = outlook(BOARD, PLAYER, 0, [], [later, schedule("time", next_ms=NOW + 9 * MINUTE)], NOW)
    assert found.words == "plays in 'Sealed Truco', which is announced in 9 min"
    assert (found.tournament, found.from_ms) == (None, NOW + 9 * MINUTE)
    due = schedule("time", next_ms=NOW - 1)
    assert says([], [due])[1] == "plays in 'Sealed Truco', which is about to be announced"


@pytest.mark.parametrize(
    "more",
    [
        {"tournament": {**SETTINGS, "auto_enter": False}},
        {"tournament": {**SETTINGS, "division": "open"}},
        {"tournament": {**SETTINGS, "who": "invited"}},
        {"tournament": {**SETTINGS, "preset": "paulista@1"}},
        {"tournament": {**SETTINGS, "rules": {"variant": "of a later release"}}},
        {"waits_for": None},
    ],
)
def test_what_does_not_enter_the_bot_is_not_named(more: dict[str, Any]) -> None:
    state, words, named = says([], [{**schedule("bots"), **more}])
    assert (state, named) == ("none", None)
    assert words == "no schedule of this service enters uploaded bots in it"


def test_rules_without_a_preset_apart_count_as_the_game() -> None:
    assert takes_all({**SETTINGS, "preset": "no-cut@1"}, BOARD)
    pauli = BoardName.of("truco", SEALED, "paulista@1")
    assert takes_all({**SETTINGS, "preset": "paulista@1"}, pauli)


def row(name: str, rank: int | None, groups: int, version: str = "2") -> dict[str, Any]:
    figures = {"rating": 1531.6, "low": 1489.9, "high": 1575.2, "groups": groups}
    return {"name": name, "version": version, "rank": rank, "worst_rank": rank and 2, **figures}


def test_where_a_version_stands() -> None:
    rows = [row("shark", 1, 100), row("careful", 2, 100), row("new", None, 12)]
    first = standing(rows, PlayerId("shark", "2"))
    assert first is not None
    assert first.words.startswith("rank 1-2 of 2, ")
    found = standing(rows, PLAYER)
    assert found is not None
    assert found.words == "rank 2 of 2, 1532 (1490-1575), 100 groups"
    new = standing(rows, PlayerId("new", "2"))
    assert new is not None
    assert new.words == "provisional: 12 of 30 groups; no rank until then"
    # An earlier version has a rank of its own.
    assert standing(rows, PlayerId("careful", "3")) is None


@pytest.mark.parametrize(
    ("waits_for", "words"),
    [
        ("time", "in less than a minute"),
        ("bots", "as soon as a new bot comes"),
        ("tournament", "after the current one"),
        (None, "never"),
    ],
)
def test_schedules_in_words(waits_for: str | None, words: str) -> None:
    assert next_words(schedule(waits_for, next_ms=NOW + 20_000), NOW) == words
    assert next_words(schedule(None, enabled=False), NOW) == "paused"


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "just now"),
        (20_000, "in less than a minute"),
        (-20_000, "just now"),
        (4 * MINUTE, "in 4 min"),
        (-59 * MINUTE, "59 min ago"),
        (60 * MINUTE, "in 1 h"),
        (-30 * 60 * MINUTE, "30 h ago"),
        (72 * 60 * MINUTE, "in 3 days"),
    ],
)
def test_relative_times(ms: int, words: str) -> None:
    assert relative(NOW + ms, NOW) == words


def game(names: str, team: list[int], places: list[int], scores: list[int], **more: Any) -> dict[str, Any]:
    """A game of a bot on seat 0."""
    seats = [{"seat": seat, "name": name} for seat, name in enumerate(names.split())]
    outcome = {"places": places, "scores": scores, "forfeits": more.pop("forfeits", [])}
    result = "lost" if places[0] > 1 else "won" if max(places) > 1 else "drawn"
    sides = len(names.split()) // len(team)
    found = {"seats": seats, "seat": 0, "team": team, "sides": sides, "outcome": outcome, "result": result}
    return {**found, "state": "finished", **more}


def test_results_in_words() -> None:
    truco = game("me you me you", [0, 2], [1, 2, 1, 2], [12, 7, 12, 7])
    assert result_words(truco) == "won 12–7"
    assert [one["name"] for one in opponents(truco)] == ["you"]
    assert partners(truco) == []
    mixed = game("me a mate b", [0, 2], [2, 1, 2, 1], [3, 12, 3, 12])
    assert result_words(mixed) == "lost 3–12"
    assert [one["name"] for one in partners(mixed)] == ["mate"]
    assert [one["name"] for one in opponents(mixed)] == ["a", "b"]
    # Who has lost all lives has fewer points than none.
    assert result_words(game("me you", [0], [1, 2], [7, -1])) == "won"
    assert result_words(game("me a b c", [0], [3, 1, 2, 4], [-1, 5, -2, -3])) == "3rd of 4"
    assert result_words(game("me you", [0], [2, 1], [5, 3], forfeits=[0])) == "lost by forfeit"
    assert result_words(game("me you", [0], [1, 1], [12, 12])) == "drawn 12–12"
    assert result_words({**truco, "outcome": None, "state": "void"}) == "void"


def test_ordinals() -> None:
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st"]
    )
