"""The forecast of a tournament that has not been announced."""

from __future__ import annotations

from typing import TypedDict

from marshmallow import fields, validate

from api.schemas.common import RequestSchema, ResponseSchema, absent, described, nested, optional
from arena.tournaments.settings import MAX_ENTRIES


class DryRunQuery(RequestSchema):
    """The number of entrants to assume."""

    entrants = optional(
        fields.Integer,
        "The number of bots that enter, including house bots. By default, as many as are allowed or invited.",
        load_default=absent,
        validate=validate.Range(2, MAX_ENTRIES),
    )


class GivenDryRun(TypedDict):
    """The values loaded by :class:`DryRunQuery`."""

    entrants: int | None


class PlannedBudgetSchema(ResponseSchema):
    """The tournament's use of its owner's budget of groups."""

    groups = described(fields.Integer, "The number of groups it would use at its lock.")
    left = described(fields.Integer, "The number of groups left today.")
    fits = described(fields.Boolean, "Whether the budget is sufficient.")


class DryRunSchema(ResponseSchema):
    """A tournament as it would be announced; nothing is stored."""

    entrants = described(fields.Integer, "The number of entrants assumed.")
    groups = described(fields.Integer, "The maximum number of groups that they play.")
    games = described(fields.Integer, "The number of games in these groups.")
    seconds = described(fields.Float, "The approximate duration of play in seconds, with one worker.")
    measured = described(
        fields.Boolean,
        "Whether `seconds` is based on measured games or set times; otherwise it is an assumption.",
    )
    played_by = described(
        fields.String,
        "`house`: only house bots. `uploaded`: also uploaded bots. `live`: also bots that run elsewhere.",
        metadata={"enum": ["house", "uploaded", "live"]},
    )
    text = described(fields.String, "The forecast as a sentence.")
    budget = nested(
        PlannedBudgetSchema, "The owner's budget; null for admins, who have none.", allow_none=True
    )
