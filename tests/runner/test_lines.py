"""The protocol of JSON lines: what is written, what is read, and what is wrong with a line."""

from __future__ import annotations

import json
import random
from typing import Any, cast

import pytest

from arena.bots import BotFailure, InvalidBot, Turn
from arena.games import GAMES
from arena.games.random_player import RandomPlayer
from arena.play.lines import LINE_BYTES, Opening, first_line, read_answer, read_opening, too_long, turn_line
from arena.play.table import Table

TURN = cast(Turn, {"turn": "g.0.1", "optional": False, "legal_actions": ["play:4C"]})
OPTIONAL = cast(Turn, {**TURN, "optional": True})


def test_the_first_line_has_the_protocol_and_the_whole_seed() -> None:
    line = first_line(2**255 + 7)
    assert line.endswith(b"\n")
    assert json.loads(line) == {"protocol": 1, "seed": "8" + "0" * 62 + "7"}
    assert len(json.loads(first_line(0))["seed"]) == 64


@pytest.mark.parametrize("kind", GAMES)
def test_every_turn_of_a_game_is_one_short_line_of_ascii(kind: str) -> None:
    longest = 0
    player = RandomPlayer(random.Random(1))
    table = Table("game", kind, {}, bytes(32))
    table.start()
    while not table.is_over():
        seat = table.awaited()[0]
        turn = table.turn(seat)
        assert turn is not None
        line = turn_line(turn)
        assert line.isascii()
        assert line.count(b"\n") == 1
        assert json.loads(line) == turn
        longest = max(longest, len(line))
        table.submit(seat, table.turn_number(seat), player.choose(turn))
    assert 1000 < longest < LINE_BYTES / 2


@pytest.mark.parametrize(
    ("answer", "opening"),
    [
        ({}, Opening()),
        ({"games": ["truco"], "rights": True, "seats": "all"}, Opening(("truco",), True, True)),
        ({"games": [], "rights": False, "seats": "one"}, Opening()),
    ],
)
def test_the_answer_to_the_first_line(answer: dict[str, Any], opening: Opening) -> None:
    assert read_opening(json.dumps(answer).encode(), "cmd:./bot") == opening


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "cmd:./bot: the answer to the first line is : the line is empty"),
        ("hi\x1b", r"cmd:./bot: the answer to the first line is hi\x1b: the line is not JSON: "),
        ("[]", "the line is not a JSON object"),
        ('{"right": true}', "unknown field right; expected games, rights, seats or error"),
        ('{"error": "bot.js:2: lost\\nmore"}', "bot.js:2: lost"),
        ('{"rights": 1}', "rights must be true or false"),
        ('{"seats": 4}', 'seats must be "one" or "all"'),
        ('{"games": ["poker"]}', "cmd:./bot: games names the unknown game 'poker'"),
        ('{"games": "truco"}', "cmd:./bot: games must be a tuple of names, not 'truco'"),
    ],
)
def test_a_wrong_answer_to_the_first_line_is_no_bot(line: str, message: str) -> None:
    with pytest.raises(InvalidBot) as raised:
        read_opening(line.encode(), "cmd:./bot")
    assert message in raised.value.message


@pytest.mark.parametrize(
    ("line", "turn", "action"),
    [
        ('{"turn": "g.0.1", "action": "play:4C"}', TURN, "play:4C"),
        ('{"turn": "g.0.1", "action": "not legal", "note": "why not"}\r', TURN, "not legal"),
        ('{"turn": "g.0.1", "action": null}', OPTIONAL, None),
    ],
)
def test_an_answer_is_an_action(line: str, turn: Turn, action: str | None) -> None:
    assert read_answer(line.encode(), turn) == action


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (b"", "the line is empty"),
        (b" \r", "the line is empty"),
        (b"play:4C", "the line is not JSON: Expecting value at character 1"),
        (b"\xff\xfe", "the line is not JSON"),
        (b"[" * 50_000, "the line is not JSON"),
        (b'"play:4C"', "the line is not a JSON object"),
        (b'{"action": "play:4C"}', "the answer has no field turn"),
        (b'{"turn": "g.0.1"}', "the answer has no field action"),
        (b'{"turn": "g.0.0", "action": "play:4C"}', "the answer is not to this turn"),
        (b'{"turn": "g.0.1", "action": 4}', "the action of the answer must be a text, or null to pass an"),
        (b'{"turn": "g.0.1", "action": null}', "the action of the answer must be a text, or null to pass an"),
    ],
)
def test_a_wrong_answer_is_malformed_and_its_line_is_shown(line: bytes, detail: str) -> None:
    with pytest.raises(BotFailure) as raised:
        read_answer(line, TURN)
    assert raised.value.type == "malformed"
    assert str(raised.value).startswith(detail)
    assert raised.value.report.startswith("the line: ")
    assert len(raised.value.report) < 250


def test_an_answer_can_state_an_error() -> None:
    line = json.dumps({"turn": TURN["turn"], "error": "TypeError: lost (bot.js:2)\n    at choose\n    at x"})
    with pytest.raises(BotFailure) as raised:
        read_answer(line.encode(), TURN)
    assert (raised.value.type, str(raised.value)) == ("crashed", "TypeError: lost (bot.js:2)")
    assert raised.value.report == "    at choose\n    at x"
    with pytest.raises(BotFailure, match="the answer is not to this turn"):
        read_answer(b'{"turn": "g.0.0", "error": "lost"}', TURN)


def test_the_beginning_of_a_line_that_is_too_long_is_shown() -> None:
    failure = too_long(b"x" * 100_000)
    assert (failure.type, str(failure)) == ("malformed", "a line of more than 65536 bytes")
    assert failure.report == "the line: " + "x" * 199 + "…"
