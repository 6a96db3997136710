"""Pages to sit down at a table, to play, and to publish or review the game afterwards."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

import orjson
from flask import Response, abort, redirect, request, session, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from api.http.sessions import client_address, forget_visitor, person, visitor
from api.http.waiting import Stay
from api.pages.assets import asset_url
from api.pages.learn import guide_address
from api.pages.previews import seat_preview
from api.pages.site import blueprint, form, page
from api.services import service_address, services
from arena.accounts.versions import BotAccount
from arena.errors import ArenaError
from arena.games import GAMES, game_of
from arena.games.descriptor import Game, Preset
from arena.games.options import Option
from arena.games.panels import NUMBER
from arena.games.pictures import UNSEEN
from arena.live.header import GameHeader
from arena.live.service import EventsGone
from arena.operations.operation import JSON
from arena.people.coach import dearest
from arena.people.hands import YOU
from arena.people.lessons import lesson_of
from arena.people.seat_table import seat_table
from arena.people.tables import HOUSE, YOUR_SEAT, opponents_of, other_levels, playable
from arena.records.tell import seat_names
from arena.replays.moves import ToldLine, new_picture
from arena.replays.page import embedded_json, game_title, static
from arena.replays.sheets import line_html, table_layout

_WAIT_SECONDS: Final = 20.0
_MOST_LINKS: Final = 8
_LINKS: Final = "links"
_COUNT: Final = re.compile(r"[0-9]{1,2}").fullmatch
_NUMBER: Final = re.compile(r"[0-9]{1,19}").fullmatch
_RULE: Final = "rule-"
_EASIEST: Final = f"{HOUSE}rookie"
_SUGGESTED: Final = {"truco": "paulista@1"}
"""The rules that the form suggests first, where they are not the first ones of the game."""


# Sitting down


@blueprint.get("/play")
def play_page() -> Response:
    """Show a form to choose a game and the players at the table."""
    sent = request.args.to_dict()
    if not {"preset", "seats"} & set(sent):
        sent["preset"] = _SUGGESTED.get(_chosen_game(sent.get("game", "")).kind, "")
    return _new_table(sent)


@form("/play")
def open_table() -> ResponseReturnValue:
    """Open a table. House bots take the seats that the form does not assign."""
    game = _chosen_game(request.form.get("game", ""))
    try:
        services().limits.spend("tables_per_address", client_address())
        me = person()
        preset = _chosen_preset(game, request.form.get("preset", ""))
        seats = _seats(game, preset, request.form.get("seats", ""))
        others = [request.form.get(f"seat{seat}", _EASIEST) for seat in range(1, seats)]
        made = services().people.open(
            me,
            client_address(),
            game.kind,
            others,
            _rules(game, preset, seats),
            owner=visitor().owner,
            agrees="public" in request.form,
        )
        _keep_links(made, me)
    except ArenaError as error:
        return _new_table(request.form, error)
    return redirect(url_for("pages.table_page", game=made), 303)


@form("/play/<game>/again")
def play_again(game: str) -> ResponseReturnValue:
    """Go to the next game with the same people, bots and rules, or with house bots of another level, opening
    its table if nobody has yet.
    """
    me = _player()
    seat = services().people.your_seat(game, me)
    try:
        services().limits.spend("tables_per_address", client_address())
        level = request.form.get("level", "")
        made = services().people.again(game, me, client_address(), visitor().owner, level)
        _keep_links(made, me)
    except ArenaError as error:
        return _new_table(_settings(services().people.header(game), seat), error)
    return redirect(url_for("pages.table_page", game=made), 303)


def _settings(header: GameHeader, seat: int) -> dict[str, str]:
    """Return the form values for a table at which the same kind of game is played."""
    game = game_of(header.kind)
    fixed = _decided(game)
    preset = next(
        (one for one in game.presets if _agree(fixed, game.options.complete(one.rules), header.rules)),
        game.presets[0],
    )
    rules = {_RULE + option.name: _text(header.rules[option.name]) for option in _options(game)}
    others = {f"seat{number}": other for number, other in enumerate(opponents_of(header, seat), 1)}
    seats = str(len(header.seats))
    return {"game": header.kind, "preset": preset.name, "seats": seats, **others, **rules}


def _agree(names: Collection[str], rules: Mapping[str, object], others: Mapping[str, object]) -> bool:
    return all(rules[name] == others[name] for name in names)


def _text(value: object) -> str:
    """Return the value of an option in the notation of its form field."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _new_table(sent: Mapping[str, str], error: ArenaError | None = None) -> Response:
    """Return the form, filled in with ``sent``."""
    game = _chosen_game(sent.get("game", ""))
    preset = _chosen_preset(game, sent.get("preset", ""))
    seats = _seats(game, preset, sent.get("seats", ""))
    rules = _preset_rules(game, preset, seats)
    me = visitor().viewer.bot
    return page(
        "play.html",
        200 if error is None else 422,
        error=error,
        game=game,
        kinds=[GAMES[kind] for kind in playable()],
        seats=seats,
        preset=preset,
        named=next((one for one in game.presets if one.name == game.preset_of(rules)), None),
        counts=game.seat_counts(preset.rules),
        roles=_roles(game, rules),
        bots=offered_bots(),
        chosen=sent,
        easiest=_EASIEST,
        text=_text,
        options=_options(game),
        values=game.options.complete(rules),
        guide=guide_address(game, game.options.complete(rules)),
        yours=services().people.games_of(me) if me else [],
        has_lesson=lesson_of(game.kind) is not None,
    )


