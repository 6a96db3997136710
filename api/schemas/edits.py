"""Edits and clones of tournaments."""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict

from marshmallow import fields, validate

from api.schemas.common import RequestSchema, editable, optional
from api.schemas.derived import request_field
from api.schemas.fields import RULES_TEXT, GivenMoment
from api.schemas.games import KINDS
from api.schemas.tournaments import PRESET_TEXT, settings_schema
from arena.declarations import settings_of
from arena.tournaments.settings import OneOffSettings, SharedSettings

_SETTINGS = editable(settings_schema(OneOffSettings))


class EditTournamentSchema(RequestSchema.from_dict(_SETTINGS)):  # type: ignore[misc]
    """The settings to change. `rules` and `clock` each replace the former value as a whole."""

    kind = optional(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    rules = optional(fields.Dict, RULES_TEXT, keys=fields.String())
    preset = optional(fields.String, PRESET_TEXT, validate=validate.Length(1, 40))


class GivenEdit(TypedDict, total=False):
    """The values loaded by :class:`EditTournamentSchema` that are checked before the arena receives all."""

    kind: str
    invited: list[str]
    baseline: list[str]


def _same(name: str, description: str) -> fields.Field[object]:
    """Return a string field whose default is the value of the cloned tournament."""
    return request_field(replace(settings_of(SharedSettings)[name], description=description, default=None))


class CloneSchema(RequestSchema):
    """The settings that differ from the cloned tournament."""

    locks_ms = GivenMoment("When entry is locked and play starts.", required=True)
    opens_ms = GivenMoment("When entry opens; by default now.")
    ends_ms = GivenMoment("When play ends, if the format ends by time; by default, after the same duration.")
    name = _same("name", "The display name; by default, unchanged.")
    description = _same("description", "A description in plain text; by default, unchanged.")
    link = _same("link", "The URL of a web page about the tournament; by default, unchanged.")
