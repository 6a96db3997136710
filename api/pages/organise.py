"""Forms to announce, enter, withdraw from and cancel tournaments."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

import orjson
from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue
from marshmallow import Schema

from api.http.requests import load
from api.http.sessions import signed_in
from api.pages.fields import (
    Control,
    Sections,
    Words,
    body_of,
    controls,
    filled,
    of_form,
    status_of,
    time_value,
    with_error_in,
    worded,
)
from api.pages.site import blueprint, form, page
from api.pages.tournaments import tournament_view
from api.schemas.common import ByKind
from api.schemas.edits import CloneSchema
from api.schemas.tournaments import (
    MAX_SETTINGS,
    EnterSchema,
    NewTournamentSchema,
    ReasonSchema,
)
from api.services import services
from arena.accounts.accounts import Principal
from arena.errors import ArenaError
from arena.events.house_entries import house_choices
from arena.games import GAMES, game_of
from arena.games.descriptor import Game
from arena.play.players import DIVISION_BOTS
from arena.tournaments.formats import FORMATS

_HOUR_MS: Final = 3_600_000
_DRAFT_BYTES: Final = 12
_ID_LENGTH: Final = 12
_OWN_RULES: Final = "my own, below"
_BANK: Final = "Per seat and game, for decisions that take longer."

_LABELS: Final = {
    "preset": "Rules",
    "clock.preset": "Clock",
    "clock.per_turn_ms": "Seconds per decision",
    "clock.bank_ms": "Bank in seconds",
}
_BARE: Final = ("format", "preset", "clock.per_turn_ms", "who", "max_entries", "auto_enter", "house")
"""Fields whose labels need no help text."""

_SECTIONS: Final = (
    (
        "What is played",
        ("name", "description", "link", "preset", "rules", "partners", "format", "groups", "rounds"),
    ),
    (
        "Who plays",
        (
            "division",
            "who",
            "invited",
            "invited_owners",
            "hidden",
            "house",
            "baseline",
            "max_entries",
            "per_owner",
            "auto_enter",
            "rated",
        ),
    ),
    ("When", ("opens_ms", "locks_ms", "ends_ms", "entry_s", "play_s")),
    ("More", ("clock", "games_per_bot", "max_repeats", "tie_breaks")),
)
"""The fields of the form. Other fields of the API come at the end of the last section."""

FOLDED: Final = ("rules", "More")


def schema_of(schemas: type[ByKind], kind: str) -> Schema:
    """Return the schema for a kind of game."""
    return schemas.type_schemas[kind]()


def _words(game: Game) -> Words:
    presets = {preset.name: f"{preset.name}: {preset.doc.rstrip('.')}" for preset in game.presets}
    return Words(
        _LABELS,
        {**dict.fromkeys(_BARE, ""), "clock.bank_ms": _BANK},
        {
            "preset": {**presets, "": _OWN_RULES},
            "format": {
                name: f"{name.replace('_', ' ')}: {format.doc.rstrip('.')}"
                for name, format in FORMATS.items()
            },
            "division": {name: f"{name}: {bots}" for name, bots in DIVISION_BOTS.items()},
            "rated": {"": "if the rules match a preset"},
        },
    )


def tournament_controls(
    game: Game, who: Principal, schemas: type[ByKind] = NewTournamentSchema
) -> dict[str, list[Control]]:
    """Return the controls by section. The rule options have a separate section."""
    schema, words = schema_of(schemas, game.kind), _words(game)
    left = [name for name in schema.fields if name != "kind"]
    if not who.admin:
        left.remove("rated")
    sections: dict[str, list[Control]] = {}
    for title, wanted in _SECTIONS:
        names = [name for name in wanted if name in left]
        left = [name for name in left if name not in names]
        found = controls(schema, [name for name in names if name != "rules"], words)
        sections[title] = [_special(one, game) for one in found]
        if "rules" in names:
            sections["rules"] = controls(schema, ["rules"], words)
    sections["More"] += controls(schema, left, words)
    return sections


def _special(one: Control, game: Game) -> Control:
    """Return properties of a control that the schema does not define."""
    if one.name == "preset":
        return replace(one, choices=(*one.choices[1:], one.choices[0]), value=one.choices[1][0])
    if one.name == "house":
        return replace(one, kind="checks", choices=[(name, name) for name in house_choices(game.kind)])
    if one.name == "tie_breaks":
        return replace(one, kind="text")
    if one.name == "locks_ms":
        soon = services().store.clock().now_ms + _HOUR_MS
        return replace(one, value=time_value(soon))
    return one


def tournament_body(sections: Mapping[str, list[Control]], game: Game) -> dict[str, Any]:
    """Build the request body from the controls of the form."""
    body = body_of(one for found in sections.values() for one in found)
    if "tie_breaks" in body:
        names = (name.strip().replace(" ", "_") for name in body["tie_breaks"].split(","))
        body["tie_breaks"] = [name for name in names if name]
    if "preset" in (clock := body.get("clock", {})):
        # The form has values for the times, too.
        body["clock"] = {"preset": clock["preset"]}
    # With a preset, send only the changed rules; the service rejects rules that contradict the preset.
    options = game.options.by_name
    rules = {
        name: value
        for name, value in body.pop("rules", {}).items()
        if options[name].follows or value != options[name].default
    }
    if rules or "preset" not in body:
        body["rules"] = rules
    return {**body, "kind": game.kind}


@blueprint.get("/tournaments/new")
def new_tournament_page() -> Response:
    """Show a form for a new tournament."""
    who = signed_in()
    game = game_of(request.args.get("kind", next(iter(GAMES))))
    return _new_tournament(game, tournament_controls(game, who), secrets.token_urlsafe(_DRAFT_BYTES))


def _new_tournament(
    game: Game,
    sections: Sections,
    draft: str,
    error: ArenaError | None = None,
    plan: Mapping[str, object] | None = None,
) -> Response:
    sections, error = with_error_in(sections, error)
    return page(
        "new_tournament.html",
        status_of(error),
        one=None,
        game=game,
        sections=sections,
        folded=FOLDED,
        draft=draft,
        error=error,
        plan=plan,
    )


@form("/tournaments/new", most=MAX_SETTINGS)
def announce_tournament() -> ResponseReturnValue:
    """Announce a tournament."""
    who = signed_in()
    game, draft = game_of(request.form.get("kind", "")), request.form.get("draft", "")[:64]
    sections = {
        title: filled(found, request.form.getlist) for title, found in tournament_controls(game, who).items()
    }
    try:
        body = load(NewTournamentSchema(), tournament_body(sections, game))
        if "dry_run" in request.form:
            return _new_tournament(game, sections, draft, plan=services().organiser_requests.plan(who, body))
        services().limits.spend("tournaments_per_owner", who.owner)
        name = _name_of(who, draft, body)
        made = services().organiser_requests.announce(who, body, name)
    except ArenaError as error:
        return _new_tournament(game, sections, draft, of_form(error))
    return redirect(url_for("pages.tournament_page", tournament=made["id"]), 303)


def _name_of(who: Principal, draft: str, body: Mapping[str, object]) -> str | None:
    """Return the id of the new tournament, which is the same if a form is sent twice."""
    if not draft:
        return None
    what = orjson.dumps([who.owner, draft, dict(body)], option=orjson.OPT_SORT_KEYS)
    return sha256(what).hexdigest()[:_ID_LENGTH]


# On the page of a tournament


@form("/tournaments/<tournament>/clone")
def clone_tournament(tournament: str) -> ResponseReturnValue:
    """Announce a tournament with the same settings, by default once per form."""
    who = signed_in()
    made: list[str] = []

    def act() -> None:
        body = load(CloneSchema(), body_of(filled([_STARTS], request.form.getlist)))
        services().limits.spend("tournaments_per_owner", who.owner)
        new_id = _name_of(who, request.form.get("draft", "")[:64], {**body, "like": tournament})
        made.append(services().tournaments.clone(tournament, body, who, new_id)["id"])

    return _act(tournament, act, made, _STARTS)


_STARTS: Final = Control("locks_ms", "Play starts", "time")


def _act(
    tournament: str, act: Callable[[], object], made: Sequence[str] = (), own: Control | None = None
) -> ResponseReturnValue:
    """Perform an action on a tournament, and show the tournament again, or the new one (``made``)."""
    signed_in()
    try:
        act()
    except ArenaError as error:
        of_form(error)
        text, expected = (text and worded(text, (), own) for text in (error.message, error.expected))
        shown = ArenaError(str(text), code=error.code, field=error.field, expected=expected)
        return tournament_view(tournament, {}, shown, status_of(error))
    return redirect(url_for("pages.tournament_page", tournament=made[0] if made else tournament), 303)


@form("/tournaments/<tournament>/entries")
def enter_tournament(tournament: str) -> ResponseReturnValue:
    """Enter one of the owner's bots, or a house bot if the tournament is the owner's."""

    def act() -> None:
        sent = {name: request.form[name] for name in ("bot", "version", "nonce") if request.form.get(name)}
        services().tournaments.enter(tournament, **load(EnterSchema(), sent), by=signed_in())

    return _act(tournament, act)


@form("/tournaments/<tournament>/withdraw")
def withdraw_from_tournament(tournament: str) -> ResponseReturnValue:
    """Withdraw an entry."""
    bot = request.form.get("bot", "")
    return _act(tournament, lambda: services().tournaments.leave(tournament, bot, by=signed_in()))


@form("/tournaments/<tournament>/cancel")
def cancel_tournament(tournament: str) -> ResponseReturnValue:
    """Cancel a tournament."""

    def act() -> None:
        who = signed_in()
        sent = load(ReasonSchema(), {"reason": request.form.get("reason", "").strip()})
        services().organiser_requests.cancel(who, tournament, sent["reason"])

    return _act(tournament, act)
