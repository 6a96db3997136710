"""The ``webhooks`` of the OpenAPI document: the messages that the service posts to the URL of a bot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.operations.operation import JSON
from arena.webhooks.calling import MAX_REPLY

HEADERS: Final = {
    "webhook-id": "The id of this delivery attempt; a receiver must accept each id only once.",
    "webhook-timestamp": "Unix time in seconds; a receiver must reject a message that is more than five "
    "minutes off.",
    "webhook-signature": "A list separated by spaces; one item must match: `v1,` and the HMAC-SHA256, "
    "in base64, of id, timestamp and body, joined by full stops. The key is the part of the secret after "
    "`whsec_`, decoded from base64.",
}

_SENT: Final = {"type": "string", "format": "date-time", "description": "When the message was sent."}


def _message(type: str, data: Mapping[str, object], **more: object) -> Mapping[str, object]:
    properties = {"type": {"const": type, "type": "string"}, "timestamp": _SENT, "data": data, **more}
    return {"type": "object", "properties": properties, "required": ["type", "timestamp", "data"]}


def _post(
    id: str, summary: str, description: str, body: Mapping[str, object], responses: Mapping[str, object]
) -> Mapping[str, object]:
    json = {JSON: {"schema": body}}
    parameters = [{"$ref": f"#/components/parameters/{name}"} for name in HEADERS]
    return {
        "post": {
            "operationId": id,
            "summary": summary,
            "description": description,
            "tags": ["webhooks"],
            "security": [],
            "parameters": parameters,
            "requestBody": {"required": True, "content": json},
            "responses": responses,
        }
    }


def _reply(description: str, name: str, value: Mapping[str, object]) -> Mapping[str, object]:
    schema = {"type": "object", "properties": {name: value}, "required": [name]}
    return {"description": description, "content": {JSON: {"schema": schema}}}


def add_webhooks(spec: dict[str, Any]) -> None:
    """Add the messages to a document."""
    about = "Messages to the URL of a webhook bot; see the page on webhooks."
    spec["tags"].append({"name": "webhooks", "description": about})
    for name, description in HEADERS.items():
        parameter = {"in": "header", "name": name, "required": True, "schema": {"type": "string"}}
        spec["components"]["parameters"][name] = {**parameter, "description": description}
    action = {"type": ["string", "null"], "description": "A legal action; null declines an optional turn."}
    again = {"description": "Without a 2xx reply within 30 seconds, the turn is sent again while it is open."}
    challenge = {"type": "string", "description": "A random text."}
    spec["webhooks"] = {
        "turn": _post(
            "deliverTurn",
            "A turn for the bot",
            "A turn can arrive more than once: store the decision under the turn's id. "
            "Optional turns are sent only if the version has `rights`.",
            _message(
                "turn",
                {"$ref": "#/components/schemas/Turn"},
                refused={
                    "type": "object",
                    "description": "Why the previous answer was refused: its `status`, the `legal_actions` "
                    "and the number of `faults`.",
                },
            ),
            {
                "200": _reply(f"The answer, at most {MAX_REPLY} bytes.", "action", action),
                "204": {"description": "The optional turn is declined."},
                "default": again,
            },
        ),
        "ping": _post(
            "deliverPing",
            "A check before the URL is registered",
            "The reply must arrive within 5 seconds.",
            _message(
                "ping", {"type": "object", "properties": {"challenge": challenge}, "required": ["challenge"]}
            ),
            {
                "200": _reply("The same challenge.", "challenge", challenge),
                "default": {"description": "The URL is not registered."},
            },
        ),
    }