def _chosen_game(kind: str) -> Game:
    return GAMES[kind] if kind in playable() else GAMES[playable()[0]]


def _chosen_preset(game: Game, name: str) -> Preset:
    return next((preset for preset in game.presets if preset.name == name), game.presets[0])


def _seats(game: Game, preset: Preset, text: str) -> int:
    counts = game.seat_counts(preset.rules)
    wanted = int(text) if _COUNT(text) else game.seats(game.options.complete(preset.rules))
    return min(counts, key=lambda count: abs(count - wanted))


def offered_bots() -> list[BotAccount]:
    """Return the bots that are offered: those whose names are not hidden, because a bot is chosen by name."""
    name = services().moderation.name
    return [bot for bot in services().people.opponents() if name("bot", bot.name) == bot.name]


def _preset_rules(game: Game, preset: Preset, seats: int) -> dict[str, Any]:
    others = {name: value for name, value in preset.rules.items() if name != "seats"}
    return dict(game.rules_for(others, seats))


def _roles(game: Game, rules: Mapping[str, Any]) -> list[str]:
    """Return the names of the other seats, in order after the player's seat."""
    teams = game.teams(game.options.complete(rules))
    seats = sum(map(len, teams))
    own = next(team for team in teams if YOUR_SEAT in team)
    if len(own) == 1:
        return [f"Player {seat + 1}" for seat in range(1, seats)]
    return ["Your partner" if seat in own else _side(game, rules, seat) for seat in range(1, seats)]


def _side(game: Game, rules: Mapping[str, Any], seat: int) -> str:
    """Return the name of an opponent's seat at a table of partners, by where the player sees it."""
    complete = game.options.complete(rules)
    picture = new_picture(game, [""] * game.seats(complete), complete)
    is_right = picture.counter_clockwise == (seat == YOUR_SEAT + 1)
    return f"Opponent on your {'right' if is_right else 'left'}"


def _options(game: Game) -> list[Option]:
    """Return the options that can be changed: all that the preset does not determine."""
    decided = _decided(game)
    return [option for name, option in game.options.by_name.items() if name not in {"seats", *decided}]


def _decided(game: Game) -> set[str]:
    return {option.follows for option in game.options.by_name.values()} & {
        name for preset in game.presets for name in preset.rules
    }


def _rules(game: Game, preset: Preset, seats: int) -> dict[str, Any]:
    """Return the rules of the preset with the changed options and all options that follow from these."""
    rules = _preset_rules(game, preset, seats)
    before = game.options.complete(rules)
    texts = [
        f"{option.name}={request.form[_RULE + option.name]}"
        for option in _options(game)
        if request.form.get(_RULE + option.name)
    ]
    sent = game.options.read(texts)
    return {**rules, **{name: value for name, value in sent.items() if value != before[name]}}


