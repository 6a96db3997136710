"""Turns, answers and results, which are the same for every transport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, TypedDict

from marshmallow import INCLUDE, Schema, fields, validate

from api.schemas.common import (
    ByKind,
    RequestSchema,
    ResponseSchema,
    UnionSchema,
    absent,
    described,
    listed,
    nested,
    optional,
)
from api.schemas.fields import OneOf, Switch, WholeNumber
from api.schemas.games_apart import (
    OF_GAME,
    actions_of,
    default_action_of,
    event_of,
    for_each_game,
    observation_of,
)
from arena.games import GAMES
from arena.live.turns import MAX_NOTE
from arena.play.turn_texts import LEGAL

MAX_SEATS: Final = max(game.seat_range[1] for game in GAMES.values())
MAX_WAIT: Final = 60
MAX_ANSWERS: Final = 1000
MAX_TURNS: Final = 500


def wait() -> fields.Float:
    """Return the field for how long to wait."""
    return optional(
        fields.Float,
        "How many seconds to wait if there is nothing new.",
        load_default=0.0,
        validate=validate.Range(0, MAX_WAIT),
    )


def legal() -> fields.String:
    """Return the field that selects what texts say about the legal actions."""
    return optional(
        fields.String,
        "What texts say about the legal actions. `list`: the legal actions. `grammar`: the "
        "forms of all actions of the game. `none`: nothing. Turns in JSON always list them.",
        load_default=LEGAL[0],
        validate=validate.OneOf(LEGAL),
    )


def note() -> fields.String:
    """Return the field for the note on a move."""
    return optional(
        fields.String,
        "A private note on the move, such as the reason for it. The bot's owner can read it "
        "after the game; others can read it only if the owner publishes it.",
        load_default=absent,
        validate=validate.Length(0, MAX_NOTE),
    )


class EventSchema(Schema):
    """An event at the table, as the viewer saw it. `type` determines its other fields."""

    class Meta:
        unknown = INCLUDE

    n = described(WholeNumber, "The event's number.")
    type = described(fields.String, "The type of the event, such as `play`, `knock` or `trick`.")


class OverSchema(ResponseSchema):
    """The last message of a game's stream, when the game is over."""

    next = described(WholeNumber, "The number of events in the game.")


class ReconnectSchema(ResponseSchema):
    """The last message of a stream that the service ends. Reconnect with the last event id."""

    code = described(fields.String, "`come_back`, or the error code with which the next request will fail.")
    after_ms = described(WholeNumber, "Milliseconds to wait before reconnecting.")


# Turns


class _Turn(ResponseSchema):
    turn = described(fields.String, "The turn's id, to send with the answer.")
    game = described(fields.String, "The game's id.")
    seat = described(WholeNumber, "The bot's seat.")
    optional = described(
        fields.Boolean, "Whether the turn is a right, such as to knock, which needs no answer."
    )
    deadline_ms = described(
        WholeNumber,
        "Milliseconds left in the budget of this decision; null if no clock runs.",
        allow_none=True,
    )
    bank_ms = described(
        WholeNumber,
        "Milliseconds left in the bank, used after the budget; null if no clock runs.",
        allow_none=True,
    )


TURNS: Final = for_each_game(
    "{}Turn",
    "A turn in {title}.",
    OF_GAME,
    _Turn,
    members=lambda game: {
        "legal_actions": actions_of(game),
        "default_action": default_action_of(game),
        "observation": fields.Nested(observation_of(game), required=True),
        "events": listed(event_of(game), "The events that the seat has seen since it last acted."),
    },
)


class TurnSchema(ByKind):
    """A decision that a bot must make."""

    type_schemas = TURNS


# Requests


class AnswerSchema(RequestSchema):
    """An answer to a turn."""

    turn = described(fields.String, "The turn's id.")
    action = described(fields.String, "One of the turn's legal actions.")
    note = note()


class AnswersSchema(RequestSchema):
    """Answers to turns in any of the bot's games."""

    answers = fields.List(
        OneOf((AnswerSchema,), or_anything=True),
        load_default=list,
        validate=validate.Length(0, MAX_ANSWERS),
        metadata={
            "description": "The answers. An invalid answer is `malformed` and does not affect the others."
        },
    )


class GivenAnswers(TypedDict):
    """The values loaded by :class:`AnswersSchema`."""

    answers: Sequence[object]


def _rights() -> Switch:
    return optional(Switch, "Whether to return optional turns as well.", load_default=True)


