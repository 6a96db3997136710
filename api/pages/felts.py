"""The small tables of the page /watch, and the parts of their drawings that the page replaces one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from flask import Flask
from markupsafe import Markup

from api.pages.front_table import FrontTable
from api.pages.low_table import low_table
from api.pages.small_table import SmallTable, small_table, with_wide_names
from arena.games import game_of
from arena.games.cards import pretty
from arena.people.tables import playable
from arena.replays.live_table import LiveTable
from arena.replays.moves import ToldLine
from arena.replays.page import game_title
from arena.replays.sheets import line_html, table_layout

_NAMELESS: Final = " at the table"
_TABLES: Final = "felts.html"
_DRAWING: Final = "front_table.html"


@dataclass
class Felt:
    """A table of the page. ``is_large``: whether it has a log of its hand, as exhibition games do.
    ``heading`` are the players, and ``rules`` the name of the rules. ``watch`` is the number of spectators.
    """

    table: FrontTable
    is_large: bool
    heading: str
    rules: str
    log: list[str] = field(default_factory=list)
    over: bool = False
    watch: int = 0

    @classmethod
    def of(cls, summary: Mapping[str, Any], is_large: bool) -> Felt:
        """Return the table of a game before its first event."""
        game, rules = game_of(summary["kind"]), summary["rules"]
        live = LiveTable(summary)
        title = game_title(game, rules, live.players)
        named = game.title_of(rules)
        table = FrontTable(
            summary["game"],
            summary["kind"],
            live=True,
            title=title,
            result="",
            layout=table_layout(game, rules, live.form),
            picture=live.shown,
        )
        heading = title
        if is_large:
            # The title of a larger table names nobody.
            heading = named if title.endswith(_NAMELESS) else f"{named}: {title}"
        return cls(table, is_large, heading, named)

    @property
    def game(self) -> str:
        """The id of the game."""
        return self.table.game

    @property
    def kind(self) -> str:
        """The kind of the game."""
        return self.table.kind

    def is_large_of(self, kind: str) -> bool:
        """Return whether this is the large table of a kind of game."""
        return self.is_large and self.kind == kind

    @property
    def can_play(self) -> bool:
        """Whether people can play such games."""
        return self.kind in playable()

    @property
    def spectators(self) -> str:
        """The number of spectators in words."""
        return f"{self.watch} spectator{'s' * (self.watch != 1)}"

    @property
    def caption(self) -> str:
        """What the drawing does not show."""
        picture = self.table.picture
        parts = []
        if not self.is_large:
            unit = self.table.layout["unit"][picture["stake"] != 1]
            parts = [self.rules, f"{picture['stake']} {unit} at stake"]
        if picture["asked"] is not None:
            parts.append(f"asked: {picture['asked']}")
        if picture["turned"]:
            parts.append(f"vira {pretty(picture['turned']['card'])}")
        parts.append(f"hand {picture['hand']}")
        if picture["trick"]:
            parts.append(f"trick {picture['trick']}")
        if picture["ended"]:
            parts.append(picture["ended"]["text"])
        elif picture["taken"]:
            parts.append(picture["taken"])
        if not self.is_large:
            parts.append(self.spectators)
        return " · ".join(part.rstrip(".") for part in parts)


class FeltDrawings:
    """Draws the tables with the templates of the pages."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    def whole(self, felt: Felt) -> str:
        """Return a table as HTML."""
        with self._app.test_request_context():
            return str(self._macros(_TABLES).felt(felt, _drawn(felt), self.lines(felt.log))).strip()

    def parts(self, felt: Felt) -> dict[str, str]:
        """Return the parts of a table by name, as HTML."""
        drawn, macros, drawing = _drawn(felt), self._macros(_TABLES), self._macros(_DRAWING)
        found = {name: getattr(macros, name)(felt) for name in ("score", "caption")}
        found["stake"] = drawing.stake(drawn)
        if felt.is_large:
            found |= {name: getattr(macros, name)(felt) for name in ("watch", "hand", "tag")}
        for number, seat in enumerate(drawn.seats):
            found[f"lying{number}"] = drawing.lying(drawn.lying_of(number), number, drawn.width)
            found[f"seat{number}"] = drawing.seat(seat, number)
        return {name: str(html).strip() for name, html in found.items()}

    @staticmethod
    def lines(log: Sequence[str]) -> list[Markup]:
        """Return lines of the log as HTML."""
        return [Markup("<li>{}</li>").format(Markup(line_html(ToldLine(line)))) for line in log]

    def _macros(self, template: str) -> Any:
        return self._app.jinja_env.get_template(template).module


def _drawn(felt: Felt) -> SmallTable:
    return with_wide_names(small_table(felt.table)) if felt.is_large else low_table(felt.table)
