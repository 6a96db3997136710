"""Schemas of the standings of a tournament."""

from __future__ import annotations

from marshmallow import fields, validate

from api.schemas.common import ResponseSchema, described, listed
from api.schemas.fields import Moment, WholeNumber
from api.schemas.leaderboards import cursor
from arena.events.live_standings import STANDINGS_STATES


class StandingSchema(ResponseSchema):
    """A bot's row in the standings."""

    place = described(
        WholeNumber,
        "The place, from 1; bots tied after all tie-breaks share it. Null for a baseline bot.",
        allow_none=True,
    )
    name = described(fields.String, "The bot's name.")
    version = described(fields.String, "The version's label.")
    groups = described(WholeNumber, "The number of groups that count for the bot.")
    byes = described(WholeNumber, "The number of byes, each worth one point.")
    points = described(fields.Float, "The sum of the bot's group scores, each from 0 to 1.")
    score = described(fields.Float, "Points per group, which decides the place.")
    half_width = described(
        fields.Float,
        "Half the width of the 95% interval of the score; null with too few groups.",
        allow_none=True,
    )
    won = described(WholeNumber, "The number of groups in which the bot scored more than every other bot.")
    games = described(WholeNumber, "The number of games in these groups.")
    faults = described(WholeNumber, "The number of faults.")
    forfeits = described(WholeNumber, "The number of groups lost by forfeit.")
    used_ms = described(WholeNumber, "The time used for all actions; null if not recorded.", allow_none=True)
    adjusted = described(
        fields.Float,
        "The score without the luck of the cards, which does not affect the place; null if luck is not "
        "measured, or if the interval would be wider.",
        allow_none=True,
    )
    adjusted_half_width = described(
        fields.Float,
        "Half the width of the 95% interval of `adjusted`; null with too few groups.",
        allow_none=True,
    )
    tie_breaks = described(
        fields.Dict,
        "The values of the tie-breaks that were applied, by name.",
        keys=fields.String(),
        values=fields.Float(),
    )
    baseline = described(
        fields.Boolean,
        "Whether this is a baseline bot, which takes no place. These come after all others, in the same "
        "order.",
    )


def _share(description: str) -> fields.Float:
    return described(fields.Float, description, allow_none=True, validate=validate.Range(0, 1))


class MeetingSchema(ResponseSchema):
    """A bot's result against another."""

    points = described(fields.Float, "Points, at most one per group.")
    groups = described(WholeNumber, "The number of groups.")
    share = _share("Points per group; null without groups.")
    low = _share(
        "The lower bound of the 95% interval (Wilson's, over groups) of `share`; null without groups."
    )
    high = _share("The upper bound of this interval; null without groups.")


class StandingsSchema(ResponseSchema):
    """Standings and crosstable, provisional or final."""

    state = described(
        fields.String,
        "`queued`: not computed yet. `live`: as of `computed_ms`. `final`: of a finished tournament.",
        validate=validate.OneOf(STANDINGS_STATES),
    )
    computed_ms = described(Moment, "When live standings were computed; otherwise null.", allow_none=True)
    groups = described(WholeNumber, "The number of groups that count.")
    records_hash = described(fields.String, "The SHA-256 of the sorted hashes of their records.")
    tie_breaks = listed(fields.String(), "The tie-breaks, in the order applied.")
    rows = listed(StandingSchema, "The bots, from first to last; at most 200 per page.")
    crosstable = listed(
        fields.List(fields.Nested(MeetingSchema, allow_none=True)),
        "The result of the bot in each of `rows` against every bot, in the order of the "
        "standings; null if they did not meet.",
    )
    cursor = cursor()