def _tournaments() -> Switch:
    return optional(
        Switch,
        "Whether the bot takes part in scheduled tournaments while it sends this, "
        "even if `tournaments` was not set for the bot.",
        load_default=False,
    )


class TurnsQuery(RequestSchema):
    """A selection of turns, and the time to wait for one."""

    after = optional(
        fields.String,
        "The `cursor` of the previous response. If omitted, all pending turns are returned.",
        load_default=absent,
        validate=validate.Length(1, 100),
    )
    wait = wait()
    rights = _rights()
    limit = optional(
        fields.Integer,
        "The maximum number of turns.",
        load_default=100,
        validate=validate.Range(1, MAX_TURNS),
    )
    legal = legal()
    tournaments = _tournaments()
    leaving = optional(
        Switch,
        "Whether the bot is leaving: it only finishes the games that have begun (see `DELETE /v1/presence`).",
        load_default=False,
    )


class GivenTurnStream(TypedDict):
    """The values loaded by :class:`TurnStreamQuery`."""

    rights: bool
    tournaments: bool


class TurnSelection(GivenTurnStream):
    """The part of :class:`GivenTurns` that is passed to :meth:`arena.live.service.LiveGames.turns`."""

    after: str | None
    wait: float
    limit: int
    leaving: bool


class GivenTurns(TurnSelection):
    """The values loaded by :class:`TurnsQuery`."""

    legal: str


class TurnStreamQuery(RequestSchema):
    """A selection of turns."""

    rights = _rights()
    tournaments = _tournaments()


class PresenceEndedSchema(ResponseSchema):
    """The state of a bot that has announced that it is leaving."""

    games = listed(fields.String(), "The ids of the bot's games that have begun and are not over.")
    tournaments = described(
        fields.Boolean,
        "Whether `tournaments` is set for the bot, so that it takes part whenever it is online.",
    )


# Results


def _status(name: str) -> fields.String:
    return described(fields.String, "The result of the answer.", validate=validate.OneOf((name,)))


class _Result(ResponseSchema):
    turn = described(fields.String, "The turn that was answered.")


class _Refused(ResponseSchema):
    turn = described(
        fields.String, "The turn that was answered; null if the answer names none.", allow_none=True
    )
    message = described(fields.String, "The reason, in plain words.")


class _Faulty(_Refused):
    faults = optional(WholeNumber, "The current number of faults of the seat.")
    forfeited = optional(
        fields.Boolean,
        "Whether the seat is forfeited, with default actions played for it from now on.",
    )


class Accepted(_Result):
    """The action was carried out."""

    status = _status("accepted")
    action = described(fields.String, "The action that was carried out.")
    after = described(WholeNumber, "The number of logged actions, including this one.")
    version = described(WholeNumber, "The game's version.")
    repeated = described(fields.Boolean, "Whether the same answer had been accepted before.")


class Stale(_Refused):
    """The turn is no longer open."""

    status = _status("stale_turn")
    reason = described(
        fields.String,
        "`clock`: the turn's time ran out. `superseded`: the seat has a different turn now.",
        validate=validate.OneOf(("clock", "superseded")),
    )
    version = described(WholeNumber, "The game's version.")
    fresh = nested(TurnSchema, "The current turn, if any.", allow_none=True)


class AlreadyAnswered(_Refused):
    """The turn was already answered with another action."""

    status = _status("turn_already_answered")


class Illegal(_Faulty):
    """The action is not legal. It counts as a fault, and the turn stays open."""

    status = _status("illegal_action")
    legal_actions = listed(fields.String(), "The legal actions.")


class Malformed(_Faulty):
    """The answer is invalid. It counts as a fault if it names an open turn of the bot."""

    status = _status("malformed")


class Unknown(_Refused):
    """The bot has no turn with this id."""

    status = _status("unknown_turn")


class ResultSchema(UnionSchema):
    """The result of an answer."""

    type_field = "status"
    type_schemas: ClassVar = {
        "accepted": Accepted,
        "stale_turn": Stale,
        "turn_already_answered": AlreadyAnswered,
        "illegal_action": Illegal,
        "malformed": Malformed,
        "unknown_turn": Unknown,
    }


class TurnPageSchema(ResponseSchema):
    """Turns, oldest first."""

    turns = fields.List(fields.Nested(TurnSchema), required=True)
    cursor = described(fields.String, "Pass it as `after` in the next request.")


class ExchangeSchema(TurnPageSchema):
    """One result per answer, in order, and the turns since the cursor."""

    results = fields.List(fields.Nested(ResultSchema), required=True)
