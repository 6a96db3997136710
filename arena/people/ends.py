"""What the end of a game says beside its result: the hand that changed the chances most, and how long the
game was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from arena.games import game_of
from arena.games.pictures import Picture
from arena.luck.equity import has_table
from arena.luck.games import HandEquity, hand_equities
from arena.people.hands import HandEnd, hand_ends, score_at, subject
from arena.play.outcomes import points
from arena.replays.live_table import LiveTable

_RESULTS: Final = {1.0: "won", 0.5: "a draw", 0.0: "lost"}


def length_text(view: Mapping[str, Any], hands: int) -> str:
    """Return the number of hands of a finished game and how long it took."""
    seconds = max(0, view["finished_ms"] - view["started_ms"]) // 1000
    minutes, rest = divmod(seconds, 60)
    took = f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{hands} hand{'s' * (hands != 1)}, {took}"


def swing_text(
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
    worth = points(view["outcome"]["places"], teams)
    swing = largest_swing(hand_equities(view["kind"], view["rules"], actions), worth[teams[0][0]])
    if swing is None:
        return ""
    (hand, before, after), is_last = swing
    if seat not in teams[0]:
        before, after = 1 - before, 1 - after
    end = _RESULTS[after] if is_last else _percent(after)
    text = hand_text(LiveTable(view, you=seat).form, events, hand, teams, worth if is_last else [])
    return f"Hand {hand}: {text} Your chance to win: from {_percent(before)} to {end}."


def largest_swing(hands: Sequence[HandEquity], result: float) -> tuple[HandEquity, bool] | None:
    """Return the hand of a finished game after which the chance of the first team to win differed most from
    before, and whether it is the last one; None if there are no hands. ``result`` is 1, 0.5 or 0, the first
    team's: its chance after the last hand.
    """
    if not hands:
        return None
    ends = [*hands[:-1], hands[-1]._replace(after=result)]
    most = max(ends, key=lambda one: abs(one.after - one.before))
    return most, most is ends[-1]


def hand_text(
    form: Picture,
    events: Iterable[Mapping[str, Any]],
    hand: int,
    teams: Sequence[Sequence[int]],
    worth: Sequence[float],
) -> str:
    """Describe one hand: the last call, the last answer to it, and who won or lost how much. ``form`` is a
    new picture, and ``events`` are those that its viewer saw. ``worth`` has the results of the seats in the
    game, if it ended with this hand.
    """
    end = next(one for one in hand_ends(form, events) if one.number == hand)
    return _end_text(form, end, teams, worth)


def hand_rows(
    view: Mapping[str, Any], seat: int, events: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the ``number`` of each hand of a finished game, what was called in it and who won or lost how
    much as ``text``, and the ``score`` after it as the seat reads it. ``events`` are those that the seat saw.
    """
    form, teams = LiveTable(view, you=seat).form, game_of(view["kind"]).teams(view["rules"])
    return [
        {
            "number": end.number,
            "text": _end_text(form, end, teams, []),
            "score": score_at(form, teams, seat, end),
        }
        for end in hand_ends(form, events)
    ]


def chances(view: Mapping[str, Any], seat: int, actions: Sequence[Sequence[Any]]) -> list[float]:
    """Return the chance of the seat's team to win a finished game before its first hand and after each hand.
    Empty unless the game has two sides and equities are known for its rules.
    """
    game = game_of(view["kind"])
    if view["outcome"] is None or not has_table(view["kind"], game.options.complete(view["rules"])):
        return []
    hands = hand_equities(view["kind"], view["rules"], actions)
    if not hands:
        return []
    first = game.teams(view["rules"])[0]
    values = [hands[0].before, *(hand.after for hand in hands[:-1])]
    result = points(view["outcome"]["places"], game.teams(view["rules"]))[seat]
    return [*(value if seat in first else 1 - value for value in values), result]


def chance_line(values: Sequence[float]) -> dict[str, str]:
    """Return chances as the ``points`` of a line in a square of 100 by 100, and in ``words``."""
    if not values:
        return {"points": "", "words": ""}
    steps = len(values) - 1
    line = (f"{100 * number / steps:.1f},{100 - 100 * value:.1f}" for number, value in enumerate(values))
    texts = [*map(_percent, values[:-1]), _RESULTS[values[-1]]]
    return {"points": " ".join(line), "words": f"Your chance to win, hand by hand: {', '.join(texts)}"}


def _end_text(form: Picture, end: HandEnd, teams: Sequence[Sequence[int]], worth: Sequence[float]) -> str:
    gains = _gains(form, end, teams, worth)
    return f"{'; '.join(part for part in (', '.join(end.calls), ' and '.join(gains)) if part)}."


def _gains(form: Picture, end: HandEnd, teams: Sequence[Sequence[int]], worth: Sequence[float]) -> list[str]:
    """Say which side won points in the hand, or who lost lives. ``worth`` has the results of the seats in the
    game, if it ended with this hand.
    """
    if form.target is None:
        lost = [(seat, -gain) for seat, gain in enumerate(end.gains) if gain < 0]
        return [
            f"{subject(form, [seat])} lost {_count(form, lives)}{_and_the_game(worth, seat, 0.0)}"
            for seat, lives in lost
        ] or ["nobody lost a life"]
    won = [(team, gain) for team, gain in zip(teams, end.gains, strict=True) if gain > 0]
    return [
        f"{subject(form, team)} won {_count(form, gain)}{_and_the_game(worth, team[0], 1.0)}"
        for team, gain in won
    ] or ["nobody won"]


def _and_the_game(worth: Sequence[float], seat: int, result: float) -> str:
    return " and the game" if worth and worth[seat] == result else ""


def _count(form: Picture, number: int) -> str:
    return f"{number} {form.unit[number != 1]}"


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f}%"
