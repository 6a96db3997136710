"""Problem documents (RFC 9457) for errors, and the list of all error codes.

``python -m api.http.errors > docs/errors.md`` writes the list.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

import orjson
from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from api.http.edge import ALLOWANCE, ERROR_CODE, PRINCIPAL, REQUEST_ID, Environ
from api.http.hints import near_address, with_hint
from arena.errors import ArenaError, CorruptState
from arena.ops.rate_limits import Allowance, RateLimited

PROBLEM_TYPE: Final = "application/problem+json"

_log = logging.getLogger("botequim.api")


class ErrorCode(NamedTuple):
    """A stable code: its HTTP status, title and meaning."""

    status: int
    title: str
    meaning: str


ERRORS: Final[dict[str, ErrorCode]] = {
    # The request
    "bad_request": ErrorCode(400, "Bad request", "The request is not valid HTTP."),
    "malformed_json": ErrorCode(
        400, "Malformed JSON", "The body is not JSON in UTF-8, is nested too deeply or has too many values."
    ),
    "invalid_cursor": ErrorCode(
        422, "Invalid cursor", "This service did not issue the cursor. Start again without one."
    ),
    "missing_token": ErrorCode(
        401, "Token missing", "The operation requires the header `Authorization: Bearer <token>`."
    ),
    "form_expired": ErrorCode(
        400, "Form expired", "The form is not from a page of this service, or its session has ended."
    ),
    "link_not_found": ErrorCode(404, "No such link", "There is no link with this id, or it was removed."),
    "link_expired": ErrorCode(
        410, "Link expired", "The link has been used, withdrawn or replaced, or is too old."
    ),
    "too_many_tables": ErrorCode(
        429,
        "Too many tables",
        "The account or the address has too many unfinished games.",
    ),
    "review_exists": ErrorCode(409, "Review exists", "A review of this game has already been requested."),
    "invalid_token": ErrorCode(401, "Invalid token", "The token is unknown, or it was revoked or replaced."),
    "forbidden": ErrorCode(403, "Not allowed", "The token is valid but does not permit this operation."),
    "not_found": ErrorCode(404, "Not found", "There is nothing at this URL."),
    "method_not_allowed": ErrorCode(
        405,
        "Method not allowed",
        "The URL does not support this method; the header `Allow` lists the supported ones.",
    ),
    "request_timeout": ErrorCode(
        408, "Request too slow", "The head or the body of the request took too long to arrive."
    ),
    "body_too_large": ErrorCode(
        413,
        "Body too large",
        "The body exceeds the size limit of the operation, which `expected` gives. It was not read.",
    ),
    "uri_too_long": ErrorCode(414, "URL too long", "The URL, including its query, is too long."),
    "unknown_host": ErrorCode(
        421,
        "Another host",
        "The header `Host` names another host than those for which the service answers, which `expected` "
        "lists.",
    ),
    "unsupported_media_type": ErrorCode(
        415,
        "Unsupported media type",
        "The body must be JSON, sent with `Content-Type: application/json`, or, for uploads, a raw file.",
    ),
    "invalid": ErrorCode(
        422,
        "Invalid value",
        "A value has the wrong type or is not allowed; `field` names it and `expected` says what is valid.",
    ),
    "idempotency_key_reused": ErrorCode(
        422,
        "Key already used",
        "This credential used the same `Idempotency-Key` for another request to this operation.",
    ),
    "idempotency_key_in_use": ErrorCode(
        409,
        "Request in progress",
        "The first request with this `Idempotency-Key` has not been answered yet; try again in `retry_after` "
        "seconds.",
    ),
    "secret_already_issued": ErrorCode(
        409,
        "Secret already issued",
        "The first request with this `Idempotency-Key` was carried out. Its secret was shown once and is not "
        "stored; `expected` names the request that issues a new one.",
    ),
    "reply_not_kept": ErrorCode(
        409,
        "Reply not kept",
        "The first request with this `Idempotency-Key` was carried out, but the owner's quota left no room "
        "for its reply.",
    ),
    "headers_too_large": ErrorCode(
        431, "Headers too large", "There are too many headers, or they are too large."
    ),
    "rate_limited": ErrorCode(
        429,
        "Too many requests",
        "`limit` names the limit, `allowed` gives the number of requests and the seconds they apply to, and "
        "`retry_after` (also in the header `Retry-After`) the seconds to wait before trying again.",
    ),
    "too_many_unfinished": ErrorCode(
        429,
        "Too many unfinished requests",
        "The large bodies that are arriving from this address exceed its share of the memory for them.",
    ),
    "too_many_connections": ErrorCode(
        429,
        "Too many waiting requests",
        "The owner of the token, or without a token the address, has too many requests that wait and streams "
        "at this process. End some of them, and play all games of a bot over one connection. This does not "
        "stop the clocks of the bot.",
    ),
    "internal_error": ErrorCode(
        500, "Internal error", "The service failed. Its log has the details under the request id."
    ),
    "corrupt_state": ErrorCode(
        500,
        "Unreadable stored data",
        "The service cannot read its stored data about this. Its log has the details under the "
        "request id. Lists omit such entries.",
    ),
    "archive_unavailable": ErrorCode(
        503,
        "Archive unreachable",
        "The archive of finished records cannot be reached. Nothing was lost; try again later.",
    ),
    "archive_mismatch": ErrorCode(
        503,
        "Archive of another service",
        "The configured archive belongs to another service. Only the operator can fix this.",
    ),
    "damaged_archive": ErrorCode(
        503, "Archive damaged", "Part of the archive of finished records cannot be read."
    ),
    "store_unavailable": ErrorCode(
        503,
        "Database unreachable",
        "The database cannot be reached. Nothing was lost; try again after `Retry-After` seconds.",
    ),
    "busy": ErrorCode(
        503,
        "Busy",
        "All connections of this process are in use, or too many requests of others wait, or too many large "
        "bodies are arriving. Nothing was done; try again after `Retry-After` seconds. If others hold all "
        "places when a bot asks, its clocks stand still for 22 seconds, at most ten minutes in a game.",
    ),
    "store_replaced": ErrorCode(
        503,
        "Database lost its data",
        "The database came back empty, or is a different one than before; the operator must look at it.",
    ),
    "unknown_format": ErrorCode(
        503,
        "Unknown data format",
        "This program does not support the format of the stored data; the operator must look at it.",
    ),
    "draining": ErrorCode(
        503, "Shutting down", "This process is shutting down; send the request to another one."
    ),
    # Owners and bots
    "series_not_found": ErrorCode(404, "No such series", "There is no series with this id that you can see."),
    "series_done": ErrorCode(409, "Series done", "The series is over and can no longer be changed."),
    "invalid_series": ErrorCode(
        422, "Invalid series", "A setting of the series is invalid; `field` names it."
    ),
    "invalid_invitation": ErrorCode(
        422, "Invalid invitation", "The invitation is unknown, has been used or revoked, or has expired."
    ),
    "invitation_not_found": ErrorCode(
        404, "No such invitation", "You do not have an invitation with this id."
    ),
    "invalid_roster": ErrorCode(
        422, "Invalid roster", "The list of people to invite is invalid; `detail` names the line."
    ),
    "invalid_name": ErrorCode(422, "Invalid name", "The name or version label violates the naming rules."),
    "name_taken": ErrorCode(
        409, "Name taken", "The name is in use, has been used before, or is reserved for a house bot."
    ),
    "invalid_recovery_code": ErrorCode(
        422,
        "Invalid recovery code",
        "The recovery code is unknown, was used or was replaced. Each can be used once.",
    ),
    "provider_unavailable": ErrorCode(
        503,
        "Provider unavailable",
        "The OpenID Connect provider does not answer, or its answer is not valid. Tokens work nevertheless.",
    ),
    "sign_in_refused": ErrorCode(
        422,
        "Sign-in refused",
        "The OpenID Connect provider did not confirm who signed in; `detail` says why.",
    ),
    "identity_in_use": ErrorCode(
        409,
        "Identity in use",
        "The identity is linked to another owner, or the owner to another identity.",
    ),
    "owner_suspended": ErrorCode(
        403,
        "Owner suspended",
        "An admin has suspended the owner: its tokens are refused, it cannot sign in, and its bots "
        "are not seated or entered.",
    ),
    "not_confirmed": ErrorCode(
        422, "Not confirmed", "The deletion of an account must be confirmed by sending its name as `confirm`."
    ),
    "text_not_found": ErrorCode(404, "Text not found", "There is no such text."),
    "text_not_hidden": ErrorCode(404, "Text not hidden", "No admin has hidden this text."),
    "owner_not_found": ErrorCode(404, "Owner not found", "There is no owner with this name."),
    "invitations_off": ErrorCode(
        403, "No invitations", "The owner accepts no invitations; only the owner can change that."
    ),
    "not_co_owner": ErrorCode(
        404,
        "Not a co-owner",
        "The owner is neither a co-owner of the bot nor invited to be one.",
    ),
    "bot_not_found": ErrorCode(
        404, "Bot not found", "There is no bot with this name, or it has been deleted."
    ),
    "bot_withdrawn": ErrorCode(409, "Bot withdrawn", "The bot's owner has withdrawn it from new games."),
    "bot_suspended": ErrorCode(
        409,
        "Bot suspended",
        "Workers hung or crashed while they played the bot, so it is not seated until an admin has reviewed "
        "it; the bot's `suspended` says in which group.",
    ),
    "game_not_played": ErrorCode(
        422, "Game not supported", "The version's `games` do not include this game."
    ),
    "suspension_not_found": ErrorCode(404, "Suspension not found", "The bot or owner is not suspended."),
    "version_exists": ErrorCode(
        409, "Version exists", "The bot already has a version with this label. Versions never change."
    ),
    "quota_exceeded": ErrorCode(
        409,
        "Quota exceeded",
        "The quota named by `quota` (of a bot, an owner or the service) does not have enough room: `most` "
        "is the quota, or the owner's share of that of the service, `used` the amount stored, and `left` the "
        "difference. Nothing was stored.",
    ),
    "too_many_ranked": ErrorCode(
        409,
        "Too many ranked bots",
        "Three other bots of the owner, or of owners who share bots with it, already have a rank for a game "
        "that the bot plays. Switch `ranked` off for one of them first.",
    ),
    "export_too_large": ErrorCode(
        409,
        "Export too large",
        "The account has more games and entries than an export can contain; sources and logs do not count.",
    ),
    "export_gone": ErrorCode(
        409, "Export gone", "The export was dropped to make room for others. Ask for it again."
    ),
    "invalid_webhook_url": ErrorCode(
        422, "Invalid webhook URL", "The URL is not allowed for a webhook, or the bot does not use a webhook."
    ),
    "invalid_webhook_secret": ErrorCode(
        422, "Invalid signing secret", "The signing secret has the wrong format, or the bot already has one."
    ),
    "webhook_address": ErrorCode(
        422,
        "Address not allowed",
        "The webhook's host resolves to an address that is not public, which the service does not call.",
    ),
    "webhook_failed": ErrorCode(
        422,
        "Webhook check failed",
        "The webhook did not answer a ping correctly, so nothing was registered; `detail` says why.",
    ),
    "no_webhook": ErrorCode(409, "No webhook", "The bot has no webhook, and therefore no signing secret."),
    "invalid_source": ErrorCode(
        422,
        "Invalid source",
        "The upload is too long, empty, not text or not a module, or the bot's transport is not `uploaded`.",
    ),
    "compile_failed": ErrorCode(
        422,
        "Not compiled",
        "The upload does not compile within the limits of the sandbox; `detail` says why. It is not stored, "
        "and the same upload is refused at once for a day.",
    ),
    "load_failed": ErrorCode(
        422,
        "Not loaded",
        "The upload compiles, but raises an error or exceeds a limit when it is loaded; `detail` says why. "
        "It is not stored, and the same upload is refused at once for a day.",
    ),
    "upload_not_checked": ErrorCode(
        503,
        "Upload not checked",
        "The service did not check the upload: no worker was available within a day, the owner's processor "
        "time was used up before its turn, or the checks were interrupted three times. It is no longer "
        "stored; send it again.",
    ),
    "upload_not_found": ErrorCode(
        404,
        "Upload not found",
        "There is no upload with this id, or it finished more than a week ago.",
    ),
    "version_not_found": ErrorCode(
        404, "Version not found", "The bot does not have a version with this label."
    ),
    "no_source": ErrorCode(404, "No source", "The version was not uploaded and therefore has no source."),
    "log_not_found": ErrorCode(
        404, "Log not found", "The arena did not run this bot in a game with this id, or the log has expired."
    ),
    "notes_not_found": ErrorCode(
        404, "Notes not found", "The bot has no notes on this game, or you are not allowed to read them."
    ),
    # Games
    "kind_not_found": ErrorCode(404, "Game not offered", "The service does not offer this game."),
    "preset_not_found": ErrorCode(
        422,
        "Preset not found",
        "The game does not have a preset with this name and version, such as `duel@1`.",
    ),
    "invalid_option": ErrorCode(
        422, "Invalid rule option", "The game does not have this rule option, or the value is not allowed."
    ),
    "invalid_seats": ErrorCode(
        422,
        "Invalid seats",
        "The number of seats does not fit the game, or the bot cannot be seated: uploaded bots play in "
        "tournaments only.",
    ),
    "invalid_clock": ErrorCode(422, "Invalid clock", "A time of the clock is out of range."),
    "invalid_game": ErrorCode(422, "Invalid game", "Another setting of the game is invalid."),
    "invalid_nonce": ErrorCode(
        422, "Invalid nonce", "The nonce is too long or contains characters that are not allowed."
    ),
    "game_not_found": ErrorCode(
        404, "Game not found", "There is no game with this id, or it is no longer stored."
    ),
    "game_hidden": ErrorCode(
        403,
        "Game hidden",
        "The game has the same deals as the other games of its group, and the group is not over.",
    ),
    "game_not_open": ErrorCode(409, "Game not open", "The game has begun or is over."),
    "game_too_long": ErrorCode(
        422,
        "Game too long",
        "By these rules, a game would usually take more than 8,000 moves. `expected` names the largest "
        "accepted values.",
    ),
    "game_not_running": ErrorCode(409, "Game not running", "The game has not begun yet, or is over."),
    "game_busy": ErrorCode(
        409, "Game busy", "Too many changes at the same time. Nothing was changed; try again."
    ),
    "seat_taken": ErrorCode(409, "Seat taken", "The seat is not open."),
    "not_seated": ErrorCode(403, "Not seated", "The bot does not have this seat in the game."),
    "record_not_ready": ErrorCode(
        409,
        "Record not ready",
        "The game or its group is not over yet, or its record is still being written; try again later.",
    ),
    "no_picture": ErrorCode(
        404,
        "No picture",
        "Games of this kind are not shown on pages. Their events and records are in the API.",
    ),
    "events_gone": ErrorCode(
        410, "Events gone", "The events of this game have expired; its record is still available."
    ),
    # Tournaments
    "invalid_tournament": ErrorCode(
        422,
        "Invalid tournament",
        "The tournament's settings are invalid: `field` names the setting, and `expected` says what is "
        "valid.",
    ),
    "budget_exceeded": ErrorCode(
        429,
        "Budget exceeded",
        "The account's daily budget (`budget`) does not cover this request: `left` of `most` remain. It "
        "renews at `renews_ms`, in `retry_after` seconds.",
    ),
    "invalid_comparison": ErrorCode(
        422,
        "Invalid comparison",
        "The comparison cannot be played: `field` names the setting, and `expected` says what is valid.",
    ),
    "comparison_not_found": ErrorCode(
        404, "Comparison not found", "There is no comparison with this id, or it is not yours."
    ),
    "too_few_entrants": ErrorCode(
        422,
        "Too few entrants",
        "The format or the table size requires more entrants than the tournament admits.",
    ),
    "tournament_not_found": ErrorCode(404, "Tournament not found", "There is no tournament with this id."),
    "tournament_over": ErrorCode(409, "Tournament over", "The tournament is finished or was cancelled."),
    "tournament_busy": ErrorCode(
        409, "Tournament busy", "Too many changes at the same time. Nothing was changed; try again."
    ),
    "entry_closed": ErrorCode(409, "Entry closed", "Entry has not opened yet, or has already closed."),
    "entry_not_found": ErrorCode(404, "Not entered", "The bot has not entered the tournament."),
    "already_entered": ErrorCode(409, "Already entered", "The bot has already entered the tournament."),
    "wrong_division": ErrorCode(
        409,
        "Wrong division",
        "Uploaded bots play in `sealed`, other bots in `open`, and language models also in `models`.",
    ),
    "not_invited": ErrorCode(403, "Not invited", "The tournament is not open to this bot."),
    "too_many_of_owner": ErrorCode(
        409,
        "Too many bots of one owner",
        "The owner already has the maximum number of bots in the tournament.",
    ),
    "tournament_full": ErrorCode(
        409, "Tournament full", "The tournament already has its maximum number of bots."
    ),
    "schedule_not_found": ErrorCode(404, "Schedule not found", "There is no schedule with this id."),
    "schedule_exists": ErrorCode(409, "Schedule exists", "There is already a schedule with this id."),
    "invalid_schedule": ErrorCode(
        422,
        "Invalid schedule",
        "The schedule is invalid or would never fire; `field` says which part is wrong.",
    ),
    "subscription_not_found": ErrorCode(
        404, "Subscription not found", "You do not have this subscription to the tournament."
    ),
    "not_editable": ErrorCode(
        409,
        "Not editable",
        "The setting can no longer be edited; `expected` lists those that can: after the first entry, the "
        "name, "
        "description, link, a later deadline and more places; after the lock, only the first three.",
    ),
    "group_not_over": ErrorCode(
        409, "Group not over", "The group has no result yet, so it cannot be annulled."
    ),
    # Leaderboards
    "division_not_found": ErrorCode(
        404, "Division not found", "The division is not `sealed`, `open` or `models`."
    ),
    "matchups_not_found": ErrorCode(
        404,
        "No matchups",
        "The leaderboard has no matchups: its games have more than two sides, fewer than two bots are "
        "ranked, or none were computed yet.",
    ),
}


RESULTS: Final[dict[str, str]] = {
    "accepted": "The action was carried out. `repeated` is true if the same answer had been accepted before.",
    "stale_turn": "The turn is no longer open: `reason` is `clock` if its time ran out, or `superseded` if "
    "the "
    "seat has a different turn now. `fresh` is the current turn, if there is one. Not a fault.",
    "turn_already_answered": "The turn was already answered with another action. Not a fault.",
    "illegal_action": "Not a legal action; `legal_actions` lists the legal ones. A fault; the turn stays "
    "open.",
    "malformed": "The answer is invalid. A fault if it names an open turn of the bot; the turn stays open.",
    "unknown_turn": "The bot does not have a turn with this id. Not a fault.",
}
"""The possible results of an answer to a turn."""


class HttpError(ArenaError):
    """An error raised by the HTTP layer."""


class UnsupportedMediaType(ArenaError):
    """The request does not declare its body as JSON."""

    code = "unsupported_media_type"


class MalformedJson(ArenaError):
    """The request body is not JSON."""

    code = "malformed_json"


class MissingToken(ArenaError):
    """The operation requires a token, and the request has none."""

    code = "missing_token"


_BY_STATUS: Final = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
}


def problem(error: ArenaError, environ: Environ) -> tuple[dict[str, object], int]:
    """Return the problem document for ``error``, and its HTTP status."""
    known = ERRORS.get(error.code)
    if known is None:
        _log.error("unknown error code %s", error.code)
        known = ERRORS["invalid"]
    body: dict[str, object] = {
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
    """Return the response for ``error``, with the headers of its status."""
    body, status = problem(error, environ)
    response = Response(orjson.dumps(body, default=str), status, content_type=PROBLEM_TYPE)
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="botequim"'
    allowance = error.allowance if isinstance(error, RateLimited) else environ.get(ALLOWANCE)
    if allowance is not None:
        add_allowance(response, allowance)
    if "retry_after" in error.extra:
        response.headers["Retry-After"] = str(error.extra["retry_after"])
    if status == 503:
        response.headers["Retry-After"] = "1"
    environ[ERROR_CODE] = error.code
    return response


def add_allowance(response: Response, allowance: Allowance) -> None:
    """Add headers that state how much of a limit is left (draft-ietf-httpapi-ratelimit-headers-11)."""
    name, most, seconds, left, full_s = allowance
    response.headers["RateLimit-Policy"] = f'"{name}";q={most};w={math.ceil(seconds)}'
    response.headers["RateLimit"] = f'"{name}";r={left};t={full_s}'


def error_response(error: Exception, environ: Environ) -> Response:
    """Return the response for any error. An unexpected error is logged and becomes ``internal_error``."""
    if isinstance(error, CorruptState):
        _log.error("a row cannot be read", exc_info=error, extra={"request_id": environ.get(REQUEST_ID)})
        return problem_response(CorruptState("the stored data of this resource cannot be read"), environ)
    if isinstance(error, ArenaError):
        return problem_response(error, environ)
    if isinstance(error, HTTPException) and (error.code or 500) < 500:
        return _of_http(error, environ)
    _log.error(
        "unhandled error",
        exc_info=error,
        extra={"error": type(error).__name__, "request_id": environ.get(REQUEST_ID)},
    )
    return problem_response(
        HttpError("the service failed with an internal error", code="internal_error"), environ
    )


def _of_http(error: HTTPException, environ: Environ) -> Response:
    converted = HttpError(_detail(error, environ), code=_BY_STATUS.get(error.code or 0, "bad_request"))
    if error.code == 404 and (near := near_address(environ.get("PATH_INFO", "")[:200], _templates())):
        converted.message += f"; did you mean {near}?"
        converted.expected = near
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        converted.expected = allowed or None
        response = problem_response(converted, environ)
        response.headers["Allow"] = allowed
        return response
    return problem_response(converted, environ)


def _detail(error: HTTPException, environ: Environ) -> str:
    path = environ.get("PATH_INFO", "")[:200]
    if isinstance(error, MethodNotAllowed):
        return f"{path} does not support {environ['REQUEST_METHOD']}"
    if error.code == 404:
        return f"there is nothing at {path}"
    return error.description or ERRORS["bad_request"].meaning


def _templates() -> list[str]:
    """Return the API's path templates."""
    return [rule.rule for rule in current_app.url_map.iter_rules() if rule.rule.startswith("/v1/")]


