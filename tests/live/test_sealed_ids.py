"""A bot that the arena runs cannot tell where it plays: tournament, group, attempt, opponents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from arena.play import groups
from arena.records.decisions import decisions, decisions_until
from arena.records.verify import verify
from tests.live.arenas import Arena

SPY = """
def choose(turn):
    print(turn["turn"])
    return turn["legal_actions"][0]
"""


@pytest.fixture
def arena(single_url: str) -> Iterator[Arena]:
    opened = Arena(single_url)
    yield opened
    opened.live.close()


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_nothing_that_a_bot_is_given_tells_where_it_plays(
    kind: str, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []
    seat_bot = groups.seat_bot

    def spied(spec: Any, seed: int, *rest: Any) -> Any:
        bot = seat_bot(spec, seed, *rest)
        given.append(str(seed))
        choose = bot.choose

        def noting(turn: Any) -> Any:
            given.append(json.dumps(turn))
            return choose(turn)

        monkeypatch.setattr(bot, "choose", noting)
        return bot

    monkeypatch.setattr(groups, "seat_bot", spied)
    arena.cup(kind, name="secret-cup", groups=3, house=["random", "rookie", "regular"])
    assert arena.run("secret-cup")["state"] == "finished"
    records = [json.loads(line) for line in arena.tournaments.records("secret-cup")]
    everything = "\n".join(given)
    secrets = {"secret-cup", "olga", "random", "rookie", "regular", "-g1", "r1-", "-p1"}
    for record in records:
        assert verify(record) == []
        canonical = record["canonical"]
        secrets |= {canonical["game"], canonical["group"]["id"], canonical["seed"], canonical["commitment"]}
    assert [secret for secret in secrets if secret in everything] == []
    games = {json.loads(turn)["game"] for turn in given if turn.startswith("{")}
    # Not even which games have the same deals.
    assert len(games) == len(records) == 18
    assert all(len(game) == 18 for game in games)
    # Whoever has the records knows all turns.
    assert {one.turn["game"] for record in records for one in decisions(record)} == games


def test_the_owner_sees_the_ids_of_the_records(arena: Arena) -> None:
    arena.upload("spy", SPY)
    name = arena.tournaments.qualify("toepen", "spy", "1")["tournament"]
    arena.run(name)
    records = [json.loads(line) for line in arena.tournaments.records(name)]
    assert len(records) == 2
    for record in records:
        game = record["canonical"]["game"]
        (journal,) = arena.tournaments.journals.find("spy", game) or ()
        assert name not in journal["output"]
        shown = journal["output"].splitlines()
        assert len(shown) == len(journal["decisions"]) > 0
        for seen, decision in zip(shown, journal["decisions"], strict=True):
            assert decision["turn"].startswith(f"{game}.")
            assert decision["turn"].partition(".")[2] == seen.partition(".")[2]
            found = decisions_until(record, decision["turn"])[-1]
            assert (found.id, found.turn["turn"]) == (decision["turn"], seen)
