"""The replay page of a finished game: one self-contained HTML file that makes no network requests."""

from __future__ import annotations

import json
import re
import shlex
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final

from arena.games.cards import SUIT_NAMES, SUIT_SYMBOLS, spoken
from arena.games.descriptor import Game
from arena.games.options import Rules
from arena.games.pictures import Picture
from arena.records.record import Canonical, Record
from arena.replays.luck import luck_section, lucky_hand_texts, measured_luck, team_names
from arena.replays.moves import OPEN, Move, ReplayedGame, ToldLine, read_moves
from arena.text import printable

KEYS: Final = "keys.js"
"""The keyboard script, which is shared with all pages of the service."""

SCRIPTS: Final = ("cards.js", "table.js", "deals.js", "replay.js")
"""The parts of the page script in order, without the keyboard script. They share one scope."""

STYLES: Final = ("theme.css", "table.css", "replay.css")
"""The parts of the style sheet, in order."""

_SUIT_OF: Final = {symbol: suit for suit, symbol in SUIT_SYMBOLS.items()}
_CARDS: Final = re.compile(rf"(?:10|\w)[{''.join(_SUIT_OF)}](?: (?:10|\w)[{''.join(_SUIT_OF)}])*")
_CARD: Final = re.compile(rf"(10|\w)([{''.join(_SUIT_OF)}])")
_NUMBERS: Final = ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")
_MOST_NAMED: Final = 3
"""The largest number of sides whose names appear in the title."""
_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)\}\}")


def replay_page(record: Record, *, problems: Sequence[str] = (), source: str = "game.json") -> str:
    """Return the HTML of the replay page of ``record``, whose actions must be legal.

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


def page_parts(
    record: Record,
    *,
    problems: Sequence[str] = (),
    source: str = "game.json",
    remarks: Mapping[int, str] | None = None,
) -> PageParts:
    """Return the parts for a page that already includes the sprite, the style sheet and the script; see
    :func:`replay_page`. ``remarks`` maps indexes of actions in the record to remarks about them.
    """
    replayed = read_moves(record, remarks or {})
    canonical = record["canonical"]
    title = game_title(replayed.game, replayed.rules, [player["name"] for player in canonical["players"]])
    luck = measured_luck(record)
    teams = team_names(canonical, replayed.game.teams(replayed.rules))
    first_moves = {hand: first for hand, first, _ in _spans(replayed.moves)}
    html = _filled(
        static("game.html"),
        {
            "title": escape(title),
            "data": embedded_json(page_data(replayed, canonical, source)),
            "game": escape(printable(canonical["game"])),
            "facts": escape(_facts(replayed, canonical)),
            "warning": _warning(problems),
            "hands": "".join(_hands(replayed, lucky_hand_texts(luck, teams))),
            "luck": "" if luck is None else luck_section(luck, teams, first_moves),
            "players": "".join(_players(replayed, canonical)),
            "hash": escape(record["hash"]),
            "commitment": escape(canonical["commitment"]),
            "seed": escape(canonical["seed"]),
            "rules": escape(_rules(canonical)),
            "command": escape(_command(source)),
        },
    )
    return PageParts(title, html)


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


def page_data(replayed: ReplayedGame, canonical: Canonical, source: str) -> dict[str, object]:
    """Return the data for the page script::

        names, teams, unit, ccw, target, most   the layout of the table
        cards    {card: its display name}
        open     one object per move: the changes to the picture since the previous move
        seen     the same for each seat, limited to the parts that differ from the open view
        hands    [[number, first move, last move], ...]
        calls    the moves that raise the stake
        fair     the source of the deals, and the deals: [[kind, hand, action], ...]

    Moves are counted from 1.
    """
    form = replayed.form
    seats = range(len(replayed.names))
    opened = replayed.pictures[OPEN]
    return {
        **table_layout(replayed.game, replayed.rules, form),
        "open": _changes(opened),
        "seen": [_changes(_differing(opened, replayed.pictures[seat])) for seat in seats],
        "hands": _spans(replayed.moves),
        "calls": [number for number, move in enumerate(replayed.moves, start=1) if move.is_call],
        "fair": {
            "seed": canonical["seed"],
            "nonces": canonical["nonces"],
            "commitment": canonical["commitment"],
            "items": {kind: list(items) for kind, _, items, _ in replayed.deals},
            "deals": [[kind, hand, action] for kind, hand, _, action in replayed.deals],
            "command": _command(source),
        },
    }


def game_title(game: Game, rules: Rules, players: Sequence[str]) -> str:
    """Return the player names by side, or only the number of sides for a larger table."""
    teams = game.teams(rules)
    if len(teams) > len(_NUMBERS):
        return f"{len(teams)} at the table"
    if len(teams) > _MOST_NAMED:
        return f"{_NUMBERS[len(teams) - 1]} at the table"
    names = [printable(player) for player in players]
    return " – ".join(" and ".join(dict.fromkeys(names[seat] for seat in team)) for team in teams)


def table_layout(game: Game, rules: Rules, form: Picture) -> dict[str, object]:
    """Return the layout of the table: the first two lines of :func:`page_data`."""
    return {
        "names": form.names,
        "teams": [list(team) for team in game.teams(rules)],
        "unit": list(form.unit),
        "ccw": form.counter_clockwise,
        "target": form.target,
        "most": form.most,
        "cards": _card_names(form),
    }


def _changes(pictures: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    changes = []
    last: Mapping[str, object] = {}
    for picture in pictures:
        changes.append({k: v for k, v in picture.items() if k not in last or last[k] != v})
        last = picture
    return changes


def _differing(
    opened: Sequence[Mapping[str, object]], seen: Sequence[Mapping[str, object]]
) -> list[dict[str, object]]:
    pairs = list(zip(opened, seen, strict=True))
    names = {name for one, other in pairs for name in one if one[name] != other[name]}
    return [{name: other[name] for name in sorted(names)} for _, other in pairs]


def _spans(moves: Sequence[Move]) -> list[list[int]]:
    spans: list[list[int]] = []
    for number, move in enumerate(moves, start=1):
        if not spans or spans[-1][0] != move.hand:
            spans.append([move.hand, number, number])
        spans[-1][2] = number
    return spans


def _card_names(form: Picture) -> dict[str, str]:
    names = {}
    for card in form.pack:
        title = form.titles.get(card)
        names[card] = f"{spoken(card)}, {title}" if title else spoken(card)
    return names


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its ``{{names}}`` replaced in a single pass, so that inserted text is never
    treated as part of the template.
    """
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template)


