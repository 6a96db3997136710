"""What a seat sees of a game (BT-7.1, TP-8.1)."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from api.schemas.common import Reply, told
from api.schemas.fields import WholeNumber


def _number(description: str, **options: Any) -> Any:
    return told(WholeNumber, description, **options)


def _numbers(description: str) -> Any:
    return fields.List(WholeNumber(), required=True, metadata={"description": description})


def _maybe_numbers(description: str) -> Any:
    inner = WholeNumber(allow_none=True)
    return fields.List(inner, required=True, metadata={"description": description})


def _truths(description: str) -> Any:
    return fields.List(fields.Boolean(), required=True, metadata={"description": description})


def _cards(description: str, **options: Any) -> Any:
    options = {"required": True, **options}
    return fields.List(fields.String(), metadata={"description": description}, **options)


def _shapes(schema: type[Reply], description: str) -> Any:
    return fields.List(fields.Nested(schema), required=True, metadata={"description": description})


class TrucoPlay(Reply):
    """A card on the table."""

    seat = _number("Who played it.")
    card = fields.String(metadata={"description": "Absent where it lies face down and is not one's own."})
    face_down = told(fields.Boolean, "Whether it lies face down.")


class TrucoTrick(Reply):
    """A trick of this hand."""

    leader = _number("Who led.")
    plays = _shapes(TrucoPlay, "The cards in the order of play.")
    winner = WholeNumber(
        allow_none=True,
        metadata={"description": "The team; null: tied. Absent from the trick in progress."},
    )


class TrucoCall(Reply):
    """The truco of this hand."""

    seat = _number("Who called.")
    team = _number("The caller's team.")
    trick = _number("In which trick, from 0.")
    on_table = _number("How many cards lay in that trick.")
    proposer = _number("Who raised last.")
    value = _number("What is accepted, or proposed while `pending`.")
    pending = told(fields.Boolean, "Whether an answer is due.")
    deferred = told(fields.Boolean, "Whether the first to be asked left it to the partner.")


class TrucoSignal(Reply):
    """A gesture that was shown."""

    trick = _number("In which trick, from 0.")
    seat = _number("Who showed it.")
    gesture = told(fields.String, "Which.")


class TrucoObservation(Reply):
    """What a seat of Brazilian Truco sees. Teams are 0 (seats 0, 2) and 1 (seats 1, 3)."""

    seat = _number("Whose view this is; null: a spectator's.", allow_none=True)
    hand_number = _number("The hand in progress or about to be dealt, from 1.")
    score = _numbers("Points by team.")
    phase = told(fields.String, "`dealer`, `deal`, `cut`, `choose`, `eleven`, `play`, `answer` or `over`.")
    awaiting = _numbers("Whose decision it is; -1 is chance.")
    dealer = _number("Null before the lot.", allow_none=True)
    forehand = _number("Null before the lot.", allow_none=True)
    stake = _number("What the hand is worth now.")
    elevens = _numbers("The teams with 11 points.")
    passed = told(fields.Boolean, "Whether the forehand passed a hand.")
    burned = fields.List(
        fields.List(fields.String()), required=True, metadata={"description": "The burned hands."}
    )
    held = _numbers("How many cards each seat holds.")
    tricks = _shapes(TrucoTrick, "This hand's, the one in progress included.")
    truco = fields.Nested(TrucoCall, required=True, allow_none=True)
    eleven_deferred = told(fields.Boolean, "Whether the team with 11 has deferred its decision.")
    extra_trick = told(fields.Boolean, "Whether this trick is the one more after a tie under truco.")
    signals = _shapes(TrucoSignal, "This hand's gestures.")
    hand = _cards("One's own cards.", required=False)
    passed_cards = _cards("The hand passed, for the forehand and its partner.", required=False)
    partner_dealt = _cards("The partner's cards as dealt, at 11 points.", required=False)


class ToepenPlay(Reply):
    """A card on the table."""

    seat = _number("Who played it.")
    card = told(fields.String, "The card.")


class ToepenTrick(Reply):
    """A finished trick of this hand."""

    leader = _number("Who led.")
    cards = _shapes(ToepenPlay, "The cards in the order of play.")
    winner = _number("The seat.")


class ToepenExchange(Reply):
    """A hand that was laid away."""

    seat = _number("Who laid it away.")
    cards = _cards("Null unless one's own or shown.", allow_none=True)
    challenger = _number("Who challenged; null: nobody.", allow_none=True)
    loser = _number("Who lost a life by it; null: nobody.", allow_none=True)


class ToepenObservation(Reply):
    """What a seat of Toepen sees. "Per seat" is a list with one item per seat."""

    game = told(fields.String, "`toepen`.")
    seat = _number("Whose view this is; null: a spectator's.", allow_none=True)
    phase = told(
        fields.String, "`dealer`, `deal`, `exchange`, `challenge`, `poverty`, `play`, `knock` or `over`."
    )
    awaiting = _numbers("Whose decision it is: nobody's or one; -1 is chance.")
    to_answer = _numbers("The seats still to answer an exchange, poverty or a knock.")
    turn = _number("Who exchanges, or whose turn it is to play.", allow_none=True)
    hand_number = _number("From 1; 0 before the first.")
    dealer = _number("Null before the lot.", allow_none=True)
    leader = _number("Who leads the present trick; null before the play.", allow_none=True)
    value = _number("Lives that the hand is worth.")
    knocker = _number("The last to knock in this hand.", allow_none=True)
    lives = _numbers("Per seat.")
    lost = _numbers("Per seat: lives lost in this hand so far.")
    in_game = _truths("Per seat: whether it has lives.")
    in_hand = _truths("Per seat: whether it is still in this hand.")
    out_in_hand = _maybe_numbers("Per seat: the number of the hand in which it went out.")
    hand = _cards("One's own cards; absent for a spectator.", required=False)
    held = _numbers("Per seat: how many cards it holds.")
    stock = _number("Cards in the stock.")
    exchanges = _numbers("Per seat: exchanges made in this hand.")
    announcements = fields.List(
        fields.String(allow_none=True),
        required=True,
        metadata={"description": "Per seat: `none`, `whistle` or `stand`; null until it keeps."},
    )
    laid_away = _shapes(ToepenExchange, "In order.")
    pelt = _numbers("The seats on their last life in this hand.")
    trick = _shapes(ToepenPlay, "The present trick.")
    tricks = _shapes(ToepenTrick, "The finished ones of this hand.")
    hands_won = _numbers("Per seat, in the whole game.")
    rubber = _number("The number of the rubber, from 1.")
    drinks = _numbers("Per seat: drinks bought.")
