"""The OpenAPI document: current, valid, complete, with examples that are true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask

from api.http.errors import ERRORS
from api.openapi import METHODS, document, examples
from api.openapi.__main__ import as_yaml
from api.openapi.capture import ADMIN_TOKEN, capture
from api.openapi.components import RATE_LIMIT
from arena.store.embedded import EmbeddedStore
from tests.api.contract import Contract, error_codes, escaped, resolved

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def spec(one_app: Flask) -> dict[str, Any]:
    return document(one_app)


def operations(spec: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Method, path and operation of each, with the shared responses and parameters put in."""

    def with_shared(operation: dict[str, Any]) -> dict[str, Any]:
        responses = {status: resolved(spec, part) for status, part in operation["responses"].items()}
        parameters = [resolved(spec, part) for part in operation.get("parameters", [])]
        return {**operation, "responses": responses, "parameters": parameters}

    return [
        (method, path, with_shared(operation))
        for path, item in spec["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    ]


def test_the_file_is_current(one_app: Flask) -> None:
    """Run ``python -m api.openapi > openapi.yaml`` after a change."""
    text = (ROOT / "openapi.yaml").read_text()
    assert text == as_yaml(document(one_app))
    # It had 656,000 bytes until schemas, examples and errors were written once. The limit notices when they
    # are repeated again; for a new operation (3,500 bytes on average), raise it rather than cut its text.
    assert len(text.encode()) <= 450_000


def test_it_is_valid(spec: dict[str, Any]) -> None:
    from openapi_spec_validator import validate

    validate(spec)
    assert spec["openapi"].startswith("3.1")


def test_every_route_is_documented(one_app: Flask, spec: dict[str, Any]) -> None:
    routes = {
        (method.lower(), rule.rule.replace("<", "{").replace(">", "}"))
        for rule in one_app.url_map.iter_rules()
        if not rule.endpoint.startswith(("assets.", "docs.", "mcp.", "pages."))
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert {(method, path) for method, path, _ in operations(spec)} == routes


def test_every_operation_is_complete(spec: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(spec)]
    assert len(ids) == len(set(ids))
    for _, path, operation in operations(spec):
        assert operation["summary"], operation["operationId"]
        assert operation["tags"]
        problem = operation["responses"]["default"]
        assert list(problem["content"]) == ["application/problem+json"]
        assert {"WWW-Authenticate", "Retry-After", *RATE_LIMIT} < problem["headers"].keys()
        codes = error_codes(problem, operation)
        assert len(codes) == len(set(codes))
        assert "internal_error" in codes
        if path.startswith("/v1"):
            assert {"invalid_token", "rate_limited", "store_unavailable"} <= set(codes)
            assert "security" in operation
        for response in operation["responses"].values():
            assert response["description"]
        for parameter in operation["parameters"]:
            assert parameter.get("description"), (operation["operationId"], parameter)
        if "requestBody" in operation:
            assert {"malformed_json", "body_too_large", "unsupported_media_type", "invalid"} <= set(codes)


def test_every_schema_and_property_is_described(spec: dict[str, Any]) -> None:
    for name, schema in spec["components"]["schemas"].items():
        if name.startswith("GameRecord"):
            continue
        parts = [schema, *(part for part in schema.get("allOf", ()) if "$ref" not in part)]
        for key, value in (pair for part in parts for pair in part.get("properties", {}).items()):
            explained = value.get("description") or "$ref" in value or "anyOf" in value
            nested = "$ref" in value.get("items", {}) or value.get("items", {}).get("type") == "integer"
            assert explained or nested, f"{name}.{key} has no description"


def test_the_schemas_of_two_games_share_what_is_alike(spec: dict[str, Any]) -> None:
    schemas = spec["components"]["schemas"]
    unions = {name: schema["oneOf"] for name, schema in schemas.items() if "discriminator" in schema}
    assert {"Game", "NewTournament", "Template", "Tournament", "Turn", "View"} <= unions.keys()
    for name, members in unions.items():
        shapes = [resolved(spec, member) for member in members]
        own = [shape["allOf"][-1] if "allOf" in shape else shape for shape in shapes]
        first, *others = [shape["properties"] for shape in own]
        alike = [key for key, value in first.items() if all(other.get(key) == value for other in others)]
        assert len(alike) < 5, (name, alike)


def test_every_operation_has_an_example(spec: dict[str, Any]) -> None:
    """Run ``python -m api.openapi.capture`` after adding an operation."""
    for _, _, operation in operations(spec):
        assert operation["operationId"] in examples()
        success = next(status for status in operation["responses"] if status.startswith("2"))
        for media, content in operation["responses"][success].get("content", {}).items():
            assert {"example", "examples"} & content.keys(), f"{operation['operationId']} {media}"
        for media, content in operation.get("requestBody", {}).get("content", {}).items():
            # A document cannot show bytes.
            assert ("example" in content) == (media != "application/wasm"), operation["operationId"]


def test_examples_keep_the_contract(one_app: Flask, spec: dict[str, Any]) -> None:
    contract = Contract(one_app)
    for method, path, operation in operations(spec):
        known = examples()[operation["operationId"]]
        pointer = f"/paths/{escaped(path)}/{method}"
        for media, content in operation.get("requestBody", {}).get("content", {}).items():
            if "example" not in content:
                continue
            shown = known["request"] if media == "application/json" else content["example"]
            contract.valid(shown, f"{pointer}/requestBody/content/{escaped(media)}/schema")
        for status, example in known["responses"].items():
            if status not in operation["responses"]:
                contract.valid(example, "/components/schemas/Problem")
                assert example["code"] in error_codes(operation["responses"]["default"], operation)
                continue
            for media in operation["responses"][status]["content"]:
                if media == "text/event-stream":
                    continue
                shown = known.get("texts", {}).get(media, example)
                contract.valid(shown, f"{pointer}/responses/{status}/content/{escaped(media)}/schema")


def test_examples_hold_no_secret() -> None:
    text = (ROOT / "api" / "examples.json").read_text()
    assert not re.search(r"btq_[ob]_[a-z0-9-]+_[A-Za-z0-9_-]{5}", text)
    assert ADMIN_TOKEN not in text


@pytest.mark.nightly("contract")
def test_the_story_of_the_examples_still_goes(one_app: Flask, clean_store: EmbeddedStore) -> None:
    from api.app import create_app
    from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings

    http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS), ping_seconds=0.1, upload_wait=600)
    app = create_app(Settings(clean_store.url, admin_token=ADMIN_TOKEN, http=http))
    captured = capture(app)
    assert {name: sorted(known["responses"]) for name, known in captured.items()} == {
        name: sorted(known["responses"]) for name, known in examples().items()
    }


def test_every_code_that_is_documented_is_in_the_list(spec: dict[str, Any]) -> None:
    problem = spec["components"]["responses"]["Problem"]
    documented = {code for _, _, operation in operations(spec) for code in error_codes(problem, operation)}
    assert {
        code: (int(status), meaning)
        for status, errors in problem["x-errors"].items()
        for code, meaning in errors.items()
    } == {code: (ERRORS[code].status, ERRORS[code].meaning) for code in documented}
    shown = problem["content"]["application/problem+json"]["examples"]
    assert {example["value"]["status"] for example in shown.values()} >= {401, 403, 404, 409, 422}
    assert all(example["value"]["code"] == code for code, example in shown.items())
    # The first two are answers to addresses and methods that are not an operation, the others to pages.
    of_pages = {"no_picture", "form_expired", "review_exists"}
    of_pages |= {"provider_unavailable", "sign_in_refused", "identity_in_use"}
    assert documented == ERRORS.keys() - {"not_found", "method_not_allowed"} - of_pages - {
        "invalid_clock",
        "invalid_nonce",
        "invalid_game",
    }


def test_yaml_reads_back(spec: dict[str, Any]) -> None:
    assert yaml.load(as_yaml(spec), yaml.CSafeLoader) == spec