# Friends


@blueprint.get("/play/join")
def join_page() -> Response:
    """Show the seat that a link is for. Nothing changes."""
    code = request.args.get("code", "")
    game, seat = services().people.invited(code)
    one = services().live.summary_of(services().people.header(game))
    names = [entry["name"] or "nobody yet" for entry in one["seats"]]
    preview = seat_preview(one["kind"], len(names))
    response = page("join.html", code=code, kind=one["kind"], seat=seat, names=names, preview=preview)
    response.headers["Cache-Control"] = "private, no-store"
    return response


@form("/play/join")
def join_table() -> ResponseReturnValue:
    """Take the seat."""
    services().limits.spend("tables_per_address", client_address())
    game = services().people.join(
        request.form.get("code", ""), person(), client_address(), agrees="public" in request.form
    )
    return redirect(url_for("pages.table_page", game=game), 303)


@form("/play/<game>/link")
def new_link(game: str) -> ResponseReturnValue:
    """Create another link for a seat, or withdraw it."""
    seat = _seat_number(request.form.get("seat", ""))
    if "withdraw" in request.form:
        services().people.withdraw_link(game, _player(), seat)
    else:
        _keep_link(game, seat, services().people.new_link(game, _player(), seat))
    return redirect(url_for("pages.table_page", game=game), 303)


def _seat_number(text: str) -> int:
    return int(text) if _COUNT(text) else -1


def _keep_links(game: str, person: str) -> None:
    """Create links for open seats that do not have one, if the person has opened the table."""
    people = services().people
    header = people.header(game)
    if header.state != "waiting" or people.your_seat(game, person) != YOUR_SEAT:
        return
    for seat, entry in enumerate(header.seats):
        if entry.is_open and not people.has_link(game, seat):
            _keep_link(game, seat, people.new_link(game, person, seat))


def _keep_link(game: str, seat: int, code: str) -> None:
    """Store the code of a link in this browser's session. Only this browser can show the link again, since
    the service stores only its hash.
    """
    links = {**session.get(_LINKS, {}), f"{game}:{seat}": code}
    session[_LINKS] = dict(list(links.items())[-_MOST_LINKS:])


def _links(game: str, seats: int) -> dict[int, str | None]:
    """Return the links for open seats, with None for links that this browser does not know."""
    links: dict[int, str | None] = {}
    for seat in range(seats):
        if services().people.has_link(game, seat):
            code = session.get(_LINKS, {}).get(f"{game}:{seat}")
            path = url_for("pages.join_page", code=code)
            links[seat] = None if code is None else f"{service_address() or ''}{path}"
    return links


# At the table


@blueprint.get("/play/<game>")
def table_page(game: str) -> ResponseReturnValue:
    """Show a person the table of their game."""
    me = _player()
    seat = services().people.your_seat(game, me)
    header = services().people.header(game)
    one = services().live.summary_of(header)
    if header.state == "waiting":
        view = services().live.view(game, visitor().viewer)
        return page(
            "table_waits.html",
            one=one,
            seat=seat,
            version=0 if view is None else view["version"],
            invitations=_links(game, len(header.seats)),
        )
    try:
        shown = seat_table(services().live, services().people, game, me)
    except EventsGone:
        return redirect(url_for("pages.game_page", game=game), 303)
    assert shown is not None
    rules = game_of(header.kind)
    names = [entry["name"] or "" for entry in one["seats"]]
    names[seat] = YOU
    layout = table_layout(rules, header.rules, new_picture(rules, seat_names(names), header.rules))
    log = [Markup(line_html(ToldLine(line))) for line in shown["log"]]
    review = services().reviews.find(game, seat)
    data = {
        **layout,
        "seat": seat,
        "table": {**shown, "log": []},
        "poll": url_for("pages.seat_state", game=game),
        "act": url_for("pages.act", game=game),
        "turn_icon": asset_url("mark-turn.svg"),
        "unseen": UNSEEN,
    }
    return page(
        "table.html",
        one=one,
        title=f"{rules.title_of(header.rules)} · {game_title(rules, header.rules, names)}",
        shown=shown,
        log=log,
        layout=layout,
        seat=seat,
        missed=request.args.get("missed"),
        people=len(header.people()),
        guide=guide_address(rules, header.rules),
        levels=other_levels(header, seat),
        public=header.visibility == "public",
        practice=header.practice,
        challenge=services().challenges.code_of_play(header, seat),
        review=review,
        dearest=[] if review is None else dearest(one for one in review.costs if one["low"] > 0),
        data=Markup(embedded_json(data)),
        sprite=Markup(static("sprite.html")),
    )


