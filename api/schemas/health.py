"""The health of the service."""

from __future__ import annotations

from marshmallow import fields, validate

from api.schemas.common import ResponseSchema, described


class HealthSchema(ResponseSchema):
    """The health of the process."""

    status = described(fields.String, "Always `ok`.", validate=validate.OneOf(("ok",)))


class ReadinessSchema(ResponseSchema):
    """Whether the process can serve requests."""

    status = described(
        fields.String,
        "`ok`, or `degraded`: games between remote bots continue, but another part of the service has "
        "stopped.",
        validate=validate.OneOf(("ok", "degraded")),
    )
    problems = fields.List(
        fields.String(), metadata={"description": "The parts that have stopped, and why; only if `degraded`."}
    )
