"""Custom marshmallow fields: strict integers and booleans, unions of schemas, rule options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import RAISE, Schema, ValidationError, fields, validate

from arena.errors import ArenaError
from arena.games.kernel import GameRules
from arena.games.options import Option
from arena.games.shapes import ActionForm
from arena.inputs.text import clean, clean_lines, read_line, read_lines
from arena.inputs.times import read_rfc_3339, rfc_3339_rule


class WholeNumber(fields.Integer):
    """A JSON number without a fraction (5.0 is valid); strings and booleans are rejected."""

    def _validated(self, value: object) -> int:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.make_error("invalid", input=value)
        return value


_MUST_BE: dict[str, str | list[Any] | dict[Any, Any]] = {"invalid": "Must be true or false."}


class Truth(fields.Boolean):
    """``true`` or ``false``; other truthy or falsy values are rejected."""

    default_error_messages = _MUST_BE

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: object) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Switch(fields.Boolean):
    """``true`` or ``false`` in a query."""

    default_error_messages = _MUST_BE

    def __init__(self, **options: Any) -> None:
        super().__init__(truthy={"true"}, falsy={"false"}, **options)


class Moment(WholeNumber):
    """Unix time in milliseconds."""


class GivenMoment(fields.Raw):
    """A time in a request, as Unix milliseconds or in RFC 3339 format. It is loaded as milliseconds."""

    def __init__(self, description: str, *, label: str = "", **options: Any) -> None:
        super().__init__(metadata={"description": description, "label": label}, **options)

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: object) -> int:
        try:
            moment = read_rfc_3339(value) if isinstance(value, str) else value
        except ArenaError:
            moment = None
        if isinstance(moment, float) and moment.is_integer():
            moment = int(moment)
        if isinstance(moment, bool) or not isinstance(moment, int):
            raise ValidationError(f"Must be {rfc_3339_rule()}.")
        return moment


class TypedLine(fields.String):
    """One line of text that people type, of ``least`` to ``most`` characters (:mod:`arena.inputs.text`).

    ``checked`` is False if the arena checks the characters and raises a specific error.
    """

    def __init__(self, most: int, least: int = 0, *, checked: bool = True, **options: Any) -> None:
        # The OpenAPI document and the forms also read the length from this validator.
        super().__init__(validate=validate.Length(least, most), **options)
        self._most, self._least, self._is_checked = most, least, checked

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, object] | None, **kwargs: object
    ) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            return self._read(text) if self._is_checked else self._clean(text)
        except ArenaError as error:
            raise ValidationError(str(error)) from None

    def _read(self, text: str) -> str:
        return read_line(text, "", self._most, least=self._least)

    def _clean(self, text: str) -> str:
        return clean(text)


class TypedLines(TypedLine):
    """Text of any number of lines that people type, with at most ``most`` characters."""

    def _read(self, text: str) -> str:
        return read_lines(text, "", self._most)

    def _clean(self, text: str) -> str:
        return clean_lines(text)


class ActionText(fields.String):
    """An action in one of the game's ``forms``."""

    def __init__(self, forms: Sequence[ActionForm], **options: Any) -> None:
        super().__init__(**options)
        self.forms = forms


class OneOf(fields.Field[Any]):
    """One of several schemas. In requests, each schema is selected by the presence of its first field, which
    is required.

    With ``or_anything``, the schemas are documentation only, and every value is accepted.
    """

    def __init__(self, schemas: Sequence[type[Schema]], *, or_anything: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.schemas = schemas
        self.or_anything = or_anything

    def deserialize(
        self,
        value: object,
        attr: str | None = None,
        data: Mapping[str, object] | None = None,
        **kwargs: object,
    ) -> object:
        """See :meth:`marshmallow.fields.Field.deserialize`."""
        return value if self.or_anything else super().deserialize(value, attr, data, **kwargs)

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: object) -> object:
        if not isinstance(value, Mapping):
            raise ValidationError("Must be an object.")
        by_key = {next(iter(schema().fields)): schema for schema in self.schemas}
        found = [key for key in by_key if key in value]
        if len(found) != 1:
            named = f", not {', '.join(map(str, [*value][:3]))[:80]}" if value else ""
            raise ValidationError(f"Must be an object with one of {', '.join(by_key)}{named}.")
        return by_key[found[0]]().load(value)


