"""The service that the views use."""

from __future__ import annotations

import re
import threading
from typing import Final, cast

from flask import current_app, request

from api.http.bodies import BodyIntake
from arena.ops.logs import log_fields
from arena.ops.service import Service

_HOST: Final = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?").fullmatch


def start_sweeper(service: Service) -> None:
    """Serve the clocks of games in this process too, if its settings say so."""
    if service.settings.http.sweep:
        threading.Thread(target=_sweep, args=(service,), name="sweeper", daemon=True).start()


def _sweep(service: Service) -> None:
    with log_fields(process="sweeper"):
        service.live.sweeper().run(threading.Event())


def services() -> Service:
    """The service of the app that handles the present request."""
    return cast(Service, current_app.extensions["botequim"])


def bodies() -> BodyIntake:
    """What reads the bodies of the app's requests."""
    return cast(BodyIntake, current_app.extensions["botequim-bodies"])


def service_address() -> str | None:
    """The address of this service: as set, or that which the request came to, None if that is no address."""
    host = request.environ.get("HTTP_HOST", "")
    asked_at = request.url_root.rstrip("/") if _HOST(host) else None
    return services().settings.http.public_url or asked_at
