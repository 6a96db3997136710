"""Schemas generated per game from its descriptor.

Games are looked up when a schema is used, not when this module is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from marshmallow import Schema, fields, validate

from api.schemas.common import ResponseSchema, described
from api.schemas.fields import ActionText, Mixed, OneOf, WholeNumber, rules_schema
from arena.games import GAMES, game_of
from arena.games.descriptor import Game
from arena.games.shapes import (
    ChoiceShape,
    EventShape,
    ListShape,
    NumberShape,
    ObjectShape,
    Shape,
    TextShape,
    TruthShape,
)

Members = Mapping[str, Any]


class SchemaByGame(Mapping[str, type[Schema]]):
    """One schema per game, by kind of game. Raises :class:`~arena.errors.UnknownGame` for other kinds."""

    def __init__(self, make: Callable[[Game], type[Schema]]) -> None:
        self._make = make
        self._made: dict[str, type[Schema]] = {}

    def __getitem__(self, kind: str) -> type[Schema]:
        if kind not in self._made:
            self._made[kind] = self._make(game_of(kind))
        return self._made[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(GAMES)

    def __len__(self) -> int:
        return len(GAMES)


def for_each_game(
    name: str,
    doc: str,
    *bases: type[Schema] | SchemaByGame,
    members: Callable[[Game], Members] = lambda game: {},
) -> SchemaByGame:
    """Return one schema per game.

    ``{}`` in ``name`` stands for the kind of game, and ``{title}`` and ``{seating}`` in ``doc`` for the
    game's title and seating. ``bases`` are schemas for all games, or one schema per game.
    """

    def make(game: Game) -> type[Schema]:
        own = tuple(base[game.kind] if isinstance(base, SchemaByGame) else base for base in bases)
        text = doc.format(title=game.title, seating=game.seating)
        return _schema(name.format(game.kind.capitalize()), text, own, members(game))

    return SchemaByGame(make)


def kind_of(game: Game) -> fields.String:
    """Return the field that identifies the game."""
    metadata = {"description": "The kind of game."}
    return fields.String(required=True, validate=validate.OneOf((game.kind,)), metadata=metadata)


OF_GAME = for_each_game(
    "Of{}",
    "Of {title}.",
    ResponseSchema,
    members=lambda game: {
        "kind": kind_of(game),
        "rules": fields.Nested(rules_schema(game.game_rules), required=True),
    },
)
"""The kind of game and its rules, in responses."""


def observation_of(game: Game) -> type[Schema]:
    """Return the schema of the game's observations."""
    return _object(game.observation)


def event_of(game: Game) -> OneOf:
    """Return the field for an event of the game, as shown to a viewer."""
    return OneOf([_event(event) for event in game.events])


def actions_of(game: Game) -> fields.List[str]:
    """Return the field for the legal actions of a seat."""
    forms = [form for form in game.actions if not form.by_chance]
    metadata = {"description": "The legal actions, each in one of these forms."}
    return fields.List(ActionText(forms), required=True, metadata=metadata)


def default_action_of(game: Game) -> ActionText:
    """Return the field for the action that the table takes for a seat that is late."""
    forms = [form for form in game.actions if not form.by_chance]
    description = (
        "The legal action that the table takes if the answer is late; null if the turn is optional. This "
        "action never "
        "raises the stakes."
    )
    return ActionText(forms, required=True, allow_none=True, metadata={"description": description})


_objects: dict[str, type[Schema]] = {}


def _object(shape: ObjectShape) -> type[Schema]:
    # apispec creates one component per class, so there is one class per shape.
    if shape.name not in _objects:
        members = {name: _field(field) for name, field in shape.fields.items()}
        _objects[shape.name] = _schema(shape.name, shape.doc, (ResponseSchema,), members)
    return _objects[shape.name]


def _event(shape: EventShape) -> type[Schema]:
    if shape.name not in _objects:
        members: dict[str, Any] = {
            "n": described(WholeNumber, "The event's number."),
            "type": described(fields.String, "The event's type.", validate=validate.OneOf(shape.types)),
        }
        members |= {name: _field(field) for name, field in shape.fields.items()}
        _objects[shape.name] = _schema(shape.name, shape.doc, (ResponseSchema,), members)
    return _objects[shape.name]


def _schema(name: str, doc: str, bases: tuple[type[Schema], ...], members: Members) -> type[Schema]:
    # A class statement would result in the same order of fields: first those of the class, then inherited
    # ones.
    return type(name, bases, {**members, "__doc__": doc, "__module__": __name__})


def _field(shape: Shape) -> fields.Field[Any]:
    options: dict[str, Any] = {"required": True, "allow_none": shape.nullable}
    if shape.doc and not isinstance(shape, ObjectShape):
        options["metadata"] = {"description": shape.doc}
    match shape:
        case NumberShape():
            return WholeNumber(**options)
        case TruthShape():
            return fields.Boolean(**options)
        case TextShape(choices=choices, pattern=pattern):
            return fields.String(validate=_check_of(choices, pattern), **options)
        case ChoiceShape(choices=values):
            return Mixed(values, **options)
        case ListShape(of=item):
            return fields.List(_field(item), **options)
        case ObjectShape():
            return fields.Nested(_object(shape), **options)
    raise TypeError(f"unsupported shape {shape!r}")


def _check_of(choices: tuple[str, ...], pattern: str) -> validate.Validator | None:
    if choices:
        return validate.OneOf(choices)
    return validate.Regexp(f"^{pattern}$") if pattern else None
