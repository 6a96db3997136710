"""Liveness, readiness and metrics."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response

from api.http import metrics, streams
from api.http.contract import Blueprint
from api.http.errors import HttpError
from api.schemas.health import HealthSchema, ReadinessSchema
from api.services import services

blueprint = Blueprint("health", __name__, description="Health and metrics, for operators.")


@blueprint.operation(returns=HealthSchema)
def is_alive() -> dict[str, str]:
    return {"status": "ok"}


@blueprint.operation(returns=ReadinessSchema)
def is_ready() -> Mapping[str, object]:
    if streams.draining():
        raise HttpError("this process is shutting down", code="draining")
    services().store.check_ready()
    problem = services().jobs.problem()
    return {"status": "ok"} if problem is None else {"status": "degraded", "problems": [problem]}


@blueprint.operation(returns={"type": "string"})
def get_metrics() -> Response:
    return metrics.exposition(services())
