"""The news in replies to bots that read texts: each reply contains every event since the last one that the
bot has read.

The position is in the store, one per bot and seat, so it does not matter which process answers, and a restart
loses nothing. It advances only when the bot answers a turn, because only that proves that the reply with this
turn arrived: a request that is repeated returns the same events again, and turns that were played for the
bot, or by the clock, leave no gap.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from api.services import services
from arena.games import game_of
from arena.games.kernel import Turn
from arena.live.finalizer import ENDED
from arena.live.header import GameNotFound, Viewer
from arena.live.service import EventsGone
from arena.people.seat_table import ending
from arena.play.turn_texts import end_lines, turn_text
from arena.store.readings import TextReading

_PAGE: Final = 500


class NewsTexts:
    """The texts of one reply to a bot."""

    def __init__(self, bot: str, viewer: Viewer) -> None:
        self._bot = bot
        self._viewer = viewer
        self._live = services().live
        self._readings = services().live.readings

    @cached_property
    def _known(self) -> Mapping[str, TextReading]:
        return self._readings.of(self._bot)

    def confirm(self, answers: Sequence[object]) -> None:
        """Record that the bot has read the texts of the turns that it answers. Call this before the texts are
        made.
        """
        turns = [answer.get("turn") for answer in answers if isinstance(answer, Mapping)]
        self._readings.confirm(self._bot, [turn for turn in turns if isinstance(turn, str)])

    def page(self, turns: Sequence[Turn], legal: str) -> list[str]:
        """Return the texts of turns in any games. The ends of other games precede them. If no turn must be
        answered, which would prove that the bot has read them, each end is returned once.
        """
        ends, until = self._ends({_place(turn) for turn in turns})
        due = [turn["turn"] for turn in turns if not turn["optional"]]
        if until and due:
            self._readings.offer(self._bot, due[0], until)
        elif until:
            self._readings.end(self._bot, until)
        return [*ends, *(self.turn(turn, legal) for turn in turns)]

    def turn(self, turn: Turn, legal: str) -> str:
        """Return the text of a turn."""
        place = _place(turn)
        if place not in self._known:
            self._readings.prune(self._bot, self._known)
        since = self._known[place].since if place in self._known else 0
        # The turn was read first. Its newest event is the last one that the text may contain.
        until = turn["events"][-1]["n"] + 1
        events = [event for event in self._events(turn["game"], turn["seat"], since) if event["n"] < until]
        self._readings.offer(self._bot, turn["turn"], {place: until})
        return turn_text({**turn, "events": events}, legal)

    def end(self, view: Mapping[str, Any]) -> str:
        """Return the text of a game that is over."""
        place = f"{view['game']}.{view['seat']}"
        known = self._known.get(place)
        text, until = self._end(view, 0 if known is None else known.since)
        if known is not None:
            self._readings.end(self._bot, {place: until})
        return text

    def _ends(self, running: Collection[str]) -> tuple[list[str], dict[str, int]]:
        """Return the texts of the games that are over and that the bot has not read, and for each place the
        number of the first event after them. ``running`` are places whose games are not over.
        """
        parts, ends = [], {}
        for place, reading in self._known.items():
            if place in running or reading.is_over:
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
        """Return the events that a seat of the bot sees, from number ``since`` on, as far as they are
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


def _place(turn: Turn) -> str:
    return f"{turn['game']}.{turn['seat']}"


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
