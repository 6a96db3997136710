"""A check for Schemathesis, whose own ones take any status for documented that ``default`` covers."""

from __future__ import annotations

import json
from typing import Any

import schemathesis
from schemathesis.specs.openapi.checks import is_unexpected_http_status_case


@schemathesis.check
def listed_reply(ctx: Any, response: Any, case: Any) -> None:
    """A success has a status that the operation lists, and an error a code."""
    operation = case.operation.definition.raw
    if is_unexpected_http_status_case(case):
        return
    if response.status_code < 400:
        assert str(response.status_code) in operation["responses"], f"{response.status_code} is not listed"
    elif response.content:
        code = json.loads(response.content)["code"]
        problem = case.operation.schema.raw_schema["components"]["responses"]["Problem"]
        assert code in problem["x-error-codes"] + operation["x-error-codes"], f"{code} is not listed"
