"""The sheets of a replay page: the moves that are shown at once, as HTML and as data for the script.

A short game has one sheet, and a long game one for each hand.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

from arena.games.cards import SUIT_NAMES, SUIT_SYMBOLS, spoken
from arena.games.descriptor import Game
from arena.games.options import Rules
from arena.games.pictures import Picture
from arena.records.record import Canonical, Record
from arena.replays.moves import OPEN, Move, ReplayedGame, ToldLine, read_hands, read_moves

MOST_ACTIONS: Final = 500
"""The maximum number of actions of a game that has one sheet."""

_SUIT_OF: Final = {symbol: suit for suit, symbol in SUIT_SYMBOLS.items()}
_CARDS: Final = re.compile(rf"(?:10|\w)[{''.join(_SUIT_OF)}](?: (?:10|\w)[{''.join(_SUIT_OF)}])*")
_CARD: Final = re.compile(rf"(10|\w)([{''.join(_SUIT_OF)}])")
_REMARK: Final = re.compile(r"<!--(\d+)-->")


class Sheet(NamedTuple):
    """One sheet: the number of the first move of each of its hands, its moves as HTML with a place for a
    remark at each decision (see :func:`with_remarks`), and the data for the script (see :func:`page_data`).
    """

    first_moves: dict[int, int]
    html: str
    data: dict[str, object]


def sheets(record: Record, source: str, lucky: Mapping[int, str]) -> Iterator[Sheet]:
    """Yield the sheets of a record. ``source`` is the name of the record's file, and ``lucky`` maps hands to
    texts about their luck.

    Raises the same errors as :func:`~arena.replays.moves.read_hands`.
    """
    canonical = record["canonical"]
    if len(canonical["actions"]) <= MOST_ACTIONS:
        yield sheet_of(read_moves(record), canonical, source, lucky)
        return
    for hand in read_hands(record):
        yield sheet_of(hand, canonical, source, lucky)


def sheet_of(replayed: ReplayedGame, canonical: Canonical, source: str, lucky: Mapping[int, str]) -> Sheet:
    """Return the sheet with all moves of ``replayed``."""
    html = "".join(_hands(replayed, lucky))
    first_moves = {hand: first + replayed.first - 1 for hand, first, _ in _spans(replayed.moves)}
    return Sheet(first_moves, html, page_data(replayed, canonical, source))


def with_remarks(html: str, remarks: Mapping[int, str]) -> str:
    """Return the moves of a sheet with remarks, by the indexes of the actions in the record."""

    def filled(match: re.Match[str]) -> str:
        remark = remarks.get(int(match[1]))
        return "" if remark is None else f'<span class="line remark">{line_html(ToldLine(remark))} </span>'

    return _REMARK.sub(filled, html)


def line_html(line: ToldLine) -> str:
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


def page_data(replayed: ReplayedGame, canonical: Canonical, source: str) -> dict[str, object]:
    """Return the data for the page script::

        names, teams, unit, ccw, target, most, tricks   the layout of the table
        cards    {card: its display name}
        titles   {card: its name}, the cards that are the strongest in every hand, strongest first
        open     one object per move: the changes to the picture since the previous move
        seen     the same for each seat, limited to the parts that differ from the open view
        first    the number of the first of these moves in the game
        hands    [[number, first move, last move], ...]
        calls    the moves that raise the stake
        fair     the source of the deals, and the deals: [[kind, hand, action], ...]

    Moves are counted from 1, except for ``first`` from the first of these moves.
    """
    form = replayed.form
    seats = range(len(replayed.names))
    opened = replayed.pictures[OPEN]
    return {
        **table_layout(replayed.game, replayed.rules, form),
        "open": _changes(opened),
        "seen": [_changes(_differing(opened, replayed.pictures[seat])) for seat in seats],
        "first": replayed.first,
        "hands": _spans(replayed.moves),
        "calls": [number for number, move in enumerate(replayed.moves, start=1) if move.is_call],
        "fair": {
            "seed": canonical["seed"],
            "nonces": canonical["nonces"],
            "commitment": canonical["commitment"],
            "items": {kind: list(items) for kind, _, items, _ in replayed.deals},
            "deals": [[kind, hand, action] for kind, hand, _, action in replayed.deals],
            "command": command(source),
        },
    }


def table_layout(game: Game, rules: Rules, form: Picture) -> dict[str, object]:
    """Return the layout of the table: the first three lines of :func:`page_data`."""
    return {
        "names": form.names,
        "teams": [list(team) for team in game.teams(rules)],
        "unit": list(form.unit),
        "ccw": form.counter_clockwise,
        "target": form.target,
        "most": form.most,
        "tricks": form.most_tricks,
        "cards": _card_names(form),
        "titles": dict(form.titles),
    }


def command(source: str) -> str:
    """Return the command that verifies the record in a file."""
    return f"botequim verify {shlex.quote(source)}"


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


def _hands(replayed: ReplayedGame, lucky: Mapping[int, str]) -> Iterator[str]:
    before = replayed.first - 1
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
        yield f'<ol start="{first + before}">\n'
        for number in range(first, last + 1):
            move = replayed.moves[number - 1]
            mark = f' class="side-{side[move.seat]}"' if move.seat in side else ""
            lines = "".join(f'<span class="line">{line_html(line)} </span>' for line in move.lines)
            # Remarks depend on the viewer, so they are filled in when the sheet is shown.
            remarks = "".join(f"<!--{index}-->" for index in move.decisions)
            target = f"move-{number + before}"
            yield f'<li id="{target}"{mark}><a href="#{target}">{lines}{remarks}</a></li>\n'
        yield "</ol></details>\n"


def _drawn(match: re.Match[str]) -> str:
    suit = _SUIT_OF[match[2]]
    red = " red" if suit in "HD" else ""
    return (
        f'<span class="pip{red}">{match[1]}<svg aria-hidden="true"><use href="#suit-{suit}"/></svg>'
        f'<span class="hear"> of {SUIT_NAMES[suit]}</span></span>'
    )
