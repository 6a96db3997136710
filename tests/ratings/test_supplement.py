"""Supplements of boards: their form, their hash, and files that are none."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.play.board_names import BoardName
from arena.ratings.supplement import BotFacts, InvalidSupplement, Party, Supplement

BOARD = BoardName("toepen", "sealed", "duel@1")


def digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


OLGA = Party(True, {digest("olga-bot"): BotFacts(), digest("olga-two"): BotFacts(True, False, 7)})
BOT = {"digest": digest("olga-bot"), **BotFacts()._asdict()}
PIA = Party(False, {digest("pia-bot"): BotFacts(ranked=False)})


def test_a_supplement_comes_out_again() -> None:
    supplement = Supplement((OLGA, PIA))
    data = supplement.as_json(BOARD)
    board, again = Supplement.from_json(data)
    assert board == BOARD
    assert again.as_json(BOARD) == data
    assert again.facts_of("olga-two") == BotFacts(withdrawn=True, ranked=False, since_ms=7)
    assert again.facts_of("nobody") == BotFacts()
    assert again.party_of("olga-bot") == again.party_of("olga-two") != again.party_of("pia-bot")
    assert again.party_of("nobody") is None
    assert (again.proven, again.is_applied) == (1, False)


def test_the_order_of_parties_and_bots_changes_nothing() -> None:
    turned = Party(True, dict(reversed(OLGA.bots.items())))
    assert Supplement((PIA, turned)).hash == Supplement((OLGA, PIA)).hash


def test_the_hash_is_what_the_page_says() -> None:
    text = (
        f'{{"format":2,"parties":[{{"bots":[{{"digest":"{digest("pia-bot")}","ranked":false,"since_ms":0,'
        '"withdrawn":false}],"proven":false}]}'
    )
    assert Supplement((PIA,)).hash == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"format": 1}, "format"),
        ({"format": True}, "format"),
        ({"kind": 1}, "kind"),
        ({"kind": "chess"}, None),
        ({"division": "shut"}, "division"),
        ({"preset": "duel@9"}, "preset"),
        ({"parties": {}}, "parties"),
        ({"parties": ["a"]}, "parties"),
        ({"parties": [{"proven": 1, "bots": []}]}, "parties"),
        ({"parties": [{"proven": True, "bots": {}}]}, "parties"),
        ({"parties": [{"proven": True, "bots": [{"digest": "a"}]}]}, "parties.bots.digest"),
        ({"parties": [{"proven": True, "bots": [{**BOT, "since_ms": -1}]}]}, "parties.bots.since_ms"),
        ({"parties": [{"proven": True, "bots": [{**BOT, "ranked": None}]}]}, "parties.bots"),
        ({"parties": [{"proven": True, "bots": [BOT]}, {"proven": True, "bots": [BOT]}]}, "parties"),
        ({"parties": []}, "hash"),
        ({"hash": None}, "hash"),
    ],
)
def test_what_is_no_supplement(change: dict[str, Any], field: str | None) -> None:
    data = {**Supplement((OLGA,)).as_json(BOARD), **change}
    with pytest.raises(ArenaError) as caught:
        Supplement.from_json(data)
    assert caught.value.field == field or field is None


@pytest.mark.parametrize("data", [None, [], "text", 1])
def test_what_is_no_object(data: object) -> None:
    with pytest.raises(InvalidSupplement, match="a JSON object"):
        Supplement.from_json(data)
