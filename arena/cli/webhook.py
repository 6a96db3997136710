"""``botequim webhook test``: posts messages to a receiver as the service does, and checks its replies."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from http.client import HTTPException
from socket import gaierror
from typing import Final, TypedDict
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import click

from arena.cli.commands import Commands
from arena.cli.output import json_option, show
from arena.cli.params import KIND
from arena.errors import ArenaError
from arena.games import game_of
from arena.games.kernel import Turn
from arena.play.table import Table
from arena.webhook_messages.content import action_in, check_health, turn_message
from arena.webhook_messages.errors import CallFailed
from arena.webhook_messages.signing import headers, key_of, new_secret

_SECONDS: Final = 5.0
_MOST_BYTES: Final = 65_536
_REFUSALS: Final = (400, 401, 403)


class _NothingThere(ArenaError):
    """Nothing answers at the host and port of the URL."""

    code = "webhook_failed"


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Do not follow redirects, like the service."""


class _Receiver:
    """The webhook at ``url``, called from this machine."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._open = build_opener(_NoRedirects()).open

    def post(self, body: bytes, headers: Mapping[str, str], seconds: float) -> bytes:
        """Post JSON, and return the body of a reply with a 2xx status. Raises :class:`CallFailed`."""
        request = Request(self._url, body, {"Content-Type": "application/json", **headers}, method="POST")
        try:
            with self._open(request, timeout=seconds) as reply:
                data: bytes = reply.read(_MOST_BYTES + 1)
        except HTTPError as error:
            raise CallFailed(f"it replied with status {error.code}", field="URL") from None
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, (ConnectionRefusedError, gaierror)):
                raise _NothingThere(
                    _why(reason, self._url), field="URL", expected="the URL of a running receiver"
                ) from None
            raise CallFailed(f"it cannot be called: {reason}", field="URL") from None
        if len(data) > _MOST_BYTES:
            raise CallFailed(f"the reply is longer than {_MOST_BYTES} bytes", field="URL")
        return data


def _why(reason: OSError, url: str) -> str:
    """Return why the connection failed."""
    parts = urlsplit(url)
    if isinstance(reason, gaierror):
        return f"the host {parts.hostname!r} does not exist"
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    return f"nothing is listening on port {port} of {parts.hostname}"


@click.group(cls=Commands, examples=("botequim webhook test http://127.0.0.1:9000/ --secret whsec_...",))
def webhook() -> None:
    """Test the receiver of a webhook bot before registering the bot."""


@webhook.command(
    examples=(
        "botequim webhook test http://127.0.0.1:9000/ --secret whsec_...",
        "botequim webhook test https://bots.example/turns --kind truco --json",
    )
)
@click.argument("url", metavar="URL")
@click.option(
    "--secret",
    envvar="BOTEQUIM_WEBHOOK_SECRET",
    help="The receiver's signing secret. [default: generated; the receiver must not check signatures]",
)
@click.option("--kind", type=KIND, default="toepen", show_default=True, help="The game of the sample turn.")
@json_option
def test(url: str, secret: str | None, kind: str, as_json: bool) -> int:
    """Post a ping, a sample turn and a turn with a wrong signature to URL, and check the replies.

    This machine posts the messages, in the format of the service and signed in the same way. No service or
    token is needed. The exit code is 1 if a reply is wrong, and 2 if there is no receiver. A receiver that
    accepts a wrong signature can play, but anybody could make it answer, so the command warns about that.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise click.BadParameter(f"{url!r} is not a URL; expected http:// or https://", param_hint="'URL'")
    if secret is not None:
        key_of(secret)
    key = secret or new_secret()
    receiver = _Receiver(url)
    turn = _sample_turn(kind)
    results = [
        _check("ping", lambda: check_health(receiver, [key], _SECONDS)),
        _check("turn", lambda: _answer(receiver, key, turn)),
        _check_refusal(receiver, turn),
    ]
    failed = any(result["result"] == "failed" for result in results)
    show({"url": url, "checks": results}, as_json, lambda: "".join(map(_line, results)))
    return int(failed)


class Check(TypedDict):
    """The outcome of one message: ``ok``, ``warning`` or ``failed``, and the milliseconds until the reply."""

    check: str
    result: str
    detail: object
    ms: int | None


def _check(name: str, call: Callable[[], object]) -> Check:
    begun = time.monotonic()
    try:
        detail = call()
    except _NothingThere:
        raise
    except ArenaError as error:
        return {"check": name, "result": "failed", "detail": _reason(error), "ms": None}
    return {"check": name, "result": "ok", "detail": detail, "ms": round(1000 * (time.monotonic() - begun))}


def _reason(error: ArenaError) -> str:
    return error.message + (f"; expected {error.expected}" if error.expected else "")


def _sample_turn(kind: str) -> Turn:
    """Return the first turn of a game."""
    table = Table("sample", kind, game_of(kind).options.complete({}), secrets.token_bytes(32))
    table.start()
    turn = table.turn(table.awaited()[0], deadline_ms=5000, bank_ms=0)
    assert turn is not None
    return turn


def _answer(receiver: _Receiver, key: str, turn: Turn) -> str:
    """Post a turn, and return the action in the reply. Raises an error if the action is illegal."""
    body = turn_message(turn, 5000)
    action = action_in(receiver.post(body, headers([key], body), _SECONDS), optional=False)
    if action not in turn["legal_actions"]:
        raise ArenaError(
            f"the reply to a turn contains the illegal action {action!r}",
            expected='{"action": ...} with one of ' + ", ".join(turn["legal_actions"]),
        )
    return str(action)


def _check_refusal(receiver: _Receiver, turn: Turn) -> Check:
    """Return whether the receiver refuses a turn that is signed with a different secret."""
    body = turn_message(turn, 5000)
    result, detail = "warning", "it was accepted; the receiver should check webhook-signature"
    try:
        receiver.post(body, headers([new_secret()], body), _SECONDS)
    except CallFailed as error:
        refused = any(f"status {status}" in error.message for status in _REFUSALS)
        result, detail = "ok" if refused else "warning", error.message
    return {"check": "wrong signature", "result": result, "detail": detail, "ms": None}


def _line(result: Check) -> str:
    time_ms = "" if result["ms"] is None else f" ({result['ms']} ms)"
    detail = f": {result['detail']}" if result["detail"] else ""
    return f"{result['check']}: {result['result']}{detail}{time_ms}\n"
