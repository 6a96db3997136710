"""Signatures by Standard Webhooks, against a published vector and an independent computation."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time

import pytest

from arena.webhook_messages.signing import InvalidSecret, headers, key_of, new_message_id, new_secret, sign
from tests.webhooks.parts import SECRET


def test_the_vector_of_standard_webhooks() -> None:
    """The one in the documentation of the scheme, by which receivers test themselves."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    signature = sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_signature_is_what_the_documentation_says() -> None:
    body = '{"name": "sete-belo ♦"}'.encode()
    key = base64.b64decode(SECRET[len("whsec_") :])
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in key.ljust(64, b"\0")) + b"msg_1.1700000000." + body)
    outer = hashlib.sha256(bytes(b ^ 0x5C for b in key.ljust(64, b"\0")) + inner.digest())
    assert sign(SECRET, "msg_1", 1700000000, body) == "v1," + base64.b64encode(outer.digest()).decode()


def test_every_key_signs_what_is_sent() -> None:
    other = new_secret()
    sent = headers([SECRET, other], b"{}")
    assert list(sent) == ["webhook-id", "webhook-timestamp", "webhook-signature"]
    assert abs(int(sent["webhook-timestamp"]) - time.time()) < 60
    first, second = sent["webhook-signature"].split(" ")
    for secret, signature in ((SECRET, first), (other, second)):
        signed = f"{sent['webhook-id']}.{sent['webhook-timestamp']}.{{}}".encode()
        digest = hmac.new(base64.b64decode(secret[6:]), signed, hashlib.sha256).digest()
        assert signature == "v1," + base64.b64encode(digest).decode()


def test_ids_and_secrets_are_new_each_time() -> None:
    ids = {new_message_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(re.fullmatch(r"msg_[0-9A-Za-z_-]{16,}", each) for each in ids)
    made = {new_secret() for _ in range(100)}
    assert len(made) == 100
    assert all(len(key_of(each)) == 32 for each in made)


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "whsec_",
        SECRET[6:],
        "whsec_" + "A" * 28,
        "whsec_" + "A" * 92,
        "whsec_!!!!" + "A" * 28,
        SECRET[:-1],
    ],
    ids=["empty", "no key", "no prefix", "too short", "too long", "not base64", "no padding"],
)
def test_invalid_secrets_are_rejected_and_not_repeated(secret: str) -> None:
    with pytest.raises(InvalidSecret) as caught:
        key_of(secret)
    assert "24 to 64 bytes" in str(caught.value)
    assert len(secret) < 10 or secret not in str(caught.value)
