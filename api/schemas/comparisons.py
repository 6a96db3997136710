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
        f"The accepted probability of a wrong result if {which} is true.",
        load_default=0.05,
        validate=validate.Range(0, 0.5, min_inclusive=False, max_inclusive=False),
        metadata={"exclusiveMinimum": 0, "exclusiveMaximum": 0.5},
    )


class NewComparisonSchema(RequestSchema):
    """The versions to compare, and the certainty required of the result."""

    bot = name("The name of one of your uploaded bots")
    new = _version("The version that might be better.")
    old = _version("The version with which it is compared.")
    kind = described(fields.String, "The game.", validate=validate.OneOf(KINDS))
    preset = optional(
        fields.String,
        "The preset of rules; by default, the game's first preset.",
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, 80),
    )
    elo0 = _elo(0.0, "The difference in Elo points that is too small.")
    elo1 = _elo(20.0, "The difference in Elo points that is large enough; greater than `elo0`.")
    alpha = _error("`elo0`")
    beta = _error("`elo1`")
    most = optional(
        WholeNumber,
        "The number of groups after which the comparison ends undecided.",
        load_default=MOST_GROUPS,
        validate=validate.Range(FLOOR, MOST_GROUPS),
    )


class ComparisonQuery(RequestSchema):
    """The version to wait for."""

    since = optional(
        fields.Integer,
        "A version of the comparison. If it is still current, the response has status 204.",
        load_default=absent,
        validate=validate.Range(0, 2**53),
    )
    wait = wait()


class GivenComparisonVersion(TypedDict):
    """The values loaded by :class:`ComparisonQuery`."""

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
    """A comparison, with the state of its test after the latest batch of groups."""

    id = described(
        fields.String,
        "The id, which is also the id of the private tournament with the groups, so that "
        "`/v1/tournaments/<id>/groups`, `.../records` and `.../cancel` can be used as well.",
    )
    bot = described(fields.String, "The bot.")
    owner = described(fields.String, "Its owner.")
    kind = described(fields.String, "The game.", validate=validate.OneOf(KINDS))
    preset = described(fields.String, "The preset of rules.", allow_none=True)
    new = described(fields.String, "The version that might be better.")
    old = described(fields.String, "The version with which it is compared.")
    elo0 = described(fields.Float, "The difference in Elo points that is too small.")
    elo1 = described(fields.Float, "The difference in Elo points that is large enough.")
    alpha = described(fields.Float, "The accepted probability of a wrong result if `elo0` is true.")
    beta = described(fields.Float, "The accepted probability of a wrong result if `elo1` is true.")
    most = described(WholeNumber, "The number of groups after which the comparison ends undecided.")
    state = described(
        fields.String, "The state of the comparison.", validate=validate.OneOf(COMPARISON_STATES)
    )
    reason = described(fields.String, "Why the comparison was cancelled.", allow_none=True)
    decision = described(
        fields.String,
        "The accepted difference. `elo1`: the new version is better. `elo0`: it is not better by "
        "`elo1`. Null: undecided.",
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
    groups = described(WholeNumber, "The number of groups included in the test so far.")
    void = described(
        WholeNumber, "The number of groups that do not count because the service could not play them."
    )
    margin = _estimate(
        "The mean margin of the new version per game, from -1 to 1, without the luck of the cards where "
        "this is "
        "measured. Null until there are two groups."
    )
    elo = _estimate("The margin as a difference in Elo points, at most 999.")
    played = described(
        WholeNumber, "The number of finished groups; a batch counts when all its groups have finished."
    )
    games = described(WholeNumber, "The number of finished games.")
    created_ms = described(Moment, "When the comparison was requested, in Unix milliseconds.")
    started_ms = described(Moment, "When the first group was planned.", allow_none=True)
    finished_ms = described(Moment, "When it ended.", allow_none=True)
    commitment = described(fields.String, "The SHA-256 of the seed.")
    seed = described(
        fields.String, "The seed of all deals; null until the comparison is over.", allow_none=True
    )
    version = described(WholeNumber, "A number that changes with every result.")


class ComparisonPageSchema(ResponseSchema):
    """A page of comparisons."""

    comparisons = fields.List(fields.Nested(ComparisonSchema), required=True)
    cursor = described(fields.String, "The next page's cursor; null on the last page.", allow_none=True)
