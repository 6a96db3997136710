"""Pages of series, and their forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from api.http.requests import load
from api.http.sessions import page_viewer, signed_in, visitor
from api.pages.fields import Control, Words, body_of, controls, filled, of_form, status_of, with_error
from api.pages.site import blueprint, form, page, page_cursor
from api.schemas.series import ChangedSeriesSchema, NewSeriesSchema
from api.services import services
from arena.declarations import settings_of
from arena.errors import ArenaError
from arena.inputs.numbers import decimal
from arena.ratings.series_rules import SeriesContents, SeriesRules
from arena.store.paging import parse_number

_FIELDS: Final = (*settings_of(SeriesContents), *settings_of(SeriesRules))
_AT_ONCE: Final = 50


def _controls(known: Mapping[str, object] | None = None) -> list[Control]:
    words = Words(choices={"by": {"owner": "owners, by their best bot", "bot": "each bot"}})
    values = {**SeriesRules().as_json(), **(known or {})}
    found = []
    for one in controls(NewSeriesSchema(), _FIELDS, words):
        value = values.get(one.name)
        text = ", ".join(_text(part) for part in value) if isinstance(value, list) else _text(value)
        found.append(replace(one, value=text))
    return found


def _text(value: object) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _body(found: list[Control]) -> Mapping[str, object]:
    body: dict[str, Any] = {"tournaments": [], "best": None, **body_of(found)}
    points = [decimal(part) for part in body.get("points", [])]
    if None not in points:
        # For other fields, the schema says what is valid.
        body["points"] = points
    return body


@blueprint.get("/series")
def series_list_page() -> Response:
    """Show the series, newest first."""
    found = services().series.listed(page_viewer(), parse_number(page_cursor(), 9), _AT_ONCE)
    return page("series_list.html", series=found.items, cursor=found.cursor)


@blueprint.get("/series/new")
def new_series_page() -> Response:
    """Show a form for a new series."""
    signed_in()
    return _form(_controls())


def _form(found: list[Control], error: ArenaError | None = None) -> Response:
    found, error = with_error(found, error)
    return page("new_series.html", status_of(error), controls=found, error=error)


@form("/series/new")
def create_series() -> ResponseReturnValue:
    """Create a series."""
    who = signed_in()
    found = filled(_controls(), request.form.getlist)
    try:
        body = load(NewSeriesSchema(), _body(found))
        services().limits.spend("tournaments_per_owner", who.owner)
        made = services().series.create(body, who)
    except ArenaError as error:
        return _form(found, of_form(error, "tournament_not_found"))
    return redirect(url_for("pages.series_page", series=made["id"]), 303)


@blueprint.get("/series/<series>")
def series_page(series: str) -> Response:
    """Show the table of a series."""
    return _series(series)


def _series(series: str, found: list[Control] | None = None, error: ArenaError | None = None) -> Response:
    viewer, parts = page_viewer(), services()
    known = parts.series.view(series, viewer)
    guest = visitor()
    may_change = guest.owner != "" and (viewer.admin or guest.name_in_views == known["owner"])
    mine = may_change and not known["done"]
    found = (found or _controls(known)) if mine else []
    found, error = with_error(found, error)
    table = parts.series.table(series, viewer)
    points = ", ".join(map(_text, known["points"]))
    return page(
        "series.html",
        status_of(error),
        series=known,
        points=points,
        table=table,
        mine=mine,
        controls=found,
        error=error,
    )


@form("/series/<series>")
def change_series(series: str) -> ResponseReturnValue:
    """Change a series, or end it."""
    who = signed_in()
    services().series.view(series, page_viewer())
    found = filled(_controls(), request.form.getlist)
    try:
        body = {"done": True} if "done" in request.form else _body(found)
        services().series.change(series, load(ChangedSeriesSchema(), body), who)
    except ArenaError as error:
        return _series(series, found, of_form(error, "tournament_not_found"))
    return redirect(url_for("pages.series_page", series=series), 303)
