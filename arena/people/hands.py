"""The hands of a game as one seat saw them: what was said last, and what each hand was worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.games import game_of
from arena.games.pictures import CALL, Picture
from arena.records.record import Record
from arena.records.tell import seat_names
from arena.replays.live_table import seen_actions
from arena.replays.moves import new_picture

YOU: Final = "You"
"""The name shown for a person's own seat."""
FRIEND: Final = "Your friend"
_WITHIN: Final = {YOU: "you", FRIEND: "your friend"}
"""The names that change within a sentence."""


class HandEnd(NamedTuple):
    """A hand that is over. ``number`` counts from 1, ``calls`` has the last call and the last answer to it as
    clauses, ``gains`` what the hand was worth (:attr:`~arena.games.pictures.Picture.gains`), and ``score``
    the score after it.
    """

    number: int
    calls: list[str]
    gains: list[int]
    score: list[int]


def hand_ends(form: Picture, events: Iterable[Mapping[str, Any]]) -> Iterator[HandEnd]:
    """Yield the hands of a game, in order. ``form`` is a new picture, and ``events`` are those that its
    viewer saw.
    """
    call = answer = ""
    over = 0
    for event in events:
        before, number = list(form.said), form.hand
        form.take(event)
        if form.hand != number:
            call = answer = ""
            before = [None] * len(before)
        for seat, now in enumerate(form.said):
            if now is None or now == before[seat] or now[3]:
                continue
            kind, words, value, _ = now
            if kind == CALL:
                call, answer = _clause(form, seat, "called", words, value), ""
            elif call:
                answer = _clause(form, seat, "answered", words, None)
        if form.ended is not None and form.hand != over:
            over = form.hand
            yield HandEnd(
                over, [clause for clause in (call, answer) if clause], list(form.gains), form.score()
            )


def recorded_hands(record: Record, seat: int, name: str) -> list[HandEnd]:
    """Return the hands of a verified record, in the words of somebody who calls the seat by ``name``."""
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    rules = game.options.complete(canonical["rules"])
    players = [player["name"] for player in canonical["players"]]
    players[seat] = name
    events = (event for seen, _ in seen_actions(canonical, seat) for event in seen)
    return list(hand_ends(new_picture(game, seat_names(players), rules), events))


def worth_at(form: Picture, teams: Sequence[Sequence[int]], seat: int, end: HandEnd) -> int:
    """Return what a hand was worth to a seat: points against the other side, or lives."""
    if form.target is None:
        return end.gains[seat]
    return sum(gain if seat in team else -gain for team, gain in zip(teams, end.gains, strict=True))


def score_at(form: Picture, teams: Sequence[Sequence[int]], seat: int, end: HandEnd) -> str:
    """Return the score after a hand as a seat reads it: the points of its side first, or its own lives."""
    if form.target is None:
        return f"{end.score[seat]} {form.unit[end.score[seat] != 1]}"
    sides = sorted(range(len(teams)), key=lambda side: seat not in teams[side])
    return "–".join(str(end.score[side]) for side in sides)


def subject(form: Picture, seats: Sequence[int]) -> str:
    """Return the names of seats for use within a sentence."""
    names = [form.names[seat] for seat in seats]
    return " and ".join(_WITHIN.get(name, name) for name in names)


def _clause(form: Picture, seat: int, verb: str, words: str, value: int | None) -> str:
    text = words if value is None else f"{words} {value}"
    return f"{subject(form, [seat])} {verb} “{text}”"
