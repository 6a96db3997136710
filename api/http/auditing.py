"""Audit logging of what organisers do, and what admins do on their behalf; see also
:mod:`api.resources.admin`.

Cancelling a tournament is logged by :class:`~arena.events.requests.OrganiserRequests`, with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import orjson

from api.services import services
from arena.accounts.accounts import Principal
from arena.text import printable

_RESOURCE: Final = "tournaments"
_OF_PLAYERS: Final = frozenset({"enterTournament", "leaveTournament"})
_CANCEL: Final = "cancelTournament"
_PAGES: Final = "/tournaments"
_PAGES_OF_PLAYERS: Final = ("/entries", "/withdraw", "/cancel", "/subscriptions", "/unsubscribe", "/ping")
_MOST: Final = 300


def audit_operation(
    name: str, resource: str, method: str, who: Principal | None, path: Mapping[str, str], sent: object
) -> None:
    """Log an organiser's operation, with the request body as sent, before it is carried out."""
    if resource != _RESOURCE or method == "GET" or who is None or name == _CANCEL:
        return
    if name in _OF_PLAYERS and not who.admin:
        return
    detail = printable(orjson.dumps(sent).decode(), _MOST) if sent else ""
    services().accounts.audit(who, _words(name), _subject(path), detail)


def audit_form(view: str, rule: str, who: Principal | None, path: Mapping[str, str]) -> None:
    """Log a form submitted on a tournament's page before it is handled."""
    if who is not None and rule.startswith(_PAGES) and not rule.endswith(_PAGES_OF_PLAYERS):
        services().accounts.audit(who, view.replace("_", " "), _subject(path), "on a page")


def _words(name: str) -> str:
    """Return the words of an operation id such as ``createTournament``."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)


def _subject(path: Mapping[str, str]) -> str:
    return ", ".join(f"{kind} {value}" for kind, value in path.items())
