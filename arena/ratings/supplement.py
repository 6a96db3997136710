"""The supplement of a leaderboard: what it needs beyond its records, because no record contains it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Final, NamedTuple

from arena.errors import ArenaError
from arena.play.board_names import BoardName
from arena.play.players import DIVISIONS

FORMAT: Final = 2
"""The version of the format of supplements."""

RANKED: Final = 3
"""The maximum number of ranked bots of a party on a board."""

PROVEN_PARTIES: Final = 10
"""The number of proven parties on a board from which on the bots of other parties count for nobody else."""

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_LATEST_MS: Final = 2**53 - 1


class InvalidSupplement(ArenaError):
    """The document is not a supplement of this format."""

    code = "invalid_supplement"


class BotFacts(NamedTuple):
    """What a supplement says about a bot.

    ``withdrawn``: it gets no new games, because its owners have withdrawn, paused or deleted it. ``ranked``:
    its owners want a rank for it; a party has at most :data:`RANKED` such bots on a board. ``since_ms`` is
    when they decided so, in Unix milliseconds, or 0 if it was ranked from the beginning: the rating of its
    current version counts only groups that ended later.
    """

    withdrawn: bool = False
    ranked: bool = True
    since_ms: int = 0


@dataclass(frozen=True)
class Party:
    """Owners who share bots, directly or through a chain of other bots, and their ``bots`` on the board, by
    :func:`name_digest`. ``proven``: whether any of the owners has proven to be a person.
    """

    proven: bool
    bots: Mapping[str, BotFacts]


@dataclass(frozen=True)
class Supplement:
    """The supplement of one board: the parties of its bots, except for house bots and for bots whose owners
    are unknown. Names are stored as digests, so that names that were hidden after the games cannot be read
    here.
    """

    parties: tuple[Party, ...] = ()

    @cached_property
    def _facts(self) -> dict[str, tuple[int, BotFacts]]:
        return {
            digest: (number, facts)
            for number, party in enumerate(self.parties)
            for digest, facts in party.bots.items()
        }

    def party_of(self, name: str) -> int | None:
        """Return the number of the party of the bot ``name``, or None if it is unknown."""
        found = self._facts.get(name_digest(name))
        return None if found is None else found[0]

    def facts_of(self, name: str) -> BotFacts:
        """Return what is known about the bot ``name``."""
        return self._facts.get(name_digest(name), (0, BotFacts()))[1]

    @property
    def proven(self) -> int:
        """The number of proven parties."""
        return sum(party.proven for party in self.parties)

    @property
    def is_applied(self) -> bool:
        """Whether bots of parties that are not proven count for nobody else."""
        return self.proven >= PROVEN_PARTIES

    @property
    def hash(self) -> str:
        """The SHA-256 of the content: JSON with sorted keys, without spaces."""
        content = json.dumps(self._content(), sort_keys=True, separators=(",", ":"))
        return sha256(content.encode()).hexdigest()

    def as_json(self, board: BoardName) -> dict[str, Any]:
        """Return the published form, which names the board and contains the hash."""
        return {**board._asdict(), **self._content(), "hash": self.hash}

    def _content(self) -> dict[str, Any]:
        parties = [
            {
                "proven": party.proven,
                "bots": [
                    {"digest": digest, **facts._asdict()} for digest, facts in sorted(party.bots.items())
                ],
            }
            for party in self.parties
        ]
        # The order says nothing about the owners.
        return {
            "format": FORMAT,
            "parties": sorted(parties, key=lambda party: [bot["digest"] for bot in party["bots"]]),
        }

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
                f"no division is called {data['division'][:80]!r}",
                "division",
                "one of " + ", ".join(DIVISIONS),
            )
        if data.get("format") != FORMAT or isinstance(data["format"], bool):
            raise _invalid("the supplement has another format", "format", f"{FORMAT}")
        parties = data.get("parties")
        if not isinstance(parties, list):
            raise _invalid("parties is not a list", "parties", "a list of objects")
        found = cls(tuple(map(_party, parties)))
        if len(found._facts) != sum(len(party.bots) for party in found.parties):
            raise _invalid("a bot belongs to two parties", "parties", "one party per bot")
        if found.hash != data["hash"]:
            raise _invalid("the supplement does not match its hash", "hash", found.hash)
        return BoardName.of(data["kind"], data["division"], data["preset"]), found


def _party(data: object) -> Party:
    """Return the party from its published form. Raises :class:`InvalidSupplement`."""
    bots = data.get("bots") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(bots, list) or type(data.get("proven")) is not bool:
        raise _invalid("a party has other fields", "parties", "proven (true or false) and bots (a list)")
    return Party(data["proven"], dict(map(_bot, bots)))


def _bot(data: object) -> tuple[str, BotFacts]:
    """Return a bot's digest and facts from their published form. Raises :class:`InvalidSupplement`."""
    found = data if isinstance(data, Mapping) else {}
    digest, since_ms = found.get("digest"), found.get("since_ms")
    if not isinstance(digest, str) or _DIGEST.fullmatch(digest) is None:
        raise _invalid("a bot has no digest", "parties.bots.digest", "64 hexadecimal digits")
    if type(since_ms) is not int or not 0 <= since_ms <= _LATEST_MS:
        raise _invalid("since_ms is not a time", "parties.bots.since_ms", "Unix milliseconds, or 0")
    withdrawn, ranked = found.get("withdrawn"), found.get("ranked")
    if type(withdrawn) is not bool or type(ranked) is not bool:
        raise _invalid(
            "withdrawn or ranked is missing", "parties.bots", "withdrawn and ranked, true or false"
        )
    return digest, BotFacts(withdrawn, ranked, since_ms)


NO_SUPPLEMENT: Final = Supplement()
"""The supplement of a board of which nothing but its records is known."""


def name_digest(name: str) -> str:
    """Return the SHA-256 of a bot's name, in UTF-8."""
    return sha256(name.encode()).hexdigest()


def _invalid(message: str, field: str, expected: str) -> InvalidSupplement:
    return InvalidSupplement(message, field=field or None, expected=expected)
