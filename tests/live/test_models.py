"""The division of language models: who enters, which board counts, and what it counts besides the ratings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from arena.bots.transports import SANDBOX
from arena.errors import ArenaError
from arena.games import GAMES
from arena.play.board_names import BoardName
from arena.ratings.board import Board, board, boards, boards_csv
from arena.ratings.ledger import Ledger, LedgerParts
from arena.ratings.results import GroupResult, collect
from arena.tournaments.entry import Entrant, check_entry
from tests.live.arenas import Arena
from tests.live.test_resting import online
from tests.tournaments.made_up import spec
from workers.initial_data import add_initial_data

Answer = Callable[[Mapping[str, Any]], str]
HOUSE = ["rookie"]


def first(turn: Mapping[str, Any]) -> str:
    """The first legal action."""
    return str(turn["legal_actions"][0])


class Clumsy:
    """Gives an illegal answer to its first turn."""

    def __init__(self) -> None:
        self.answers = 0

    def __call__(self, turn: Mapping[str, Any]) -> str:
        self.answers += 1
        return "play:XX" if self.answers == 1 else first(turn)


def model(arena: Arena, name: str, owner: str = "ana", of: str = "Some Model 3") -> Any:
    """A bot that says it is a language model, which has qualified; its owner."""
    who = arena.bot(owner, name)
    if of:
        arena.accounts.change_bot(name, model=of, game_cost=0.02)
    for kind in GAMES:
        row = ["qualified", f"q-{name}", 1, 0, "", None, ""]
        arena.store.qualifications.add(f"{kind}/{name}/1", row)
    return who


def played(arena: Arena, bots: Mapping[str, Answer]) -> dict[str, Any]:
    """A tournament of the division with these bots and a house bot, which is over; its board."""
    arena.cup_in_entry(kind="toepen", groups=1, house=HOUSE, division="models")
    for name in bots:
        arena.tournaments.enter("cup", name)
    arena.skip_entry()
    assert arena.run("cup", bots)["state"] == "finished"
    assert arena.boards.publish("toepen", "models")
    return dict(arena.boards.read("toepen", "models") or {})


def test_a_bot_is_stored_with_its_settings_in_one_step(arena: Arena) -> None:
    arena.accounts.sign_up("ana")
    made, _ = arena.accounts.register_bot(
        "ana", "reader", description="It reads.", tournaments=False, model="Some Model 3", game_cost=0.02
    )
    assert (made.description, made.takes_part, made.model, made.game_cost) == (
        "It reads.",
        False,
        "Some Model 3",
        0.02,
    )
    assert arena.accounts.bot("reader") == made


def test_only_bots_that_say_so_enter(arena: Arena) -> None:
    arena.cup_in_entry(kind="toepen", house=HOUSE, division="models")
    model(arena, "able")
    model(arena, "plain", "bia", of="")
    assert arena.tournaments.enter("cup", "able")["status"] == "qualified"
    with pytest.raises(ArenaError, match="has not declared it to be a language model") as error:
        arena.tournaments.enter("cup", "plain")
    assert error.value.code == "wrong_division"
    uploaded = Entrant("uploaded", "1", "bia", SANDBOX, model=True)
    with pytest.raises(ArenaError, match="uploaded bots"):
        check_entry(spec("swiss", division="models"), (), uploaded)
    arena.accounts.change_bot("able", model="")
    assert not arena.accounts.bot("able").model
    # What it said when it entered stands.
    assert [entry["bot"] for entry in arena.tournaments.view("cup")["entries"]] == ["rookie", "able"]


def test_the_board_counts_illegal_answers_and_everybody_computes_the_same_one(arena: Arena) -> None:
    model(arena, "able")
    model(arena, "clumsy", "bia")
    published = played(arena, {"able": first, "clumsy": Clumsy()})
    rows = {row["name"]: row for row in published["rows"]}
    assert {name: (row["illegal"], row["late"]) for name, row in rows.items()} == {
        "able": (0, 0),
        "clumsy": (1, 0),
        "rookie": (0, 0),
    }
    assert rows["rookie"]["rating"] == 1500.0
    assert [one["illegal"] for one in rows["clumsy"]["versions"]] == [1]
    for division in ("open", "sealed"):
        assert not arena.boards.publish("toepen", division)
    records = [json.loads(line) for _, line in arena.live.iter_records()]
    assert all(record["info"]["models"] for record in records)
    assert all("models" not in json.dumps(record["canonical"]) for record in records)
    groups = collect(records)
    supplement = arena.boards.supplement("toepen", "models")
    computed = board(groups, "toepen", "models", supplement=supplement)
    assert computed.division == "models"
    del published["published_ms"]
    assert json.loads(json.dumps(computed.as_json())) == published
    again = Board.from_json(published)
    assert again == computed
    assert again.as_text() == computed.as_text()
    header, *lines = boards_csv([computed]).splitlines()
    assert header.endswith(",illegal,late")
    assert {line.rsplit(",", 2)[1] for line in lines if ",clumsy," in line} == {"1"}
    # Each way in which groups and ledgers are stored.
    stored = [GroupResult.from_json(json.loads(json.dumps(group.as_json()))) for group in groups]
    assert [group.board for group in stored] == [BoardName.of("toepen", "models", "duel@1")] * len(groups)
    assert board(stored, "toepen", "models", supplement=supplement) == computed
    ledger = Ledger("toepen", "models", "duel@1")
    for group in stored:
        ledger.add(group)
    parts = ledger.changed()
    read = Ledger.from_parts(LedgerParts(parts.head, parts.parts))
    assert read.totals == ledger.totals
    # Without what is not hashed the same games are of the open division, whose board has no such columns.
    for record in records:
        del record["info"]["models"]
    (plain,) = boards(collect(records))
    assert plain.division == "open"
    assert "illegal" not in plain.as_json()["rows"][0]
    assert plain.as_text().count("illegal") == 0
    assert replace(computed, division="open").as_json()["records_hash"] == plain.records_hash


def test_groups_of_house_bots_are_sealed(arena: Arena) -> None:
    arena.cup(kind="toepen", house=["rookie", "random"], groups=1, division="models")
    assert arena.run()["state"] == "finished"
    assert arena.boards.publish("toepen", "sealed")
    assert not arena.boards.publish("toepen", "models")


def test_results_of_other_divisions_are_stored_without_mistakes(arena: Arena) -> None:
    arena.cup(kind="toepen", house=["rookie", "random"], groups=1)
    arena.run()
    (group,) = collect(json.loads(line) for _, line in arena.live.iter_records())
    stored = group.as_json()
    assert len(stored) == 9
    assert [tuple(game[11]) for game in stored[7]] == [(), ()]
    assert GroupResult.from_json(stored).division == "sealed"


def test_a_new_service_has_schedules_for_them_that_wait_for_one(arena: Arena) -> None:
    add_initial_data(arena.store.flags, arena.schedules)
    found = arena.schedules.view("models-toepen")
    assert found["tournament"]["division"] == "models"
    assert found["tournament"]["clock"] == {"preset": "patient"}
    model(arena, "plain", "bia", of="")
    online(arena, "plain")
    arena.store.schedules.change("models-toepen", lambda row: {**row, "next_ms": 1})
    assert not any(event.startswith("models-") for event in arena.schedules.fire())
    model(arena, "able")
    online(arena, "able", "plain")
    arena.store.schedules.change("models-toepen", lambda row: {**row, "next_ms": 1})
    (event,) = [event for event in arena.schedules.fire() if event.startswith("models-toepen-")]
    view = arena.tournaments.view(event)
    assert view["clock"] == {"per_turn_ms": 120_000, "bank_ms": 1_200_000}
    assert view["rated"]
    arena.skip_entry()
    online(arena, "able", "plain")
    arena.lock(event)
    playing = {entry["bot"] for entry in arena.tournaments.view(event)["entries"]}
    assert "able" in playing
    assert "plain" not in playing
