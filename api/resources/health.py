"""Liveness, readiness and metrics."""

from __future__ import annotations

from typing import Any

from flask import Response

from api import metrics, streams
from api.contract import Blueprint
from api.errors import HttpError
from api.schemas.health import HealthSchema, ReadinessSchema
from api.services import services

blueprint = Blueprint("health", __name__, description="Health and metrics, for operators.")


@blueprint.operation("/healthz", returns=HealthSchema)
def is_alive() -> dict[str, str]:
    """Check that the process is alive

    Does not check the database: see `GET /readyz`.
    """
    return {"status": "ok"}


@blueprint.operation(
    "/readyz",
    returns=ReadinessSchema,
    errors=("store_unavailable", "store_replaced", "unknown_format", "draining"),
)
def is_ready() -> dict[str, Any]:
    """Check that the process can serve requests

    Fails while the database cannot be reached, refuses writes or has lost its data, and while the process is
    shutting down. The status is `degraded` while games between remote bots go on but something else stands.
    """
    if streams.draining():
        raise HttpError("this process is shutting down", code="draining")
    services().store.check_ready()
    problem = services().jobs.problem()
    return {"status": "ok"} if problem is None else {"status": "degraded", "problems": [problem]}


@blueprint.operation(
    "/metrics", media="text/plain", returns={"type": "string"}, errors=("store_unavailable",)
)
def get_metrics() -> Response:
    """Get metrics in the text format of Prometheus

    Counters cover all processes of this server; games and turns cover the whole service.
    """
    return metrics.exposition(services())
