"""Holds every response of the tests against the OpenAPI document, strictly: nothing undocumented passes."""

from __future__ import annotations

import copy
import json
import re
from typing import Any
from urllib.parse import unquote_plus

from flask import Flask
from flask.testing import FlaskClient
from jsonschema_rs import Draft202012Validator, Registry
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

from api.openapi import document
from arena.games import GAMES

URI = "urn:openapi"
OPTIONAL = {
    "Retry-After",
    "X-Request-Id",
    "Idempotent-Replayed",
    "RateLimit",
    "RateLimit-Policy",
    "Link",
    "WWW-Authenticate",
}
"""Headers that not every response with the status has."""


def resolved(document: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """``part``, or what it refers to in ``document``."""
    for name in part["$ref"].removeprefix("#/").split("/") if "$ref" in part else ():
        part = document = document[name]
    return part


def error_codes(problem: dict[str, Any], operation: dict[str, Any]) -> list[str]:
    """All error codes of an operation. ``problem``: the response of errors."""
    return [*problem["x-error-codes"], *operation["x-error-codes"]]


def escaped(name: str) -> str:
    """``name`` as a part of a JSON pointer in a URI."""
    return name.replace("/", "~1").replace("{", "%7B").replace("}", "%7D")


class Contract:
    """The document of one app, ready to check responses."""

    def __init__(self, app: Flask) -> None:
        self.document = document(app)
        self._rules = app.url_map.bind("localhost")
        strict = merged(self.document)
        _close(strict)
        self._registry = Registry([(URI, strict)])
        self._validators: dict[str, Draft202012Validator] = {}

    def operation(self, method: str, path: str) -> tuple[str, dict[str, Any]] | None:
        """The path template and the documented operation of a request; None for a page or a wrong address."""
        try:
            rule, _ = self._rules.match(path, method, return_rule=True)
        except HTTPException:
            return None
        template = rule.rule.replace("<", "{").replace(">", "}")
        operation = self.document["paths"].get(template, {}).get(method.lower())
        return None if operation is None else (template, operation)

    def check(self, method: str, path: str, status: int, headers: Any, body: bytes | None) -> None:
        """Fail unless the response is documented. ``body`` None: a stream, whose content is not looked at."""
        assert headers.get("X-Request-Id"), f"{method} {path}: no request id"
        media = (headers.get("Content-Type") or "").partition(";")[0]
        found = self.operation(method, path)
        if found is None:
            for_people = media == "text/html" and not path.startswith("/v1")
            if status >= 400 and not for_people:
                assert media == "application/problem+json"
                assert body is not None
                self.valid(json.loads(body), "/components/schemas/Problem")
            return
        template, operation = found
        where = f"{method} {template} {status}"
        name = "default" if status >= 400 else str(status)
        response = operation["responses"].get(name)
        assert response is not None, f"{where} is not documented: {body!r}"
        pointer = f"/paths/{escaped(template)}/{method.lower()}/responses/{name}"
        if "$ref" in response:
            pointer = response["$ref"].removeprefix("#")
            response = resolved(self.document, response)
        if status >= 400:
            known = error_codes(response, operation)
            codes = [code for code in response["x-errors"].get(str(status), ()) if code in known]
            assert codes, f"{where} is not documented: {body!r}"
            assert not body or json.loads(body)["code"] in codes, f"{where} is not documented: {body!r}"
            assert status != 401 or headers.get("WWW-Authenticate"), f"{where}: no header WWW-Authenticate"
        for name in response.get("headers", {}):
            if name not in OPTIONAL:
                assert headers.get(name), f"{where}: no header {name}"
        content = response.get("content")
        if content is None:
            assert not body, f"{where} should have no body: {body!r}"
            return
        if media == "text/plain" and "x-text" in response:
            return
        assert media in content, f"{where} is {media}, documented {list(content)}"
        if body is None or not media.endswith("json"):
            return
        self._check_next(operation, status, headers, json.loads(body))
        self.valid(json.loads(body), f"{pointer}/content/{escaped(media)}/schema")

    def _check_next(self, operation: dict[str, Any], status: int, headers: Any, value: Any) -> None:
        """A page links to the next one, if there is one."""
        names = {resolved(self.document, one)["name"] for one in operation.get("parameters", ())}
        if status == 200 and "cursor" in names:
            cursor, link = value["cursor"], headers.get("Link", "")
            found = re.search(r'[?&]cursor=([^&>]*)[^>]*>; rel="next"', link)
            assert cursor == (unquote_plus(found[1]) if found else None), link

    def valid(self, value: Any, pointer: str) -> None:
        """Fail unless ``value`` has the shape at ``pointer`` in the document."""
        validator = self._validators.get(pointer)
        if validator is None:
            reference = {"$ref": f"{URI}#{pointer}"}
            validator = self._validators[pointer] = Draft202012Validator(reference, registry=self._registry)
        errors = [f"{error.instance_path}: {error.message[:300]}" for error in validator.iter_errors(value)]
        assert not errors, "\n".join(errors[:5])


def merged(document: dict[str, Any]) -> dict[str, Any]:
    """A copy of the document in which schemas have the properties of those that they extend."""
    document = copy.deepcopy(document)
    for schema in document["components"]["schemas"].values():
        _merge(document, schema)
    return document


def _merge(document: dict[str, Any], schema: dict[str, Any]) -> None:
    for given in schema.pop("allOf", ()):
        part = resolved(document, given)
        _merge(document, part)
        schema["type"] = "object"
        schema["properties"] = {**schema.get("properties", {}), **part["properties"]}
        schema["required"] = [*schema.get("required", ()), *part.get("required", ())]
    if "unevaluatedProperties" in schema:
        schema["additionalProperties"] = schema.pop("unevaluatedProperties")


def _close(value: Any) -> None:
    """Allow no property beyond those that are named."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in ("example", "examples"):
                _close(inner)
        if (
            "properties" in value
            and "additionalProperties" not in value
            and "code" not in value["properties"]
        ):
            value["additionalProperties"] = False
    elif isinstance(value, list):
        for inner in value:
            _close(inner)


class ContractClient(FlaskClient):
    """Flask's test client, with every response held against the contract."""

    contract: Contract

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        """See :meth:`flask.testing.FlaskClient.open`."""
        response = super().open(*args, **kwargs)
        request = response.request
        body = None if response.mimetype == "text/event-stream" else response.get_data()
        self.contract.check(request.method, request.path, response.status_code, response.headers, body)
        return response


_CONTRACTS: dict[frozenset[str], Contract] = {}
"""By the names of the operations and games: all that the document depends on."""


def _contract(app: Flask) -> Contract:
    """The contract of an app, and of all that have the same operations and games."""
    names = frozenset((*app.view_functions, *GAMES))
    if names not in _CONTRACTS:
        _CONTRACTS[names] = Contract(app)
    return _CONTRACTS[names]


def contract_client(app: Flask, token: str | None = None) -> ContractClient:
    """A client of ``app`` that checks, and sends ``token``."""
    app.test_client_class = ContractClient
    client = app.test_client()
    assert isinstance(client, ContractClient)
    client.contract = _contract(app)
    if token is not None:
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client
