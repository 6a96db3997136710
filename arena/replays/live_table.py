"""The picture of a game in progress, updated from its events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.games import game_of
from arena.records.tell import seat_names
from arena.replays.moves import new_picture


class LiveTable:
    """The picture of a game, as one viewer sees it, built from its events. ``you`` is the viewer's seat, or
    None for a spectator.
    """

    def __init__(self, summary: Mapping[str, Any], you: int | None = None) -> None:
        game = game_of(summary["kind"])
        rules = game.options.complete(summary["rules"])
        self.players = [
            "You" if number == you else seat["name"] or "open" for number, seat in enumerate(summary["seats"])
        ]
        names = seat_names(self.players)
        self.form = new_picture(game, names, rules)
        self._own_moves = self.form.moves | self.form.calls
        self.shown: dict[str, Any] = self.form.shown(())

    def take(self, events: list[dict[str, Any]], awaiting: list[int]) -> list[dict[str, Any]]:
        """Update the table and return, for each move, what changed in the picture.

        ``awaiting`` are the seats awaited after the last event.
        """
        changes = []
        for number, event in enumerate(events, start=1):
            self.form.take(event)
            last = number == len(events)
            if last or self.form.ended is not None or events[number]["type"] in self._own_moves:
                shown = self.form.shown(awaiting if last else ())
                change = {name: value for name, value in shown.items() if self.shown[name] != value}
                self.shown = shown
                if change:
                    changes.append(change)
        return changes
