"""Games: creating, joining and viewing them."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Any, Final, NotRequired, TypedDict, TypeVar

from marshmallow import ValidationError, fields, validate, validates_schema

from api.schemas.common import (
    ByKind,
    GivenPage,
    PageQuery,
    RequestSchema,
    ResponseSchema,
    absent,
    described,
    listed,
    nested,
    optional,
)
from api.schemas.fields import Moment, OneOf, Rules, Truth, TypedLine, WholeNumber
from api.schemas.games_apart import OF_GAME, for_each_game, kind_of, observation_of
from api.schemas.turns import MAX_SEATS, TURNS, EventSchema, wait
from arena.bots import HOUSE_BOTS
from arena.games import GAMES
from arena.inputs.names import NAME_PATTERN
from arena.live.header import STATES, VISIBILITIES
from arena.play.clocks import CLOCKS, MAX_BANK_MS, MAX_TURN_MS
from arena.play.dealing import NONCE_PATTERN
from arena.play.faults import FAULTS

_MOST_REASON: Final = 300

KINDS: Final = GAMES.keys()
MIN_TURN_MS: Final = 100


def nonce() -> fields.String:
    """Return the field for a seat's contribution to the shuffle."""
    return fields.String(
        load_default="",
        validate=validate.Regexp(NONCE_PATTERN.replace("$", r"\Z")),
        metadata={
            "pattern": NONCE_PATTERN,
            "description": "Mixed into the shuffle to prove that the service did not choose the deal.",
        },
    )


def seat_query() -> fields.Integer:
    """Return the field for the viewing seat."""
    return optional(
        fields.Integer,
        "The viewing seat, which must be one of the bot's seats; by default, its first seat.",
        load_default=absent,
        validate=validate.Range(0, MAX_SEATS - 1),
    )


# Requests


class BotSeat(RequestSchema):
    """A seat for one of your bots."""

    bot = described(fields.String, "The bot's name.")
    nonce = nonce()


class HouseSeat(RequestSchema):
    """A seat for a house bot."""

    house = described(
        fields.String,
        "The house bot; the enum lists the house bots from weakest to strongest.",
        validate=validate.OneOf(tuple(HOUSE_BOTS)),
    )


class OpenSeat(RequestSchema):
    """A seat for any bot that joins."""

    open = described(Truth, "Always true.", validate=validate.Equal(True))


class ClockSchema(RequestSchema):
    """Thinking time: a budget per decision, and a bank per game for time beyond the budget; or a preset."""

    preset = optional(
        fields.String,
        "The name of a clock preset, in place of the two times. "
        + " ".join(
            f"`{name}`: {clock.per_turn_ms // 1000} seconds per decision and a bank of "
            f"{clock.bank_ms // 1000}."
            for name, clock in CLOCKS.items()
        ),
        validate=validate.OneOf(tuple(CLOCKS)),
    )
    per_turn_ms = optional(
        WholeNumber,
        "Milliseconds per decision.",
        validate=validate.Range(MIN_TURN_MS, MAX_TURN_MS),
        metadata={"default": 30_000},
    )
    bank_ms = optional(
        WholeNumber,
        "Milliseconds per seat and game, used after the budget of a decision.",
        validate=validate.Range(0, MAX_BANK_MS),
        metadata={"default": 60_000},
    )

    @validates_schema
    def _either(self, data: Mapping[str, object], **_: object) -> None:
        if "preset" in data and len(data) > 1:
            raise ValidationError("Must be the only setting of the clock.", "preset")


Counted = TypeVar("Counted", bound=Sized)


class SeatCount(validate.Length):
    """The number of seats that a game can have."""

    def __call__(self, value: Counted) -> Counted:
        """See :class:`marshmallow.validate.Validator`."""
        try:
            return super().__call__(value)
        except ValidationError:
            seats = f"{self.min}" if self.min == self.max else f"{self.min} to {self.max}"
            raise ValidationError(f"Must be {seats} seats, not {len(value)}.") from None


