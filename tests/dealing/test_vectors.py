"""The vectors on the page, computed by the arena and by two programs that know only the page."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import dealing_vectors
import independent_dealing
import pytest

from arena.games.kernel import Chance
from arena.play.dealing import Dealer, Entry, bot_seed, entries_hash, group_seed
from tests.waiting import PATIENCE

PACKS = [dealing_vectors.TRUCO_PACK, dealing_vectors.CLEAN_PACK, dealing_vectors.TOEPEN_PACK]
RESULTS = ("commitment", "action", "hash", "group_seed", "game_seed", "bot_seed")


def result_of(function: str, call: dict[str, Any]) -> dict[str, str]:
    """The part of a vector that is computed. (``group_seed`` is an argument of ``game_seed``.)"""
    return {
        name: call[name]
        for name in RESULTS
        if name in call and (function, name) != ("game_seed", "group_seed")
    }


def expected(calls: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, str]]]:
    return {name: [result_of(name, call) for call in group] for name, group in calls.items()}


def page_vectors() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(
        dealing_vectors.on_page().removeprefix("```json\n").removesuffix("```\n")
    )
    return loaded


def random_calls(count: int) -> dict[str, list[dict[str, Any]]]:
    """Further vectors by the arena's code, for arguments of all sorts."""
    rng = random.Random(20)
    visible = [chr(code) for code in range(33, 127)]
    calls: dict[str, list[dict[str, Any]]] = {"chance": [], "group_seed": [], "bot_seed": [], "entries": []}
    for _ in range(count):
        seed = rng.randbytes(32)
        seats = rng.randint(2, 8)
        nonces = ["".join(rng.choices(visible, k=rng.randint(0, 64))) for _ in range(seats)]
        kind = rng.choice(["dealer", "deal"])
        items = [str(seat) for seat in range(seats)]
        if kind == "deal":
            items = list(rng.choice(PACKS))
        hand = rng.randint(1, 300)
        action = Dealer(seed, nonces).action(Chance(kind, hand, items))
        arguments = {"seed": seed.hex(), "nonces": nonces, "kind": kind, "hand": hand}
        calls["chance"].append({**arguments, "items": " ".join(items), "action": action})
        entered = [
            [rng.choice("abçé€🂡") * rng.randint(1, 3), str(n), nonce] for n, nonce in enumerate(nonces)
        ]
        digest = entries_hash(Entry(*entry) for entry in entered)
        calls["entries"].append({"entries": entered, "hash": digest.hex()})
        arguments = {
            "event_seed": seed.hex(),
            "entries": digest.hex(),
            "group": entered[0][0],
            "attempt": hand,
        }
        calls["group_seed"].append(
            {**arguments, "group_seed": group_seed(seed, digest, entered[0][0], hand).hex()}
        )
        calls["bot_seed"].append(
            {"seed": seed.hex(), "seat": seats, "bot_seed": f"{bot_seed(seed, seats):064x}"}
        )
    return calls


def test_the_page_has_the_vectors_of_this_code() -> None:
    assert dealing_vectors.on_page() == dealing_vectors.block()


@pytest.mark.parametrize("calls", [page_vectors(), random_calls(200)], ids=["page", "random"])
def test_python_from_the_page(calls: dict[str, list[dict[str, Any]]]) -> None:
    computed = {
        name: [getattr(independent_dealing, name)(call) for call in group] for name, group in calls.items()
    }
    assert computed == expected(calls)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("calls", [page_vectors(), random_calls(200)], ids=["page", "random"])
@pytest.mark.system
def test_javascript_from_the_page(calls: dict[str, list[dict[str, Any]]]) -> None:
    program = Path(__file__).with_name("independent_dealing.mjs")
    run = subprocess.run(
        ["node", str(program)],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert json.loads(run.stdout) == expected(calls)


def test_the_rejecting_vector_rejects() -> None:
    call = page_vectors()["chance"][3]
    message = independent_dealing.text("botequim deal v1") + independent_dealing.num(call["hand"])
    message += independent_dealing.num(len(call["nonces"]))
    message += b"".join(independent_dealing.text(nonce) for nonce in call["nonces"])
    key = independent_dealing.mac(bytes.fromhex(call["seed"]), message)
    assert independent_dealing.Stream(key).word() == 0xFFFFFFFE >= 2**32 - 2**32 % 40
