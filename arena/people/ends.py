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


def equities(view: Mapping[str, Any], seat: int, actions: Iterable[Sequence[Any]]) -> list[HandEquity]:
    """Return the chances of the seat's team to win a finished game around each hand. Empty unless the game
    has two sides and equities are known for its rules. ``actions`` are those of the game in the format of
    records.
    """
    game = game_of(view["kind"])
    if view["outcome"] is None or not has_table(view["kind"], game.options.complete(view["rules"])):
        return []
    hands = hand_equities(view["kind"], view["rules"], actions)
    if seat in game.teams(view["rules"])[0]:
        return hands
    return [one._replace(before=1 - one.before, after=1 - one.after) for one in hands]


def swing_text(
    view: Mapping[str, Any], seat: int, events: Iterable[Mapping[str, Any]], hands: Sequence[HandEquity]
) -> str:
    """Describe the hand of a finished game after which the chance of the seat's team to win differed most
    from before, or return nothing if there are no ``hands``; see :func:`equities`. ``events`` are those that
    the seat saw.
    """
    teams = game_of(view["kind"]).teams(view["rules"])
    worth = points(view["outcome"]["places"], teams)
    swing = largest_swing(hands, worth[seat])
    if swing is None:
        return ""
    (hand, before, after), is_last = swing
    end = _RESULTS[after] if is_last else _percent(after)
    text = hand_text(LiveTable(view, you=seat).form, events, hand, teams, worth if is_last else [])
    return f"Hand {hand}: {text} Your chance to win: from {_percent(before)} to {end}."


def largest_swing(hands: Sequence[HandEquity], result: float) -> tuple[HandEquity, bool] | None:
    """Return the hand of a finished game after which the chance of a team to win differed most from before,
    and whether it is the last one; None if there are no hands. ``hands`` has the chances of that team, and
    ``result`` is its chance after the last hand: 1, 0.5 or 0.
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


def chance_line(view: Mapping[str, Any], seat: int, hands: Sequence[HandEquity]) -> dict[str, str]:
    """Return the chances of the seat's team before the first of the ``hands`` and after each one, as the
    ``points`` of a line in a square of 100 by 100, and in ``words``; see :func:`equities`.
    """
    if not hands:
        return {"points": "", "words": ""}
    result = points(view["outcome"]["places"], game_of(view["kind"]).teams(view["rules"]))[seat]
    values = [hands[0].before, *(hand.after for hand in hands[:-1])]
    line = (
        f"{100 * number / len(hands):.1f},{100 - 100 * value:.1f}"
        for number, value in enumerate([*values, result])
    )
    texts = [*map(_percent, values), _RESULTS[result]]
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
