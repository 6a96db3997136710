"""The luck of a game, as shown on its replay page and in its narration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import accumulate
from typing import Final

from arena.games import game_of
from arena.luck.equity import NoLuck
from arena.luck.games import GameLuck, HandLuck, luck_of
from arena.records.record import Canonical, Record
from arena.records.tell import seat_names
from arena.text import printable

LUCKY: Final = 0.2
"""The luck, as a share of the game, from which a hand is called lucky."""


def measured_luck(record: Record) -> GameLuck | None:
    """Return the luck of a record whose actions are legal, or None if luck is not measured for its rules."""
    try:
        return luck_of(record)
    except NoLuck:
        return None


def team_names(canonical: Canonical, teams: Sequence[Sequence[int]]) -> list[str]:
    """Return a name for each team: the names of its players, or its seat names if another team has the same
    player names.
    """
    players = [printable(player["name"]) for player in canonical["players"]]
    by_players, by_seats = (
        [" and ".join(dict.fromkeys(names[seat] for seat in team)) for team in teams]
        for names in (players, seat_names(players))
    )
    return by_players if len(set(by_players)) == len(teams) else by_seats


def told_luck(record: Record) -> list[str]:
    """Return sentences about the luck of the whole game and of its lucky hands. The list is empty if luck is
    not measured.
    """
    luck = measured_luck(record)
    if luck is None:
        return []
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    teams = game.teams(game.options.complete(canonical["rules"]))
    names = team_names(canonical, teams)
    hands = lucky_hand_texts(luck, names).items()
    return [told_sum(luck, names), *(f"Lucky hand {number}: {text}." for number, text in hands)]


def told_sum(luck: GameLuck, names: Sequence[str]) -> str:
    """Return one sentence about the luck of the whole game."""
    return f"The luck of the cards in the whole game: {_told(luck.luck, names)}."


def lucky_hand_texts(luck: GameLuck | None, names: Sequence[str]) -> dict[int, str]:
    """Return the description of each lucky hand, by the number of the hand."""
    if luck is None:
        return {}
    return {hand.hand: _told(hand.luck, names) for hand in luck.hands if abs(hand.luck) >= LUCKY}


def luck_section(luck: GameLuck, names: Sequence[str], first_moves: Mapping[int, int]) -> str:
    """Return the luck curves and a table of all hands, as HTML. ``first_moves`` maps each hand to its first
    move.
    """
    shown = [escape(name) for name in names]
    played = [0.5, *(hand.after for hand in luck.hands)]
    cards = list(accumulate((hand.luck for hand in luck.hands), initial=0.5 + luck.lot))
    low, high = min(0.0, *cards), max(1.0, *cards)

    def line(kind: str, values: Sequence[float]) -> str:
        steps = max(1, len(values) - 1)
        points = " ".join(
            f"{100 * number / steps:.2f},{100 * (high - value) / (high - low):.2f}"
            for number, value in enumerate(values)
        )
        return f'<polyline class="{kind}" points="{points}"/>'

    middle = f"{100 * (high - 0.5) / (high - low):.2f}"
    rows = "".join(_row(hand, first_moves.get(hand.hand)) for hand in luck.hands)
    return (
        '<section class="luck" aria-labelledby="luck-title"><h2 id="luck-title">Luck of the cards</h2>'
        f"<p>{escape(told_sum(luck, names))}</p>"
        f'<svg class="luck-plot" role="img" aria-label="The chance of {shown[0]} to win, hand by hand, '
        'and the part of it that is luck; the table below has the numbers" viewBox="0 0 100 100" '
        f'preserveAspectRatio="none"><line class="middle" x1="0" x2="100" y1="{middle}" y2="{middle}"/>'
        f"{line('cards', cards)}{line('played', played)}</svg>"
        f'<p class="legend"><span class="key played">the chance of {shown[0]} to win</span>, and '
        f'<span class="key cards">the part that the cards alone brought</span>: what the pinned house bot '
        "would have made of them on all seats. The first hand is at the left, and the line in the middle is "
        "an even game.</p>"
        f"<details><summary>Hand by hand, for {shown[0]}</summary>"
        '<div class="wide"><table><caption>Luck of each hand</caption><thead><tr>'
        '<th scope="col">hand</th><th scope="col">score</th>'
        '<th scope="col">luck</th><th scope="col">chance after it</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div></details></section>\n"
    )


def _row(hand: HandLuck, move: int | None) -> str:
    number = str(hand.hand) if move is None else f'<a href="#move-{move}">{hand.hand}</a>'
    score = "–".join(map(str, hand.points))
    return (
        f'<tr><th scope="row">{number}</th><td>{score}</td><td>{_percent(hand.luck)}</td>'
        f"<td>{100 * hand.after:.1f}%</td></tr>"
    )


def _told(luck: float, names: Sequence[str]) -> str:
    """Describe the luck from the point of view of the team that benefited."""
    return f"{_percent(abs(luck))} of the game for {names[luck < 0]}"


def _percent(value: float) -> str:
    return f"{100 * value:+.1f}%".replace("-", "−")
