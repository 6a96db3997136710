"""The test vectors of ``docs/fair-deals.md``. ``python tests/dealing/dealing_vectors.py`` writes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.games.cards import pack
from arena.games.kernel import Chance
from arena.play.dealing import Dealer, Entry, bot_seed, commitment, entries_hash, game_seed, group_seed

PAGE = Path(__file__).parents[2] / "docs" / "fair-deals.md"
START, END = "<!-- vectors -->\n", "<!-- /vectors -->"

SEED = bytes(range(32))
NONCES = ["north", "", "x7!", "0123456789abcdef"]
REJECTING_HAND = 15021834
"""With this seed and these nonces the first word of this hand's deal of 40 cards is rejected."""

TRUCO_PACK = pack("4567QJKA23")
CLEAN_PACK = pack("QJKA23")
TOEPEN_PACK = pack("JQKA789T")


def vectors() -> dict[str, Any]:
    """All vectors, by function: the arguments and the result of each call."""
    return {
        "commitment": [{"seed": SEED.hex(), "commitment": commitment(SEED)}],
        "chance": [
            _chance(SEED, NONCES, "dealer", 1, ["0", "1", "2", "3"]),
            *(_chance(SEED, NONCES, "deal", hand, TRUCO_PACK) for hand in (1, 2, REJECTING_HAND)),
            _chance(SEED, ["a", "b"], "deal", 1, CLEAN_PACK),
            _chance(SEED, ["", "", ""], "dealer", 1, ["0", "1", "2"]),
            _chance(SEED, ["", "", ""], "deal", 1, TOEPEN_PACK),
            _chance(bytes(32), ["", ""], "deal", 1, TOEPEN_PACK),
        ],
        "entries": [_entries([]), _entries([["zé", "2", "abc"], ["rookie", "1", ""], ["ali", "10", "~"]])],
        "group_seed": [_group("t1/r1/g1", 0), _group("t1/r1/g1", 1), _group("über", 0)],
        "game_seed": [_game(0, True), _game(1, True), _game(0, False), _game(1, False)],
        "bot_seed": [
            {"seed": SEED.hex(), "seat": seat, "bot_seed": f"{bot_seed(SEED, seat):064x}"} for seat in (0, 3)
        ],
    }


def _chance(seed: bytes, nonces: list[str], kind: str, hand: int, items: Sequence[str]) -> dict[str, Any]:
    action = Dealer(seed, nonces).action(Chance(kind, hand, items))
    return {
        "seed": seed.hex(),
        "nonces": nonces,
        "kind": kind,
        "hand": hand,
        "items": " ".join(items),
        "action": action,
    }


def _entries(entries: list[list[str]]) -> dict[str, Any]:
    return {"entries": entries, "hash": entries_hash(Entry(*entry) for entry in entries).hex()}


def _group(group_id: str, attempt: int) -> dict[str, Any]:
    entries = entries_hash([])
    return {
        "event_seed": SEED.hex(),
        "entries": entries.hex(),
        "group": group_id,
        "attempt": attempt,
        "group_seed": group_seed(SEED, entries, group_id, attempt).hex(),
    }


def _game(index: int, mirrored: bool) -> dict[str, Any]:
    return {
        "group_seed": SEED.hex(),
        "index": index,
        "mirrored": mirrored,
        "game_seed": game_seed(SEED, index, mirrored).hex(),
    }


def block() -> str:
    """The vectors as they stand on the page: one call per line."""
    parts = [
        f'"{name}": [\n' + ",\n".join(json.dumps(call, ensure_ascii=False) for call in calls) + "\n]"
        for name, calls in vectors().items()
    ]
    return "```json\n{\n" + ",\n".join(parts) + "\n}\n```\n"


def on_page() -> str:
    """The block that is on the page now."""
    return PAGE.read_text(encoding="utf-8").split(START)[1].split(END)[0]


def main() -> None:
    """Write the vectors to the page."""
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    after = rest.split(END)[1]
    PAGE.write_text(before + START + block() + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
