"""Base schemas and fields that several resources share."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, ClassVar, TypedDict, TypeVar

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError, fields, validate

from arena.accounts.accounts import MAX_PAGE
from arena.inputs.names import NAME_PATTERN, NAME_RULE

Kind = TypeVar("Kind", bound="fields.Field[Any]")


class RequestSchema(Schema):
    """The base class of request bodies and queries. Unknown fields are errors."""

    class Meta:
        unknown = RAISE


class ResponseSchema(Schema):
    """The base class of response bodies. Later versions can add fields."""

    class Meta:
        unknown = EXCLUDE


class UnionSchema(Schema):
    """One of ``type_schemas``, selected by the value of a field. Other values are errors."""

    type_field: ClassVar[str]
    type_schemas: ClassVar[Mapping[str, type[Schema]]]

    def load(self, data: Any, **options: Any) -> Any:
        """See :meth:`marshmallow.Schema.load`."""
        return self._selected(data).load(data, **options)

    def dump(self, obj: Any, **options: Any) -> Any:
        """See :meth:`marshmallow.Schema.dump`."""
        return self._selected(obj).dump(obj, **options)

    def _selected(self, data: object) -> Schema:
        if not isinstance(data, Mapping):
            raise ValidationError({"_schema": ["Invalid input type."]})
        value = data.get(self.type_field)
        if value is None:
            raise ValidationError({self.type_field: ["Missing data for required field."]})
        if not isinstance(value, str):
            raise ValidationError({self.type_field: ["Not a valid string."]})
        return self.type_schemas[value]()


class ByKind(UnionSchema):
    """One schema per kind of game, selected by ``kind``."""

    type_field = "kind"


def name(description: str, **options: object) -> fields.String:
    """Return the field for a required owner or bot name in a request."""
    return fields.String(
        required=True,
        validate=validate.Regexp(NAME_PATTERN.replace("$", r"\Z"), error=f"Must be {NAME_RULE}."),
        metadata={"description": f"{description}: {NAME_RULE}.", "pattern": NAME_PATTERN, **options},
    )


def described(kind: type[Kind], description: str, **options: Any) -> Kind:
    """Return a required field with a description."""
    metadata = {"description": description, **options.pop("metadata", {})}
    return kind(metadata=metadata, **{"required": True, **options})


def optional(kind: type[Kind], description: str, **options: Any) -> Kind:
    """Return an optional field with a description."""
    return described(kind, description, required=False, **options)


def listed(entry: fields.Field[Any] | type[Schema], description: str, **options: Any) -> fields.List[Any]:
    """Return a required list with a description."""
    field = entry if isinstance(entry, fields.Field) else fields.Nested(entry)
    return described(fields.List, description, cls_or_instance=field, **options)


def nested(schema: type[Schema], description: str, **options: Any) -> fields.Nested:
    """Return a required nested object with a description."""
    return described(fields.Nested, description, nested=schema, **options)


def editable(schema: type[Schema]) -> dict[str, fields.Field[object]]:
    """Return the fields of a schema for use in a schema of edits: none is required or has a default."""
    found: dict[str, fields.Field[object]] = {}
    for name, field in schema._declared_fields.items():
        found[name] = own = deepcopy(field)
        own.required = False
        own.metadata = {key: value for key, value in field.metadata.items() if key != "default"}
    return found


def absent() -> None:
    """Return None. As a callable default, it does not appear in the OpenAPI document."""


class PageQuery(RequestSchema):
    """The start and length of a page."""

    cursor = optional(
        fields.String,
        "The `cursor` of the previous page. Omit it for the first page.",
        load_default=absent,
        validate=validate.Length(1, 200),
    )
    limit = optional(
        fields.Integer,
        "The maximum number of entries.",
        load_default=50,
        validate=validate.Range(1, MAX_PAGE),
    )


class GivenPage(TypedDict):
    """The values loaded by :class:`PageQuery`."""

    cursor: str | None
    limit: int


class FieldProblem(ResponseSchema):
    """A further invalid field."""

    field = described(fields.String, "The field, as a dotted path.")
    detail = described(fields.String, "What is wrong with the field.")


class ProblemSchema(ResponseSchema):
    """An error (RFC 9457). The optional members appear only with certain codes."""

    type = described(
        fields.String, "The URL of the code's explanation.", metadata={"format": "uri-reference"}
    )
    title = described(fields.String, "A short title of the code.")
    status = described(fields.Integer, "The HTTP status.")
    code = described(fields.String, "The stable error code. Match on this.")
    detail = described(fields.String, "What is wrong, in plain words.")
    field = optional(fields.String, "The invalid field, as a dotted path.")
    expected = optional(fields.String, "What is valid instead.")
    request_id = described(fields.String, "The id of the request, as in the header `X-Request-Id`.")
    more = fields.List(
        fields.Nested(FieldProblem), metadata={"description": "`invalid`: further invalid fields."}
    )
    limit = optional(fields.String, "`rate_limited`: the name of the limit.")
    allowed = optional(fields.String, "`rate_limited`: `<count>/<seconds>`.")
    retry_after = optional(fields.Integer, "Seconds to wait before trying again.")
    most = optional(fields.Integer, "`quota_exceeded`, `budget_exceeded`: the maximum number.")
    budget = optional(fields.String, "`budget_exceeded`: the name of the budget.")
    renews_ms = optional(fields.Integer, "`budget_exceeded`: when the budget renews, in Unix milliseconds.")
    quota = optional(fields.String, "`quota_exceeded`: the name of the quota.")
    used = optional(fields.Integer, "`quota_exceeded`, `budget_exceeded`: how much of `most` is used.")
    left = optional(fields.Integer, "`quota_exceeded`, `budget_exceeded`: how much of `most` is left.")
