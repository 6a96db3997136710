"""The table of operations, its views and the types of the client say the same."""

from __future__ import annotations

import pytest
from flask import Flask
from marshmallow import fields

from api.client_types import written
from api.contract import ApiOperation, Blueprint
from arena.operations import OPERATIONS


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
    """Run ``python -m api.client_types`` after a change."""
    for path, text in written().items():
        assert path.read_text(encoding="utf-8") == text
