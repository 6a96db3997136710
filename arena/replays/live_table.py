"""The table of a game in progress, updated from its events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from arena.games import game_of
from arena.games.pictures import Picture
from arena.records.tell import seat_names
from arena.replays.moves import new_picture

_HAND: Final = "hand"


class LiveTable:
    """A game as one viewer sees it: ``shown``, its picture, and ``log``, the lines about the present hand. It
    is built only from the events that the viewer sees. ``you`` is the viewer's seat, or None for a spectator.
    """

    def __init__(self, summary: Mapping[str, Any], you: int | None = None) -> None:
        game = game_of(summary["kind"])
        rules = game.options.complete(summary["rules"])
        self.players = [
            "You" if number == you else seat["name"] or "open" for number, seat in enumerate(summary["seats"])
        ]
        names = seat_names(self.players)
        self.form = new_picture(game, names, rules)
        self.form.you = you
        self._narrator = game.narrator(names, rules, you)
        self.shown: dict[str, Any] = self.form.shown(())
        self.log: list[str] = []

    def take(self, events: list[dict[str, Any]], awaiting: list[int]) -> list[dict[str, Any]]:
        """Update the table and return the changes, one for each thing that was said or shown::

            n      the number of the event
            lines  [str], the sentences about it and about what followed from it
            ...    what changed in the picture

        ``awaiting`` are the seats awaited after the last event. How many events are passed at once makes no
        other difference.
        """
        steps = list(_steps(events, self.form.steps))
        return [
            self._change(step, awaiting if number == len(steps) else [])
            for number, step in enumerate(steps, start=1)
        ]

    def _change(self, events: list[dict[str, Any]], awaiting: list[int]) -> dict[str, Any]:
        said = self.form.said
        lines = []
        for event in events:
            # The draw for the first dealer belongs to the first hand.
            if event["type"] == _HAND and self.form.hand:
                self.log = []
            self.form.take(event)
            lines += [line for line in self._narrator.seen_lines(event) if line]
        self.log += lines
        shown = self.form.shown(awaiting)
        spoken = _spoken(said, self.form)
        changed = {
            name: value for name, value in shown.items() if self.shown[name] != value or name in spoken
        }
        self.shown = shown
        return {"n": events[0]["n"], "lines": lines, **changed}


def spectated(canonical: Mapping[str, Any]) -> Iterator[tuple[LiveTable, list[dict[str, Any]]]]:
    """Replay a recorded game for a spectator. Yield the table after each action, always the same object, and
    the changes of that action (see :meth:`LiveTable.take`).
    """
    table = LiveTable({"kind": canonical["kind"], "rules": canonical["rules"], "seats": canonical["players"]})
    for events, awaiting in seen_actions(canonical):
        yield table, table.take(events, awaiting)


def seen_actions(
    canonical: Mapping[str, Any], viewer: int | None = None
) -> Iterator[tuple[list[dict[str, Any]], list[int]]]:
    """Replay a recorded game. Yield for each action the events that a seat saw, or a spectator if ``viewer``
    is None, numbered by the action, and the seats awaited after it.
    """
    game = game_of(canonical["kind"])
    state = game.new_state(game.options.complete(canonical["rules"]))
    for number, (seat, action, *_) in enumerate(canonical["actions"]):
        views = (game.view_event(event, viewer) for event in state.apply(seat, action))
        events = [{"n": number, **view} for view in views if view is not None]
        yield events, list(state.awaiting())


def _steps(events: list[dict[str, Any]], first: frozenset[str]) -> Iterator[list[dict[str, Any]]]:
    """Split the events before each one that is shown separately."""
    step: list[dict[str, Any]] = []
    for event in events:
        if step and event["type"] in first:
            yield step
            step = []
        step.append(event)
    if step:
        yield step


def _spoken(before: list[Any], form: Picture) -> set[str]:
    """Return the names of the bubbles that are new, even if they have the same text as before."""
    return {
        f"said{seat}"
        for seat, said in enumerate(form.said)
        if said is not None and not said[3] and said is not before[seat]
    }
