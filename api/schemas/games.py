"""Games: making them, joining, looking at them."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from marshmallow import Schema, fields, validate

from api.schemas.common import ByKind, PageQuery, Reply, Request, absent, told
from api.schemas.fields import Moment, OneOf, Rules, Truth, WholeNumber
from api.schemas.observations import ToepenObservation, TrucoObservation
from api.schemas.turns import MAX_SEATS, EventSchema, OfToepen, OfTruco, ToepenTurn, TrucoTurn, wait
from arena.bots import HOUSE_BOTS
from arena.dealing import NONCE_PATTERN
from arena.games import GAMES
from arena.live.accounts import NAME_PATTERN
from arena.live.clocks import MAX_BANK_MS, MAX_TURN_MS
from arena.live.sheet import STATES, VISIBILITIES
from arena.table import FAULT_TYPES

KINDS: Final = tuple(GAMES)
MIN_TURN_MS: Final = 100


def nonce() -> fields.String:
    """A text that a seat adds to the shuffle."""
    return fields.String(
        load_default="",
        validate=validate.Regexp(NONCE_PATTERN.replace("$", r"\Z")),
        metadata={
            "pattern": NONCE_PATTERN,
            "description": "Mixed into the shuffle, so that the service cannot have chosen the deal.",
        },
    )


def seat_query() -> fields.Integer:
    """From which seat to look."""
    return fields.Integer(
        load_default=absent,
        validate=validate.Range(0, MAX_SEATS - 1),
        metadata={"description": "Which of the bot's own seats looks; by default its first."},
    )


# What is sent


class BotSeat(Request):
    """A seat for a named bot of one's own."""

    bot = fields.String(required=True, metadata={"description": "The bot's name."})
    nonce = nonce()


class HouseSeat(Request):
    """A seat for a house bot."""

    house = fields.String(
        required=True,
        validate=validate.OneOf(tuple(HOUSE_BOTS)),
        metadata={"description": "Which, the weakest first."},
    )


class OpenSeat(Request):
    """A seat for whoever joins."""

    open = Truth(required=True, validate=validate.Equal(True), metadata={"description": "Always true."})


class ClockSchema(Request):
    """Thinking time: a budget per decision, and a bank per game for what goes beyond it."""

    per_turn_ms = WholeNumber(
        validate=validate.Range(MIN_TURN_MS, MAX_TURN_MS),
        metadata={"description": "For every decision.", "default": 30_000},
    )
    bank_ms = WholeNumber(
        validate=validate.Range(0, MAX_BANK_MS),
        metadata={"description": "Per seat and game.", "default": 60_000},
    )


def _seats(least: int, most: int) -> Any:
    return fields.List(
        OneOf((BotSeat, HouseSeat, OpenSeat)),
        required=True,
        validate=validate.Length(least, most),
        metadata={"description": "One per seat, in order."},
    )


class _NewGame(Request):
    clock = fields.Nested(ClockSchema)
    visibility = fields.String(
        load_default="public",
        validate=validate.OneOf(VISIBILITIES),
        metadata={"description": "`private`: only its creator and its seats see it."},
    )


class NewTrucoGame(_NewGame):
    """A game of Brazilian Truco, always with four seats; 0 and 2 play against 1 and 3."""

    kind = fields.String(
        required=True, validate=validate.OneOf(("truco",)), metadata={"description": "The kind of game."}
    )
    seats = _seats(4, 4)
    rules = Rules("truco")


class NewToepenGame(_NewGame):
    """A game of Toepen; the rule option `seats` follows from the list of seats where it is not given."""

    kind = fields.String(
        required=True, validate=validate.OneOf(("toepen",)), metadata={"description": "The kind of game."}
    )
    seats = _seats(2, MAX_SEATS)
    rules = Rules("toepen")


class NewGameSchema(ByKind):
    """A game to make."""

    type_schemas: ClassVar[dict[str, type[Schema]]] = {"truco": NewTrucoGame, "toepen": NewToepenGame}


