"""Schemas of the logs of uploaded bots."""

from __future__ import annotations

from marshmallow import fields

from api.schemas.common import ResponseSchema, described, optional


class DecisionSchema(ResponseSchema):
    """One decision of an uploaded bot."""

    turn = described(fields.String, "The id of the turn.")
    ms = described(fields.Float, "The thinking time, in milliseconds of fuel.")
    after = optional(fields.Integer, "The number of actions in the game before the decision.")
    output_start = optional(
        fields.Integer,
        "Where in `output` that of the decision starts, in characters.",
    )
    fault = optional(fields.String, "The type of fault, if the decision was a fault.")
    detail = optional(fields.String, "Details of the fault.")


class SeatFaultSchema(ResponseSchema):
    """A fault of a seat."""

    type = described(fields.String, "The type of the fault.")
    after = described(fields.Integer, "The number of actions in the game before the fault.")
    detail = described(fields.String, "A description of what the bot did.")


class SeatLogSchema(ResponseSchema):
    """The output and decisions of a bot on one seat."""

    seat = described(fields.Integer, "The seat.")
    version = described(fields.String, "The label of the version.")
    output = described(fields.String, "Everything that the bot printed, including tracebacks.")
    cut = described(fields.Boolean, "Whether the output was truncated.")
    load_ms = described(fields.Float, "The time to load the bot, in milliseconds of fuel.")
    decisions = fields.List(fields.Nested(DecisionSchema), required=True)
    faults = fields.List(fields.Nested(SeatFaultSchema), required=True)


class GameLogSchema(ResponseSchema):
    """The log of an uploaded bot for one game."""

    game = described(fields.String, "The id of the game.")
    seats = fields.List(fields.Nested(SeatLogSchema), required=True)
