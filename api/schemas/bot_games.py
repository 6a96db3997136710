"""The games of a bot."""

from __future__ import annotations

from datetime import date
from typing import Final, TypedDict

from marshmallow import fields, validate

from api.schemas.common import RequestSchema, ResponseSchema, absent, described, listed, nested, optional
from api.schemas.fields import Moment, WholeNumber
from api.schemas.games import KINDS, OutcomeSchema, SeatSchema
from arena.live.header import STATES
from arena.play.bot_results import GAMES_MOST, RESULTS

MAX_NAME: Final = 64


class BotGamesFilter(RequestSchema):
    """Filters for the games of a bot."""

    kind = optional(
        fields.String, "Only games of this kind.", load_default=absent, validate=validate.OneOf(KINDS)
    )
    preset = optional(
        fields.String,
        "Only games with the rules of this preset.",
        load_default=absent,
        validate=validate.Length(1, MAX_NAME),
        metadata={"examples": ["base@1"]},
    )
    against = optional(
        fields.String,
        "Only games with this opponent.",
        load_default=absent,
        validate=validate.Length(1, MAX_NAME),
    )
    result = optional(
        fields.String,
        "Only games with this result. At tables, all places except the first count as `lost`.",
        load_default=absent,
        validate=validate.OneOf(RESULTS),
    )
    day = optional(
        fields.Date,
        "Only games of this day (UTC). The games that the arena played are listed by day for 30 days.",
        load_default=absent,
        metadata={"examples": ["2026-11-27"]},
    )


class BotGamesQuery(BotGamesFilter):
    """Filters for the games of a bot, and the number of games."""

    limit = optional(
        fields.Integer,
        "The maximum number of games.",
        load_default=50,
        validate=validate.Range(1, GAMES_MOST),
    )


class GivenBotGamesFilter(TypedDict):
    """The values loaded by :class:`BotGamesFilter`."""

    kind: str | None
    preset: str | None
    against: str | None
    result: str | None
    day: date | None


class GivenBotGames(GivenBotGamesFilter):
    """The values loaded by :class:`BotGamesQuery`."""

    limit: int


class BotGameSeatSchema(SeatSchema):
    """A seat and its player."""

    class Meta(SeatSchema.Meta):
        exclude = ("nonce",)


class GameTournamentSchema(ResponseSchema):
    """The tournament of a game."""

    id = described(fields.String, "The tournament's id.")
    name = described(fields.String, "The tournament's name.")


class BotGameSchema(ResponseSchema):
    """A game as a bot played it."""

    game = described(fields.String, "The game's id.")
    kind = described(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    preset = described(fields.String, "The preset of the rules; null if they match none.", allow_none=True)
    state = described(fields.String, "The state of the game.", validate=validate.OneOf(STATES))
    rated = described(fields.Boolean, "Whether the game counts for a leaderboard.")
    annulled = described(
        fields.Boolean, "Whether the game's group was annulled, so that the game counts for nobody."
    )
    tournament = nested(
        GameTournamentSchema,
        "The tournament of the game; null for a game outside tournaments.",
        allow_none=True,
    )
    seats = fields.List(fields.Nested(BotGameSeatSchema), required=True)
    seat = described(WholeNumber, "The bot's seat, or its first seat if it has several.")
    team = listed(WholeNumber(), "The seats of the bot's side, including the bot's seat.")
    sides = described(WholeNumber, "The number of sides: two, or the number of players at tables.")
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    result = described(
        fields.String,
        "The bot's result; at tables, all places but the first are `lost`. Null for a game without a result.",
        allow_none=True,
        validate=validate.OneOf(RESULTS),
    )
    at_ms = described(Moment, "When the game ended; if it has not ended, when it began or was created.")


class BotGamesSchema(ResponseSchema):
    """The latest games of a bot, newest first."""

    games = fields.List(fields.Nested(BotGameSchema), required=True)
