"""The deals once more, written from ``docs/fair-deals.md`` alone; nothing of the arena is imported."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any


def num(n: int) -> bytes:
    return bytes([n >> 24 & 255, n >> 16 & 255, n >> 8 & 255, n & 255])


def text(s: str) -> bytes:
    return num(len(s.encode("utf-8"))) + s.encode("utf-8")


def mac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


class Stream:
    def __init__(self, key: bytes) -> None:
        self.key, self.block, self.left = key, 0, b""

    def word(self) -> int:
        if not self.left:
            self.left = hashlib.sha256(self.key + num(self.block)).digest()
            self.block += 1
        taken, self.left = self.left[:4], self.left[4:]
        return int(taken.hex(), 16)

    def below(self, n: int) -> int:
        while True:
            word = self.word()
            if word < 2**32 - (2**32 % n):
                return word % n


def chance(call: dict[str, Any]) -> dict[str, str]:
    message = text("botequim " + call["kind"] + " v1") + num(call["hand"]) + num(len(call["nonces"]))
    for nonce in call["nonces"]:
        message += text(nonce)
    stream = Stream(mac(bytes.fromhex(call["seed"]), message))
    items = call["items"].split(" ")
    if call["kind"] == "dealer":
        return {"action": "dealer:" + items[stream.below(len(items))]}
    last = len(items) - 1
    while last >= 1:
        at = stream.below(last + 1)
        items[at], items[last] = items[last], items[at]
        last -= 1
    return {"action": "deal:" + "".join(items)}


def entries(call: dict[str, Any]) -> dict[str, str]:
    encoded = sorted(text(name) + text(version) + text(nonce) for name, version, nonce in call["entries"])
    message = text("botequim entries v1") + num(len(encoded)) + b"".join(encoded)
    return {"hash": hashlib.sha256(message).hexdigest()}


def group_seed(call: dict[str, Any]) -> dict[str, str]:
    message = text("botequim group v1") + bytes.fromhex(call["entries"])
    message += text(call["group"]) + num(call["attempt"])
    return {"group_seed": mac(bytes.fromhex(call["event_seed"]), message).hex()}


def game_seed(call: dict[str, Any]) -> dict[str, str]:
    if call["mirrored"]:
        return {"game_seed": call["group_seed"]}
    message = text("botequim game v1") + num(call["index"])
    return {"game_seed": mac(bytes.fromhex(call["group_seed"]), message).hex()}


def bot_seed(call: dict[str, Any]) -> dict[str, str]:
    return {"bot_seed": mac(bytes.fromhex(call["seed"]), text("botequim bot v1") + num(call["seat"])).hex()}


def commitment(call: dict[str, Any]) -> dict[str, str]:
    return {"commitment": hashlib.sha256(bytes.fromhex(call["seed"])).hexdigest()}
