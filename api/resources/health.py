"""Whether this process lives, whether it can serve, and what it counted."""

from __future__ import annotations

from flask import Response

from api import metrics, streams
from api.contract import Blueprint
from api.errors import Problem
from api.schemas.health import HealthSchema
from api.services import services

blueprint = Blueprint("health", __name__, description="For whoever runs the service.")


@blueprint.operation("/healthz", returns=HealthSchema)
def is_alive() -> dict[str, str]:
    """Whether the process lives"""
    return {"status": "ok"}


@blueprint.operation("/readyz", returns=HealthSchema, errors=("store_unavailable", "draining"))
def is_ready() -> dict[str, str]:
    """Whether the process can serve requests

    It cannot while the database is away or while it is being stopped.
    """
    if streams.draining():
        raise Problem("this process is being stopped", code="draining")
    services().ping()
    return {"status": "ok"}


@blueprint.operation(
    "/metrics", media="text/plain", returns={"type": "string"}, errors=("store_unavailable",)
)
def get_metrics() -> Response:
    """Counters and gauges in the text format of Prometheus"""
    return metrics.exposition(services().stats)
