"""Comparisons of two versions of a bot."""

from __future__ import annotations

from typing import Final, TypedDict

from marshmallow import fields, validate

from api.schemas.common import RequestSchema, ResponseSchema, absent, described, name, nested, optional
from api.schemas.fields import Moment, WholeNumber
from api.schemas.games import KINDS
from api.schemas.turns import wait
from arena.tournaments.comparison import MOST_ELO, MOST_GROUPS
from arena.tournaments.sequential import FLOOR

COMPARISON_STATES: Final = ("waiting", "running", "finished", "cancelled")
DECISIONS: Final = ("elo0", "elo1")


def _version(description: str) -> fields.String:
    return described(fields.String, description, validate=validate.Length(1, 40))


def _elo(default: float, description: str) -> fields.Float:
    return optional(
        fields.Float, description, load_default=default, validate=validate.Range(-MOST_ELO, MOST_ELO)
    )


def _error(which: str) -> fields.Float:
    return optional(
        fields.Float,
        f"The share of tests that may err if {which} is true.",
        load_default=0.05,
        validate=validate.Range(0, 0.5, min_inclusive=False, max_inclusive=False),
        metadata={"exclusiveMinimum": 0, "exclusiveMaximum": 0.5},
    )


class NewComparisonSchema(RequestSchema):
    """What to compare, and how certain the result must be."""

    bot = name("One of your uploaded bots")
    new = _version("The version that may be better.")
    old = _version("The version that it is compared with.")
    kind = described(fields.String, "The game.", validate=validate.OneOf(KINDS))
    preset = optional(
        fields.String,
        "The preset of rules, by default the game's first one.",
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, 80),
    )
    elo0 = _elo(0.0, "The difference in Elo points that is not enough.")
    elo1 = _elo(20.0, "The difference that is enough; more than `elo0`.")
    alpha = _error("`elo0`")
    beta = _error("`elo1`")
    most = optional(
        WholeNumber,
        "Groups after which it ends undecided.",
        load_default=MOST_GROUPS,
        validate=validate.Range(FLOOR, MOST_GROUPS),
    )


class ComparisonQuery(RequestSchema):
    """The version to wait for."""

    since = optional(
        fields.Integer,
        "A version of the comparison. If it still has it, the response is 204.",
        load_default=absent,
        validate=validate.Range(0, 2**53),
    )
    wait = wait()


class GivenComparisonVersion(TypedDict):
    """What :class:`ComparisonQuery` loads."""

    since: int | None
    wait: float


class EstimateSchema(ResponseSchema):
    """A value with its 95% interval."""

    value = described(fields.Float, "The estimate.")
    low = described(fields.Float, "The lower bound.")
    high = described(fields.Float, "The upper bound.")


def _estimate(description: str) -> fields.Nested:
    return nested(EstimateSchema, description, allow_none=True)


class ComparisonSchema(ResponseSchema):
    """A comparison, with the state of its test after the last batch of groups."""

    id = described(
        fields.String,
        "The id. It is also that of the private tournament in which the groups are played, so that "
        "`/v1/tournaments/<id>/groups`, `.../records` and `.../cancel` serve it too.",
    )
    bot = described(fields.String, "The bot.")
    owner = described(fields.String, "Its owner.")
    kind = described(fields.String, "The game.", validate=validate.OneOf(KINDS))
    preset = described(fields.String, "The preset of rules.", allow_none=True)
    new = described(fields.String, "The version that may be better.")
    old = described(fields.String, "The version that it is compared with.")
    elo0 = described(fields.Float, "The difference in Elo points that is not enough.")
    elo1 = described(fields.Float, "The difference that is enough.")
    alpha = described(fields.Float, "The share of tests that may err if `elo0` is true.")
    beta = described(fields.Float, "The share of tests that may err if `elo1` is true.")
    most = described(WholeNumber, "Groups after which it ends undecided.")
    state = described(fields.String, "How far it is.", validate=validate.OneOf(COMPARISON_STATES))
    reason = described(fields.String, "Why it was cancelled.", allow_none=True)
    decision = described(
        fields.String,
        "Which difference was accepted: `elo1`, the new version is better; `elo0`, it is not better by "
        "`elo1`. Null: not decided.",
        allow_none=True,
        validate=validate.OneOf(DECISIONS),
    )
    llr = described(fields.Float, "The logarithm of the likelihood ratio of `elo1` to `elo0`.")
    bounds = described(
        fields.List,
        "The values of `llr` at which `elo0` and `elo1` are accepted.",
        cls_or_instance=fields.Float(),
        validate=validate.Length(equal=2),
    )
    groups = described(WholeNumber, "The groups that the test has seen.")
    void = described(WholeNumber, "Groups that do not count, because the service could not play them.")
    margin = _estimate(
        "The mean margin of the new version per game, -1 to 1, without the luck of the cards where that is "
        "measured. Null before there are two groups."
    )
    elo = _estimate("The same as a difference in Elo points, at most 999.")
    played = described(WholeNumber, "The groups that are over; a batch counts when all of it is.")
    games = described(WholeNumber, "The games that are over.")
    created_ms = described(Moment, "When it was requested, in Unix milliseconds.")
    started_ms = described(Moment, "When its first group was planned.", allow_none=True)
    finished_ms = described(Moment, "When it ended.", allow_none=True)
    commitment = described(fields.String, "The SHA-256 of the seed.")
    seed = described(fields.String, "The seed of all deals; null until it is over.", allow_none=True)
    version = described(WholeNumber, "Changes with every result.")


class ComparisonPageSchema(ResponseSchema):
    """A page of comparisons."""

    comparisons = fields.List(fields.Nested(ComparisonSchema), required=True)
    cursor = described(fields.String, "The cursor of the next page; null on the last.", allow_none=True)
