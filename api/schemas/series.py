"""Series: season tables over tournaments."""

from __future__ import annotations

from marshmallow import fields, validate

from api.schemas.common import PageQuery, RequestSchema, ResponseSchema, absent, described, editable
from api.schemas.fields import Moment, Truth, TypedLine, WholeNumber
from api.schemas.leaderboards import form
from arena.ratings.series import (
    BY,
    DEFAULT_POINTS,
    MAX_POINTS,
    MAX_TOURNAMENTS,
    SERIES_TIE_BREAKS,
    SeriesRules,
)

_TIE_BREAKS = (
    "How to order equal points: `wins` (tournaments won), `best` (the best result), `last` (the latest "
    "tournament), `played` (tournaments played)."
)


class NewSeriesSchema(RequestSchema):
    """A series to create."""

    tournaments = fields.List(
        fields.String(validate=validate.Length(1, 64)),
        validate=validate.Length(0, MAX_TOURNAMENTS),
        metadata={"description": "The ids of its tournaments, in the order of the season.", "default": []},
    )
    points = fields.List(
        fields.Float(),
        validate=validate.Length(1, MAX_POINTS),
        metadata={
            "description": "The points of the first place, the second and so on; later places have none.",
            "default": list(DEFAULT_POINTS),
        },
    )
    best = WholeNumber(
        allow_none=True,
        validate=validate.Range(1, MAX_TOURNAMENTS),
        metadata={"description": "How many results count, the best ones. Null: all."},
    )
    by = fields.String(
        validate=validate.OneOf(BY),
        metadata={
            "description": "`owner`: the best bot of each owner in a tournament counts; `bot`: each bot.",
            "default": SeriesRules.by,
        },
    )
    tie_breaks = fields.List(
        fields.String(validate=validate.OneOf(tuple(SERIES_TIE_BREAKS))),
        metadata={"description": _TIE_BREAKS, "default": list(SeriesRules.tie_breaks)},
    )

    name = TypedLine(
        80,
        least=1,
        checked=False,
        required=True,
        metadata={"description": "The name of the series."},
    )


class ChangedSeriesSchema(RequestSchema.from_dict(editable(NewSeriesSchema))):  # type: ignore[misc]
    """Changes to a series; what is left out stays."""

    done = Truth(
        validate=validate.Equal(True), metadata={"description": "True: the series is done, for good."}
    )


class SeriesSchema(ResponseSchema):
    """A series."""

    id = described(fields.String, "The series' id.")
    name = described(fields.String, "Its name.")
    owner = described(fields.String, "Its owner.")
    created_ms = described(Moment, "When it was created.")
    tournaments = fields.List(
        fields.String(), required=True, metadata={"description": "The ids of its tournaments, in order."}
    )
    done = described(fields.Boolean, "Whether it is done.")
    points = fields.List(fields.Float(), required=True, metadata={"description": "The points by place."})
    best = described(fields.Integer, "How many results count; null: all.", allow_none=True)
    by = described(fields.String, "Who is in the table: `owner` or `bot`.")
    tie_breaks = fields.List(fields.String(), required=True, metadata={"description": _TIE_BREAKS})


class SeriesListQuery(PageQuery):
    """Which series."""

    owner = fields.String(
        load_default=absent,
        validate=validate.Length(1, 40),
        metadata={"description": "Only those of this owner."},
    )


class SeriesPageSchema(ResponseSchema):
    """A page of series."""

    series = fields.List(fields.Nested(SeriesSchema), required=True)
    cursor = described(fields.String, "The cursor of the next page; null on the last.", allow_none=True)


class SeriesTableQuery(RequestSchema):
    """In which form."""

    format = form()


class SeriesRulesSchema(ResponseSchema):
    """How a series counts."""

    points = fields.List(fields.Float(), required=True, metadata={"description": "The points by place."})
    best = described(fields.Integer, "How many results count; null: all.", allow_none=True)
    by = described(fields.String, "`owner` or `bot`.")
    tie_breaks = fields.List(fields.String(), required=True, metadata={"description": _TIE_BREAKS})


class FinalPlaceSchema(ResponseSchema):
    """A player's place in a tournament."""

    place = described(fields.Integer, "The place in the standings.")
    name = described(fields.String, "The bot.")
    version = described(fields.String, "Its version.")
    owner = described(
        fields.String, "Its owner; null for those who take no place in a series.", allow_none=True
    )


class SeriesInputSchema(ResponseSchema):
    """The final standings of a tournament of the series."""

    id = described(fields.String, "The tournament's id.")
    name = described(fields.String, "Its name.")
    records_hash = described(fields.String, "The hash of the records from which its standings follow.")
    rows = fields.List(fields.Nested(FinalPlaceSchema), required=True)


class SeriesRowSchema(ResponseSchema):
    """A row of the table."""

    place = described(fields.Integer, "The place.")
    name = described(fields.String, "The owner or bot.")
    points = described(fields.Float, "The sum of the results that count.")
    results = fields.List(
        fields.Float(allow_none=True),
        required=True,
        metadata={"description": "The points in each of `inputs`; null for one that was not played."},
    )
    counted = fields.List(
        fields.Boolean(), required=True, metadata={"description": "Which of the results count."}
    )
    tie_breaks = fields.Dict(
        keys=fields.String(),
        values=fields.Float(),
        required=True,
        metadata={"description": "The tie-breaks that were needed, by name."},
    )


class SeriesTableSchema(ResponseSchema):
    """The table of a series, with all that it follows from."""

    rules = fields.Nested(SeriesRulesSchema, required=True)
    inputs = fields.List(
        fields.Nested(SeriesInputSchema),
        required=True,
        metadata={"description": "Its tournaments that have finished."},
    )
    inputs_hash = described(fields.String, "The hash of `rules` and `inputs`.")
    rows = fields.List(fields.Nested(SeriesRowSchema), required=True)
