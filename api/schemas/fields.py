"""Fields that marshmallow does not have: strict numbers and truths, one of several shapes, rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from arena.games import GAMES
from arena.games.options import Option


class WholeNumber(fields.Integer):
    """A JSON number without a fraction (5.0 is one); no text, no truth value."""

    def _validated(self, value: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.make_error("invalid", input=value)
        return value


class Truth(fields.Boolean):
    """``true`` or ``false``; nothing that only looks like it."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Moment(WholeNumber):
    """Unix time in milliseconds."""


class OneOf(fields.Field[Any]):
    """One of several shapes, told apart by the required field that each begins with.

    ``or_anything``: the shapes are what makes sense, but everything is taken.
    """

    def __init__(self, schemas: Sequence[type[Schema]], *, or_anything: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.schemas = schemas
        self.or_anything = or_anything
        self._by_key = {next(iter(schema().fields)): schema for schema in schemas}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if self.or_anything:
            return value
        if not isinstance(value, Mapping):
            raise ValidationError("Must be an object.")
        found = [key for key in self._by_key if key in value]
        if len(found) != 1:
            raise ValidationError(f"Must be an object with one of {', '.join(self._by_key)}.")
        return self._by_key[found[0]]().load(value)


def one_of_to_openapi(self: Any, field: fields.Field[Any], **_: Any) -> dict[str, Any]:
    """How the document shows a :class:`OneOf`: an attribute function of apispec's converter."""
    if not isinstance(field, OneOf):
        return {}
    shapes = [self.resolve_nested_schema(schema) for schema in field.schemas]
    return {"anyOf": [*shapes, {}]} if field.or_anything else {"oneOf": shapes}


def _option_field(option: Option) -> fields.Field[Any]:
    told = {"description": option.doc[0].upper() + option.doc[1:] + ".", "default": option.default}
    if option.choices:
        return fields.String(validate=validate.OneOf(option.choices), metadata=told)
    if isinstance(option.default, bool):
        return Truth(metadata=told)
    return WholeNumber(validate=validate.Range(option.low, option.high), metadata=told)


def _rules_schema(kind: str) -> type[Schema]:
    options = GAMES[kind].options.by_name.values()
    members: dict[str, Any] = {option.name: _option_field(option) for option in options}
    members["Meta"] = type("Meta", (), {"unknown": RAISE})
    members["__doc__"] = f"The rule options of {kind}; what is left out has its default."
    return type(f"{kind.capitalize()}RulesSchema", (Schema,), members)


RULES = {kind: _rules_schema(kind) for kind in GAMES}
"""The schema of each game's rule options, made from the options themselves."""


class Rules(fields.Nested):
    """Rule options of one kind of game, checked by the game itself, whose errors say more."""

    def __init__(self, kind: str, **options: Any) -> None:
        super().__init__(RULES[kind], **options)
        self.kind = kind

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, Mapping):
            raise ValidationError("Must be an object.")
        GAMES[self.kind].options.complete(value)
        return dict(value)
