"""Health."""

from __future__ import annotations

from marshmallow import fields, validate

from api.schemas.common import Reply, told


class HealthSchema(Reply):
    """How the process is."""

    status = told(fields.String, "`ok`.", validate=validate.OneOf(("ok",)))
