"""The service that the views use."""

from __future__ import annotations

import re
import threading
from typing import Final, cast

from flask import current_app, request

from api.http.bodies import BodyIntake
from api.http.places import Places
from api.provider import Provider
from arena.ops.logs import log_fields
from arena.ops.service import Service

_HOST: Final = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?").fullmatch

_LOOPBACK: Final = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE).fullmatch


def start_sweeper(service: Service) -> None:
    """Also serve the clocks of games in this process, if the settings require it."""
    if service.settings.http.sweep:
        threading.Thread(target=_sweep, args=(service,), name="sweeper", daemon=True).start()


def _sweep(service: Service) -> None:
    with log_fields(process="sweeper"):
        service.live.sweeper().run(threading.Event())


def services() -> Service:
    """Return the service of the app that handles the current request."""
    return cast(Service, current_app.extensions["botequim"])


def bodies() -> BodyIntake:
    """Return the reader of request bodies."""
    return cast(BodyIntake, current_app.extensions["botequim-bodies"])


def places() -> Places:
    """Return the places of requests that wait."""
    return cast(Places, current_app.extensions["botequim-places"])


def own_address() -> str | None:
    """Return the URL of this service for secret links: as configured, or as in the request if its host is one
    of :attr:`~arena.ops.settings.HttpSettings.hosts` or this machine, or else None.
    """
    http = services().settings.http
    host = request.environ.get("HTTP_HOST", "")
    return service_address() if http.public_url or http.hosts or _LOOPBACK(host) else None


def provider() -> Provider | None:
    """Return the OpenID Connect provider at which owners can sign in, or None if none is set."""
    return cast("Provider | None", current_app.extensions["botequim-provider"])


def service_address() -> str | None:
    """Return the URL of this service: as configured, or as in the request, or None if that is invalid."""
    host = request.environ.get("HTTP_HOST", "")
    asked_at = request.url_root.rstrip("/") if _HOST(host) else None
    return services().settings.http.public_url or asked_at
