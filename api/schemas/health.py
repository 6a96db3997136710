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
        "`ok`, or `degraded`: games between remote bots go on, but something else stands.",
        validate=validate.OneOf(("ok", "degraded")),
    )
    problems = fields.List(
        fields.String(), metadata={"description": "What stands and why; only if `degraded`."}
    )
