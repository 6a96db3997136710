"""Forms for the schedules of the signed-in owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from api.http.requests import load
from api.http.sessions import signed_in
from api.pages.edit_tournament import text_of
from api.pages.fields import (
    Control,
    Sections,
    Words,
    body_of,
    controls,
    filled,
    of_form,
    status_of,
    with_error_in,
)
from api.pages.organise import FOLDED, tournament_body, tournament_controls
from api.pages.site import blueprint, form, page
from api.schemas.schedules import ChangedScheduleSchema, NewScheduleSchema, TemplateSchema
from api.schemas.tournaments import MAX_SETTINGS
from api.services import services
from arena.accounts.accounts import Forbidden, Principal
from arena.errors import ArenaError
from arena.games import GAMES, game_of
from arena.games.descriptor import Game

_WHEN: Final = "When it fires"
_TEMPLATE: Final = "tournament."
_WORDS: Final = Words(
    helps={"cron": "Minute, hour, day, month, day of the week: 0 20 * * 1 is every Monday at 20:00."}
)


@blueprint.get("/account/schedules/new")
def new_schedule_page() -> Response:
    """Show a form for a new schedule."""
    who = signed_in()
    game = game_of(request.args.get("kind", next(iter(GAMES))))
    return _shown(game, _sections(game, who))


@form("/account/schedules", most=MAX_SETTINGS)
def create_schedule() -> ResponseReturnValue:
    """Create a schedule."""
    who, game = signed_in(), game_of(request.form.get("kind", ""))
    sent = _sent(_sections(game, who))
    try:
        body = {**body_of(sent[_WHEN]), "tournament": _template(sent, game)}
        services().schedules.create_for(who, load(NewScheduleSchema(), body))
    except ArenaError as error:
        return _shown(game, sent, error=of_form(error))
    return redirect(url_for("pages.account_page"), 303)


@blueprint.get("/account/schedules/<schedule>/edit")
def edit_schedule_page(schedule: str) -> Response:
    """Show a form with the settings of a schedule."""
    known, who = _own(schedule)
    game = game_of(known["tournament"]["kind"])
    return _shown(game, _sections(game, who, known), known)


@form("/account/schedules/<schedule>/edit", most=MAX_SETTINGS)
def edit_schedule(schedule: str) -> ResponseReturnValue:
    """Edit a schedule."""
    known, who = _own(schedule)
    game = game_of(known["tournament"]["kind"])
    before = _sections(game, who, known)
    sent = _sent(before)
    # A time in the past can remain.
    body = body_of(one for one, was in zip(sent[_WHEN], before[_WHEN], strict=True) if one.value != was.value)
    if any(sent[title] != before[title] for title in sent if title != _WHEN):
        body["tournament"] = _template(sent, game)
    try:
        if body:
            services().schedules.change(schedule, **load(ChangedScheduleSchema(), body), by=who)
    except ArenaError as error:
        return _shown(game, sent, known, of_form(error))
    return redirect(url_for("pages.account_page"), 303)


@form("/account/schedules/<schedule>")
def change_own_schedule(schedule: str) -> ResponseReturnValue:
    """Pause, resume or delete a schedule."""
    who = signed_in()
    if "delete" in request.form:
        services().schedules.delete(schedule, by=who)
    else:
        services().schedules.change(schedule, enabled=request.form.get("enabled") == "1", by=who)
    return redirect(url_for("pages.account_page"), 303)


def _own(schedule: str) -> tuple[dict[str, Any], Principal]:
    who, known = signed_in(), services().schedules.view(schedule)
    if known["created_by"] != who.owner and not who.admin:
        raise Forbidden(f"schedule {schedule} is not yours", field="schedule")
    return known, who


def _sections(game: Game, who: Principal, known: Mapping[str, Any] | None = None) -> dict[str, list[Control]]:
    """Return the controls by section, with the values of the existing schedule, if any."""
    names = ["cron", "at_ms"]
    if known is None:
        names = ["id", *names, *(["until_groups"] if who.admin else [])]
    sections = tournament_controls(game, who, TemplateSchema)
    when = controls(NewScheduleSchema(), names, _WORDS)
    if known is None:
        return {_WHEN: when, **sections}
    found = {
        title: [_present(one, known["tournament"]) for one in section] for title, section in sections.items()
    }
    return {_WHEN: [replace(one, value=text_of(one, known[one.name])) for one in when], **found}


def _present(one: Control, template: Mapping[str, Any]) -> Control:
    """Return the control with its value from the template, or with its default if that does not set it."""
    if one.name == "preset" and "preset" not in template and "rules" in template:
        return replace(one, value="")
    if one.name.startswith("clock.") and "preset" in template.get("clock", {}) and one.kind == "seconds":
        return replace(one, value="")
    value: Any = template
    for part in one.name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return one
        value = value[part]
    if one.kind == "checks":
        # A browser sends the values in the order of the form.
        value = [name for name, _ in one.choices if name in value]
    return replace(one, value=text_of(one, value))


def _sent(sections: Sections) -> dict[str, list[Control]]:
    return {title: filled(found, request.form.getlist) for title, found in sections.items()}


def _template(sections: Sections, game: Game) -> Mapping[str, object]:
    return tournament_body({title: found for title, found in sections.items() if title != _WHEN}, game)


def _shown(
    game: Game,
    sections: Sections,
    known: Mapping[str, object] | None = None,
    error: ArenaError | None = None,
) -> Response:
    sections, error = with_error_in(sections, error and _of_template(error))
    return page(
        "schedule.html", status_of(error), one=known, game=game, sections=sections, folded=FOLDED, error=error
    )


def _of_template(error: ArenaError) -> ArenaError:
    """Return the error with the names of the template's fields replaced by those of the form."""
    more = [
        {
            **one,
            "field": one["field"].removeprefix(_TEMPLATE),
            "detail": one["detail"].removeprefix(_TEMPLATE),
        }
        for one in error.extra.get("more", ())
    ]
    return ArenaError(
        error.message.removeprefix(_TEMPLATE),
        code=error.code,
        field=(error.field or "").removeprefix(_TEMPLATE),
        expected=error.expected,
        extra={**error.extra, "more": more},
    )
