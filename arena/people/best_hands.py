"""The best hands of a day: those after which the chance to win, from the equity tables, differed most from
before. A worker looks for them once a day among some of the public games of each hour.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypedDict

import orjson

from arena.errors import ArenaError
from arena.games import game_of
from arena.live.finished import FinishedGames
from arena.luck.equity import has_table
from arena.luck.games import hand_equities
from arena.people.ends import hand_text, largest_swing
from arena.play.outcomes import points
from arena.records.record import Canonical
from arena.replays.live_table import LiveTable, seen_actions
from arena.replays.luck import team_names
from arena.store.amounts import DAY_MS
from arena.store.repositories import Store

log = logging.getLogger(__name__)

MOST_HANDS: Final = 8
MOST_OF_PRESET: Final = 3
"""The maximum number of hands played by the same rules."""

PARTS: Final = 24
"""The parts of the day, in each of which some games are looked at."""

MOST_IN_PART: Final = 30
"""The maximum number of games and groups that are looked at in a part, the first ones."""

SECONDS: Final = 2.0
"""The maximum processor time of a search."""

_LATEST: Final = "latest"
_AGAIN_MS: Final = 600_000
"""How often a search is requested that is due, in milliseconds."""

_US: Final = 1000
"""Records are numbered by the time of their release in microseconds, or by the next number that is free."""


class BestHand(TypedDict):
    """A hand: its game, its number, a sentence about it, and the table of the game when it was over, as
    :meth:`arena.games.pictures.Picture.shown` returns it.
    """

    game: str
    kind: str
    rules: dict[str, Any]
    players: list[str]
    hand: int
    swing: float
    text: str
    picture: dict[str, Any]


class BestHands:
    """Finds and shows the best hands. ``name`` returns the displayed name of a bot."""

    def __init__(self, store: Store, finished: FinishedGames, name: Callable[[str], str]) -> None:
        self._rows = store.best_hands
        self._records = store.records
        self._flags = store.flags
        self._clock = store.clock
        self._finished = finished
        self._name = name

    def is_due(self) -> bool:
        """Return whether a job should look for the hands of the last day now."""
        now_ms = self._clock().now_ms
        if not self._flags.first(f"best-hands-{now_ms // _AGAIN_MS}", _AGAIN_MS):
            return False
        row = self._rows.find(_LATEST)
        return row is None or not row["hands"] or row["day"] != now_ms // DAY_MS

    def find(self) -> None:
        """Look for the best hands among the games since the last search. If there are none, those found
        before remain. Can be repeated.
        """
        row = self._rows.find(_LATEST) or {"number": 0, "hands": [], "at_ms": 0}
        now_ms, newest = self._clock().now_ms, self._records.last_number()
        hands = _best(self._in_games(max(row["number"], newest - _US * DAY_MS), newest))
        new = {
            "day": now_ms // DAY_MS,
            "number": newest,
            "at_ms": now_ms if hands else row["at_ms"],
            "hands": hands or row["hands"],
        }
        self._rows.change(_LATEST, lambda _: new)

    def latest(self) -> tuple[int, list[BestHand]]:
        """Return when the hands were found, and the hands, the largest swings first. Those of bots whose
        names have been hidden since are left out.
        """
        row = self._rows.find(_LATEST)
        if row is None:
            return 0, []
        shown = [hand for hand in row["hands"] if all(self._name(one) == one for one in hand["players"])]
        return row["at_ms"], shown

    def _in_games(self, after: int, newest: int) -> list[BestHand]:
        """Return the largest swing of each game or group with a number above ``after``, up to ``newest``."""
        until = time.thread_time() + SECONDS
        bounds = [after + part * (newest - after) // PARTS for part in range(PARTS + 1)]
        found = []
        for low, high in pairwise(bounds):
            for entry in self._finished.released(None, low, MOST_IN_PART)[:MOST_IN_PART]:
                if entry.number > high or time.thread_time() > until:
                    break
                # The games of a mirrored group have the same deals.
                swings = [swing for line in entry.lines if (swing := self._swing(line)) is not None]
                found += sorted(swings, key=_size)[:1]
        return found

    def _swing(self, line: bytes) -> BestHand | None:
        record = orjson.loads(line)
        canonical = record["canonical"]
        players = [player["name"] for player in canonical["players"]]
        if record["info"].get("annulled") or any(self._name(name) != name for name in players):
            return None
        try:
            return best_hand(canonical)
        except (ArenaError, LookupError, ValueError):
            log.exception("game %s has no best hand", canonical["game"])
            return None


def best_hand(canonical: Canonical) -> BestHand | None:
    """Return the hand of a finished game after which the chances differed most from before, or None unless
    equities are known for its rules.
    """
    kind, rules, actions = canonical["kind"], canonical["rules"], canonical["actions"]
    game = game_of(kind)
    complete = game.options.complete(rules)
    if not has_table(kind, complete):
        return None
    teams = game.teams(complete)
    worth = points(canonical["outcome"]["places"], teams)
    swing = largest_swing(hand_equities(kind, rules, actions), worth[teams[0][0]])
    if swing is None:
        return None
    most, is_last = swing
    gained = most.after > most.before
    before, after = (most.before, most.after) if gained else (1 - most.before, 1 - most.after)
    summary = {"kind": kind, "rules": rules, "seats": canonical["players"]}
    seen = list(seen_actions(canonical))
    events = (event for seen_events, _ in seen for event in seen_events)
    text = hand_text(LiveTable(summary).form, events, most.hand, teams, worth if is_last else [])
    side = team_names(canonical, teams)[0 if gained else 1]
    end = "won" if is_last and after == 1 else f"{100 * after:.0f}%"
    return {
        "game": canonical["game"],
        "kind": kind,
        "rules": dict(rules),
        "players": [player["name"] for player in canonical["players"]],
        "hand": most.hand,
        "swing": round(after - before, 4),
        "text": f"{text} Chances of {side}: from {100 * before:.0f}% to {end}.",
        "picture": _picture(summary, seen, most.hand),
    }


def _picture(
    summary: Mapping[str, Any], seen: Iterable[tuple[list[dict[str, Any]], list[int]]], hand: int
) -> dict[str, Any]:
    """Return the last picture of a hand. ``seen`` are the actions (:func:`seen_actions`)."""
    table = LiveTable(summary)
    shown = table.shown
    for event, awaiting in ((event, awaiting) for events, awaiting in seen for event in events):
        table.take([event], awaiting)
        if table.form.hand > hand:
            break
        shown = table.shown
    return shown


def _size(hand: BestHand) -> float:
    return -hand["swing"]


def _best(found: Sequence[BestHand]) -> list[BestHand]:
    chosen: list[BestHand] = []
    of_preset: dict[str | None, int] = {}
    for hand in sorted(found, key=_size):
        preset = f"{hand['kind']}/{game_of(hand['kind']).preset_of(hand['rules'])}"
        if len(chosen) < MOST_HANDS and of_preset.get(preset, 0) < MOST_OF_PRESET:
            of_preset[preset] = of_preset.get(preset, 0) + 1
            chosen.append(hand)
    return chosen
