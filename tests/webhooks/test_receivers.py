"""The sample receivers: they answer what is genuine, once, and nothing else."""

from __future__ import annotations

import http.client
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest

from arena.webhook_messages.signing import headers, new_secret, sign
from tests.waiting import PATIENCE
from tests.webhooks.parts import SECRET, node_receiver, python_receiver

TURN = {"turn": "g1.0.1", "optional": False, "legal_actions": ["play:TS", "play:7D"]}
BODY = json.dumps({"type": "turn", "timestamp": "2026-11-21T12:00:00.000Z", "data": TURN}).encode()

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


@pytest.fixture(
    params=["python", pytest.param("node", marks=(needs_node, pytest.mark.system))], scope="module"
)
def receiver(request: pytest.FixtureRequest) -> Iterator[str]:
    with python_receiver() if request.param == "python" else node_receiver() as url:
        yield url


def post(url: str, sent: dict[str, str], body: bytes = BODY) -> tuple[int, Any]:
    """The status of the reply and its JSON."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
    with closing(connection):
        connection.request("POST", "/", body, sent)
        response = connection.getresponse()
        content = response.read()
        return response.status, json.loads(content) if content else None


def signed(message_id: str, timestamp: int, body: bytes = BODY, secret: str = SECRET) -> dict[str, str]:
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secret, message_id, timestamp, body),
    }


def test_a_genuine_message_is_answered(receiver: str) -> None:
    assert post(receiver, headers([SECRET], BODY)) == (200, {"action": "play:TS"})
    ping = b'{"type":"ping","data":{"challenge":"abc"}}'
    assert post(receiver, headers([SECRET], ping), ping) == (200, {"challenge": "abc"})
    right = json.dumps({"type": "turn", "data": {**TURN, "optional": True}}).encode()
    assert post(receiver, headers([SECRET], right), right) == (200, {"action": None})


def test_a_decision_that_fails_is_the_default_action(receiver: str) -> None:
    for number in (1, 2):
        # Nothing can be chosen from an empty list.
        turn = {**TURN, "turn": f"g1.0.{number}", "legal_actions": [], "default_action": "play:7D"}
        body = json.dumps({"type": "turn", "data": turn}).encode()
        assert post(receiver, headers([SECRET], body), body) == (200, {"action": "play:7D"})


def test_one_good_signature_among_several_is_enough(receiver: str) -> None:
    assert post(receiver, headers([new_secret(), SECRET], BODY))[0] == 200


def test_a_wrong_signature_is_refused(receiver: str) -> None:
    good = headers([SECRET], BODY)
    wrong = {"error": "wrong signature"}
    assert post(receiver, headers([new_secret()], BODY)) == (401, wrong)
    assert post(receiver, good, BODY.replace(b"7D", b"8D")) == (401, wrong)
    assert post(receiver, {**good, "webhook-id": "msg_other"}) == (401, wrong)
    assert post(receiver, {**good, "webhook-timestamp": str(int(time.time()) + 1)}) == (401, wrong)
    for signature in (
        "",
        "v1,",
        "v1",
        "v2," + good["webhook-signature"][3:],
        good["webhook-signature"][3:],
        "é",
    ):
        sent = {**good, "webhook-signature": signature.encode("utf-8").decode("latin-1")}
        assert post(receiver, sent) == (401, wrong), signature
    for name in good:
        assert post(receiver, {key: value for key, value in good.items() if key != name}) == (401, wrong)
    assert post(receiver, {}) == (401, wrong)
    # None of these has used it up.
    assert post(receiver, good)[0] == 200


def test_a_repeated_message_is_rejected(receiver: str) -> None:
    sent = headers([SECRET], BODY)
    assert post(receiver, sent)[0] == 200
    assert post(receiver, sent) == (401, {"error": "seen before"})
    again = signed(sent["webhook-id"], int(time.time()) + 2)
    assert post(receiver, again) == (401, {"error": "seen before"})
    assert post(receiver, headers([SECRET], BODY))[0] == 200


@pytest.mark.parametrize("seconds", [-3600, -330, 330, 3600])
def test_an_old_message_is_refused(receiver: str, seconds: int) -> None:
    sent = signed(f"msg_old{seconds}", int(time.time()) + seconds)
    assert post(receiver, sent) == (401, {"error": "too old or too new"})


def test_a_message_within_the_tolerance_is_answered(receiver: str) -> None:
    assert post(receiver, signed("msg_late", int(time.time()) - 200))[0] == 200