class JoinSchema(Request):
    """Where to sit down."""

    seat = WholeNumber(
        load_default=None,
        validate=validate.Range(0, MAX_SEATS - 1),
        metadata={"description": "Which open seat; by default the first."},
    )
    nonce = nonce()


class ResignSchema(Request):
    """What to give up."""

    seat = WholeNumber(
        load_default=None,
        validate=validate.Range(0, MAX_SEATS - 1),
        metadata={"description": "Which seat; by default all of the bot's."},
    )


class GamesQuery(PageQuery):
    """Which games to list."""

    kind = fields.String(
        load_default=absent, validate=validate.OneOf(KINDS), metadata={"description": "Only this kind."}
    )
    state = fields.String(
        load_default=absent, validate=validate.OneOf(STATES), metadata={"description": "Only in this state."}
    )
    bot = fields.String(
        load_default=absent,
        validate=validate.Regexp(NAME_PATTERN.replace("$", r"\Z")),
        metadata={"description": "Only with this bot.", "pattern": NAME_PATTERN},
    )


class ViewQuery(Request):
    """From where to look, and for what to wait."""

    seat = seat_query()
    since = fields.Integer(
        load_default=absent,
        validate=validate.Range(0, 2**53),
        metadata={"description": "A version. If the game has not changed from it, the answer is 204."},
    )
    wait = wait()


class EventsQuery(Request):
    """Which events."""

    seat = seat_query()
    start = fields.Integer(
        load_default=0,
        validate=validate.Range(0, 2**31),
        metadata={"description": "The number of the first event wanted; `next` of the page before."},
    )
    limit = fields.Integer(
        load_default=500, validate=validate.Range(1, 1000), metadata={"description": "How many to look at."}
    )
    wait = wait()


class StreamQuery(Request):
    """From where to look."""

    seat = seat_query()


class RecordsQuery(Request):
    """Which records."""

    kind = fields.String(
        load_default=absent, validate=validate.OneOf(KINDS), metadata={"description": "Only this kind."}
    )
    after = fields.String(
        load_default=absent,
        validate=validate.Length(1, 200),
        metadata={"description": "The header `X-Next` of an earlier download; none for the first."},
    )
    limit = fields.Integer(
        load_default=1000,
        validate=validate.Range(1, 1000),
        metadata={"description": "How many records at the most."},
    )


# What comes back


class SeatSchema(Reply):
    """Who sits on a seat."""

    seat = told(WholeNumber, "The seat.")
    type = told(fields.String, "What sits there.", validate=validate.OneOf(("bot", "house", "open")))
    name = told(fields.String, "The bot's name; null: nobody yet.", allow_none=True)
    version = told(fields.String, "The bot's version.", allow_none=True)
    nonce = told(fields.String, "What it added to the shuffle.")


class ShownClock(Reply):
    """Thinking time."""

    per_turn_ms = told(WholeNumber, "For every decision.")
    bank_ms = told(WholeNumber, "Per seat and game.")


class GroupSchema(Reply):
    """The place of a game in its group."""

    id = told(fields.String, "The group.")
    index = told(WholeNumber, "The place in it, from 0.")
    size = told(WholeNumber, "How many games the group has.")
    mirrored = told(fields.Boolean, "Whether all its games have the same deals.")
    attempt = told(WholeNumber, "How often the group was begun anew.")


class OutcomeSchema(Reply):
    """How a game ended. Per seat; place 1 is the best, and shared places share the number."""

    places = fields.List(WholeNumber(), required=True)
    scores = fields.List(WholeNumber(), required=True)
    forfeits = fields.List(
        WholeNumber(), required=True, metadata={"description": "The seats that the table played for faults."}
    )


