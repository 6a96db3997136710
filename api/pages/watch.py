"""The page with the tables that anybody can watch now."""

from __future__ import annotations

from typing import NamedTuple

from flask import Response, current_app, request, url_for
from markupsafe import Markup

from api.http.streams import felt_stream, stream_pause
from api.pages.felts import Felt
from api.pages.low_table import low_table
from api.pages.site import blueprint, page
from api.pages.small_table import SmallTable
from api.pages.watched_tables import WatchedTables
from api.services import services
from arena.games import game_of
from arena.people.best_hands import BestHand
from arena.replays.page import static

_LONGEST_ID = 24


@blueprint.get("/watch")
def watch_page() -> Response:
    """Show the exhibition games with their logs, and small tables of the other games in progress."""
    kind = request.args.get("game") or None
    if kind is not None:
        game_of(kind)
    tables: WatchedTables = current_app.extensions["botequim-tables"]
    last, shown = tables.shown()
    at_ms, hands = _best_hands()
    return page(
        "watch_tables.html",
        kind=kind,
        large=[html for felt, html in shown if felt.is_large and kind in (None, felt.kind)],
        small=[html for felt, html in shown if not felt.is_large and kind in (None, felt.kind)],
        best=hands,
        best_ms=at_ms,
        has_exhibition=services().settings.exhibition_ms > 0,
        stream=url_for("pages.stream_tables", after=last),
        sprite=Markup(static("sprite.html")),
    )


@blueprint.get("/watch/tables")
def stream_tables() -> Response:
    """Stream the tables of the page, as ``felts`` events; see :mod:`api.pages.watched_tables`."""
    tables: WatchedTables = current_app.extensions["botequim-tables"]
    after = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    return felt_stream(tables.messages(stream_pause(), after[:_LONGEST_ID]))


class ShownHand(NamedTuple):
    """One of the best hands: its drawing, the name of its rules, and a sentence about it."""

    game: str
    hand: int
    rules: str
    drawn: SmallTable
    text: str
    players: list[str]


def _best_hands() -> tuple[int, list[ShownHand]]:
    at_ms, hands = services().best_hands.latest()
    return at_ms, [_shown_hand(hand) for hand in hands]


def _shown_hand(hand: BestHand) -> ShownHand:
    seats = [{"name": name} for name in hand["players"]]
    felt = Felt.of(
        {"game": hand["game"], "kind": hand["kind"], "rules": hand["rules"], "seats": seats}, False
    )
    felt.table.picture = hand["picture"]
    return ShownHand(
        hand["game"], hand["hand"], felt.rules, low_table(felt.table), hand["text"], hand["players"]
    )
