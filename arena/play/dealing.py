"""Fair deals: everything random about a game follows from its seed, its nonces and the hand number.

The construction is language-neutral and documented, with test vectors, in ``docs/fair-deals.md``. All
functions are pure. Seeds are 32 bytes long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from hmac import digest as hmac_digest
from itertools import count
from struct import Struct
from typing import Final, NamedTuple

from arena.errors import ArenaError
from arena.games.kernel import Chance

SEED_BYTES: Final = 32

NONCE_PATTERN: Final = "^[!-~]{0,64}$"
"""What a nonce may be: up to 64 visible ASCII characters, so that it is the same bytes everywhere."""

_nonce_matches = re.compile(NONCE_PATTERN.replace("$", r"\Z")).match
_word_block = Struct(">8I").unpack


class InvalidSeed(ArenaError):
    """Raised for a seed that is not 32 bytes long."""

    code = "invalid_seed"


class InvalidNonce(ArenaError):
    """Raised for a nonce with characters that are not visible ASCII, or more than 64 of them."""

    code = "invalid_nonce"


class Entry(NamedTuple):
    """One entry of an event at its lock: the player's name and version, and the nonce of its owner."""

    name: str
    version: str
    nonce: str = ""


def check_nonce(nonce: object, field: str = "nonce") -> str:
    """Return ``nonce`` unchanged. Raises :class:`InvalidNonce`, naming ``field``, if it is not a nonce."""
    if not isinstance(nonce, str) or not _nonce_matches(nonce):
        raise InvalidNonce(
            "this is not a valid nonce",
            field=field,
            expected="text of at most 64 visible ASCII characters, no spaces",
        )
    return nonce


def commitment(seed: bytes) -> str:
    """Return the SHA-256 of the seed in hexadecimal, which is published before the first card."""
    return sha256(_checked(seed)).hexdigest()


class Dealer:
    """The source of chance of one game.

    Raises :class:`InvalidSeed` or :class:`InvalidNonce`.
    """

    def __init__(self, seed: bytes, nonces: Sequence[str]) -> None:
        self._seed = _checked(seed)
        checked = [check_nonce(nonce, f"nonces[{seat}]") for seat, nonce in enumerate(nonces)]
        self._nonces = _encode(len(checked), *checked)

    def action(self, chance: Chance) -> str:
        """Return the action of chance: ``dealer:<seat>`` or ``deal:<cards>``, the top card first."""
        purpose = _encode(f"botequim {chance.kind} v1", chance.hand)
        words = _words(hmac_digest(self._seed, purpose + self._nonces, "sha256"))
        if chance.kind == "dealer":
            return f"dealer:{chance.items[_below(words, len(chance.items))]}"
        cards = list(chance.items)
        for last in range(len(cards) - 1, 0, -1):
            chosen = _below(words, last + 1)
            cards[last], cards[chosen] = cards[chosen], cards[last]
        return "deal:" + "".join(cards)


def entries_hash(entries: Iterable[Entry]) -> bytes:
    """Return the 32-byte hash of an event's entries with their nonces, independent of their order."""
    encoded = sorted(
        _encode(entry.name, entry.version, check_nonce(entry.nonce, f"nonce of {entry.name}"))
        for entry in entries
    )
    return sha256(_encode("botequim entries v1", len(encoded)) + b"".join(encoded)).digest()


def group_seed(event_seed: bytes, entries: bytes, group_id: str, attempt: int = 0) -> bytes:
    """Return the seed of a group of games. ``entries`` is the :func:`entries_hash` of the event; ``attempt``
    says how often the group was void before.
    """
    message = _encode("botequim group v1") + _checked(entries) + _encode(group_id, attempt)
    return hmac_digest(_checked(event_seed), message, "sha256")


def game_seed(group_seed: bytes, index: int, mirrored: bool) -> bytes:
    """Return the seed of game ``index`` (from 0) of a group. In a mirrored group, all games share the group's
    seed.
    """
    if mirrored:
        return _checked(group_seed)
    return hmac_digest(_checked(group_seed), _encode("botequim game v1", index), "sha256")


def bot_seed(seed: bytes, seat: int) -> int:
    """Return a 256-bit number that seeds the randomness of the bot on ``seat``, as for ``random.Random``.

    It reveals nothing about the seed or the other seats' numbers.
    """
    return int.from_bytes(hmac_digest(_checked(seed), _encode("botequim bot v1", seat), "sha256"))


def shown_game_id(seed: bytes, game_id: str) -> str:
    """Return the id of an arena-run game of a mirrored group as its bots see it: 18 hexadecimal digits. It
    reveals nothing about the game's place in a tournament, and differs in each game of the group.
    """
    return hmac_digest(_checked(seed), _encode("botequim shown game v1", game_id), "sha256")[:9].hex()


def _checked(seed: bytes) -> bytes:
    if len(seed) != SEED_BYTES:
        raise InvalidSeed(
            f"the seed has {len(seed)} bytes",
            field="seed",
            expected=f"{SEED_BYTES} bytes (64 hexadecimal digits)",
        )
    return seed


def _encode(*parts: str | int) -> bytes:
    """Encode numbers as 4 bytes, big-endian, and texts as their length in UTF-8 bytes followed
    by the bytes.
    """
    encoded = []
    for part in parts:
        if isinstance(part, str):
            data = part.encode()
            encoded.append(len(data).to_bytes(4) + data)
        else:
            encoded.append(part.to_bytes(4))
    return b"".join(encoded)


def _words(key: bytes) -> Iterator[int]:
    """Yield uniform 32-bit words: SHA-256 of the key and a 32-bit block counter, eight words per block."""
    for counter in count():
        yield from _word_block(sha256(key + counter.to_bytes(4)).digest())


def _below(words: Iterator[int], bound: int) -> int:
    """Return a uniform number from 0 to ``bound - 1``. Words that would favour small numbers are rejected."""
    limit = (1 << 32) - (1 << 32) % bound
    while (word := next(words)) >= limit:
        pass
    return word % bound
