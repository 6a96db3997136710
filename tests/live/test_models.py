"""The division of language models: who enters, which board counts, and what it counts besides the ratings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from arena.bots.transports import SANDBOX
from arena.errors import ArenaError
from arena.games import GAMES
from arena.play.board_names import BoardName
from arena.ratings.board import Board, boards, boards_csv
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


@pytest.fixture
def hall(url: str) -> Iterator[Arena]:
    opened = Arena(url)
    yield opened
    opened.live.close()


def model(hall: Arena, name: str, owner: str = "ana", of: str = "Some Model 3") -> Any:
    """A bot that says it is a language model, which has qualified; its owner."""
    who = hall.bot(owner, name)
    if of:
        hall.accounts.change_bot(name, model=of, game_cost=0.02)
    for kind in GAMES:
        row = ["qualified", f"q-{name}", 1, 0, "", None, ""]
        hall.store.qualifications.add(f"{kind}/{name}/1", row)
    return who


def played(hall: Arena, bots: Mapping[str, Answer]) -> dict[str, Any]:
    """A tournament of the division with these bots and a house bot, which is over; its board."""
    hall.cup_in_entry(kind="toepen", groups=1, house=HOUSE, division="models")
    for name in bots:
        hall.tournaments.enter("cup", name)
    hall.skip_entry()
    assert hall.run("cup", bots)["state"] == "finished"
    assert hall.boards.publish("toepen", "models")
    return dict(hall.boards.read("toepen", "models") or {})


def test_a_bot_is_stored_with_its_settings_in_one_step(hall: Arena) -> None:
    hall.accounts.sign_up("ana")
    made, _ = hall.accounts.register_bot(
        "ana", "reader", description="It reads.", tournaments=False, model="Some Model 3", game_cost=0.02
    )
    assert (made.description, made.takes_part, made.model, made.game_cost) == (
        "It reads.",
        False,
        "Some Model 3",
        0.02,
    )
    assert hall.accounts.bot("reader") == made


def test_only_bots_that_say_so_enter(hall: Arena) -> None:
    hall.cup_in_entry(kind="toepen", house=HOUSE, division="models")
    model(hall, "able")
    model(hall, "plain", "bia", of="")
    assert hall.tournaments.enter("cup", "able")["status"] == "qualified"
    with pytest.raises(ArenaError, match="has not declared it to be a language model") as error:
        hall.tournaments.enter("cup", "plain")
    assert error.value.code == "wrong_division"
    uploaded = Entrant("uploaded", "1", "bia", SANDBOX, model=True)
    with pytest.raises(ArenaError, match="uploaded bots"):
        check_entry(spec("swiss", division="models"), (), uploaded)
    hall.accounts.change_bot("able", model="")
    assert not hall.accounts.bot("able").model
    # What it said when it entered stands.
    assert [entry["bot"] for entry in hall.tournaments.view("cup")["entries"]] == ["rookie", "able"]


def test_the_board_counts_illegal_answers_and_everybody_computes_the_same_one(hall: Arena) -> None:
    model(hall, "able")
    model(hall, "clumsy", "bia")
    published = played(hall, {"able": first, "clumsy": Clumsy()})
    rows = {row["name"]: row for row in published["rows"]}
    assert {name: (row["illegal"], row["late"]) for name, row in rows.items()} == {
        "able": (0, 0),
        "clumsy": (1, 0),
        "rookie": (0, 0),
    }
    assert rows["rookie"]["rating"] == 1500.0
    assert [one["illegal"] for one in rows["clumsy"]["versions"]] == [1]
    for division in ("open", "sealed"):
        assert not hall.boards.publish("toepen", division)
    records = [json.loads(line) for _, line in hall.live.iter_records()]
    assert all(record["info"]["models"] for record in records)
    assert all("models" not in json.dumps(record["canonical"]) for record in records)
    groups = collect(records)
    (computed,) = boards(groups)
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
    assert boards(stored) == [computed]
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


def test_groups_of_house_bots_are_sealed(hall: Arena) -> None:
    hall.cup(kind="toepen", house=["rookie", "random"], groups=1, division="models")
    assert hall.run()["state"] == "finished"
    assert hall.boards.publish("toepen", "sealed")
    assert not hall.boards.publish("toepen", "models")


def test_results_of_other_divisions_are_stored_without_mistakes(hall: Arena) -> None:
    hall.cup(kind="toepen", house=["rookie", "random"], groups=1)
    hall.run()
    (group,) = collect(json.loads(line) for _, line in hall.live.iter_records())
    stored = group.as_json()
    assert len(stored) == 9
    assert all(len(game) == 11 for game in stored[7])
    assert GroupResult.from_json(stored).division == "sealed"


def test_a_new_service_has_schedules_for_them_that_wait_for_one(hall: Arena) -> None:
    add_initial_data(hall.store.flags, hall.schedules)
    found = hall.schedules.view("models-toepen")
    assert found["tournament"]["division"] == "models"
    assert found["tournament"]["clock"] == {"preset": "patient"}
    model(hall, "plain", "bia", of="")
    online(hall, "plain")
    hall.store.schedules.change("models-toepen", lambda row: {**row, "next_ms": 1})
    assert not any(event.startswith("models-") for event in hall.schedules.fire())
    model(hall, "able")
    online(hall, "able", "plain")
    hall.store.schedules.change("models-toepen", lambda row: {**row, "next_ms": 1})
    (event,) = [event for event in hall.schedules.fire() if event.startswith("models-toepen-")]
    view = hall.tournaments.view(event)
    assert view["clock"] == {"per_turn_ms": 120_000, "bank_ms": 1_200_000}
    assert view["rated"]
    hall.skip_entry()
    online(hall, "able", "plain")
    hall.lock(event)
    playing = {entry["bot"] for entry in hall.tournaments.view(event)["entries"]}
    assert "able" in playing
    assert "plain" not in playing
