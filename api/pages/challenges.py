"""Pages with which a friend plays the deals of a over game, and both see both results."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from flask import Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from api.http.sessions import client_address, person, visitor
from api.pages.learn import guide_address
from api.pages.site import blueprint, form, page
from api.services import service_address, services
from arena.games import game_of
from arena.live.header import GameHeader
from arena.live.service import RecordNotReady
from arena.people.challenges import MOST, Challenge
from arena.people.hands import FRIEND
from arena.people.practice import practice_seats


@form("/games/<game>/challenge")
def challenge_friend(game: str) -> ResponseReturnValue:
    """Create the link with which others play the deals of the game, or withdraw it."""
    me = visitor().viewer.bot
    if me is None:
        abort(404)
    if "withdraw" in request.form:
        services().challenges.withdraw(game, me)
        return redirect(url_for("pages.game_page", game=game), 303)
    code = services().challenges.create(game, me, visitor().owner)
    return redirect(url_for("pages.challenge_page", code=code), 303)


@blueprint.get("/play/challenge")
def challenge_page() -> Response:
    """Show what a link is for: to a friend the table before the game, and both results after it, and to the
    person who made the link the games of all friends. Nothing changes.
    """
    challenge = services().challenges.find(request.args.get("code", ""), visitor().viewer.bot)
    response = page("challenge.html", **_values(challenge))
    response.headers["Cache-Control"] = "private, no-store"
    return response


@form("/play/challenge")
def play_challenge() -> ResponseReturnValue:
    """Play the deals that a link is for, continue that game, or see its results."""
    code = request.form.get("code", "")
    services().limits.spend("tables_per_address", client_address())
    game = services().challenges.play(code, person(), client_address(), visitor().owner)
    if services().people.header(game).state == "finished":
        return redirect(url_for("pages.challenge_page", code=code), 303)
    return redirect(url_for("pages.table_page", game=game), 303)


def _values(challenge: Challenge) -> dict[str, Any]:
    """Return the values of the page, with results only for somebody who has played all of the deals."""
    source, own = challenge.source, challenge.own
    game = game_of(source.kind)
    names = [str(one.get("house", "You")) for one in practice_seats(source, challenge.seat, {})]
    preset = game.preset_of(source.rules)
    values: dict[str, Any] = {
        "code": challenge.code,
        "is_own": challenge.is_own,
        "own": own,
        "source": source.game,
        "names": names,
        "rules": game.preset(preset).title if preset else "",
        "title": game.title,
        "guide": guide_address(game, source.rules),
        "seat": challenge.seat,
        "most": MOST,
    }
    if challenge.is_own:
        over = {number: one for number, one in enumerate(challenge.plays, 1) if one.state == "finished"}
        friend = _friend(over)
        values |= {
            "address": f"{service_address() or ''}{url_for('pages.challenge_page', code=challenge.code)}",
            "running": len(challenge.plays) - len(over),
            "over": list(over),
            "friend": friend,
        }
        if friend:
            other = FRIEND if len(over) == 1 else f"Friend {friend}"
            values |= _results(source, over[friend], challenge.seat, other)
    elif own is not None and own.state == "finished":
        values |= _results(own, source, challenge.seat, FRIEND)
    return values


def _friend(over: Collection[int]) -> int:
    """Return the number of the friend whose result is shown, or 0 if nobody has one yet."""
    text = request.args.get("friend", "")
    wanted = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(MOST)) else 0
    return wanted if wanted in over else max(over, default=0)


def _results(first: GameHeader, second: GameHeader, seat: int, other: str) -> dict[str, Any]:
    """Return both results, or nothing while a record is still being written."""
    try:
        both = services().challenges.side_by_side(first.game, second.game, seat, other)
    except RecordNotReady:
        return {"both": None, "other": other}
    return {"both": both, "other": other}