def one_of_to_openapi(self: Any, field: fields.Field[object], **_: object) -> Mapping[str, object]:
    """Return the OpenAPI schema of a :class:`OneOf`. This is an attribute function of apispec's converter."""
    if not isinstance(field, OneOf):
        return {}
    shapes = [self.resolve_nested_schema(schema) for schema in field.schemas]
    return (
        {"anyOf": [*shapes, {"description": "Any other value."}]} if field.or_anything else {"oneOf": shapes}
    )


def action_to_openapi(
    self: OpenAPIConverter, field: fields.Field[object], **_: object
) -> Mapping[str, object]:
    """Return the forms of an :class:`ActionText`, exactly one of which matches. This is an attribute function
    of apispec's converter.
    """
    if not isinstance(field, ActionText):
        return {}
    forms: list[dict[str, Any]] = [
        {"type": "string", "pattern": f"^{form.pattern}$", "description": form.meaning}
        for form in field.forms
    ]
    return {"oneOf": [*forms, {"type": "null"}] if field.allow_none else forms}


class Mixed(fields.Raw):
    """One of ``choices``, which are of several types."""

    def __init__(self, choices: Sequence[str | int], **options: Any) -> None:
        super().__init__(**options)
        self.choices = choices

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: object) -> object:
        if not any(type(value) is type(choice) and value == choice for choice in self.choices):
            raise ValidationError(f"Must be one of: {', '.join(map(str, self.choices))}.")
        return value


def moment_to_openapi(
    self: OpenAPIConverter, field: fields.Field[object], **_: object
) -> Mapping[str, object]:
    """Return both forms of a :class:`GivenMoment`. This is an attribute function of apispec's converter."""
    if not isinstance(field, GivenMoment):
        return {}
    return {"anyOf": [{"type": "integer"}, {"type": "string", "format": "date-time"}]}


def mixed_to_openapi(
    self: OpenAPIConverter, field: fields.Field[object], **_: object
) -> Mapping[str, object]:
    """Return the choices of a :class:`Mixed`, grouped by type, since client generators reject an ``enum``
    with several types. This is an attribute function of apispec's converter.
    """
    if not isinstance(field, Mixed):
        return {}
    names = {str: "string", int: "integer"}
    forms: list[dict[str, Any]] = [
        {"type": name, "enum": [choice for choice in field.choices if isinstance(choice, kind)]}
        for kind, name in names.items()
    ]
    return {"anyOf": [*forms, *([{"type": "null"}] if field.allow_none else [])]}


def _option_field(option: Option) -> fields.String | fields.Boolean | fields.Integer:
    metadata: dict[str, Any] = {"description": option.doc[0].upper() + option.doc[1:] + "."}
    if option.follows:
        metadata["description"] += f" By default {option.default_text}."
    else:
        metadata["default"] = option.default
    if option.choices:
        return fields.String(validate=validate.OneOf(option.choices), metadata=metadata)
    if isinstance(option.default, bool):
        return Truth(metadata=metadata)
    return WholeNumber(validate=validate.Range(option.low, option.high), metadata=metadata)


@cache
def rules_schema(game_rules: GameRules) -> type[Schema]:
    """Return the schema of a game's rule options, generated from the options."""
    kind = game_rules.kind
    options = game_rules.options.by_name.values()
    members: dict[str, Any] = {option.name: _option_field(option) for option in options}
    members["Meta"] = type("Meta", (), {"unknown": RAISE})
    members["__doc__"] = f"The rule options of {kind}. Omitted options take their default values."
    return type(f"{kind.capitalize()}RulesSchema", (Schema,), members)


RULES_TEXT: Final = "The rule options; omitted ones take their defaults."


class Rules(fields.Nested):
    """Rule options of one game. The game validates them, because its errors are more specific."""

    def __init__(self, game_rules: GameRules, **options: Any) -> None:
        super().__init__(rules_schema(game_rules), metadata={"description": RULES_TEXT}, **options)
        self.game_rules = game_rules

    def _deserialize(
        self, value: object, attr: str | None, data: object, partial: object = None, **kwargs: object
    ) -> object:
        if not isinstance(value, Mapping):
            raise ValidationError("Must be an object.")
        self.game_rules.options.complete(value)
        return dict(value)
