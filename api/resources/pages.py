"""HTML pages, rendered on the server without scripts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson
from flask import Blueprint, Response, abort, render_template, request, send_from_directory, url_for

from api.auth import authenticate, viewer
from api.edge import OPERATION, PRINCIPAL
from api.requests import read_query
from api.schemas.common import PageQuery
from api.schemas.leaderboards import BoardPageQuery
from api.services import services
from arena.errors import UnknownPreset
from arena.games import GAMES
from arena.games.descriptor import Preset
from arena.play.board_names import all_boards
from arena.play.players import DIVISIONS, OPEN, SEALED
from arena.ratings.matchups import MOST_BOTS

blueprint = Blueprint("pages", __name__, template_folder="../templates")

BEST: Final = 5
"""Maximum rows of each leaderboard on the front page."""

CROSSTABLE_MOST: Final = 40
"""Maximum bots in a crosstable on a page."""

ROWS_MOST: Final = 100
"""Maximum rows of the standings, and entries, on the page of a tournament."""

BOTS_AT_ONCE: Final = 200
GROUPS_AT_ONCE: Final = 100
TOURNAMENTS_AT_ONCE: Final = 50

MEANINGS: Final = {
    SEALED: "Only bots that the arena runs: same machine, no memory between games, mirrored deals.",
    OPEN: "Any bot, wherever it runs.",
}

_STATIC: Final = Path(__file__).parent.parent / "static"
_HOST: Final = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?").fullmatch
_QUERY: Final = PageQuery()
_BOARD: Final = BoardPageQuery()
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


def _page(template: str, status: int = 200, **values: Any) -> Response:
    html = render_template(template, kinds=list(GAMES), **values)
    response = Response(html, status, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-cache"
    return response


@blueprint.before_request
def _count() -> None:
    """Count pages against the request limit."""
    request.environ[OPERATION] = "page"
    authenticate(request.environ, services())


@blueprint.get("/")
def home() -> Response:
    """The front page: an introduction, the best bots, the next tournaments, how to enter."""
    boards = [
        (name, board)
        for name in all_boards()
        if (board := services().boards.read(*name)) is not None and board["rows"]
    ]
    address = services().settings.http.public_url or _asked_at()
    return _page(
        "home.html",
        boards=boards,
        most=BEST,
        tournaments=services().tournaments.present(),
        schedules=_coming(),
        address=address,
    )


def _asked_at() -> str:
    """The address that the request came to, or if that is none, a word in its place."""
    host = request.environ.get("HTTP_HOST", "")
    return request.url_root.rstrip("/") if _HOST(host) else "ADDRESS"


@blueprint.get("/leaderboards/<kind>")
def leaderboard_page(kind: str) -> Response:
    """The leaderboards of one preset of a game, by default its first one."""
    if kind not in GAMES:
        abort(404)
    return _boards(kind, DIVISIONS)


@blueprint.get("/leaderboards/<kind>/<division>")
def division_page(kind: str, division: str) -> Response:
    """A page of one leaderboard."""
    if kind not in GAMES or division not in DIVISIONS:
        abort(404)
    return _boards(kind, (division,))


@blueprint.get("/leaderboards/<kind>/<division>/matchups")
def matchups_page(kind: str, division: str) -> Response:
    """Who beats whom on one leaderboard."""
    if kind not in GAMES or division not in DIVISIONS:
        abort(404)
    one = services().matchups.published(kind, division, _preset(kind, _board_query()).name)
    if one is None:
        abort(404)
    return _page(
        "matchups.html",
        one=one,
        board=one.table.board,
        rows=list(zip(one.table.bots, one.table.rows(), strict=True)),
        most=MOST_BOTS,
    )


def _board_query() -> dict[str, Any]:
    query: dict[str, Any] = read_query(_BOARD, request.environ, services().settings.http)
    return query


def _preset(kind: str, query: Mapping[str, Any]) -> Preset:
    try:
        return GAMES[kind].preset(query["preset"])
    except UnknownPreset:
        abort(404)


def _boards(kind: str, divisions: Sequence[str]) -> Response:
    game = GAMES[kind]
    query = _board_query()
    # A page of both divisions has the first rows of each.
    cursor = query["cursor"] if len(divisions) == 1 else None
    preset = _preset(kind, query)
    boards = []
    for division in divisions:
        name = (kind, division, preset.name)
        one = services().boards.published(*name)
        boards.append(
            (division, one and one.page(cursor, BOTS_AT_ONCE), services().matchups.published(*name))
        )
    return _page(
        "leaderboard.html",
        kind=kind,
        preset=preset,
        presets=game.presets,
        # The page without a preset in its address is that of the first one.
        chosen=None if preset is game.presets[0] else preset.name,
        boards=boards,
        meanings=MEANINGS,
        records=url_for("records.download_all_records", kind=kind),
        cursor=cursor,
    )


@blueprint.get("/tournaments")
def tournaments_page() -> Response:
    """The tournaments, current ones first."""
    cursor = _cursor()
    page = services().tournaments.list(state="over", cursor=cursor, limit=TOURNAMENTS_AT_ONCE)
    present = [] if cursor else services().tournaments.present()
    schedules = [] if cursor else _coming()
    return _page(
        "tournaments.html",
        now=present,
        schedules=schedules,
        past=page.items,
        next=page.cursor,
        cursor=cursor,
    )


@blueprint.get("/tournaments/<tournament>")
def tournament_page(tournament: str) -> Response:
    """One tournament: its progress, standings, crosstable and groups."""
    cursor = _cursor()
    arena = services().tournaments
    # Without a token anybody; whoever made a private one, or an admin, may send theirs.
    who = viewer(request.environ.get(PRINCIPAL))
    view = arena.view(tournament, who)
    groups = arena.groups(tournament, cursor=cursor, limit=GROUPS_AT_ONCE, viewer=who)
    standings = arena.standings(tournament, who)
    return _page(
        "tournament.html",
        one=view,
        defaults=GAMES[view["kind"]].options.complete({}),
        standings=standings.shown(ROWS_MOST, CROSSTABLE_MOST),
        count=len(standings.rows),
        most_rows=ROWS_MOST,
        standings_state=standings.state,
        computed_ms=standings.computed_ms,
        most_columns=CROSSTABLE_MOST,
        groups=groups.items,
        earlier=cursor,
        next=groups.cursor,
    )


@blueprint.get("/pages.css")
def style() -> Response:
    """The style sheet of the pages."""
    return send_from_directory(_STATIC, "pages.css", max_age=3600)


def _cursor() -> str | None:
    cursor: str | None = read_query(_QUERY, request.environ, services().settings.http)["cursor"]
    return cursor


def _coming() -> list[dict[str, Any]]:
    """The schedules that will fire, the next one first."""
    found = [one for one in services().schedules.list() if one["enabled"] and one["next_ms"] is not None]
    return sorted(found, key=lambda one: (one["next_ms"], one["id"]))


# Errors


def error_page(problem: Response) -> Response:
    """Return an HTML page for the problem if a browser requests it, otherwise the problem itself.

    Errors under ``/v1`` are always problem documents.
    """
    accepted = request.accept_mimetypes
    is_page = request.path != "/v1" and not request.path.startswith("/v1/")
    if not is_page or "text/html" not in accepted.values() or _prefers_problems(accepted):
        return problem
    page = _page("error.html", problem.status_code, problem=orjson.loads(problem.get_data()))
    for name in ("Allow", "Retry-After", "WWW-Authenticate"):
        if name in problem.headers:
            page.headers[name] = problem.headers[name]
    return page


def _prefers_problems(accepted: Any) -> bool:
    return bool(accepted["application/problem+json"] > accepted["text/html"])


# Filters


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


@blueprint.app_template_filter("iso")
def iso(ms: int) -> str:
    """A timestamp in ISO 8601."""
    return _moment(ms).isoformat(timespec="seconds")


@blueprint.app_template_filter("minute")
def minute(ms: int) -> str:
    """A timestamp, to the minute."""
    return f"{_moment(ms):%Y-%m-%d %H:%M}"


@blueprint.app_template_filter("day")
def day(ms: int | None) -> str:
    """The day of a timestamp; a dash for None."""
    return "–" if ms is None else _moment(ms).date().isoformat()


@blueprint.app_template_filter("percent")
def percent(share: float, unit: str = "%") -> str:
    """A share in per cent."""
    return f"{100 * share:.0f}{unit}"


@blueprint.app_template_filter("words")
def words(name: str) -> str:
    """An API name as words."""
    return name.replace("_", " ")


@blueprint.app_template_filter("sentence")
def sentence(text: str) -> str:
    """A message as a sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "."


@blueprint.app_template_filter("duration")
def duration(seconds: float) -> str:
    """A duration in a suitable unit."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"
