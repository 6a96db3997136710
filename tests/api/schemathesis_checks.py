"""A check for Schemathesis, whose own ones take any status for documented that ``default`` covers, and hooks
for replayed replies.
"""

from __future__ import annotations

import json
from typing import Any

import schemathesis
from schemathesis.openapi.checks import EnsureResourceAvailability
from schemathesis.specs.openapi.checks import is_unexpected_http_status_case

_replayed: list[bytes] = []


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    """Remember replayed replies, because the resources that they name may have been deleted since."""
    if "idempotent-replayed" in response.headers:
        _replayed.append(response.content)


@schemathesis.hook
def filter_failure(context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Ignore that a created resource is missing if the reply that named it was a replay."""
    ids = [str(value).encode() for value in (case.path_parameters or {}).values()]
    return not isinstance(failure, EnsureResourceAvailability) or not any(
        name in reply for name in ids for reply in _replayed
    )


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
