"""The service that the views use."""

from __future__ import annotations

import threading
from typing import cast

from flask import current_app

from api.bodies import BodyIntake
from arena.ops.logs import log_fields
from arena.ops.service import Service


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
