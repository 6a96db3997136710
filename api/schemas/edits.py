"""Edits and clones of tournaments."""

from __future__ import annotations

from marshmallow import fields, validate

from api.schemas.common import RequestSchema, editable
from api.schemas.fields import RULES_TEXT, GivenMoment, TypedLine, TypedLines
from api.schemas.games import KINDS
from api.schemas.tournaments import PARTNERS_TEXT, PRESET_TEXT, NewTournamentFields
from arena.tournaments.parsing import MAX_DESCRIPTION, MAX_LINK
from arena.tournaments.spec import PARTNERS

_SETTINGS = editable(NewTournamentFields, without=("invited_owners",))


class EditTournamentSchema(RequestSchema.from_dict(_SETTINGS)):  # type: ignore[misc]
    """The settings to change. `rules` and `clock` replace the former ones as a whole."""

    kind = fields.String(validate=validate.OneOf(KINDS), metadata={"description": "The kind of game."})
    rules = fields.Dict(keys=fields.String(), metadata={"description": RULES_TEXT})
    preset = fields.String(validate=validate.Length(1, 40), metadata={"description": PRESET_TEXT})
    partners = fields.String(validate=validate.OneOf(PARTNERS), metadata={"description": PARTNERS_TEXT})


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
