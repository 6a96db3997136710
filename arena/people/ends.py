"""What the end of a game says beside its result: the hand that changed the chances most, and how long the
game was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.games import game_of
from arena.games.pictures import ANSWER, CALL, Picture
from arena.luck.equity import has_table
from arena.luck.games import HandEquity, hand_equities
from arena.play.outcomes import points
from arena.replays.live_table import LiveTable

_RESULTS: Final = {1.0: "won", 0.5: "a draw", 0.0: "lost"}


def told_length(view: Mapping[str, Any], hands: int) -> str:
    """Return the number of hands of a finished game and how long it took."""
    seconds = max(0, view["finished_ms"] - view["started_ms"]) // 1000
    minutes, rest = divmod(seconds, 60)
    took = f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{hands} hand{'s' * (hands != 1)}, {took}"


def told_swing(
    view: Mapping[str, Any],
    seat: int,
    events: Iterable[Mapping[str, Any]],
    actions: Sequence[Sequence[Any]],
) -> str:
    """Describe the hand of a finished game after which the chance of the seat's team to win differed most
    from before. Return nothing unless the game has two sides and equities are known for its rules. ``events``
    are those that the seat saw, and ``actions`` those of the game in the format of records.
    """
    game = game_of(view["kind"])
    if view["outcome"] is None or not has_table(view["kind"], game.options.complete(view["rules"])):
        return ""
    teams = game.teams(view["rules"])
    hands = hand_equities(view["kind"], view["rules"], actions)
    if not hands:
        return ""
    if seat not in teams[0]:
        hands = [HandEquity(hand, 1 - before, 1 - after) for hand, before, after in hands]
    result = points(view["outcome"]["places"], teams)[seat]
    hands[-1] = hands[-1]._replace(after=result)
    most = max(hands, key=lambda one: abs(one.after - one.before))
    last = most is hands[-1]
    after = _RESULTS[result] if last else _percent(most.after)
    told = told_hand(LiveTable(view, you=seat).form, events, most.hand, teams)
    return f"Hand {most.hand}: {told} Your chance to win: from {_percent(most.before)} to {after}."


class _Said(NamedTuple):
    seat: int
    text: str


def told_hand(
    form: Picture, events: Iterable[Mapping[str, Any]], hand: int, teams: Sequence[Sequence[int]]
) -> str:
    """Describe one hand: the last call, the last answer to it, and who won or lost how much."""
    call: _Said | None = None
    answer: _Said | None = None
    before: list[int] = []
    for event in events:
        if form.hand == hand and form.ended is not None:
            break
        said, scores, number = list(form.said), form.score(), form.hand
        form.take(event)
        if form.hand != hand:
            continue
        if number != hand:
            before = scores
        for seat, now in enumerate(form.said):
            if now is None or now == said[seat] or now[3]:
                continue
            words = _Said(seat, now[1] if now[2] is None or now[0] == ANSWER else f"{now[1]} {now[2]}")
            if now[0] == CALL:
                call, answer = words, None
            elif call is not None:
                answer = words
    parts = []
    if call is not None:
        parts.append(f"{_subject(form, [call.seat])} called “{call.text}”")
    if answer is not None:
        parts.append(f"{_subject(form, [answer.seat])} answered “{answer.text}”")
    parts += _gains(form, before, teams)
    sentence = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
    return f"{sentence}."


def _gains(form: Picture, before: Sequence[int], teams: Sequence[Sequence[int]]) -> list[str]:
    """Say which side won points in the hand, or who lost lives."""
    changes = [now - then for now, then in zip(form.score(), before, strict=True)]
    if form.target is None:
        lost = [(seat, -change) for seat, change in enumerate(changes) if change < 0]
        return [f"{_subject(form, [seat])} lost {_count(form, lives)}" for seat, lives in lost] or [
            "nobody lost a life"
        ]
    won = [(team, change) for team, change in zip(teams, changes, strict=True) if change > 0]
    return [f"{_subject(form, team)} won {_count(form, gain)}" for team, gain in won] or ["nobody won"]


def _count(form: Picture, number: int) -> str:
    return f"{number} {form.unit[number != 1]}"


def _subject(form: Picture, seats: Sequence[int]) -> str:
    names = [form.names[seat] for seat in seats]
    return " and ".join("you" if name == "You" else name for name in names)


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f}%"
