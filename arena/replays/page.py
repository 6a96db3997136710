"""The replay page of a finished game: one self-contained HTML file that makes no network requests."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final

from arena.games import game_of
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE
from arena.games.options import Rules
from arena.records.record import Canonical, Record
from arena.records.tell import seat_names
from arena.replays.luck import luck_section, lucky_hand_texts, measured_luck, team_names
from arena.replays.moves import read_moves
from arena.replays.sheets import command, sheet_of, with_remarks
from arena.text import printable

KEYS: Final = "keys.js"
"""The keyboard script, which is shared with all pages of the service."""

SCRIPTS: Final = ("cards.js", "table.js", "deals.js", "replay.js")
"""The parts of the page script in order, without the keyboard script. They share one scope."""

STYLES: Final = ("theme.css", "table.css", "replay.css")
"""The parts of the style sheet, in order."""

_NUMBERS: Final = ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")
_MOST_NAMED: Final = 3
"""The largest number of sides whose names appear in the title."""
_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)\}\}")


def replay_page(record: Record, *, problems: Sequence[str] = (), source: str = "game.json") -> str:
    """Return the HTML of the replay page of ``record``, whose actions must be legal, with all moves.

    ``problems`` lists the errors found in the record, which the page shows. ``source`` is the name of the
    record's file, used in the command that verifies it. The page contains nothing from the unhashed part of
    the record.

    Raises the same errors as :func:`~arena.replays.moves.read_moves`.
    """
    parts = page_parts(record, problems=problems, source=source)
    script = page_script()
    style = page_style()
    return _filled(
        static("replay.html"),
        {
            "title": escape(parts.title),
            "policy": escape(content_policy(script, style)),
            "style": style,
            "script": script,
            "sprite": static("sprite.html"),
            "game": parts.html,
        },
    )


@dataclass(frozen=True)
class PageParts:
    """The parts of a page that shows a game: the title as text, and the game as HTML, including the data that
    the script uses.
    """

    title: str
    html: str


def page_parts(record: Record, *, problems: Sequence[str] = (), source: str = "game.json") -> PageParts:
    """Return the parts for a page that already includes the sprite, the style sheet and the script, with all
    moves of the game; see :func:`replay_page`.
    """
    frame = frame_of(record, problems=problems, source=source)
    luck = Luck(record)
    sheet = sheet_of(read_moves(record), record["canonical"], source, luck.texts)
    html = with_remarks(sheet.html, {})
    return PageParts(
        frame.title, game_html(frame, html, embedded_json(sheet.data), luck.section(sheet.first_moves))
    )


@dataclass(frozen=True)
class Frame:
    """What surrounds the moves of a game: the title, the facts (such as who won) and the names as texts, and
    the values of the template as HTML. It is made without playing the game again.
    """

    title: str
    facts: str
    names: list[str]
    values: dict[str, str]


def frame_of(record: Record, *, problems: Sequence[str] = (), source: str = "game.json") -> Frame:
    """Return the frame of a record; see :func:`replay_page`."""
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    rules = game.options.complete(canonical["rules"])
    players = [player["name"] for player in canonical["players"]]
    title, names, facts = game_title(game, rules, players), seat_names(players), _facts(game, canonical)
    values = {
        "title": escape(title),
        "game": escape(printable(canonical["game"])),
        "facts": escape(facts),
        "warning": _warning(problems),
        "players": "".join(_players(names, canonical)),
        "hash": escape(record["hash"]),
        "commitment": escape(canonical["commitment"]),
        "seed": escape(canonical["seed"]),
        "rules": escape(_rules(canonical)),
        "command": escape(command(source)),
    }
    return Frame(title, facts, names, values)


def game_html(frame: Frame, moves: str, data: str, luck: str, sheets: str = "") -> str:
    """Return the game as HTML: a frame with the moves of a sheet, the data for the script as embedded JSON,
    the section about luck and the links to other sheets.
    """
    return _filled(
        static("game.html"), {**frame.values, "hands": moves, "data": data, "luck": luck, "sheets": sheets}
    )


class Luck:
    """The luck in a record whose actions are legal: texts about the lucky hands, by the number of the hand,
    and a section of the page. Both are empty if luck is not measured for the rules.
    """

    def __init__(self, record: Record) -> None:
        canonical = record["canonical"]
        game = game_of(canonical["kind"])
        self._luck = measured_luck(record)
        self._teams = team_names(canonical, game.teams(game.options.complete(canonical["rules"])))
        self.texts = lucky_hand_texts(self._luck, self._teams)

    def section(self, first_moves: Mapping[int, int]) -> str:
        """Return the section as HTML; ``first_moves`` maps each hand to its first move."""
        return "" if self._luck is None else luck_section(self._luck, self._teams, first_moves)


@cache
def static(name: str) -> str:
    """Return the text of a static file of the page."""
    return files("arena.replays").joinpath("static", name).read_text(encoding="utf-8")


def page_script() -> str:
    """Return the script of the page, without its data."""
    return "\n".join(static(name).strip() for name in (*SCRIPTS, KEYS))


def page_style() -> str:
    """Return the style sheet of the page."""
    return "\n".join(static(name).strip() for name in STYLES)


def content_policy(script: str, style: str) -> str:
    """Return a Content-Security-Policy that allows only this script and style, and no network requests."""
    sources = (f"script-src '{_digest(script)}'", f"style-src '{_digest(style)}'", "img-src data:")
    return "; ".join(("default-src 'none'", *sources, "base-uri 'none'", "form-action 'none'"))


def embedded_json(value: object) -> str:
    """Return ``value`` as JSON that cannot end the script element that contains it."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def game_title(game: Game, rules: Rules, players: Sequence[str]) -> str:
    """Return the player names by side, or only the number of sides for a larger table."""
    teams = game.teams(rules)
    if len(teams) > len(_NUMBERS):
        return f"{len(teams)} at the table"
    if len(teams) > _MOST_NAMED:
        return f"{_NUMBERS[len(teams) - 1]} at the table"
    names = [printable(player) for player in players]
    return " – ".join(" and ".join(dict.fromkeys(names[seat] for seat in team)) for team in teams)


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its ``{{names}}`` replaced in a single pass, so that inserted text is never
    treated as part of the template.
    """
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template)


# The part of the page that works without JavaScript


def _facts(game: Game, canonical: Canonical) -> str:
    group = canonical["group"]
    facts = [game.title]
    if group is not None:
        deals = " with these deals" if group["mirrored"] else ""
        facts.append(f"game {group['index'] + 1} of {group['size']}{deals}")
    hands = sum(seat == CHANCE and action.startswith("deal:") for seat, action, *_ in canonical["actions"])
    facts.append(f"{hands} hand" if hands == 1 else f"{hands} hands")
    places = canonical["outcome"]["places"]
    names = seat_names(player["name"] for player in canonical["players"])
    first = [name for name, place in zip(names, places, strict=True) if place == 1]
    facts.append(f"won by {' and '.join(first)}" if len(first) < len(places) else "a draw")
    return " · ".join(facts)


def _rules(canonical: Canonical) -> str:
    return ", ".join(f"{name}={json.dumps(value)}" for name, value in canonical["rules"].items())


def _warning(problems: Sequence[str]) -> str:
    if not problems:
        return ""
    items = "".join(f"<li>{escape(problem)}</li>" for problem in problems)
    return (
        '<section class="warning" aria-labelledby="warning"><h2 id="warning">This record does not verify</h2>'
        f"<p>The game is shown as the record tells it. It proves nothing:</p><ul>{items}</ul></section>"
    )


def _players(names: Sequence[str], canonical: Canonical) -> Iterator[str]:
    outcome = canonical["outcome"]
    for seat, name in enumerate(names):
        forfeited = " (forfeited)" if seat in outcome["forfeits"] else ""
        cells = (
            printable(canonical["players"][seat]["version"]),
            f"{outcome['places'][seat]}{forfeited}",
            str(outcome["scores"][seat]),
            canonical["nonces"][seat] or "–",
        )
        row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        yield f'<tr><td>{seat}</td><th scope="row">{escape(name)}</th>{row}</tr>\n'
