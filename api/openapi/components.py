"""The shared components of the OpenAPI document: path parameters, headers, and kinds of tokens."""

from __future__ import annotations

from typing import Any, Final

from api.http.idempotency import REPLAYED
from arena.games import GAMES
from arena.inputs.names import LABEL_PATTERN, NAME_PATTERN
from arena.play.players import DIVISION_TEXT, DIVISIONS


def _text(description: str, **schema: object) -> dict[str, object]:
    return {"description": description, "schema": {"type": "string", **schema}}


_NAME: Final = {"pattern": NAME_PATTERN}
_ID: Final = {"maxLength": 40}
_GAME_ID: Final = {"pattern": "^[0-9A-Za-z_-]{1,64}$"}

PATH_PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "owner": _text("The owner's name.", **_NAME),
    "bot": _text("The bot's name.", **_NAME),
    "version": _text("The version's label.", pattern=LABEL_PATTERN),
    "series": _text("The series' id.", **_ID),
    "invitation": _text("The invitation's id.", **_ID),
    "upload": _text("The upload's id.", **_ID),
    "link": _text("The id of the link.", **_ID),
    "subscription": _text("The id of the subscription.", **_ID),
    "game": _text("The game's id.", **_GAME_ID),
    "tournament": _text("The tournament's id.", **_GAME_ID),
    "comparison": _text("The comparison's id.", **_GAME_ID),
    "entry": _text("The name of a bot that has entered the tournament.", minLength=1, maxLength=40),
    "schedule": _text("The schedule's id.", pattern="^[a-z0-9][a-z0-9-]{0,23}$"),
    "kind": _text("The kind of game.", enum=list(GAMES)),
    "division": _text(DIVISION_TEXT, enum=list(DIVISIONS)),
}

SECURITY_SCHEMES: Final = {
    "owner": "An owner's token, `btq_o_...`, issued on sign-up.",
    "bot": "A bot's token, `btq_b_...`, issued when the bot is registered.",
    "admin": "The service's admin token, or the token of an owner who is an admin.",
}

HEADERS: Final[dict[str, dict[str, Any]]] = {
    "X-Request-Id": _text("The id of this request in the service's log."),
    "WWW-Authenticate": _text("Always `Bearer`."),
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
    "X-Next": _text("The value to pass as `after` in the next download."),
    "Location": _text("The URL of the upload."),
    REPLAYED: _text("`true` if this is the reply to an earlier request with the same `Idempotency-Key`."),
    "RateLimit": _text(
        "The remaining allowance: `r` requests at once; the full allowance is restored after `t` seconds.",
        examples=['"games_per_owner";r=1998;t=4'],
    ),
    "RateLimit-Policy": _text(
        "The limit: `q` requests in `w` seconds.", examples=['"games_per_owner";q=2000;w=3600']
    ),
    "Link": _text('`rel="next"`: the next page, if there is one.'),
    "ETag": _text("The version of the response, to send as `If-None-Match`."),
}
"""The response headers that operations refer to by name."""

RATE_LIMIT: Final = ("RateLimit", "RateLimit-Policy")
