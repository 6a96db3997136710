"""Two finished games with the same deals, played from the same seat, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from arena.games import game_of
from arena.people.hands import YOU, HandEnd, recorded_hands, score_at, worth_at
from arena.records.record import Record
from arena.records.results import told_result
from arena.records.tell import seat_names
from arena.replays.moves import new_picture


class HandOfPlayer(NamedTuple):
    """One hand of one player: what it was worth, the last call and answer, and the score after it."""

    worth: int
    calls: str
    score: str


class BothHands(NamedTuple):
    """The hand with the same number in both games. A player who was out, or whose game was over, has none.
    ``difference`` is how much more it was worth to the first player, or None unless both played it.
    """

    number: int
    first: HandOfPlayer | None
    second: HandOfPlayer | None
    difference: int | None


class SideBySide(NamedTuple):
    """The results of two players in words, who of them did better, and all hands."""

    verdict: str
    first: str
    second: str
    hands: list[BothHands]
    unit: str


def side_by_side(first: Record, second: Record, seat: int, other: str) -> SideBySide:
    """Compare what the reader (``first``) and another player (``second``), called ``other``, made of the same
    deals at the same seat. The records must be verified.
    """
    canonical = first["canonical"]
    game = game_of(canonical["kind"])
    rules = game.options.complete(canonical["rules"])
    teams = game.teams(rules)
    form = new_picture(game, seat_names([""] * game.seats(rules)), rules)

    def of_player(end: HandEnd | None) -> HandOfPlayer | None:
        is_out = end is not None and form.target is None and not (end.score[seat] or end.gains[seat])
        if end is None or is_out:
            return None
        calls = ", ".join(end.calls)
        return HandOfPlayer(worth_at(form, teams, seat, end), calls, score_at(form, teams, seat, end))

    hands = []
    ends = zip_longest(recorded_hands(first, seat, YOU), recorded_hands(second, seat, other))
    for number, (own, others) in enumerate(ends, 1):
        mine, theirs = of_player(own), of_player(others)
        difference = mine.worth - theirs.worth if mine is not None and theirs is not None else None
        if mine is None and theirs is None:
            # Only others played this hand.
            continue
        hands.append(BothHands(number, mine, theirs, difference))
    return SideBySide(
        _verdict(first, second, teams, seat, other),
        _result(first, teams, seat, YOU),
        _result(second, teams, seat, other),
        hands,
        form.unit[1],
    )


def _result(record: Record, teams: Sequence[Sequence[int]], seat: int, name: str) -> str:
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    players = [player["name"] for player in canonical["players"]]
    players[seat] = name
    form = new_picture(game, seat_names(players), game.options.complete(canonical["rules"]))
    resigned = [entry["seat"] for entry in canonical["resigned"]]
    outcome = canonical["outcome"]
    result = told_result(form, teams, outcome, you=seat, resigned=resigned)
    if name == YOU:
        return f"{result.headline}. {result.detail}".strip()
    others = told_result(form, teams, outcome, resigned=resigned)
    return f"{result.headline.replace(YOU, name, 1)}. {others.detail}".strip()


def _verdict(first: Record, second: Record, teams: Sequence[Sequence[int]], seat: int, other: str) -> str:
    """Say who did better: by the place in the game, and at the same place by the score."""
    mine, theirs = (_standing(record, teams, seat) for record in (first, second))
    if mine == theirs:
        return f"You and {other[:1].lower()}{other[1:]} did equally well"
    if mine > theirs:
        return f"You did better than {other[:1].lower()}{other[1:]}"
    return f"{other} did better than you"


def _standing(record: Record, teams: Sequence[Sequence[int]], seat: int) -> tuple[int, int]:
    outcome = record["canonical"]["outcome"]
    scores = outcome["scores"]
    against = max(scores[team[0]] for team in teams if seat not in team) if len(teams) == 2 else 0
    return -outcome["places"][seat], scores[seat] - against
