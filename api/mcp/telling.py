"""What the tools tell an agent about its games: each reply contains every event since the last one that the
agent has read.

The position is in the store, one per bot and seat, so it does not matter which process answers, and a restart
loses nothing. It advances only when the agent answers a turn, because only that proves that the reply with
this turn arrived: a call that is repeated returns the same events again, and turns that were played for the
agent, or by the clock, leave no gap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from api.mcp.calling import ToolCaller
from api.services import services
from arena.games import game_of
from arena.games.kernel import Turn
from arena.live.finalizer import ENDED
from arena.live.header import GameNotFound
from arena.live.service import EventsGone
from arena.people.seat_table import ending
from arena.play.turn_texts import end_lines, turn_text
from arena.store.readings import Reading

_PAGE: Final = 500


class Telling:
    """The texts of one reply to the bot of ``caller``."""

    def __init__(self, caller: ToolCaller) -> None:
        self._viewer = caller.viewer
        self._bot = caller.bot
        self._live = services().live
        self._readings = services().live.readings

    def confirm(self, turn: str) -> None:
        """Record that the agent has read the text of this turn, which it answers."""
        self._readings.confirm(self._bot, turn)

    def turn(self, turn: Turn, legal: str, *, all_games: bool = False) -> str:
        """Return the text of a turn. With ``all_games``, the ends of other games precede it."""
        place = f"{turn['game']}.{turn['seat']}"
        known = self._readings.of(self._bot)
        if place not in known:
            self._readings.prune(self._bot, known)
        since = known[place].since if place in known else 0
        # The turn was read first. Its newest event is the last one that the text may contain.
        until = turn["events"][-1]["n"] + 1
        events = [event for event in self._events(turn["game"], turn["seat"], since) if event["n"] < until]
        parts, ends = self._ends(known, place) if all_games else ([], {})
        self._readings.offer(self._bot, turn["turn"], {**ends, place: until})
        return "\n".join([*parts, turn_text({**turn, "events": events}, legal)])

    def end(self, view: Mapping[str, Any]) -> str:
        """Return the text of a game that is over."""
        place = f"{view['game']}.{view['seat']}"
        known = self._readings.of(self._bot).get(place)
        text, until = self._end(view, 0 if known is None else known.since)
        if known is not None:
            self._readings.end(self._bot, {place: until})
        return text

    def ends(self) -> list[str]:
        """Return the texts of the games that are over, in a reply without a turn. Each is returned once."""
        parts, ends = self._ends(self._readings.of(self._bot), "")
        if ends:
            self._readings.end(self._bot, ends)
        return parts

    def _ends(self, known: Mapping[str, Reading], except_for: str) -> tuple[list[str], dict[str, int]]:
        """Return the texts of the games that are over and that the agent has not read, and for each place the
        number of the first event after them.
        """
        parts, ends = [], {}
        for place, reading in known.items():
            if place == except_for or reading.is_over:
                continue
            game, _, seat = place.rpartition(".")
            try:
                view = self._live.view(game, self._viewer, seat=int(seat))
            except GameNotFound:
                continue
            if view is not None and view["state"] in ENDED:
                text, ends[place] = self._end(view, reading.since)
                parts.append(text)
        return parts, ends

    def _end(self, view: Mapping[str, Any], since: int) -> tuple[str, int]:
        seat, lines = view["seat"], []
        if seat is not None:
            events = self._events(view["game"], seat, since)
            lines = end_lines(view["kind"], view["rules"], seat, events)
            since = events[-1]["n"] + 1 if events else since
        return "\n".join([*lines, f"game {view['game']} is {view['state']}. {_result(view)}"]) + "\n", since

    def _events(self, game: str, seat: int, since: int) -> list[dict[str, Any]]:
        """Return the events that a seat of the agent sees, from number ``since`` on, as far as they are
        stored.
        """
        events: list[dict[str, Any]] = []
        while True:
            try:
                page = self._live.events(game, self._viewer, seat=seat, start=since, limit=_PAGE)
            except EventsGone:
                return events
            events += page["events"]
            if page["next"] - since < _PAGE:
                return events
            since = page["next"]


def _result(view: Mapping[str, Any]) -> str:
    """Return the places of a game, and its result in words."""
    game, outcome = game_of(view["kind"]), view["outcome"]
    names = [str(seat.get("name") or "open") for seat in view["seats"]]
    parts: list[str] = []
    if outcome is not None:
        places = zip(names, outcome["places"], strict=True)
        parts.append(", ".join(f"{name} place {place}" for name, place in places))
    if game.picture is not None:
        end = ending(view, game.picture(names, view["rules"]), view["seat"])
        parts += [part.removesuffix(".") for part in end if part]
    return "".join(f"{part}. " for part in parts).rstrip()
