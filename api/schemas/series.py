"""Series: season tables over tournaments."""

from __future__ import annotations

from typing import TypedDict

from marshmallow import fields, validate

from api.schemas.common import (
    GivenPage,
    PageQuery,
    RequestSchema,
    ResponseSchema,
    absent,
    described,
    editable,
    listed,
    optional,
)
from api.schemas.derived import request_fields, response_fields
from api.schemas.fields import Moment, Truth
from api.schemas.leaderboards import form
from arena.ratings.series_rules import SeriesContents, SeriesRules


class NewSeriesSchema(RequestSchema.from_dict(request_fields(SeriesContents, SeriesRules))):  # type: ignore[misc]
    """A series to create."""


class ChangedSeriesSchema(RequestSchema.from_dict(editable(NewSeriesSchema))):  # type: ignore[misc]
    """Changes to a series. Omitted fields keep their values."""

    done = optional(Truth, "If true, the series ends, which cannot be undone.", validate=validate.Equal(True))


class _Identified(ResponseSchema):
    id = described(fields.String, "The series' id.")


class SeriesSchema(_Identified.from_dict(response_fields(SeriesContents, SeriesRules))):  # type: ignore[misc]
    """A series."""

    owner = described(fields.String, "Its owner.")
    created_ms = described(Moment, "When the series was created.")
    done = described(fields.Boolean, "Whether the series has ended.")


class SeriesListQuery(PageQuery):
    """Filters for series."""

    owner = optional(
        fields.String, "Only series of this owner.", load_default=absent, validate=validate.Length(1, 40)
    )


class GivenSeriesPage(GivenPage):
    """The values loaded by :class:`SeriesListQuery`."""

    owner: str | None


class SeriesPageSchema(ResponseSchema):
    """A page of series."""

    series = fields.List(fields.Nested(SeriesSchema), required=True)
    cursor = described(fields.String, "The next page's cursor; null on the last page.", allow_none=True)


class SeriesTableQuery(RequestSchema):
    """The format of the table."""

    format = form()


class GivenSeriesTable(TypedDict):
    """The values loaded by :class:`SeriesTableQuery`."""

    format: str


class SeriesRulesSchema(ResponseSchema.from_dict(response_fields(SeriesRules))):  # type: ignore[misc]
    """How a series counts points."""


class FinalPlaceSchema(ResponseSchema):
    """A player's place in a tournament."""

    place = described(fields.Integer, "The place in the standings.")
    name = described(fields.String, "The bot.")
    version = described(fields.String, "Its version.")
    owner = described(
        fields.String, "The player's owner; null for players that take no place in a series.", allow_none=True
    )


class SeriesInputSchema(ResponseSchema):
    """The final standings of a tournament of the series."""

    id = described(fields.String, "The tournament's id.")
    name = described(fields.String, "Its name.")
    records_hash = described(fields.String, "The hash of the records from which the standings follow.")
    rows = fields.List(fields.Nested(FinalPlaceSchema), required=True)


class SeriesRowSchema(ResponseSchema):
    """A row of a series table."""

    place = described(fields.Integer, "The place.")
    name = described(fields.String, "The owner or bot.")
    points = described(fields.Float, "The sum of the results that count.")
    results = listed(
        fields.Float(allow_none=True),
        "The points in each of `inputs`; null for a tournament that was not played.",
    )
    counted = listed(fields.Boolean(), "Which of the results count.")
    tie_breaks = described(
        fields.Dict, "The tie-breaks that were needed, by name.", keys=fields.String(), values=fields.Float()
    )


class SeriesTableSchema(ResponseSchema):
    """The table of a series, with everything that determines it."""

    rules = fields.Nested(SeriesRulesSchema, required=True)
    inputs = listed(SeriesInputSchema, "The tournaments of the series that have finished.")
    inputs_hash = described(fields.String, "The hash of `rules` and `inputs`.")
    rows = fields.List(fields.Nested(SeriesRowSchema), required=True)