class Seats(fields.List[object]):
    """A list whose elements are only checked if they are not too many for any game."""

    def _deserialize(self, value: object, attr: str | None, data: Any, **options: Any) -> list[object]:
        if isinstance(value, list) and len(value) > MAX_SEATS:
            self._validate(value)
        return super()._deserialize(value, attr, data, **options)


def _seats(least: int, most: int) -> fields.List[object]:
    return described(
        Seats,
        "The seats, in order.",
        cls_or_instance=OneOf((BotSeat, HouseSeat, OpenSeat)),
        validate=SeatCount(least, most),
    )


class _NewGame(RequestSchema):
    clock = fields.Nested(ClockSchema)
    visibility = optional(
        fields.String,
        "`private`: visible only to its creator and the bots seated in it.",
        load_default="public",
        validate=validate.OneOf(VISIBILITIES),
    )


class NewGameSchema(ByKind):
    """A game to create."""

    type_schemas = for_each_game(
        "New{}Game",
        "A game of {title}. {seating}",
        _NewGame,
        members=lambda game: {
            "kind": kind_of(game),
            "seats": _seats(*game.seat_range),
            "rules": Rules(game.game_rules),
        },
    )


class GivenSeat(TypedDict):
    """The values loaded by :class:`BotSeat`, :class:`HouseSeat` or :class:`OpenSeat`."""

    bot: NotRequired[str]
    nonce: NotRequired[str]
    house: NotRequired[str]
    open: NotRequired[bool]


class GivenGame(TypedDict):
    """The values loaded by :class:`NewGameSchema`."""

    kind: str
    seats: list[GivenSeat]
    rules: NotRequired[Mapping[str, Any]]
    clock: NotRequired[Mapping[str, str | int]]
    visibility: str


class JoinSchema(RequestSchema):
    """The seat to take."""

    seat = optional(
        WholeNumber,
        "An open seat; by default, the first one.",
        load_default=None,
        validate=validate.Range(0, MAX_SEATS - 1),
    )
    nonce = nonce()


class GivenJoin(TypedDict):
    """The values loaded by :class:`JoinSchema`."""

    seat: int | None
    nonce: str


class ResignSchema(RequestSchema):
    """The seats to resign."""

    seat = optional(
        WholeNumber,
        "The seat to resign; by default, all seats of the bot.",
        load_default=None,
        validate=validate.Range(0, MAX_SEATS - 1),
    )


class GivenResignation(TypedDict):
    """The values loaded by :class:`ResignSchema`."""

    seat: int | None


class CancelQuery(RequestSchema):
    """Why a game is cancelled."""

    reason = TypedLine(
        _MOST_REASON,
        load_default="",
        metadata={"description": "The reason, which is public."},
    )


class GivenCancellation(TypedDict):
    """The values loaded by :class:`CancelQuery`."""

    reason: str


class CancelledGamesSchema(ResponseSchema):
    """The games that were cancelled."""

    games = listed(fields.String(), "Their ids.")


class GamesQuery(PageQuery):
    """Filters for games."""

    kind = optional(
        fields.String, "Only games of this kind.", load_default=absent, validate=validate.OneOf(KINDS)
    )
    state = optional(
        fields.String, "Only games in this state.", load_default=absent, validate=validate.OneOf(STATES)
    )
    bot = optional(
        fields.String,
        "Only games with this bot.",
        load_default=absent,
        validate=validate.Regexp(NAME_PATTERN.replace("$", r"\Z")),
        metadata={"pattern": NAME_PATTERN},
    )


class GivenGames(GivenPage):
    """The values loaded by :class:`GamesQuery`."""

    kind: str | None
    state: str | None
    bot: str | None


class ViewQuery(RequestSchema):
    """The viewing seat, and the version to wait for."""

    seat = seat_query()
    since = optional(
        fields.Integer,
        "A version of the game. If it is still current, the response has status 204.",
        load_default=absent,
        validate=validate.Range(0, 2**53),
    )
    wait = wait()


class GivenView(TypedDict):
    """The values loaded by :class:`ViewQuery`."""

    seat: int | None
    since: int | None
    wait: float


