"""Supplements of boards: their form, their hash, and files that are none."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.play.board_names import BoardName
from arena.ratings.supplement import InvalidSupplement, Supplement

BOARD = BoardName("toepen", "sealed", "duel@1")


def digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def test_a_supplement_comes_out_again() -> None:
    supplement = Supplement.of(["olga-bot", "pia-bot"])
    data = supplement.as_json(BOARD)
    assert data["withdrawn"] == sorted([digest("olga-bot"), digest("pia-bot")])
    assert Supplement.from_json(data) == (BOARD, supplement)
    assert supplement.is_withdrawn("pia-bot")
    assert not supplement.is_withdrawn("pia")


def test_the_hash_is_what_the_page_says() -> None:
    names = ",".join(f'"{own}"' for own in sorted([digest("a"), digest("b")]))
    text = f'{{"format":1,"withdrawn":[{names}]}}'
    assert Supplement.of(["b", "a"]).hash == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"format": 2}, "format"),
        ({"format": True}, "format"),
        ({"kind": 1}, "kind"),
        ({"kind": "chess"}, None),
        ({"division": "shut"}, "division"),
        ({"preset": "duel@9"}, "preset"),
        ({"withdrawn": {}}, "withdrawn"),
        ({"withdrawn": ["a"]}, "withdrawn"),
        ({"withdrawn": [[]]}, "withdrawn"),
        ({"withdrawn": []}, "hash"),
        ({"hash": None}, "hash"),
    ],
)
def test_what_is_no_supplement(change: dict[str, Any], field: str | None) -> None:
    data = {**Supplement.of(["olga-bot"]).as_json(BOARD), **change}
    with pytest.raises(ArenaError) as caught:
        Supplement.from_json(data)
    assert caught.value.field == field or field is None


@pytest.mark.parametrize("data", [None, [], "text", 1])
def test_what_is_no_object(data: object) -> None:
    with pytest.raises(InvalidSupplement, match="a JSON object"):
        Supplement.from_json(data)