class _Game(Reply):
    game = told(fields.String, "The id.")
    state = told(fields.String, "How far it is.", validate=validate.OneOf(STATES))
    seats = fields.List(fields.Nested(SeatSchema), required=True)
    clock = fields.Nested(ShownClock, required=True)
    visibility = told(fields.String, "Who may see it.", validate=validate.OneOf(VISIBILITIES))
    rated = told(fields.Boolean, "Whether it counts for the leaderboards.")
    group = fields.Nested(GroupSchema, required=True, allow_none=True)
    commitment = told(fields.String, "SHA-256 of the seed, known before the first card.")
    created_by = told(fields.String, "The owner that made it; empty: the service.")
    created_ms = told(Moment, "When it was made.")
    started_ms = told(Moment, "When the last seat was taken.", allow_none=True)
    finished_ms = told(Moment, "When it ended.", allow_none=True)
    released = told(fields.Boolean, "Whether its record may be seen.")
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    reason = told(fields.String, "Why it was cancelled or is void.", allow_none=True)


class TrucoGame(OfTruco, _Game):
    """A game of Brazilian Truco."""


class ToepenGame(OfToepen, _Game):
    """A game of Toepen."""


class GameSchema(ByKind):
    """A game as lists show it: no cards."""

    type_schemas: ClassVar[dict[str, type[Schema]]] = {"truco": TrucoGame, "toepen": ToepenGame}


class GamePageSchema(Reply):
    """A page of games, the newest first. It may be short though more follow: only `cursor` says."""

    games = fields.List(fields.Nested(GameSchema), required=True)
    cursor = told(fields.String, "Gets the next page; null on the last.", allow_none=True)


class _Joined(Reply):
    seat = told(WholeNumber, "Where the bot sits now.")


class JoinedTruco(_Joined, TrucoGame):
    """A game of Brazilian Truco, and the seat that was taken."""


class JoinedToepen(_Joined, ToepenGame):
    """A game of Toepen, and the seat that was taken."""


class JoinedSchema(ByKind):
    """The game, and the seat that was taken."""

    type_schemas: ClassVar[dict[str, type[Schema]]] = {"truco": JoinedTruco, "toepen": JoinedToepen}


class SeatClockSchema(Reply):
    """The clock of one seat."""

    seat = told(WholeNumber, "The seat.")
    bank_ms = told(WholeNumber, "What is left of its bank.")
    runs_out_at_ms = told(Moment, "When it is late; null: its clock stands still.", allow_none=True)


class FaultSchema(Reply):
    """A fault. With three, the seat is played by default actions and placed last."""

    seat = told(WholeNumber, "Whose.")
    type = told(fields.String, "What.", validate=validate.OneOf(FAULT_TYPES))
    after = told(WholeNumber, "After how many logged actions.")


class TakenOverSchema(Reply):
    """A seat that the table plays."""

    seat = told(WholeNumber, "The seat.")
    reason = told(fields.String, "Why.", validate=validate.OneOf(("resigned", "forfeit")))


class _View(Reply):
    version = told(WholeNumber, "Changes with every step of the game.")
    seat = told(WholeNumber, "From which seat this is seen; null: a spectator's view.", allow_none=True)
    awaiting = fields.List(WholeNumber(), required=True, metadata={"description": "The seats that must act."})
    clocks = fields.List(fields.Nested(SeatClockSchema), required=True)
    faults = fields.List(fields.Nested(FaultSchema), required=True)
    taken_over = fields.List(fields.Nested(TakenOverSchema), required=True)


class TrucoView(_View, TrucoGame):
    """A game of Brazilian Truco and its table."""

    observation = fields.Nested(TrucoObservation, required=True, allow_none=True)
    turn = fields.Nested(TrucoTurn, required=True, allow_none=True)


class ToepenView(_View, ToepenGame):
    """A game of Toepen and its table."""

    observation = fields.Nested(ToepenObservation, required=True, allow_none=True)
    turn = fields.Nested(ToepenTurn, required=True, allow_none=True)


class ViewSchema(ByKind):
    """A game and what the viewer sees of its table. `observation` is null where there is no table."""

    type_schemas: ClassVar[dict[str, type[Schema]]] = {"truco": TrucoView, "toepen": ToepenView}


class EventPageSchema(Reply):
    """Events, in order."""

    events = fields.List(fields.Nested(EventSchema), required=True)
    next = told(WholeNumber, "Pass this as `start` to go on.")
    over = told(fields.Boolean, "Whether there will be no more.")
