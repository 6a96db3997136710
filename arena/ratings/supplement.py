"""The supplement of a leaderboard: what it needs beyond its records, because no record contains it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from arena.errors import ArenaError
from arena.play.board_names import BoardName
from arena.play.players import DIVISIONS

FORMAT: Final = 1
"""The version of the format of supplements."""

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class InvalidSupplement(ArenaError):
    """The document is not a supplement of this format."""

    code = "invalid_supplement"


@dataclass(frozen=True)
class Supplement:
    """The supplement of one board. ``withdrawn`` are the bots that get no new games, because their owners
    have withdrawn or deleted them. They are stored as :func:`name_digest`, so that names that were hidden
    after the games cannot be read here.
    """

    withdrawn: frozenset[str] = frozenset()

    @classmethod
    def of(cls, withdrawn: Iterable[str]) -> Supplement:
        """Return the supplement for the names of the withdrawn bots."""
        return cls(frozenset(map(name_digest, withdrawn)))

    def is_withdrawn(self, name: str) -> bool:
        """Return whether the bot ``name`` is withdrawn."""
        return name_digest(name) in self.withdrawn

    @property
    def hash(self) -> str:
        """The SHA-256 of the content: JSON with sorted keys, without spaces."""
        content = json.dumps(self._content(), sort_keys=True, separators=(",", ":"))
        return sha256(content.encode()).hexdigest()

    def as_json(self, board: BoardName) -> dict[str, Any]:
        """Return the published form, which names the board and contains the hash."""
        return {**board._asdict(), **self._content(), "hash": self.hash}

    def _content(self) -> dict[str, Any]:
        return {"format": FORMAT, "withdrawn": sorted(self.withdrawn)}

    @classmethod
    def from_json(cls, data: object) -> tuple[BoardName, Supplement]:
        """Return the board and the supplement from the output of :meth:`as_json`.

        Raises :class:`InvalidSupplement`, :class:`~arena.errors.UnknownGame` and
        :class:`~arena.errors.UnknownPreset`.
        """
        if not isinstance(data, Mapping):
            raise _invalid("a supplement is a JSON object", "", "an object")
        for name in ("kind", "division", "preset", "hash"):
            if not isinstance(data.get(name), str):
                raise _invalid(f"{name} is not a text", name, "a text")
        if data["division"] not in DIVISIONS:
            raise _invalid(
                f"there is no division {data['division'][:80]!r}",
                "division",
                "one of " + ", ".join(DIVISIONS),
            )
        if data.get("format") != FORMAT or isinstance(data["format"], bool):
            raise _invalid("the supplement has another format", "format", f"{FORMAT}")
        digests = data.get("withdrawn")
        if not isinstance(digests, list) or not all(map(_is_digest, digests)):
            raise _invalid("withdrawn is not a list of digests", "withdrawn", "64 hexadecimal digits each")
        found = cls(frozenset(digests))
        if found.hash != data["hash"]:
            raise _invalid("the supplement does not match its hash", "hash", found.hash)
        return BoardName.of(data["kind"], data["division"], data["preset"]), found


NO_SUPPLEMENT: Final = Supplement()
"""The supplement of a board of which nothing but its records is known."""


def name_digest(name: str) -> str:
    """Return the SHA-256 of a bot's name, in UTF-8."""
    return sha256(name.encode()).hexdigest()


def _is_digest(text: object) -> bool:
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


def _invalid(message: str, field: str, expected: str) -> InvalidSupplement:
    return InvalidSupplement(message, field=field or None, expected=expected)
