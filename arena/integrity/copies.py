"""Byte-for-byte identical uploads of several owners: a report for people to investigate."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import NamedTuple

from arena.accounts.accounts import Accounts
from arena.accounts.versions import unpack_version
from arena.store.accounts import AccountStore
from arena.store.rows import shown_or_left_out


class CopiedVersion(NamedTuple):
    """A version of a bot, with its owner. ``created_ms`` is Unix time in milliseconds."""

    created_ms: int
    name: str
    version: str
    owner: str


class Copies(NamedTuple):
    """Versions of bots with different owners whose uploads have the same SHA-256, oldest first."""

    digest: str
    versions: tuple[CopiedVersion, ...]

    def as_json(self) -> dict[str, object]:
        """Return the copies in the form shown to admins."""
        return {"digest": self.digest, "versions": [one._asdict() for one in self.versions]}


def copies(accounts: Accounts, store: AccountStore) -> list[Copies]:
    """Return the uploads that active bots of different owners share, those with the latest copy first."""
    found: dict[str, list[CopiedVersion]] = defaultdict(list)
    bots = accounts.uploaded_bots()
    for bot, rows in zip(bots, store.versions_of([bot.name for bot in bots]), strict=True):
        for label, row in rows.items():
            version = shown_or_left_out(f"version {label} of {bot.name}", partial(unpack_version, row))
            if version is not None and version.digest is not None:
                own = CopiedVersion(version.created_ms, bot.name, version.label, bot.owner)
                found[version.digest].append(own)
    shared = [
        Copies(digest, tuple(sorted(own)))
        for digest, own in found.items()
        if len({one.owner for one in own}) > 1
    ]
    return sorted(shared, key=lambda one: (-one.versions[-1].created_ms, one.digest))
