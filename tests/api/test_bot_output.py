"""What an uploaded bot printed, decision by decision, as its owner sees it."""

from __future__ import annotations

from flask import Flask

from api.pages.bot_output import log_remarks, output_of

SEAT = {
    "seat": 1,
    "output": "loaded\nI hold 7♣\nand go\nKeyError\n",
    "decisions": [
        {"turn": "g.1.1", "ms": 1.0, "after": 4, "output_start": 7},
        {"turn": "g.1.2", "ms": 1.0, "after": 9, "output_start": 24},
        {
            "turn": "g.1.3",
            "ms": 1.0,
            "after": 9,
            "output_start": 24,
            "fault": "crashed",
            "detail": "KeyError: 'x'",
        },
    ],
}


def test_the_output_is_split_by_decisions() -> None:
    assert output_of(SEAT) == ("loaded\n", ["I hold 7♣\nand go\n", "", "KeyError\n"])


def test_the_output_of_older_logs_is_whole() -> None:
    older = {**SEAT, "decisions": [{"turn": "g.1.1", "ms": 1.0}]}
    assert output_of(older) == (SEAT["output"], [""])


def test_remarks_stand_at_the_actions(app: Flask) -> None:
    with app.app_context():
        remarks = log_remarks({"sete-belo": [SEAT]})
        assert log_remarks({"sete-belo": [{**SEAT, "decisions": [{"turn": "g.1.1", "ms": 1.0}]}]}) == {}
        long = {
            **SEAT,
            "output": "x" * 1000,
            "decisions": [{"turn": "", "ms": 1.0, "after": 2, "output_start": 0}],
        }
        assert len(log_remarks({"sete-belo": [long]})[2]) < 250
    assert remarks == {
        4: "sete-belo printed: I hold 7♣ and go",
        9: "sete-belo crashed: KeyError: 'x', printed: KeyError",
    }