class EventsQuery(RequestSchema):
    """A range of events."""

    seat = seat_query()
    start = optional(
        fields.Integer,
        "The number of the first event; pass the `next` of the previous page.",
        load_default=0,
        validate=validate.Range(0, 2**31),
    )
    limit = optional(
        fields.Integer, "The maximum number of events.", load_default=500, validate=validate.Range(1, 1000)
    )
    wait = wait()


class GivenEvents(TypedDict):
    """The values loaded by :class:`EventsQuery`."""

    seat: int | None
    start: int
    limit: int
    wait: float


class StreamQuery(RequestSchema):
    """The viewing seat."""

    seat = seat_query()


class GivenStream(TypedDict):
    """The values loaded by :class:`StreamQuery`."""

    seat: int | None


class RecordsQuery(RequestSchema):
    """A range of records."""

    kind = optional(
        fields.String, "Only games of this kind.", load_default=absent, validate=validate.OneOf(KINDS)
    )
    after = optional(
        fields.String,
        "The header `X-Next` of an earlier download. Omit it for the first download.",
        load_default=absent,
        validate=validate.Length(1, 200),
    )
    limit = optional(
        fields.Integer, "The maximum number of records.", load_default=1000, validate=validate.Range(1, 1000)
    )


class GivenRecords(TypedDict):
    """The values loaded by :class:`RecordsQuery`."""

    kind: str | None
    after: str | None
    limit: int


class AllRecordsQuery(RequestSchema):
    """Filters for all records."""

    kind = optional(
        fields.String, "Only games of this kind.", load_default=absent, validate=validate.OneOf(KINDS)
    )


class GivenAllRecords(TypedDict):
    """The values loaded by :class:`AllRecordsQuery`."""

    kind: str | None


# Responses


class ChangedInfoSchema(ResponseSchema):
    """The value that changed in the `info` part of records."""

    annulled = described(fields.String, "Why the group was annulled; an annulled group counts for nobody.")


class RecordChangeSchema(ResponseSchema):
    """A change to the records of a group after their release."""

    group = described(fields.String, "The id of the group, as in `canonical.group.id` of the records.")
    info = nested(ChangedInfoSchema, "The values that replace those in the `info` part of the records.")
    at_ms = described(Moment, "When it changed.")


class RecordChangesSchema(ResponseSchema):
    """A page of changes to records."""

    changes = fields.List(fields.Nested(RecordChangeSchema), required=True)
    cursor = described(fields.String, "The next page's cursor; null on the last page.", allow_none=True)


class SeatSchema(ResponseSchema):
    """A seat and its player."""

    seat = described(WholeNumber, "The seat number, from 0.")
    type = described(
        fields.String, "The type of player.", validate=validate.OneOf(("bot", "person", "house", "open"))
    )
    name = described(
        fields.String,
        "The bot's name, or `guest` and a number for a person; null for an open seat.",
        allow_none=True,
    )
    version = described(
        fields.String, "The bot's version, or `person` for a person; null for an open seat.", allow_none=True
    )
    nonce = described(fields.String, "The seat's contribution to the shuffle.")


class ShownClock(ResponseSchema):
    """The thinking time of a seat."""

    per_turn_ms = described(WholeNumber, "Milliseconds per decision.")
    bank_ms = described(WholeNumber, "Milliseconds per seat and game, used after the budget of a decision.")


class GroupSchema(ResponseSchema):
    """The position of a game in its group."""

    id = described(fields.String, "The group's id.")
    index = described(WholeNumber, "The position in the group, from 0.")
    size = described(WholeNumber, "The number of games in the group.")
    mirrored = described(fields.Boolean, "Whether all games of the group have the same deals.")
    attempt = described(WholeNumber, "The number of times that the group was restarted.")


class OutcomeSchema(ResponseSchema):
    """The result of a game, per seat. Place 1 is the best; tied seats share a place."""

    places = fields.List(WholeNumber(), required=True)
    scores = fields.List(WholeNumber(), required=True)
    forfeits = listed(WholeNumber(), "The seats that forfeited because of faults.")


