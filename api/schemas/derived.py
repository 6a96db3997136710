"""Fields of schemas from declared settings (:mod:`arena.declarations`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from marshmallow import fields, validate

from api.schemas.common import absent
from api.schemas.fields import GivenMoment, Moment, Switch, Truth, TypedLine, TypedLines, WholeNumber
from arena.declarations import DECIMAL, DECIMALS, MOMENT, NUMBER, TEXTS, TRUTH, Setting, settings_of

Field = fields.Field[Any]

_IN_RESPONSES: Final[Mapping[str, type[Field]]] = {
    NUMBER: WholeNumber,
    DECIMAL: fields.Float,
    TRUTH: fields.Boolean,
    MOMENT: Moment,
}


def request_fields(
    *of: type, without: Collection[str] = (), checked: bool = False, nulls: bool = True
) -> dict[str, Field]:
    """Return the fields of declared classes for a request. Omitted fields stay omitted: the arena fills in
    the defaults. ``checked``: whether the characters of strings are checked here instead of in the arena.
    ``nulls``: whether fields that can be null in a change can be null here, too.
    """
    return {one.name: request_field(one, checked=checked, nulls=nulls) for one in _settings(of, without)}


def response_fields(*of: type, without: Collection[str] = ()) -> dict[str, Field]:
    """Return the fields of declared classes for a response."""
    return {one.name: _response_field(one) for one in _settings(of, without)}


def query_fields(*of: type, without: Collection[str] = (), checked: bool = False) -> dict[str, Field]:
    """Return the fields of declared classes for a query, which cannot have null. Omitted fields are None."""
    found = {}
    for one in _settings(of, without):
        field = request_field(one, checked=checked, nulls=False)
        found[one.name] = Switch(metadata=field.metadata) if one.kind == TRUTH else field
        found[one.name].load_default = absent
    return found


def _settings(of: Iterable[type], without: Collection[str]) -> list[Setting]:
    found = (one for declared in of for one in settings_of(declared).values())
    return [one for one in found if one.name not in without]


def request_field(one: Setting, *, checked: bool = False, nulls: bool = True) -> Field:
    """Return the field for a setting in a request. Forms use its label."""
    metadata: dict[str, Any] = {"description": one.description, "label": one.label}
    if one.json_default is not None:
        metadata["default"] = one.json_default
    options: dict[str, Any] = {
        "metadata": metadata,
        "required": one.required,
        "allow_none": (nulls and one.nullable) or None,
    }
    if one.kind in (TEXTS, DECIMALS):
        count = None if one.max_items is None else validate.Length(one.min_items, one.max_items)
        return fields.List(_member(one), validate=count, **options)
    if one.choices:
        return fields.String(validate=validate.OneOf(one.choices), **options)
    if one.kind == MOMENT:
        return GivenMoment(one.description, label=one.label, required=one.required)
    if one.kind == TRUTH:
        return Truth(**options)
    if one.kind in (NUMBER, DECIMAL):
        number = WholeNumber if one.kind == NUMBER else fields.Float
        return number(validate=validate.Range(one.minimum, one.maximum), **options)
    text = TypedLines if one.lines else TypedLine
    return text(one.max_length or 0, one.min_length, checked=checked, **options)


def _member(one: Setting) -> Field:
    if one.kind == DECIMALS:
        return fields.Float()
    check = validate.OneOf(one.choices) if one.choices else validate.Length(1, one.max_length)
    return fields.String(validate=check)


def _response_field(one: Setting) -> Field:
    options: dict[str, Any] = {
        "required": True,
        "allow_none": one.optional,
        "metadata": {"description": one.response or one.description},
    }
    if one.kind in (TEXTS, DECIMALS):
        return fields.List(fields.String() if one.kind == TEXTS else fields.Float(), **options)
    if one.choices:
        options["validate"] = validate.OneOf(one.choices)
    return _IN_RESPONSES.get(one.kind, fields.String)(**options)
