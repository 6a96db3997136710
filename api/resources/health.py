"""Liveness, readiness and metrics."""

from __future__ import annotations

from flask import Response

from api import metrics, streams
from api.contract import Blueprint
from api.errors import HttpError
from api.schemas.health import HealthSchema
from api.services import services

blueprint = Blueprint("health", __name__, description="Health and metrics, for operators.")


@blueprint.operation("/healthz", returns=HealthSchema)
def is_alive() -> dict[str, str]:
    """Check that the process is alive

    Does not check the database: see `GET /readyz`.
    """
    return {"status": "ok"}


@blueprint.operation("/readyz", returns=HealthSchema, errors=("store_unavailable", "draining"))
def is_ready() -> dict[str, str]:
    """Check that the process can serve requests

    Fails while the database cannot be reached and while the process is shutting down.
    """
    if streams.draining():
        raise HttpError("this process is shutting down", code="draining")
    services().store.ping()
    return {"status": "ok"}


@blueprint.operation(
    "/metrics", media="text/plain", returns={"type": "string"}, errors=("store_unavailable",)
)
def get_metrics() -> Response:
    """Get metrics in the text format of Prometheus

    Counters cover all processes of this server; games and turns cover the whole service.
    """
    return metrics.exposition(services().store.stats, services().live.notifier.count)
