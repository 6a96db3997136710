"""Shapes that several resources share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError, fields, validate
from marshmallow_oneofschema import OneOfSchema

from arena.games import game_of
from arena.live.accounts import MAX_PAGE, NAME_PATTERN, NAME_RULE


class Request(Schema):
    """What is sent to the service: an unknown field is an error."""

    class Meta:
        unknown = RAISE


class Reply(Schema):
    """What the service sends: it may get further fields one day."""

    class Meta:
        unknown = EXCLUDE


class ByKind(OneOfSchema):
    """One of several shapes, told apart by the kind of game."""

    type_field = "kind"
    type_field_remove = False

    def get_data_type(self, data: Mapping[str, Any]) -> Any:
        """The kind, which must be one that is played here."""
        kind = data.get("kind")
        if isinstance(kind, str):
            game_of(kind)
        elif kind is not None:
            raise ValidationError({"kind": ["Not a valid string."]})
        return kind


def name(description: str, **options: Any) -> fields.String:
    """A required name of an owner or a bot, in a request."""
    return fields.String(
        required=True,
        validate=validate.Regexp(NAME_PATTERN.replace("$", r"\Z"), error=f"Must be {NAME_RULE}."),
        metadata={"description": f"{description}: {NAME_RULE}.", "pattern": NAME_PATTERN, **options},
    )


def told(kind: type[fields.Field[Any]], description: str, **options: Any) -> Any:
    """A field that is always in a response."""
    metadata = {"description": description, **options.pop("metadata", {})}
    return kind(required=True, metadata=metadata, **options)


def absent() -> None:
    """What a parameter is that was not given: a default that the document does not show."""


class PageQuery(Request):
    """Where a page begins and how long it is."""

    cursor = fields.String(
        load_default=absent,
        validate=validate.Length(1, 200),
        metadata={"description": "The `cursor` of the page before; none for the first page."},
    )
    limit = fields.Integer(
        load_default=50,
        validate=validate.Range(1, MAX_PAGE),
        metadata={"description": "How many entries at the most."},
    )


class FieldProblem(Reply):
    """One more field that was wrong."""

    field = told(fields.String, "Which, as a dotted path.")
    detail = told(fields.String, "What is wrong with it.")


class ProblemSchema(Reply):
    """An error (RFC 9457). The members that are not required belong to some codes only."""

    type = told(fields.String, "Where the code is explained.", metadata={"format": "uri-reference"})
    title = told(fields.String, "What the code means, in short.")
    status = told(fields.Integer, "The HTTP status.")
    code = told(fields.String, "Stable; match on this.")
    detail = told(fields.String, "What is wrong, for people.")
    field = fields.String(metadata={"description": "What was wrong, as a dotted path."})
    expected = fields.String(metadata={"description": "What would have been right."})
    request_id = told(fields.String, "As in the header `X-Request-Id`.")
    more = fields.List(
        fields.Nested(FieldProblem), metadata={"description": "`invalid`: what else is wrong."}
    )
    limit = fields.String(metadata={"description": "`rate_limited`: the name of the limit."})
    allowed = fields.String(metadata={"description": "`rate_limited`: `<count>/<seconds>`."})
    retry_after = fields.Integer(metadata={"description": "`rate_limited`: seconds to wait."})
    most = fields.Integer(metadata={"description": "`too_many`: how many there may be."})
