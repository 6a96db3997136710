"""Every error as a problem document (RFC 9457), and the list of all codes.

``python -m api.errors > docs/errors.md`` writes the list for people.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import orjson
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from api.edge import ERROR_CODE, REQUEST_ID, Environ
from arena.errors import ArenaError

PROBLEM_TYPE: Final = "application/problem+json"

_log = logging.getLogger("botequim.api")


class ErrorCode(NamedTuple):
    """One stable code: its HTTP status, a title, and what it means."""

    status: int
    title: str
    meaning: str


ERRORS: Final[dict[str, ErrorCode]] = {
    # The request
    "bad_request": ErrorCode(400, "Bad request", "The request cannot be understood at the level of HTTP."),
    "malformed_json": ErrorCode(
        400, "Malformed JSON", "The body is not JSON in UTF-8, or it nests too deep."
    ),
    "invalid_cursor": ErrorCode(
        422, "Invalid cursor", "A cursor that this service did not give out. Start again without one."
    ),
    "missing_token": ErrorCode(
        401, "Token missing", "The operation needs the header `Authorization: Bearer <token>`."
    ),
    "invalid_token": ErrorCode(401, "Token not valid", "The token was revoked, replaced or never given out."),
    "forbidden": ErrorCode(403, "Not allowed", "The token is good, but not for this."),
    "not_found": ErrorCode(404, "Not found", "There is nothing at this address."),
    "method_not_allowed": ErrorCode(
        405,
        "Method not allowed",
        "The address does not take this method; the header `Allow` lists those it does.",
    ),
    "body_too_large": ErrorCode(413, "Body too large", "The body has more bytes than are taken."),
    "uri_too_long": ErrorCode(414, "Address too long", "The address with its query has too many bytes."),
    "unsupported_media_type": ErrorCode(
        415, "Unsupported media type", "The body must be JSON, sent with `Content-Type: application/json`."
    ),
    "invalid": ErrorCode(
        422,
        "Invalid value",
        "A value has the wrong type or is not allowed; `field` says which, `expected` what is.",
    ),
    "headers_too_large": ErrorCode(
        431, "Headers too large", "The headers have too many bytes, or are too many."
    ),
    "rate_limited": ErrorCode(
        429,
        "Too many requests",
        "`limit` names the limit, `allowed` is how many in how many seconds, and `retry_after` (also in the "
        "header `Retry-After`) says after how many seconds to try again.",
    ),
    "internal_error": ErrorCode(500, "Internal error", "Our fault. The request id finds it in the log."),
    "store_unavailable": ErrorCode(
        503, "Database not reachable", "Nothing was lost; try again after `Retry-After` seconds."
    ),
    "draining": ErrorCode(503, "Being stopped", "This process is being stopped; others may serve."),
    # Owners and bots
    "invalid_name": ErrorCode(
        422, "Invalid name", "A name or version label that breaks the rules for names."
    ),
    "name_taken": ErrorCode(
        409, "Name taken", "The name is in use, was in use before, or belongs to the house."
    ),
    "unknown_owner": ErrorCode(404, "Unknown owner", "There is no owner of that name."),
    "unknown_bot": ErrorCode(404, "Unknown bot", "There is no bot of that name, or not any more."),
    "bot_withdrawn": ErrorCode(409, "Bot withdrawn", "The bot's owner has withdrawn it from new games."),
    "version_exists": ErrorCode(409, "Version exists", "The label is taken: a version never changes."),
    "too_many": ErrorCode(409, "Too many", "There may not be more of these; `most` says how many."),
    "invalid_webhook_url": ErrorCode(
        422,
        "Invalid webhook URL",
        "A URL that no webhook can have here, or one for a bot that has no webhook.",
    ),
    "invalid_webhook_secret": ErrorCode(
        422,
        "Invalid signing secret",
        "A signing secret without the form of one, or where there is one already.",
    ),
    "webhook_address": ErrorCode(
        422,
        "Address not allowed",
        "The webhook's host stands for an address that is not public, which the service does not call.",
    ),
    "webhook_failed": ErrorCode(
        422,
        "Webhook does not answer",
        "The webhook did not answer a ping as it must, so nothing was registered; `detail` says why.",
    ),
    "no_webhook": ErrorCode(409, "No webhook", "The bot has no webhook, so nothing is signed for it."),
    "invalid_source": ErrorCode(
        422,
        "Invalid source",
        "What was uploaded cannot be a bot: too long, not Python (`line` says where) or no component; or the "
        "bot is none that is uploaded.",
    ),
    "version_not_found": ErrorCode(404, "Version not found", "The bot has no version with this label."),
    "no_source": ErrorCode(404, "No source", "The version was not uploaded: there is no source of it."),
    "log_not_found": ErrorCode(
        404,
        "No log",
        "The arena did not run this bot in a game with this id, or the log has expired.",
    ),
    # Games
    "unknown_game": ErrorCode(422, "Unknown kind of game", "The service does not play this kind of game."),
    "invalid_option": ErrorCode(
        422, "Invalid rule option", "The game has no such rule option, or not with this value."
    ),
    "invalid_seats": ErrorCode(422, "Invalid seats", "There are too many or too few seats for the game."),
    "invalid_clock": ErrorCode(422, "Invalid clock", "The clock's times are out of range."),
    "invalid_game": ErrorCode(422, "Invalid game", "Another part of a game that cannot be."),
    "invalid_nonce": ErrorCode(
        422, "Invalid nonce", "The nonce is too long or has characters that it may not."
    ),
    "game_not_found": ErrorCode(404, "Unknown game", "There is no game with this id, or not any more."),
    "game_hidden": ErrorCode(
        403, "Game hidden", "The game has the same deals as the others of its group, which is not over."
    ),
    "game_not_open": ErrorCode(409, "Game not open", "The game waits for nobody (any more)."),
    "game_not_running": ErrorCode(409, "Game not running", "The game has not begun, or is over."),
    "game_busy": ErrorCode(409, "Game busy", "Too many changes at once. Nothing was changed; try again."),
    "seat_taken": ErrorCode(409, "Seat taken", "The seat is not open."),
    "not_seated": ErrorCode(403, "Not seated", "The bot does not sit there."),
    "record_not_ready": ErrorCode(
        409, "Record not ready", "The game, or the group that it belongs to, is not over."
    ),
    "events_gone": ErrorCode(410, "Events gone", "Of a game that was over long ago only the record is left."),
    # Tournaments
    "invalid_tournament": ErrorCode(
        422, "Invalid tournament", "A tournament that cannot be: `field` says why, `expected` what can."
    ),
    "too_few_entrants": ErrorCode(
        422,
        "Too few entrants",
        "The format, or the size of the tables, needs more entrants than there may be.",
    ),
    "tournament_not_found": ErrorCode(404, "Unknown tournament", "There is no tournament with this id."),
    "tournament_over": ErrorCode(409, "Tournament over", "The tournament is finished or was cancelled."),
    "tournament_busy": ErrorCode(
        409, "Tournament busy", "Too many changes at once. Nothing was changed; try again."
    ),
    "entry_closed": ErrorCode(
        409, "Entry closed", "The tournament takes no entries: not yet, or not any more."
    ),
    "entry_not_found": ErrorCode(404, "Not entered", "The bot has not entered the tournament."),
    "already_entered": ErrorCode(409, "Already entered", "The bot is in the list of entries already."),
    "unknown_version": ErrorCode(422, "Unknown version", "The bot has no version with this label."),
    "wrong_division": ErrorCode(
        409,
        "Wrong division",
        "Uploaded bots play in tournaments of the division `sealed`, bots that run elsewhere in the others.",
    ),
    "not_invited": ErrorCode(403, "Not invited", "The tournament is for others."),
    "too_many_of_owner": ErrorCode(
        409, "Too many of one owner", "The tournament takes no more bots of this owner."
    ),
    "tournament_full": ErrorCode(409, "Tournament full", "The tournament takes no more bots."),
    "schedule_not_found": ErrorCode(404, "Unknown schedule", "There is no schedule with this id."),
    "schedule_exists": ErrorCode(409, "Schedule exists", "There is another schedule with this id."),
    "invalid_schedule": ErrorCode(
        422, "Invalid schedule", "A schedule that never fires, or is none; `field` says why."
    ),
    "group_not_over": ErrorCode(409, "Group not over", "The group has no result that could be annulled."),
    # Leaderboards
    "unknown_division": ErrorCode(404, "Unknown division", "The divisions are `sealed` and `open`."),
}


RESULTS: Final[dict[str, str]] = {
    "accepted": "The action was done. `repeated`: it had been before, and this is the same answer again.",
    "stale_turn": "The question is gone: `reason` is `clock` if the clock has answered it, or `superseded` "
    "if the seat is asked something else now. `fresh` is the present turn, if there is one. No fault.",
    "turn_already_answered": "The turn was answered before, with another action. No fault.",
    "illegal_action": "Not a legal action; `legal_actions` are. A fault, and the turn stays open.",
    "malformed": "Not an answer. A fault if it names an open turn of the bot, which stays open.",
    "unknown_turn": "No turn of this bot has this id. No fault.",
}
"""What can become of an answer to a turn."""


class Problem(ArenaError):
    """An error of the HTTP layer itself."""


class UnsupportedMediaType(ArenaError):
    """A body that is not declared as JSON."""

    code = "unsupported_media_type"


class MalformedJson(ArenaError):
    """A body that is not JSON."""

    code = "malformed_json"


class MissingToken(ArenaError):
    """An operation for somebody, asked for by nobody."""

    code = "missing_token"


_BY_STATUS: Final = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
}


def problem(error: ArenaError, environ: Environ) -> tuple[dict[str, Any], int]:
    """The problem document for ``error``, and its status."""
    known = ERRORS.get(error.code)
    if known is None:
        _log.error("error code %s is not in the list", error.code)
        known = ERRORS["invalid"]
    body: dict[str, Any] = {
        "type": f"/docs/errors#{error.code}",
        "title": known.title,
        "status": known.status,
        "code": error.code,
        "detail": error.message,
    }
    if error.field is not None:
        body["field"] = error.field
    if error.expected is not None:
        body["expected"] = error.expected
    body["request_id"] = environ.get(REQUEST_ID, "")
    for key, value in error.extra.items():
        body.setdefault(key, value)
    return body, known.status


def problem_response(error: ArenaError, environ: Environ) -> Response:
    """``error`` as a response, with the headers that belong to its code."""
    body, status = problem(error, environ)
    response = Response(orjson.dumps(body, default=str), status, content_type=PROBLEM_TYPE)
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="botequim"'
    if status == 429:
        response.headers["Retry-After"] = str(error.extra["retry_after"])
    if status == 503:
        response.headers["Retry-After"] = "1"
    environ[ERROR_CODE] = error.code
    return response


def error_response(error: Exception, environ: Environ) -> Response:
    """Any error as a response; what nobody foresaw is logged and told as ``internal_error``."""
    if isinstance(error, ArenaError):
        return problem_response(error, environ)
    if isinstance(error, HTTPException) and (error.code or 500) < 500:
        return _of_http(error, environ)
    _log.error(
        "unhandled error",
        exc_info=error,
        extra={"error": type(error).__name__, "request_id": environ.get(REQUEST_ID)},
    )
    return problem_response(Problem("something went wrong on our side", code="internal_error"), environ)


def _of_http(error: HTTPException, environ: Environ) -> Response:
    told = Problem(_told(error, environ), code=_BY_STATUS.get(error.code or 0, "bad_request"))
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        told.expected = allowed or None
        response = problem_response(told, environ)
        response.headers["Allow"] = allowed
        return response
    return problem_response(told, environ)


def _told(error: HTTPException, environ: Environ) -> str:
    path = environ.get("PATH_INFO", "")[:200]
    if isinstance(error, MethodNotAllowed):
        return f"{path} does not take {environ['REQUEST_METHOD']}"
    if error.code == 404:
        return f"there is nothing at {path}"
    return error.description or ERRORS["bad_request"].meaning


def register_error_handlers(app: Flask, as_page: Callable[[Response], Response]) -> None:
    """Answer every error with a problem document, or what ``as_page`` makes of it."""

    def handle(error: Exception) -> Response:
        return as_page(error_response(error, request.environ))

    for kind in (ArenaError, HTTPException, Exception):
        app.register_error_handler(kind, handle)


def errors_page() -> str:
    """``docs/errors.md``."""
    lines = [
        "# Errors",
        "",
        "Every error is a problem document (RFC 9457, `application/problem+json`) with a stable `code`, a",
        "`detail` for people, and where it helps `field` (what was wrong) and `expected` (what is right).",
        "`request_id` is the header `X-Request-Id` of the response. Match on `code`; the texts may change.",
        "",
        "| code | status | meaning |",
        "|---|---|---|",
    ]
    lines += [
        f'| <a id="{code}"></a>`{code}` | {error.status} | {error.meaning} |'
        for code, error in ERRORS.items()
    ]
    lines += [
        "",
        "## Answers to turns",
        "",
        "`POST /v1/turns` takes many answers, so what becomes of each is told by the `status` of its result.",
        "With three faults in a game the seat is played by default actions, and its player is placed last.",
        "",
        "| status | meaning |",
        "|---|---|",
    ]
    lines += [f"| `{status}` | {meaning} |" for status, meaning in RESULTS.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(errors_page(), end="")
