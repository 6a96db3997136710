"""Bots and their versions as the accounts know them, and as a version is stored."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, replace
from typing import Final, Literal

from arena.errors import ArenaError
from arena.live.uploads import Upload
from arena.text import printable

UPLOADED: Final = "uploaded"
"""The transport of versions that the arena runs itself."""

BotState = Literal["active", "withdrawn"]


class NoSource(ArenaError):
    """The version was not uploaded, so nothing is kept of it."""

    code = "no_source"


class UnknownVersion(ArenaError):
    """The bot has no version of that label."""

    code = "version_not_found"


@dataclass(frozen=True)
class Version:
    """One immutable version of a bot. ``created_ms``: Unix time in milliseconds. Of a webhook ``url`` is
    where its turns are posted, and ``rights`` whether optional ones are too. Of an upload ``language`` is
    ``python`` or ``component``, ``digest`` its SHA-256, ``size`` its bytes, and ``published`` whether
    anybody may read it.
    """

    label: str
    transport: str
    created_ms: int
    url: str = ""
    rights: bool = False
    language: str | None = None
    digest: str | None = None
    size: int = 0
    published: bool = False

    @property
    def uploaded(self) -> bool:
        """Whether the arena runs it."""
        return self.transport == UPLOADED


@dataclass(frozen=True)
class BotAccount:
    """A registered bot. ``version``: the label of the current version, which new games are played
    with. ``versions`` are all, the oldest first, where they were asked for.
    """

    name: str
    owner: str
    state: BotState
    version: str
    created_ms: int
    description: str = ""
    versions: tuple[Version, ...] = ()

    def find(self, label: str) -> Version:
        """A version. Raises :class:`UnknownVersion`."""
        for version in self.versions:
            if version.label == label:
                return version
        raise UnknownVersion(
            f"{self.name} has no version {printable(label, 40)!r}",
            field="version",
            expected="one of " + ", ".join(version.label for version in self.versions[-20:]),
        )

    @property
    def current(self) -> Version:
        """The version that new games are played with."""
        return self.find(self.version)


def new_version(
    label: str, transport: str, created_ms: int, url: str, rights: bool, upload: Upload | None
) -> Version:
    """A version as it is made; ``upload`` for one that the arena is to run."""
    version = Version(label, transport, created_ms, url, rights)
    if upload is None:
        return version
    return replace(version, language=upload.language, digest=upload.digest, size=len(upload.data))


def pack_version(version: Version) -> str:
    """As stored; every call makes another text."""
    # The random part tells a command that was sent twice from a second one.
    values: list[object] = [
        version.label,
        version.transport,
        version.created_ms,
        secrets.token_hex(4),
    ]
    if version.uploaded:
        values += ["", False, version.language, version.digest, version.size]
    elif version.url:
        values += [version.url, version.rights]
    return json.dumps(values)


def unpack_version(text: str) -> Version:
    """The inverse of :func:`pack_version`."""
    label, transport, created, _, *more = json.loads(text)
    return Version(label, transport, created, *more)
