"""Each field of each request can be set by API, command and form, is described once, has the same default and
range everywhere, and is in the docs; ``exceptions.py`` lists what is not so, and why.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from flask import Flask

from tests.api.arenas import now_ms
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.fields.exceptions import EXCEPTIONS, matches
from tests.api.fields.forms import views
from tests.api.fields.gaps import gaps
from tests.api.fields.pages import OPERATIONS, OTHERS, controls_of
from tests.api.fields.request_fields import fields
from tests.api.pages import Browser


@pytest.fixture
def controls(app: Flask, browser: Browser, owner: Account, admin: ContractClient) -> Any:
    """The controls of all forms, those of admins too."""
    response = admin.put(f"/v1/admin/owners/{owner.name}/admin", json={"admin": True})
    assert response.status_code == 200, response.text
    return controls_of(app, browser, owner)


def test_fields_lack_only_what_the_exceptions_list(controls: Any) -> None:
    found = {*gaps(controls)}
    new = sorted(gap for gap in found if not any(matches(entry, gap) for entry in EXCEPTIONS))
    assert not new, "\n".join(" | ".join(gap) for gap in new)
    stale = [str(entry) for entry in EXCEPTIONS if not any(matches(entry, gap) for gap in found)]
    assert not stale, "no longer needed:\n" + "\n".join(stale)


def test_every_form_is_of_an_operation_or_has_no_field(app: Flask, controls: Any) -> None:
    assert views(app) == OPERATIONS.keys() | OTHERS
    assert OPERATIONS.keys().isdisjoint(OTHERS)
    assert controls.keys() == {*OPERATIONS.values()}


LEAST: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "createGame": ("/v1/games", {"kind": "toepen", "seats": [{"house": "rookie"}, {"house": "rookie"}]}),
    "createSeries": ("/v1/series", {"name": "Autumn"}),
    "createTournament": ("/v1/tournaments", {"name": "Cup", "kind": "truco", "format": "open"}),
    "registerBot": ("/v1/bots", {"name": "anas-bot"}),
}
"""The least that operations take, beside times."""


@pytest.mark.parametrize("operation", LEAST)
def test_the_defaults_of_the_document_are_those_of_the_service(owner: Account, operation: str) -> None:
    where, body = LEAST[operation]
    times = {"ends_ms": now_ms() + 3_600_000} if operation == "createTournament" else {}
    response = owner.client.post(where, json={**body, **times})
    assert response.status_code == 201, response.text
    made = {**response.json, **response.json.get("bot", {})}
    said = {
        field.name: json.loads(field.default)
        for field in fields()
        if field.operation == operation and field.place == "body" and field.default is not None
    }
    compared = {name: value for name, value in said.items() if _inside(made, name) is not None}
    assert compared
    assert {name: _inside(made, name) for name in compared} == compared


def _inside(value: Any, name: str) -> Any:
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def test_a_field_that_is_said_otherwise_is_found(controls: Any) -> None:
    """One of each kind, in a copy of what the forms say."""
    control = controls["createTournament"]["max_repeats"]
    control.help, control.value, control.bounds["max"] = "How often.", "9", "99"
    del controls["createTournament"]["games_per_bot"]
    found = {(gap.kind, gap.where) for gap in gaps(controls)}
    assert {
        ("text of control", "createTournament.max_repeats"),
        ("default of control", "createTournament.max_repeats"),
        ("range of control", "createTournament.max_repeats"),
        ("no control", "createTournament.games_per_bot"),
    } <= found
