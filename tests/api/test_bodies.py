"""What is refused before it is read or parsed, and what counts against a limit."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from io import BytesIO

import pytest

from api.app import create_app
from api.http.bodies import BodyIntake, check_shape
from api.http.connections import client_of
from api.http.descriptors import RESERVED, connections_within
from api.http.edge import SMALL_BODY
from api.http.errors import HttpError, MalformedJson
from arena.ops.settings import HttpSettings, Limit, Settings
from arena.sandbox.limits import DEFAULT_LIMITS
from tests.api.conftest import Account
from tests.api.contract import ContractClient, contract_client
from tests.sandbox import modules

BOT = "\ndef choose(turn):\n    return None\n"
BRACKETS = "x = '" + "[{" * 499_900 + "'" + BOT
"""Almost the longest source in JSON, full of brackets."""

LISTS = "x = " + "[],\\\n" * (DEFAULT_LIMITS.source_bytes // 5 - 20) + "0" + BOT
"""Almost the longest source, full of lists."""


# JSON


@pytest.mark.parametrize(
    "text",
    [
        '{"source": "%s"}' % ("[{,:" * 1000),
        '{"source": "%s"}' % ('\\"[' * 1000),
        '{"source": "\\\\", "label": "%s"}' % ("[" * 1000),
        '{"source": "%s", "a": [[1]]}' % ("\\\\" * 1000),
        "[" + ",".join(['{"turn": "t", "action": "a"}'] * 6) + "]",
        "[" * 8 + "]" * 8,
        '"' + '\\"' * 1000 + '"',
    ],
)
def test_what_may_be_parsed(text: str) -> None:
    json.loads(text)
    check_shape(text.encode(), 8, 20)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 9 + "]" * 9, "nested"),
        ('{"a":' * 9 + "1" + "}" * 9, "nested"),
        ('{"a": "\\\\", "b": ' + "[" * 9 + "]" * 9 + "}", "nested"),
        ('{"a": "\\"", "b": ' + "[" * 9 + "]" * 9 + "}", "nested"),
        ("[" + "1," * 20 + "1]", "values"),
        ("[" + "[]," * 11 + "1]", "values"),
        ("{" + ",".join(f'"k{n}":1' for n in range(21)) + "}", "values"),
        ("[" + '"",' * 21 + "1]", "values"),
        ("]" * 100, "values"),
        ('"' * 100, "values"),
    ],
)
def test_what_is_not_parsed(text: str, told: str) -> None:
    with pytest.raises(MalformedJson, match=told):
        check_shape(text.encode(), 8, 20)


def test_too_many_values(anybody: ContractClient) -> None:
    body = json.dumps({"name": [1] * 1001})
    response = anybody.post("/v1/owners", data=body, content_type="application/json")
    assert (response.status_code, response.json["code"]) == (400, "malformed_json")
    assert response.json["expected"] == "at most 1000 values"


# Uploads


@pytest.mark.usefixtures("checker")
def test_a_source_is_taken_whatever_it_contains(owner: Account) -> None:
    body = {"name": "brackets", "transport": "uploaded", "source": BRACKETS}
    assert owner.client.post("/v1/bots", json=body).status_code == 201
    told = owner.client.get("/v1/bots/brackets/versions/1/source").json
    assert told["source"] == BRACKETS


@pytest.mark.usefixtures("checker")
def test_files_are_taken_as_they_are(owner: Account) -> None:
    made = owner.client.post(
        "/v1/bots?name=lists&description=Full%20of%20lists", data=LISTS, content_type="text/x-python"
    )
    assert made.status_code == 201, made.text
    assert made.json["bot"]["description"] == "Full of lists"
    module = modules.PLAYS
    added = owner.client.post("/v1/bots/lists/versions?label=2", data=module, content_type="application/wasm")
    assert (added.status_code, added.json["language"]) == (201, "module")
    assert owner.client.get("/v1/bots/lists/versions/1/source").json["source"] == LISTS
    shown = owner.client.get("/v1/bots/lists/versions/2/source").json
    assert shown["module"] == b64encode(module).decode()


@pytest.mark.parametrize(
    ("query", "media", "data", "status", "field"),
    [
        ("", "text/x-python", b"x = 1", 422, "label"),
        ("?label=2&transport=uploaded", "text/x-python", b"x = 1", 422, "transport"),
        ("?label=2", "text/plain", b"x = 1", 415, "Content-Type"),
        ("?label=2", "application/json", b"{}", 422, "Content-Type"),
        ("?label=2", "text/x-python", b"\xff", 422, "source"),
        ("?label=2", "text/x-python", b" \n", 422, "source"),
        ("?label=2", "text/x-python", b"#" * (DEFAULT_LIMITS.source_bytes + 1), 413, None),
        ("?label=2", "application/wasm", b"\0asm", 422, "module"),
    ],
)
def test_files_that_are_not_taken(
    owner: Account,
    register: Callable[..., Account],
    query: str,
    media: str,
    data: bytes,
    status: int,
    field: str | None,
) -> None:
    register("first")
    response = owner.client.post(f"/v1/bots/first/versions{query}", data=data, content_type=media)
    assert response.status_code == status
    assert response.json.get("field") == field


def test_a_module_too_large_for_json_is_told_how_to_come(owner: Account) -> None:
    body = {"name": "large", "transport": "uploaded", "module": "A" * 1_000_000}
    response = owner.client.post("/v1/bots", json=body)
    assert response.status_code == 413
    assert "application/wasm" in response.json["detail"]


# What is being read


def body_of(data: bytes, address: str = "192.0.2.1") -> dict[str, object]:
    return {"CONTENT_LENGTH": str(len(data)), "wsgi.input": BytesIO(data), "REMOTE_ADDR": address}


class Meanwhile(BytesIO):
    """A body during whose arrival something else happens."""

    def __init__(self, data: bytes, event: Callable[[], object]) -> None:
        super().__init__(data)
        self._event = event

    def read(self, size: int | None = -1, /) -> bytes:
        self._event()
        return super().read(size)


def test_large_bodies_that_arrive_are_limited_by_size() -> None:
    intake = BodyIntake(HttpSettings(body_memory=1_000_000))
    codes: list[str] = []

    def tried(size: int, address: str) -> None:
        try:
            intake.read(body_of(bytes(size), address), 1_000_000)
        except HttpError as error:
            codes.append(error.code)
        else:
            codes.append("read")

    def others() -> None:
        tried(200_000, "192.0.2.1")
        tried(SMALL_BODY, "192.0.2.1")
        within(2)

    def within(last: int) -> None:
        if last == 4:
            tried(250_000, "192.0.2.9")
            tried(1, "192.0.2.10")
            tried(SMALL_BODY + 1, "192.0.2.10")
        else:
            environ = body_of(bytes(250_000), f"192.0.2.{last}")
            environ["wsgi.input"] = Meanwhile(bytes(250_000), lambda: within(last + 1))
            intake.read(environ, 1_000_000)

    environ = body_of(bytes(250_000))
    environ["wsgi.input"] = Meanwhile(bytes(250_000), others)
    assert len(intake.read(environ, 1_000_000)) == 250_000
    # One address has a quarter of the room; three of them leave a quarter to others.
    assert codes == ["too_many_unfinished", "read", "read", "read", "read"]
    assert intake.read(body_of(bytes(250_000)), 1_000_000)


def test_a_body_that_is_cut_off() -> None:
    environ = {**body_of(b"12345"), "CONTENT_LENGTH": "6"}
    with pytest.raises(HttpError, match="ended after 5 bytes"):
        BodyIntake(HttpSettings()).read(environ, 100)


# Limits


def limited(settings: Settings, token: str | None = None, **limits: Limit) -> ContractClient:
    http = HttpSettings(limits={**settings.http.limits, **limits}, proxies=1)
    return contract_client(create_app(Settings(settings.redis_url, http=http)), token)


class Unread(BytesIO):
    """A body that must not be read."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise AssertionError("the body was read")