def _command(source: str) -> str:
    return f"botequim verify {shlex.quote(source)}"


# The part of the page that works without JavaScript


def _facts(replayed: ReplayedGame, canonical: Canonical) -> str:
    group = canonical["group"]
    facts = [replayed.game.title]
    if group is not None:
        deals = " with these deals" if group["mirrored"] else ""
        facts.append(f"game {group['index'] + 1} of {group['size']}{deals}")
    hands = replayed.moves[-1].hand
    facts.append(f"{hands} hand" if hands == 1 else f"{hands} hands")
    places = canonical["outcome"]["places"]
    first = [name for name, place in zip(replayed.names, places, strict=True) if place == 1]
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


def _players(replayed: ReplayedGame, canonical: Canonical) -> Iterator[str]:
    outcome = canonical["outcome"]
    for seat, name in enumerate(replayed.names):
        forfeited = " (forfeited)" if seat in outcome["forfeits"] else ""
        cells = (
            printable(canonical["players"][seat]["version"]),
            f"{outcome['places'][seat]}{forfeited}",
            str(outcome["scores"][seat]),
            canonical["nonces"][seat] or "–",
        )
        row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        yield f'<tr><td>{seat}</td><th scope="row">{escape(name)}</th>{row}</tr>\n'


def _hands(replayed: ReplayedGame, lucky: Mapping[int, str]) -> Iterator[str]:
    side = {
        seat: number
        for number, team in enumerate(replayed.game.teams(replayed.rules))
        for seat in team
        if len(team) > 1
    }
    for hand, first, last in _spans(replayed.moves):
        ended = replayed.pictures[OPEN][last - 1]["ended"] or {"text": "", "score": ""}
        yield (
            f"<details open><summary><b>Hand {hand}</b> "
            f'<span class="how" title="{escape(ended["text"])}">{escape(ended["text"])}</span> '
            f'<span class="after">{escape(ended["score"])}</span></summary>\n'
        )
        if hand in lucky:
            yield f'<p class="lucky">Lucky hand: {escape(lucky[hand])}.</p>\n'
        yield f'<ol start="{first}">\n'
        for number in range(first, last + 1):
            move = replayed.moves[number - 1]
            mark = f' class="side-{side[move.seat]}"' if move.seat in side else ""
            lines = "".join(
                f'<span class="line{" remark" * line.is_remark}">{_told(line)} </span>' for line in move.lines
            )
            yield f'<li id="move-{number}"{mark}><a href="#move-{number}">{lines}</a></li>\n'
        yield "</ol></details>\n"


def _told(line: ToldLine) -> str:
    """Return a line of the narration as HTML, with suits as drawings.

    Cards that not everybody can see are marked with the seats that can see them.
    """

    def marked(match: re.Match[str]) -> str:
        drawn = _CARD.sub(_drawn, match[0])
        if line.seats is None:
            return drawn
        seers = "".join(f" by-{seat}" for seat in line.seats)
        return f'<span class="secret{seers}">{drawn}</span>'

    return _CARDS.sub(marked, escape(line.text))


def _drawn(match: re.Match[str]) -> str:
    suit = _SUIT_OF[match[2]]
    red = " red" if suit in "HD" else ""
    return (
        f'<span class="pip{red}">{match[1]}<svg aria-hidden="true"><use href="#suit-{suit}"/></svg>'
        f'<span class="hear"> of {SUIT_NAMES[suit]}</span></span>'
    )