@blueprint.get("/play/<game>/state")
def seat_state(game: str) -> Response:
    """Return the table as JSON as soon as its version differs from ``since``."""
    since, after = _number(request.args.get("since")), _number(request.args.get("after"))
    wait = 0 if since is None else min(_WAIT_SECONDS, services().settings.http.max_wait)
    with Stay(request.environ, visitor().principal):
        shown = seat_table(
            services().live, services().people, game, _player(), since=since, after=after, wait=wait
        )
    if wait:
        # The session can have ended meanwhile.
        forget_visitor()
        _player()
    return _json(shown)


@form("/play/<game>/act")
def act(game: str) -> ResponseReturnValue:
    """Play an action. Return the table as JSON if the page runs scripts; otherwise show the page again."""
    me = _player()
    action = request.form.get("action", "").replace(NUMBER, request.form.get("number", "")[:3])
    word, _, other = request.form.get("toggle", "").partition(":")
    if word and action.startswith(f"{word}:"):
        action = other + action.removeprefix(word)
    result = services().people.act(game, me, request.form.get("turn", ""), action)
    if request.accept_mimetypes.best == JSON:
        shown = seat_table(
            services().live, services().people, game, me, after=_number(request.form.get("after"))
        )
        return _json({**(shown or {}), "result": result["status"]})
    missed = None if result["status"] == "accepted" else result["status"]
    return redirect(url_for("pages.table_page", game=game, missed=missed), 303)


@form("/play/<game>/leave")
def leave_table(game: str) -> ResponseReturnValue:
    """Leave the table."""
    services().people.leave(game, _player())
    return redirect(url_for("pages.play_page"), 303)


# Practice


@form("/games/<game>/try")
def try_again(game: str) -> ResponseReturnValue:
    """Open a practice game that begins at a decision of the person: that ``after`` a number of actions, or
    the first one in a ``hand``.
    """
    me = _player()
    services().people.your_seat(game, me)
    services().limits.spend("tables_per_address", client_address())
    made = services().people.try_again(
        game,
        me,
        client_address(),
        visitor().owner,
        after=_number(request.form.get("after")),
        hand=_number(request.form.get("hand")) or 0,
    )
    return redirect(url_for("pages.table_page", game=made), 303)


# Afterwards


@form("/games/<game>/publish")
def publish_game(game: str) -> ResponseReturnValue:
    """Agree to make the game public. Return whether it is public now as JSON if the page runs scripts."""
    me = _player()
    services().people.your_seat(game, me)
    public = services().live.agree(game, me)
    if request.accept_mimetypes.best == JSON:
        return _json({"public": public})
    return redirect(url_for("pages.game_page", game=game), 303)


@form("/games/<game>/review")
def review_game(game: str) -> ResponseReturnValue:
    """Request a review of the person's decisions."""
    seat = services().people.your_seat(game, _player())
    services().reviews.check(game, seat)
    work = f"review-{game}"
    payer = services().payers.of_person(_player(), visitor().owner, client_address(), work)
    services().budgets.check(payer)
    services().limits.spend("reviews_per_address", client_address())
    services().reviews.request(game, seat, payer)
    return redirect(url_for("pages.game_page", game=game), 303)


def _player() -> str:
    """Return the visitor as a player. Raises an error if the visitor has no session and thus no table."""
    me = visitor().viewer.bot
    if me is None:
        abort(404)
    return me


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and _NUMBER(text) else None


def _json(value: object) -> Response:
    response = Response(status=204) if value is None else Response(orjson.dumps(value), content_type=JSON)
    response.headers["Cache-Control"] = "private, no-store"
    return response