def test_limits_count_before_the_body_is_read(settings: Settings, owner: Account) -> None:
    client = limited(settings, owner.token, uploads_per_owner=Limit(2, 600))
    owner.client.post("/v1/bots", json={"name": "first"})
    for data in (b"[" * 50, b"{}"):
        response = client.post("/v1/bots/first/versions", data=data, content_type="application/json")
        assert response.status_code in (400, 422)
    response = client.post(
        "/v1/bots/first/versions", input_stream=Unread(), content_length=1000, content_type="application/json"
    )
    assert response.json["code"] == "rate_limited"
    assert response.json["limit"] == "uploads_per_owner"


def test_refused_sign_ups_count(settings: Settings, anybody: ContractClient) -> None:
    client = limited(settings, sign_ups_per_address=Limit(2, 600))
    statuses = [client.post("/v1/owners", json={"name": name}).status_code for name in ("ana", "ana", "rui")]
    assert statuses == [201, 409, 429]


def test_every_form_of_a_wrong_token_counts(settings: Settings, anybody: ContractClient) -> None:
    client = limited(settings, requests_per_address=Limit(2, 600))
    statuses = [
        client.get("/v1/bots", headers={"Authorization": text}).status_code
        for text in ("Basic abc", "Bearer btq_o_ana_x", "Bearer", "Basic abc")
    ]
    assert statuses == [401, 401, 429, 429]


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("somewhere", "somewhere"),
    ],
)
def test_whom_an_address_belongs_to(address: str, client: str) -> None:
    assert client_of(address) == client


def test_an_ipv6_network_is_one_address(settings: Settings, anybody: ContractClient) -> None:
    client = limited(settings, sign_ups_per_address=Limit(1, 600))
    statuses = [
        client.post("/v1/owners", json={"name": f"ana-{n}"}, headers={"X-Forwarded-For": address}).status_code
        for n, address in enumerate(("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"))
    ]
    assert statuses == [201, 429, 201]


def test_the_descriptors_of_a_process_limit_its_connections() -> None:
    assert connections_within(100_000, 10_000, 64) == 10_000
    assert connections_within(1024, 10_000, 64) == 1024 - RESERVED - 64 - 128
    assert connections_within(100, 10_000, 64) == 1
