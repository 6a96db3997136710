"""What a tournament would be."""

from __future__ import annotations

from typing import TypedDict

from marshmallow import fields, validate

from api.schemas.common import RequestSchema, ResponseSchema, absent, described, nested, optional
from arena.tournaments.settings import MAX_ENTRIES


class DryRunQuery(RequestSchema):
    """The number of entrants to assume."""

    entrants = optional(
        fields.Integer,
        "How many bots enter, with house bots. By default as many as may, or are invited.",
        load_default=absent,
        validate=validate.Range(2, MAX_ENTRIES),
    )


class GivenDryRun(TypedDict):
    """What :class:`DryRunQuery` loads."""

    entrants: int | None


class PlannedBudgetSchema(ResponseSchema):
    """What the tournament would use of its owner's budget of groups."""

    groups = described(fields.Integer, "How many groups it would use at its lock.")
    left = described(fields.Integer, "How many are left today.")
    fits = described(fields.Boolean, "Whether that is enough.")


class DryRunSchema(ResponseSchema):
    """A tournament as it would be announced; nothing is stored."""

    entrants = described(fields.Integer, "With how many entrants.")
    groups = described(fields.Integer, "How many groups they play at most.")
    games = described(fields.Integer, "How many games these are.")
    seconds = described(fields.Float, "About how long play takes, with one worker.")
    measured = described(
        fields.Boolean, "Whether `seconds` follows from measured games or from set times; otherwise assumed."
    )
    played_by = described(
        fields.String,
        "`house`: only house bots; `uploaded`: also uploaded bots; `live`: also bots that run elsewhere.",
        metadata={"enum": ["house", "uploaded", "live"]},
    )
    text = described(fields.String, "The same in a sentence.")
    budget = nested(PlannedBudgetSchema, "Null for admins, who have no budget.", allow_none=True)
