"""JSON lines: the protocol of programs that read turns from standard input and answer on standard output
(``docs/turns.md``). How lines reach a program is up to the caller.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from arena.bots import BotFailure, InvalidBot, Turn
from arena.bots.loader import checked_games
from arena.text import printable

PROTOCOL: Final = 1

LINE_BYTES: Final = 64 * 1024
"""The maximum length of a line in bytes, without its end."""

SEED_DIGITS: Final = 64

_SHOWN: Final = 200
"""The number of characters of a wrong line that are shown."""


class Opening(NamedTuple):
    """A program's answer to the first line. ``games`` are those that it plays; empty: all. ``rights``:
    whether it is also offered rights that are not turns. ``all_seats``: whether one process plays all seats
    of all games.
    """

    games: tuple[str, ...] = ()
    rights: bool = False
    all_seats: bool = False


def first_line(seed: int) -> bytes:
    """Return the first line for a program whose randomness follows from ``seed`` (256 bits)."""
    return _line({"protocol": PROTOCOL, "seed": f"{seed:0{SEED_DIGITS}x}"})


def turn_line(turn: Turn) -> bytes:
    """Return the line of a turn."""
    return _line(turn)


def read_opening(line: bytes, source: str) -> Opening:
    """Return the answer of the program ``source`` to the first line. Raises :class:`~arena.bots.InvalidBot`,
    which shows the line, or the error that it states.
    """
    try:
        opening = _object(line)
        if isinstance(opening.get("error"), str):
            raise InvalidBot(_error_in(opening)[0], field="bot")
        unknown = opening.keys() - {"games", "rights", "seats"}
        if unknown:
            known = "games, rights, seats or error"
            raise ValueError(f"unknown field {printable(min(unknown), 40)}; expected {known}")
        if not isinstance(opening.get("rights", False), bool):
            raise ValueError("rights must be true or false")
        if opening.get("seats", "one") not in ("one", "all"):
            raise ValueError('seats must be "one" or "all"')
    except ValueError as error:
        message = f"{source}: the answer to the first line is {_shown(line)}: {error}"
        raise InvalidBot(message, field="bot") from None
    games = checked_games(opening.get("games", []), source)
    return Opening(games, opening.get("rights", False), opening.get("seats") == "all")


def read_answer(line: bytes, turn: Turn) -> str | None:
    """Return the action in the line that answers ``turn``, or None if it passes an optional turn. Raises
    :class:`~arena.bots.BotFailure`, whose report shows the line, or the error that it states.
    """
    try:
        answer = _object(line)
        is_error = isinstance(answer.get("error"), str)
        for name in ("turn",) if is_error else ("turn", "action"):
            if name not in answer:
                raise ValueError(f"the answer has no field {name}")
        if answer["turn"] != turn["turn"]:
            raise ValueError("the answer is not to this turn")
        if is_error:
            raise BotFailure("crashed", *_error_in(answer))
        action = answer["action"]
        if not (isinstance(action, str) or (action is None and turn["optional"])):
            raise ValueError("the action of the answer must be a text, or null to pass an optional turn")
    except ValueError as error:
        raise BotFailure("malformed", str(error), f"the line: {_shown(line)}") from None
    return action


def too_long(start: bytes) -> BotFailure:
    """Return the failure of a program whose line is too long and begins with ``start``."""
    return BotFailure("malformed", f"a line of more than {LINE_BYTES} bytes", f"the line: {_shown(start)}")


def _line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _object(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line. Raises ValueError."""
    if not line.strip():
        raise ValueError("the line is empty")
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        # The message of a decoding error would repeat the whole line, and that of JSON names line 1.
        why = f"{error.msg} at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"the line is not JSON: {why}" if why else "the line is not JSON") from None
    if not isinstance(value, dict):
        raise ValueError("the line is not a JSON object")
    return value


def _error_in(answer: dict[str, Any]) -> tuple[str, str]:
    """Return the first line of the error that an answer states, and the rest."""
    what, _, rest = str(answer["error"]).partition("\n")
    return printable(what, _SHOWN), rest


def _shown(line: bytes) -> str:
    return printable(line[: 4 * _SHOWN].decode(errors="replace"), _SHOWN)
