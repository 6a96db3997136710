"""Notes of bots on their moves."""

from __future__ import annotations

from typing import TypedDict

from marshmallow import fields

from api.schemas.common import RequestSchema, ResponseSchema, described, listed
from api.schemas.fields import Truth


class NoteSchema(ResponseSchema):
    """A bot's note on one of its moves."""

    after = described(fields.Integer, "The number of actions in the game before the move.")
    seat = described(fields.Integer, "The seat.")
    action = described(fields.String, "The move.")
    note = described(fields.String, "The note.")


class GameNotesSchema(ResponseSchema):
    """A bot's notes on its moves in one game."""

    game = described(fields.String, "The id of the game.")
    published = described(fields.Boolean, "Whether everybody who can read the record can read the notes.")
    notes = listed(NoteSchema, "The notes, in the order of the moves.")


class ChangedNotesSchema(RequestSchema):
    """Changes to a bot's notes on a game."""

    published = described(Truth, "Whether the notes are public.")


class GivenNotesChange(TypedDict):
    """The values loaded by :class:`ChangedNotesSchema`."""

    published: bool
