"""Health."""

from __future__ import annotations

from marshmallow import fields, validate

from api.schemas.common import ResponseSchema, described


class HealthSchema(ResponseSchema):
    """The health of the process."""

    status = described(fields.String, "Always `ok`.", validate=validate.OneOf(("ok",)))
