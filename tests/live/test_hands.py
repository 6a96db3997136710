"""What the end of a game says about its hands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from arena.bots import bot_spec
from arena.games import game_of
from arena.people.ends import equities, swing_text
from arena.people.hands import YOU, recorded_hands, score_at, worth_at
from arena.people.side_by_side import side_by_side
from arena.records.record import Record, parse_record
from arena.replays.moves import new_picture
from arena.tournaments.local_run import Plan, play_group


@cache
def played(kind: str, preset: str) -> tuple[Record, ...]:
    """Games of two bots that raise often."""
    rules = game_of(kind).options.complete(game_of(kind).preset(preset).rules)
    plan = Plan(kind, rules, (bot_spec("random", kind), bot_spec("random", kind)), 6, "hands")
    return tuple(
        parse_record(line)
        for number, group in enumerate(plan.all_groups())
        for line in play_group(plan, number, group).records
    )


def swing_of(record: Record, seat: int) -> str:
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    state = game.new_state(game.options.complete(canonical["rules"]))
    events = [
        {**seen, "n": number}
        for number, event in enumerate(
            event for who, action, *_ in canonical["actions"] for event in state.apply(who, action)
        )
        if (seen := game.view_event(event, seat)) is not None
    ]
    view: dict[str, Any] = {
        "kind": canonical["kind"],
        "rules": game.options.complete(canonical["rules"]),
        "outcome": canonical["outcome"],
        "seats": [{"name": player["name"]} for player in canonical["players"]],
    }
    return swing_text(view, seat, events, equities(view, seat, canonical["actions"]))


def capped() -> Iterator[tuple[Record, int, int]]:
    """Games of Truco whose last hand was worth more than the points that were missing: with the seat that won
    and the worth.
    """
    for record in played("truco", "paulista-2@1"):
        before, last = recorded_hands(record, 0, YOU)[-2:]
        for seat in (0, 1):
            if last.gains[seat] > last.score[seat] - before.score[seat]:
                yield record, seat, last.gains[seat]


def test_the_last_hand_says_its_worth_and_that_it_decided() -> None:
    """A hand for three points wins three points, also if one was missing."""
    said = 0
    for record, seat, worth in capped():
        hands = len(recorded_hands(record, 0, YOU))
        for reader in (0, 1):
            swing = swing_of(record, reader)
            if swing.startswith(f"Hand {hands}:"):
                who = "you" if reader == seat else record["canonical"]["players"][seat]["name"]
                assert re.search(rf"{who}( \d)? won {worth} points and the game\. ", swing), swing
                said += 1
    assert said


@pytest.mark.parametrize(("kind", "preset"), [("truco", "paulista-2@1"), ("toepen", "duel@1")])
def test_scores_follow_from_what_hands_were_worth(kind: str, preset: str) -> None:
    game = game_of(kind)
    for record in played(kind, preset):
        canonical = record["canonical"]
        rules = game.options.complete(canonical["rules"])
        teams, form = game.teams(rules), new_picture(game, ["a", "b"], rules)
        for seat in (0, 1):
            hands = recorded_hands(record, seat, YOU)
            assert [hand.number for hand in hands] == list(range(1, len(hands) + 1))
            for before, after in pairwise(hands[:-1]):
                changes = [now - then for now, then in zip(after.score, before.score, strict=True)]
                assert after.gains == changes
                worth = changes[seat] - changes[1 - seat] if kind == "truco" else changes[seat]
                assert worth_at(form, teams, seat, after) == worth
            assert hands[-1].score[seat] == canonical["outcome"]["scores"][seat]
            shown = score_at(form, teams, seat, hands[-1])
            assert shown.startswith(str(canonical["outcome"]["scores"][seat]))


def test_a_player_who_is_out_plays_no_hand() -> None:
    """At a table of three, others play on; their hands are compared for nobody."""
    rules = game_of("toepen").options.complete({"seats": 3, "lives": 3})
    plan = Plan("toepen", rules, (bot_spec("random", "toepen"),) * 3, 4, "out")
    found = 0
    for number, group in enumerate(plan.all_groups()):
        for line in play_group(plan, number, group).records:
            record = parse_record(line)
            last = len(recorded_hands(record, 0, YOU))
            for seat in range(3):
                shown = side_by_side(record, record, seat, "Your friend")
                assert shown.verdict == "You and your friend did equally well"
                assert {hand.difference for hand in shown.hands} == {0}
                places = record["canonical"]["outcome"]["places"]
                assert places[seat] == 3 or len(shown.hands) == last
                found += len(shown.hands) < last
    assert found
