"""Turns as plain text, and parsing of text answers.

The text is built only from the JSON of the turn, so it conveys exactly what the seat receives there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Final

from arena.games import game_of
from arena.games.descriptor import Game
from arena.games.kernel import Turn
from arena.games.options import Rules

LEGAL: Final = ("list", "grammar", "none")
"""What a text says about the legal actions: a list of them, the forms of all actions of the game, or nothing.
"""

_MOST_READ: Final = 2000
"""The number of characters of an answer that are read."""
_TENTHS_BELOW: Final = 100
"""Times of at least this many tenths of a second are shown in whole seconds."""

_MOST_WORDS: Final = 3
"""The number of words in the longest action."""


def turn_text(turn: Turn, legal: str = "list") -> str:
    """Return the turn, given in the JSON format that a bot receives, as lines of text. ``legal`` is one of
    ``LEGAL``.
    """
    game = game_of(turn["kind"])
    parts = game.text(turn)
    kind = f"{turn['kind']} ({_rules(game, turn['rules'])})"
    lines = [f"turn {turn['turn']}: {kind}, you are seat {turn['seat']}", *parts.standing]
    if parts.news:
        lines += _news(parts.news)
    lines.append(f"Your hand: {parts.hand or 'none'}")
    lines.append(f"Decide{' (optional)' if turn['optional'] else ''}: {parts.asked}")
    lines += legal_lines(turn["legal_actions"], legal, game)
    deadline_ms, bank_ms = turn["deadline_ms"], turn["bank_ms"]
    if deadline_ms is not None and bank_ms is not None:
        left = f"{_seconds(deadline_ms)}, in the bank {_seconds(bank_ms)}"
        then = "" if turn["default_action"] is None else f", then {turn['default_action']}"
        lines.append(f"Time: {left}{then}")
    return "\n".join(lines) + "\n"


def end_lines(kind: str, rules: Rules, seat: int, events: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the lines about the last ``events`` of a game, as ``seat`` sees them."""
    game = game_of(kind)
    news = game.news(game.options.complete(rules), seat, events)
    return _news(news) if news else []


def _news(lines: Sequence[str]) -> list[str]:
    return ["News:", *(f"- {line}" for line in lines)]


def legal_lines(actions: Sequence[str], legal: str, game: Game) -> list[str]:
    """Return the lines about these legal actions. ``legal`` is one of ``LEGAL``."""
    if legal == "list":
        return ["Legal: " + ", ".join(_shortened(actions))]
    if legal == "grammar":
        forms = [form for form in game.actions if not form.by_chance]
        return ["Forms of actions:", *(f"- {form.example}: {form.meaning}" for form in forms)]
    return []


def read_action(game: Game, text: str) -> str | None:
    """Return the action named by a text answer, or None if it matches no form of action of the game.

    Case and word separators are ignored: ``play 4C``, ``[play 4C]`` and ``PLAY: 4c`` are all read as
    ``play:4C``. If the answer contains text in square brackets, only the last such part is read. The action
    is not necessarily legal.
    """
    read = text[:_MOST_READ]
    bracketed = re.findall(r"\[([^\[\]]*)\]", read)
    words = re.findall(r"[A-Za-z0-9]+", bracketed[-1] if bracketed else read)
    if not 0 < len(words) <= _MOST_WORDS:
        return None
    fits = _pattern(game.kind, tuple(form.pattern for form in game.actions if not form.by_chance)).fullmatch
    for marks in product(":_", repeat=len(words) - 1):
        for cased in product((str.lower, str.upper), repeat=len(words) - 1):
            action: str = words[0].lower()
            for mark, case, word in zip(marks, cased, words[1:], strict=True):
                action += mark + case(word)
            if fits(action):
                return action
    return None


@lru_cache(maxsize=64)
def _pattern(kind: str, patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def _rules(game: Game, rules: Rules) -> str:
    """Return the name of the preset with these rules, or the options that differ from the defaults."""
    preset = game.preset_of(rules)
    if preset is not None:
        return preset
    changed = game.options.changed(game.options.complete(rules))
    return ", ".join(f"{name}={str(value).lower()}" for name, value in changed.items()) or "default rules"


def _shortened(actions: Sequence[str]) -> list[str]:
    """Merge actions that differ only in a number, such as cuts, into one action with a range:
    ``cut:1..39:top``.
    """
    numbers: dict[str, list[str]] = {}
    for action in actions:
        found = _NUMBERED(action)
        form = f"{found[1]}{{}}{found[3]}" if found else action
        numbers.setdefault(form, []).append(found[2] if found else "")
    shown: list[str] = []
    for form, values in numbers.items():
        is_range = len(values) > 2 and [*map(int, values)] == [*range(int(values[0]), int(values[-1]) + 1)]
        shown += [form.format(f"{values[0]}..{values[-1]}")] if is_range else map(form.format, values)
    return shown


_NUMBERED: Final = re.compile(r"([a-z_]+:)([0-9]+)((?::[a-z]+)?)\Z").match


def _seconds(milliseconds: int) -> str:
    """Return a time in seconds, rounded down; short times have tenths of a second."""
    tenths = milliseconds // 100
    return f"{tenths // 10} s" if tenths >= _TENTHS_BELOW or tenths % 10 == 0 else f"{tenths / 10} s"
