"""What an error says is expected is accepted: sent back, it is no longer what is wrong."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from marshmallow import Schema, fields

import api.schemas
from api.http.requests import load
from api.schemas.common import RequestSchema
from api.schemas.fields import Switch
from arena.errors import ArenaError
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.mistakes.cases import BOT, FOUND, MORE, OTHER_BOT, Request
from tests.mistakes.examples import examples

WRONG: tuple[Any, ...] = (
    *(None, "", " ", "x\ny", "\u202ex", "x" * 3000, "soon", "18:00", -(10**9), 10**15, 1.5, True, [], {}),
    *(["x", "x"], [1, 2, 3], {"a": 1}),
)
TYPES = {
    "a valid integer": 1,
    "a valid number": 1,
    "a valid string": "x",
    "a valid list": [],
    "an object": {},
}
"""Of what they are, errors say only the type; another error may then say more."""


def subclasses(schema: type[Schema]) -> Iterator[type[Schema]]:
    for one in schema.__subclasses__():
        yield one
        yield from subclasses(one)


def request_schemas() -> list[type[Schema]]:
    for module in pkgutil.iter_modules(api.schemas.__path__):
        importlib.import_module(f"api.schemas.{module.name}")
    return sorted(set(subclasses(RequestSchema)), key=lambda schema: (schema.__module__, schema.__name__))


@cache
def made(schema: type[Schema]) -> Schema:
    """The schema, once: to make it takes longer than to ask it."""
    return schema(partial=True)


def refusal(schema: type[Schema], name: str, value: Any) -> ArenaError | None:
    """The error about the value itself, not about something in it or beside it."""
    try:
        load(made(schema), {name: value})
    except ArenaError as error:
        return error if error.field == name else None
    return None


def values(field: fields.Field[Any], expected: str) -> list[Any]:
    """The examples for a field, which may be a list of some length."""
    if expected in TYPES:
        return [TYPES[expected]]
    if isinstance(field, fields.List):
        return []
    found = examples(expected)
    if isinstance(field, Switch):
        return [json.dumps(value) for value in found]
    if isinstance(field, fields.String):
        return [str(value) for value in found]
    return found


@pytest.mark.parametrize("schema", request_schemas(), ids=lambda schema: schema.__name__)
def test_the_examples_of_a_schema(schema: type[Schema]) -> None:
    for name, field in schema().fields.items():
        for wrong in WRONG:
            error = refusal(schema, name, wrong)
            if error is None or error.expected is None:
                continue
            for value in values(field, error.expected):
                again = refusal(schema, name, value)
                assert again is None or error.expected in TYPES, f"{name}={value!r}: {again}"


def test_most_of_what_is_expected_has_examples() -> None:
    stated = {
        (error.expected, field.__class__)
        for schema in request_schemas()
        for name, field in schema().fields.items()
        for wrong in WRONG
        if (error := refusal(schema, name, wrong)) is not None and error.expected is not None
    }
    silent = {
        text for text, kind in stated if text not in TYPES and kind is not fields.List and not examples(text)
    }
    assert silent - {"2 to 4 seats", "2 to 8 seats"} == {"a value other than null"}
    assert len(stated) > 60


def with_value(mistake: Request, field: str, value: Any) -> Request:
    """The same request with another value of a field."""
    if isinstance(mistake.body, dict):
        body = deepcopy(mistake.body)
        *outer, last = field.split(".")
        place: Any = body
        for part in outer:
            place = place[int(part)] if isinstance(place, list) else place.setdefault(part, {})
        place[int(last) if isinstance(place, list) else last] = value
        return mistake._replace(body=body)
    parts = urlsplit(mistake.path)
    query = {**dict(parse_qsl(parts.query)), field: str(value)}
    return mistake._replace(path=f"{parts.path}?{urlencode(query)}")


VALUES = [
    mistake
    for mistake in (*FOUND, *MORE)
    if mistake.code.startswith("invalid") and (isinstance(mistake.body, dict) or "?" in mistake.path)
]


@pytest.mark.parametrize("mistake", VALUES, ids=lambda one: one.name)
def test_the_examples_of_a_mistake(
    owner: Account,
    register: Callable[..., Account],
    sign_up: Callable[..., Account],
    anybody: ContractClient,
    mistake: Request,
) -> None:
    bot = register(BOT)
    # It has a turn: no request waits for one.
    game = owner.client.post("/v1/games", json={"kind": "truco", "seats": [{"bot": BOT}] * 4})
    assert game.status_code == 201, game.text
    sign_up("pia").client.post("/v1/bots", json={"name": OTHER_BOT})
    client = {"ana": owner.client, BOT: bot.client, "": anybody}[mistake.who]

    def reply(one: Request) -> Any:
        return client.open(one.path, method=one.method, headers=dict(one.headers), json=one.body).json

    problem = reply(mistake)
    if "nknown field" in problem["detail"] or "has no rule option" in problem["detail"]:
        # What is expected are names of fields.
        return
    for value in examples(problem.get("expected", "")):
        again = reply(with_value(mistake, problem["field"], value))
        assert again.get("field") != problem["field"], again


@pytest.mark.parametrize(
    ("name", "wrong", "count"),
    [
        ("locks_ms", "soon", 2),
        ("locks_ms", "2000-01-01T00:00", 2),
        ("locks_ms", "2999-01-01T00:00", 2),
        ("opens_ms", "18h", 2),
        ("groups", "0", 2),
        ("rounds", "101", 2),
        ("max_entries", "1_0", 0),
        ("max_entries", "1", 2),
        ("clock.per_turn_ms", "0", 2),
        ("tie_breaks", "luck", 5),
        ("name", "\u202e", 2),
        ("description", "\u202e", 2),
        ("link", "here", 1),
    ],
)
def test_the_examples_of_a_form(browser: Browser, name: str, wrong: str, count: int) -> None:
    cup = {"kind": "toepen", "name": "Cup", "format": "swiss", "preset": "duel@1", "draft": "d"}

    def problem(value: str) -> str:
        sent = browser.send("/tournaments/new", {**cup, name: value, "check": "1"})
        found = re.search(r'class="problem"[^>]*>(.*?)</', sent.text, re.DOTALL)
        return "" if sent.status_code in (200, 303) or found is None else unescape(found[1])

    first = problem(wrong)
    place, _, rest = first.partition(": ")
    expected = rest.partition("Expected: ")[2].partition(". <")[0]
    found = examples(expected)
    assert len(found) == count, first
    for value in found:
        assert not problem(str(value)).startswith(f"{place}: "), problem(str(value))
