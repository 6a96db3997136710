"""Turns, answers and what becomes of them: the same for every transport."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from marshmallow import INCLUDE, Schema, fields, validate
from marshmallow_oneofschema import OneOfSchema

from api.schemas.common import ByKind, Reply, Request, absent, told
from api.schemas.fields import RULES, OneOf, WholeNumber
from api.schemas.observations import ToepenObservation, TrucoObservation

MAX_SEATS: Final = 8
MAX_WAIT: Final = 60
MAX_ANSWERS: Final = 1000
MAX_TURNS: Final = 500


def wait() -> fields.Float:
    """How long to wait."""
    return fields.Float(
        load_default=0.0,
        validate=validate.Range(0, MAX_WAIT),
        metadata={"description": "Seconds to wait while there is nothing new."},
    )


class OfTruco(Reply):
    """Of Brazilian Truco."""

    kind = told(fields.String, "The kind of game.", validate=validate.OneOf(("truco",)))
    rules = fields.Nested(RULES["truco"], required=True)


class OfToepen(Reply):
    """Of Toepen."""

    kind = told(fields.String, "The kind of game.", validate=validate.OneOf(("toepen",)))
    rules = fields.Nested(RULES["toepen"], required=True)


class EventSchema(Schema):
    """Something that happened at the table, as the viewer saw it. Its further fields are told by `type`."""

    class Meta:
        unknown = INCLUDE

    n = told(WholeNumber, "The event's number in the game.")
    type = told(fields.String, "What happened, for instance `play`, `knock` or `trick`.")


class OverSchema(Reply):
    """The last message of a stream of a game that is over."""

    next = told(WholeNumber, "How many events the game had.")


class ReconnectSchema(Reply):
    """The last message of a stream that is ended by the service: come back with the last id."""

    code = told(fields.String, "`come_back`, or the code of an error that the next request will meet.")
    after_ms = told(WholeNumber, "When to come back.")


# Turns


class _Turn(Reply):
    turn = told(fields.String, "The turn's id, for the answer.")
    game = told(fields.String, "The game's id.")
    seat = told(WholeNumber, "The bot's seat.")
    optional = told(fields.Boolean, "Whether it needs no answer: a right, such as to knock.")
    legal_actions = fields.List(
        fields.String(), required=True, metadata={"description": "What may be answered."}
    )
    deadline_ms = told(
        WholeNumber, "What is left of the budget of this decision; null: no clock runs.", allow_none=True
    )
    bank_ms = told(WholeNumber, "What is left of the bank after that.", allow_none=True)
    events = fields.List(
        fields.Nested(EventSchema),
        required=True,
        metadata={"description": "What the seat has seen since it last acted."},
    )


class TrucoTurn(OfTruco, _Turn):
    """A turn in Brazilian Truco."""

    observation = fields.Nested(TrucoObservation, required=True)


class ToepenTurn(OfToepen, _Turn):
    """A turn in Toepen."""

    observation = fields.Nested(ToepenObservation, required=True)


class TurnSchema(ByKind):
    """One decision offered to one bot."""

    type_schemas: ClassVar[dict[str, type[Schema]]] = {"truco": TrucoTurn, "toepen": ToepenTurn}


# What is sent


class AnswerSchema(Request):
    """An answer to a turn."""

    turn = fields.String(required=True, metadata={"description": "The turn's id."})
    action = fields.String(required=True, metadata={"description": "One of its legal actions."})


class AnswersSchema(Request):
    """Any number of answers, to turns of any games of the bot."""

    answers = fields.List(
        OneOf((AnswerSchema,), or_anything=True),
        load_default=[],
        validate=validate.Length(0, MAX_ANSWERS),
        metadata={"description": "What is no answer is `malformed`, and does not harm the others."},
    )


def _rights() -> fields.Boolean:
    return fields.Boolean(
        load_default=True,
        truthy={"true"},
        falsy={"false"},
        metadata={"description": "Whether optional turns are wanted too."},
    )


class TurnsQuery(Request):
    """Which turns, and how long to wait for one."""

    after = fields.String(
        load_default=absent,
        validate=validate.Length(1, 100),
        metadata={"description": "The `cursor` of the last reply. Without it: all turns that are pending."},
    )
    wait = wait()
    rights = _rights()
    limit = fields.Integer(
        load_default=100,
        validate=validate.Range(1, MAX_TURNS),
        metadata={"description": "How many turns at the most."},
    )


class TurnStreamQuery(Request):
    """Which turns."""

    rights = _rights()


# What becomes of answers


def _status(name: str) -> Any:
    return told(fields.String, "What became of the answer.", validate=validate.OneOf((name,)))


class _Result(Reply):
    turn = told(fields.String, "The turn that was answered.")


class _Refused(Reply):
    turn = told(fields.String, "The turn that was answered; null: none was named.", allow_none=True)
    message = told(fields.String, "Why, for people.")


class _Faulty(_Refused):
    faults = WholeNumber(metadata={"description": "How many faults the seat has now."})
    forfeited = fields.Boolean(metadata={"description": "Whether the table plays on for the seat."})


class Accepted(_Result):
    """The action was done."""

    status = _status("accepted")
    action = told(fields.String, "The action.")
    after = told(WholeNumber, "The number of logged actions after it.")
    version = told(WholeNumber, "The game's version.")
    repeated = told(fields.Boolean, "Whether it had been done before: the same answer came again.")


class Stale(_Refused):
    """The question is gone."""

    status = _status("stale_turn")
    reason = told(
        fields.String,
        "`clock`: the clock has answered; `superseded`: the seat is asked something else now.",
        validate=validate.OneOf(("clock", "superseded")),
    )
    version = told(WholeNumber, "The game's version.")
    fresh = fields.Nested(
        TurnSchema, required=True, allow_none=True, metadata={"description": "The present turn, if any."}
    )


class AlreadyAnswered(_Refused):
    """The turn was answered before, with another action."""

    status = _status("turn_already_answered")


class Illegal(_Faulty):
    """Not a legal action. It counts as a fault, and the turn stays open."""

    status = _status("illegal_action")
    legal_actions = fields.List(
        fields.String(), required=True, metadata={"description": "What would have been legal."}
    )


class Malformed(_Faulty):
    """Not an answer. It counts as a fault if it names an open turn of the bot."""

    status = _status("malformed")


class Unknown(_Refused):
    """No turn of this bot has that id."""

    status = _status("unknown_turn")


class ResultSchema(OneOfSchema):
    """What became of one answer."""

    type_field = "status"
    type_field_remove = False
    type_schemas: ClassVar[dict[str, type[Schema]]] = {
        "accepted": Accepted,
        "stale_turn": Stale,
        "turn_already_answered": AlreadyAnswered,
        "illegal_action": Illegal,
        "malformed": Malformed,
        "unknown_turn": Unknown,
    }


class TurnPageSchema(Reply):
    """Turns, the oldest first."""

    turns = fields.List(fields.Nested(TurnSchema), required=True)
    cursor = told(fields.String, "Pass this as `after` next time.")


class ExchangeSchema(TurnPageSchema):
    """A result per answer, in order, and the turns that are new since the cursor."""

    results = fields.List(fields.Nested(ResultSchema), required=True)