class _Game(ResponseSchema):
    game = described(fields.String, "The game's id.")
    state = described(fields.String, "The state of the game.", validate=validate.OneOf(STATES))
    seats = fields.List(fields.Nested(SeatSchema), required=True)
    clock = fields.Nested(ShownClock, required=True)
    visibility = described(fields.String, "Who can see the game.", validate=validate.OneOf(VISIBILITIES))
    rated = described(fields.Boolean, "Whether the game counts for the leaderboards.")
    group = fields.Nested(GroupSchema, required=True, allow_none=True)
    commitment = described(
        fields.String, "The SHA-256 of the seed, published before the first card is dealt."
    )
    created_by = described(fields.String, "The owner that created the game; empty if the service did.")
    created_ms = described(Moment, "When the game was created.")
    started_ms = described(
        Moment, "When the game started, which is the time when its last seat was taken.", allow_none=True
    )
    finished_ms = described(Moment, "When the game ended.", allow_none=True)
    released = described(fields.Boolean, "Whether the game's record is available.")
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    reason = described(fields.String, "Why the game was cancelled or voided.", allow_none=True)


_GAMES: Final = for_each_game("{}Game", "A game of {title}.", OF_GAME, _Game)


class GameSchema(ByKind):
    """A game as shown in lists, without cards."""

    type_schemas = _GAMES


class GamePageSchema(ResponseSchema):
    """A page of games, newest first. A short page is not always the last: check `cursor`."""

    games = fields.List(fields.Nested(GameSchema), required=True)
    cursor = described(fields.String, "The next page's cursor; null on the last page.", allow_none=True)


class _Joined(ResponseSchema):
    seat = described(WholeNumber, "The bot's seat.")


class JoinedSchema(ByKind):
    """The game that was joined, and the seat taken."""

    type_schemas = for_each_game("Joined{}", "A game of {title} and the seat taken.", _Joined, _GAMES)


class SeatClockSchema(ResponseSchema):
    """The clock of one seat."""

    seat = described(WholeNumber, "The seat number, from 0.")
    bank_ms = described(WholeNumber, "Milliseconds left in the bank.")
    runs_out_at_ms = described(
        Moment, "When the seat's time runs out; null if its clock is stopped.", allow_none=True
    )


class FaultSchema(ResponseSchema):
    """A fault. After three faults, default actions are played for the seat, and it is placed last."""

    seat = described(WholeNumber, "The seat at fault.")
    type = described(fields.String, "The type of the fault.", validate=validate.OneOf(tuple(FAULTS)))
    after = described(WholeNumber, "The number of logged actions before the fault.")


class TakenOverSchema(ResponseSchema):
    """A seat for which default actions are played."""

    seat = described(WholeNumber, "The seat number, from 0.")
    reason = described(fields.String, "The reason.", validate=validate.OneOf(("resigned", "forfeit")))


class _View(ResponseSchema):
    version = described(WholeNumber, "The game's version, which changes with every step.")
    seat = described(WholeNumber, "The viewing seat; null for a spectator.", allow_none=True)
    awaiting = listed(WholeNumber(), "The seats that must act.")
    clocks = fields.List(fields.Nested(SeatClockSchema), required=True)
    faults = fields.List(fields.Nested(FaultSchema), required=True)
    taken_over = fields.List(fields.Nested(TakenOverSchema), required=True)


class ViewSchema(ByKind):
    """A game and the viewer's observation, which is null before the game starts and once it has expired."""

    type_schemas = for_each_game(
        "{}View",
        "A game of {title} and its table.",
        _View,
        _GAMES,
        members=lambda game: {
            "observation": fields.Nested(observation_of(game), required=True, allow_none=True),
            "turn": fields.Nested(TURNS[game.kind], required=True, allow_none=True),
        },
    )


class EventPageSchema(ResponseSchema):
    """A page of events, in order."""

    events = fields.List(fields.Nested(EventSchema), required=True)
    next = described(WholeNumber, "Pass it as `start` to get the following events.")
    over = described(fields.Boolean, "Whether the game has no further events.")