def _own_bots(environ: Environ) -> list[str]:
    """Return the names of the bots that belong to the caller's owner."""
    who = environ.get(PRINCIPAL)
    if who is None or not who.owner:
        return []
    bots, _ = current_app.extensions["botequim"].accounts.bots(who.owner)
    return [bot.name for bot in bots]


def register_error_handlers(app: Flask, as_page: Callable[[Response], Response]) -> None:
    """Answer every error with a problem document; ``as_page`` can turn it into a page."""

    def handle(error: Exception) -> Response:
        if isinstance(error, ArenaError):
            with_hint(error, partial(_own_bots, request.environ))
        return as_page(error_response(error, request.environ))

    for kind in (ArenaError, HTTPException, Exception):
        app.register_error_handler(kind, handle)


def errors_page() -> str:
    """Return the text of ``docs/errors.md``."""
    lines = [
        "# Errors",
        "",
        "Every error is a problem document (RFC 9457, `application/problem+json`) with a stable `code`, a",
        "readable `detail`, and where helpful `field` (the invalid field) and `expected` (what is valid).",
        "`request_id` equals the header `X-Request-Id` of the response. Match on `code`; texts can change.",
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
        "`POST /v1/turns` accepts several answers; the `status` of each result says what became of that "
        "answer.",
        "After three faults in a game, default actions are played for the seat, and it is placed last.",
        "",
        "| status | meaning |",
        "|---|---|",
    ]
    lines += [f"| `{status}` | {meaning} |" for status, meaning in RESULTS.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(errors_page(), end="")
