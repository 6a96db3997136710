"""The table of operations, its views and the types of the client say the same."""

from __future__ import annotations

from typing import NotRequired, get_origin, get_type_hints, is_typeddict

import pytest
from flask import Flask
from marshmallow import Schema, fields, missing

from api.http.contract import ApiOperation, Blueprint
from api.mcp.tools import TOOLS
from api.openapi.client_types import written
from api.schemas.accounts import GivenBotChange
from api.schemas.edits import GivenEdit
from api.schemas.schedules import GivenSchedule, GivenScheduleChange
from api.schemas.tournaments import GivenTournament
from arena.operations import OPERATIONS

PARTS = (GivenBotChange, GivenEdit, GivenSchedule, GivenTournament)
"""What says only a part of what is loaded: the rest are declared settings."""


@pytest.fixture(scope="module")
def endpoints(one_app: Flask) -> dict[str, ApiOperation]:
    parts = [part for part in one_app.blueprints.values() if isinstance(part, Blueprint)]
    return {one.name: one for part in parts for one in part.operations}


def test_every_operation_of_the_table_has_a_view(endpoints: dict[str, ApiOperation]) -> None:
    assert endpoints.keys() == OPERATIONS.keys()


def test_the_table_says_where_fields_go(endpoints: dict[str, ApiOperation]) -> None:
    """The client knows no schema: it sends each field where the table says."""
    for name, one in endpoints.items():
        assert one.has_body == (one.body is not None), name
        query = set() if one.query is None else set(one.query().fields)
        assert set(one.in_query) == (query if one.has_body else set()), name
        assert one.files == {raw.field: raw.media for raw in one.raw}, name
        assert one.method in ("POST", "PUT", "PATCH") or not one.has_body, name


def test_the_table_says_which_lists_go_on(endpoints: dict[str, ApiOperation]) -> None:
    for name, one in endpoints.items():
        lists: set[str] = set()
        if one.query is not None and "cursor" in one.query().fields:
            assert isinstance(one.returns, type), name
            lists = {key for key, field in one.returns().fields.items() if isinstance(field, fields.List)}
        assert set(one.pages) <= lists, name
        assert bool(one.pages) == bool(lists), name


def test_the_types_of_the_client_are_current() -> None:
    """Run ``python -m api.openapi.client_types`` after a change."""
    for path, text in written().items():
        assert path.read_text(encoding="utf-8") == text


def test_views_are_typed_by_the_fields_of_their_schemas(endpoints: dict[str, ApiOperation]) -> None:
    compared = set()
    for name, one in endpoints.items():
        hints = get_type_hints(one.view)
        for argument, schema in (("query", one.query), ("body", one.body)):
            given = hints.get(argument)
            if schema is None or given is None or not is_typeddict(given):
                continue
            compared.add(given)
            members, typed = _members(schema()), _typed(given)
            assert members == typed or (given in PARTS and typed.keys() <= members.keys()), name
    assert GivenScheduleChange in compared
    assert len(compared) > 40


def test_tools_are_typed_by_the_fields_of_their_schemas() -> None:
    for name, tool in TOOLS.items():
        given = get_type_hints(tool.call)["given"]
        assert (_typed(given) if is_typeddict(given) else {}) == _members(tool.schema()), name


def _typed(given: type) -> dict[str, bool]:
    """The members of a declared dictionary, and whether each is required: its own ``__required_keys__`` does
    not know annotations that are texts.
    """
    hints = get_type_hints(given, include_extras=True)
    return {key: given.__total__ and get_origin(hint) is not NotRequired for key, hint in hints.items()}


def _members(schema: Schema) -> dict[str, bool]:
    """The fields that are loaded, and whether each one always is."""
    schemas = getattr(schema, "type_schemas", None)
    found = [schema] if schemas is None else [of_kind() for of_kind in schemas.values()]
    return {
        name: field.required or field.load_default is not missing
        for one in found
        for name, field in one.fields.items()
    }
