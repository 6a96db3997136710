"""The form that edits an announced tournament."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from api.http.requests import load
from api.http.sessions import page_viewer, signed_in
from api.pages.fields import Control, Sections, filled, of_form, status_of, time_value, with_error_in
from api.pages.organise import FOLDED, tournament_body, tournament_controls
from api.pages.site import blueprint, form, page
from api.schemas.edits import EditTournamentSchema
from api.schemas.tournaments import MAX_SETTINGS
from api.services import services
from arena.accounts.accounts import Principal
from arena.errors import ArenaError
from arena.games import game_of

_EMPTY: Final[dict[str, Any]] = {"description": "", "link": "", "rounds": None, "house": [], "baseline": []}
"""The value that an emptied field stands for; other emptied fields remain unchanged."""

_WHOLE: Final = {"preset": ("preset", "rules"), "rules": ("preset", "rules")}


@blueprint.get("/tournaments/<tournament>/edit")
def edit_tournament_page(tournament: str) -> Response:
    """Show a form with the settings that can be edited now."""
    who, view = signed_in(), services().tournaments.view(tournament, page_viewer())
    return _shown(view, _sections(view, who))


@form("/tournaments/<tournament>/edit", most=MAX_SETTINGS)
def edit_tournament(tournament: str) -> ResponseReturnValue:
    """Edit a tournament."""
    who, view = signed_in(), services().tournaments.view(tournament, page_viewer())
    before = _sections(view, who)
    sent = {title: filled(found, request.form.getlist) for title, found in before.items()}
    try:
        body = _changes(view, before, sent)
        if body:
            services().organiser_requests.edit(who, tournament, load(EditTournamentSchema(), body))
    except ArenaError as error:
        return _shown(view, sent, of_form(error))
    return redirect(url_for("pages.tournament_page", tournament=tournament), 303)


def _sections(view: Mapping[str, Any], who: Principal) -> dict[str, list[Control]]:
    """Return controls for the settings that can be edited now, with their current values."""
    allowed = services().tournaments.organising.editable(view["id"], who)
    sections = tournament_controls(game_of(view["kind"]), who)
    present = {
        title: [
            _present(one, view)
            for one in found
            if one.name != "invited_owners" and (allowed is None or one.name in allowed)
        ]
        for title, found in sections.items()
    }
    return {title: found for title, found in present.items() if found}


def _present(one: Control, view: Mapping[str, Any]) -> Control:
    if one.name == "clock.preset" or (one.name.startswith("rules.") and view["preset"]):
        return one
    value: Any = view
    if one.name == "house":
        value = {"house": [entry["bot"] for entry in view["entries"] if entry["house"]]}
    for part in one.name.split("."):
        value = value[part]
    return replace(one, value=text_of(one, value))


def text_of(one: Control, value: Any) -> str:
    """Convert a value of the API to the value of a control."""
    if value is None:
        return ""
    if one.kind == "time":
        return time_value(value)
    if one.kind == "seconds":
        return f"{value / 1000:.12g}"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return (" " if one.kind == "checks" else ", ").join(value)
    if isinstance(value, bool):
        return ("yes" if value else "no") if one.kind in ("truth", "choice") else "1" if value else ""
    return str(value)


def _changes(view: Mapping[str, Any], before: Sections, sent: Sections) -> dict[str, Any]:
    """Return the request body with the settings that the user changed."""
    known = {one.name: one.value for found in before.values() for one in found}
    names = {
        one.name.partition(".")[0] for found in sent.values() for one in found if one.value != known[one.name]
    }
    body = tournament_body(sent, game_of(view["kind"]))
    found: dict[str, Any] = {}
    for name in names:
        for part in _WHOLE.get(name, (name,)):
            if part in body:
                found[part] = body[part]
            elif part in _EMPTY:
                found[part] = _EMPTY[part]
    return found


def _shown(view: Mapping[str, Any], sections: Sections, error: ArenaError | None = None) -> Response:
    sections, error = with_error_in(sections, error)
    return page(
        "new_tournament.html",
        status_of(error),
        one=view,
        game=game_of(view["kind"]),
        sections=sections,
        folded=FOLDED,
        error=error,
    )
