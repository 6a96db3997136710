"""Edits and clones of tournaments."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from marshmallow import fields, validate

from api.schemas.common import RequestSchema
from api.schemas.fields import GivenMoment, TypedLine, TypedLines
from api.schemas.games import KINDS
from api.schemas.tournaments import NewTournamentFields
from arena.tournaments.parsing import MAX_DESCRIPTION, MAX_LINK
from arena.tournaments.spec import PARTNERS


def _editable() -> dict[str, Any]:
    """The fields of creation, none of which is required or has a default."""
    found: dict[str, Any] = {}
    for name, field in NewTournamentFields._declared_fields.items():
        if name == "invited_owners":
            continue
        own = deepcopy(field)
        own.required = False
        own.metadata = {key: value for key, value in field.metadata.items() if key != "default"}
        found[name] = own
    return found


class EditTournamentSchema(RequestSchema.from_dict(_editable())):  # type: ignore[misc]
    """The settings to change. `rules` and `clock` replace the former ones as a whole."""

    kind = fields.String(
        validate=validate.OneOf(KINDS), metadata={"description": "The kind of game, with its own rules."}
    )
    rules = fields.Dict(
        keys=fields.String(),
        metadata={"description": "The rule options of the game; omitted ones have their defaults."},
    )
    preset = fields.String(
        validate=validate.Length(1, 40),
        metadata={"description": "The rules by the name of a preset, in place of `rules`."},
    )
    partners = fields.String(
        validate=validate.OneOf(PARTNERS), metadata={"description": "Games with teams: who partners whom."}
    )


class CloneSchema(RequestSchema):
    """What differs from the tournament that is cloned."""

    locks_ms = GivenMoment("When entry is locked and play starts.", required=True)
    opens_ms = GivenMoment("When entry opens; by default now.")
    ends_ms = GivenMoment("When play ends, if the format ends by time; by default it lasts as long.")
    name = TypedLine(
        80, least=1, checked=False, metadata={"description": "The display name; by default the same."}
    )
    description = TypedLines(
        MAX_DESCRIPTION,
        checked=False,
        metadata={"description": "Plain text about it; by default the same."},
    )
    link = TypedLine(
        MAX_LINK,
        checked=False,
        metadata={"description": "The address of a web page about it; by default the same."},
    )
