"""A golden playthrough: a game stated action by action, and the text that tells it.

Every game has a module ``cases_<kind>`` with ``CASES``, a list of :class:`Case`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.games import game_of
from arena.games.kernel import CHANCE

NAMES = ("Ana", "Bruno", "Carla", "Duda", "Emil", "Fenna", "Gijs", "Hanna")


@dataclass(frozen=True)
class Case:
    """``name`` is the file's, without kind and ending; ``about`` says what to look at; ``rules`` are those
    that differ from the defaults; ``log`` holds ``(seat, action)`` from the start, chance included.
    """

    kind: str
    name: str
    about: str
    rules: dict[str, Any]
    log: Sequence[tuple[int, str]]

    @property
    def file(self) -> str:
        """The name of the golden file."""
        return f"{self.kind}-{self.name}.txt"

    def text(self) -> str:
        """What the golden file has to hold: about, rules, actions, story."""
        game = game_of(self.kind)
        rules = game.options.complete(self.rules)
        state = game.new_state(rules)
        teller = game.narrator(NAMES[: game.seats(rules)], rules)
        actions, story = [], []
        for seat, action in self.log:
            actions.append(f"{'chance' if seat == CHANCE else seat} {action}")
            for event in state.apply(seat, action):
                story += teller.line(event)
        awaited = ", ".join("chance" if seat == CHANCE else NAMES[seat] for seat in state.awaiting())
        story += ["", f"(It is for {awaited} to act.)" if awaited else "(The game is over.)"]
        sections = {
            "Rules": [f"{name}: {json.dumps(value)}" for name, value in rules.items()],
            "Actions": actions,
            "Story": story,
        }
        lines = [f"{self.kind}: {self.about}"]
        for title, body in sections.items():
            lines += ["", f"== {title}", *body]
        return "\n".join(lines) + "\n"


def read_log(text: str) -> list[tuple[int, str]]:
    """The actions of a golden file."""
    body = text.split("== Actions\n")[1].split("\n\n== Story")[0]
    pairs = [line.split(" ", 1) for line in body.splitlines()]
    return [(CHANCE if seat == "chance" else int(seat), action) for seat, action in pairs]
