"""Accounts in Redis: owners, bots, their versions, and the log of admin actions.

Data that must be consistent share one hash tag (a bot and its versions, or an owner), so each change is one
script on one slot. The indexes (all bots, and each owner's bots) are in other slots. An index entry is
written before the data it points to, and readers check that the data exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from arena.store.amounts import Stored
from arena.store.connection import Command, Repository, Script
from arena.store.documents import owned_bytes
from arena.store.game_texts import texts_key
from arena.store.journals import LOGS, LOGS_KEPT_MS
from arena.store.notes import KEPT_MS, NOTES
from arena.store.replies import reply_bytes
from arena.store.search import additions, removals

AUDIT_KEPT: Final = 100_000
"""The approximate number of audit entries that are kept."""

_CREATE: Final = Script("account_create")
_CHANGE: Final = Script("account_change")
_RECOVER: Final = Script("account_recover")
_ADD_CO_OWNER: Final = Script("co_owner_add")
_CREATE_BOT: Final = Script("bot_create")
_ADD_VERSION: Final = Script("bot_version")
_DELETE: Final = Script("bot_delete")
_STORED: Final = Script("bot_stored", "game_texts")
_TAKE: Final = Script("quota_take")
_CLAIM_FIRST: Final = Script("first_bot")
_PIECE: Final = Script("source_piece")
ACCOUNT_SCRIPTS: Final = (
    *(_CREATE, _CHANGE, _RECOVER, _ADD_CO_OWNER, _CREATE_BOT, _ADD_VERSION, _DELETE, _STORED, _TAKE),
    *(_CLAIM_FIRST, _PIECE),
)
"""The scripts that the connection of an :class:`AccountStore` must load."""

_COUNT_AFTER_MS: Final = 60_000
"""How long after its last change an owner's usage is recounted: by then every change has ended."""

_NEVER_MS: Final = 2**53

_FIRST_MS: Final = 30 * 86_400_000
"""How long an address counts as having used the room for first bots, while its bot exists."""

_SURELY_STORED_MS: Final = 60_000
"""How long after a claim its bot may not be stored yet."""

_CO_OWNER: Final = "co_owner:"
_INVITED: Final = "invited:"
"""The prefixes of a bot's fields with the times at which owners became co-owners or were invited."""


class Sharing(NamedTuple):
    """The co-owners of a bot and the owners invited to share it, each in chronological order."""

    co_owners: tuple[str, ...]
    invited: tuple[str, ...]

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> Sharing:
        """Return the sharing of a bot with these fields. Raises ValueError."""
        return cls(_named(fields, _CO_OWNER), _named(fields, _INVITED))


def _named(fields: Mapping[str, str], beginning: str) -> tuple[str, ...]:
    found = [
        (int(at_ms), name.removeprefix(beginning))
        for name, at_ms in fields.items()
        if name.startswith(beginning)
    ]
    return tuple(owner for _, owner in sorted(found))


class StoredUpload(NamedTuple):
    """A stored upload: its id and row, and the SHA-256 and the data of its source."""

    id: str
    row: bytes
    digest: str
    data: bytes

    def named(self) -> dict[str, str]:
        """Return all fields except the data, as the named arguments of scripts."""
        return {"id": self.id, "row": self.row.decode(), "digest": self.digest}


class AccountStore(Repository):
    """The accounts in one Redis (or Redis Cluster). Values are strings; the caller applies the rules."""

    def create_owner(self, name: str, token: str, fields: Mapping[str, str]) -> bool:
        """Create an owner with the hash of its token. Returns False if the name is or was in use."""
        call = _CREATE.call([_owner(name)], token, *_pairs({"name": name, **fields}))
        # Indexed first: who searches checks whether the owner exists.
        *_, created = self._connection.run([*additions("owner", name), call])
        return bool(created)

    def owner(self, name: str) -> dict[str, str] | None:
        """Return the owner's fields, or None if the owner does not exist or was deleted."""
        (found,) = self.owners([name])
        return found

    def owners(self, names: Sequence[str]) -> list[dict[str, str] | None]:
        """Return the fields of several owners, each as returned by :meth:`owner`."""
        replies = self._connection.run([("HGETALL", _owner(name)) for name in names]) if names else []
        return [_existing_owner(_texts(fields)) for fields in replies]

    def delete_owner(self, name: str) -> None:
        """Erase an owner who has no bots; the name stays taken. Can be repeated."""
        fields = [_text(field) for field in self._one("HKEYS", _owner(name))]
        if fields:
            self.change_owner(name, {"state": "deleted"}, tuple(set(fields) - {"name", "state"}))
        owned = (_bots_of(name), _invited(name), f"{_owner(name)}:stored")
        self._connection.run(
            [
                *(("DEL", key) for key in owned),
                ("ZREM", _SUSPENDED_OWNERS, name),
                *removals("owner", name),
            ]
        )

    def note_suspended_owner(self, name: str) -> None:
        """Add an owner that is about to be suspended to the list of suspended owners."""
        self._one("ZADD", _SUSPENDED_OWNERS, 0, name)

    def suspended_owners(self) -> list[str]:
        """Return all owners that are or were suspended. Some may no longer be, so callers must check."""
        return [_text(name) for name in self._one("ZRANGE", _SUSPENDED_OWNERS, 0, -1)]

    def change_owner(self, name: str, fields: Mapping[str, str], remove: tuple[str, ...] = ()) -> bool:
        """Change fields of an owner, and return False if the owner does not exist."""
        return bool(self._one(*_CHANGE.call([_owner(name)], len(remove), *remove, *_pairs(fields))))

    def recover_owner(self, name: str, recovery: str, token: str) -> bool:
        """Set the hash of an owner's token and remove its field ``recovery``. Returns False, and changes
        nothing, if that field has another value.
        """
        return bool(self._one(*_RECOVER.call([_owner(name)], recovery, token)))

    def create_bot(
        self,
        name: str,
        owner: str,
        token: str,
        fields: Mapping[str, str],
        label: str,
        version: str,
        upload: StoredUpload | None = None,
    ) -> bool:
        """Create a bot with its first version or, if ``label`` is empty, with an upload that can become it.
        Returns False, and stores nothing, if the name is or was in use.
        """
        if self._one("EXISTS", _bot(name)):
            return False
        indexes = [_bots_of(owner), _BOTS, *([_UPLOADED] if upload else [])]
        indexed: list[Command] = [("ZADD", index, 0, name) for index in indexes]
        indexed += additions("bot", name)
        self._connection.run(indexed)
        fields = {**fields, "name": name, "owner": owner, "token": token, "version": label}
        new: dict[str, object] = {"fields": fields, "label": label, "version": version}
        if upload is not None:
            new |= upload.named()
        source = b"" if upload is None else upload.data
        call = _CREATE_BOT.call_named(bot_keys(name), new, source)
        # Repeated in case a bot of this name that was just released leaves the indexes.
        created, *_ = self._connection.run([call, *indexed])
        return bool(created)

    def bot(self, name: str) -> dict[str, str] | None:
        """Return the bot's fields, or None if it never existed. A deleted bot has only ``name`` and
        ``state``, plus ``owner``, ``version`` and ``created`` if it is still listed.
        """
        return _texts(self._one("HGETALL", _bot(name))) or None

    def bots(self, names: Sequence[str]) -> list[dict[str, str] | None]:
        """Return the fields of several bots, each as returned by :meth:`bot`."""
        replies = self._connection.run([("HGETALL", _bot(name)) for name in names]) if names else []
        return [_texts(fields) or None for fields in replies]

    def note_state_change(self) -> None:
        """Count a change of a bot or an owner that leaderboards must consider."""
        self._one("INCR", _STATE_CHANGES)

    def state_changes(self) -> int:
        """Return how many changes were counted."""
        return int(self._one("GET", _STATE_CHANGES) or 0)

    def change_bot(self, name: str, fields: Mapping[str, str], remove: tuple[str, ...] = ()) -> bool:
        """Change fields of a bot, and return False if the bot does not exist."""
        return bool(self._one(*_CHANGE.call([_bot(name)], len(remove), *remove, *_pairs(fields))))

    def add_version(
        self,
        name: str,
        label: str,
        version: str,
        most: Stored,
        upload: StoredUpload | None = None,
        fields: Mapping[str, str] | None = None,
    ) -> tuple[str, int]:
        """Add a version, make it the current one and set ``fields`` of the bot. If ``version`` is empty, add
        an upload that can become the version ``label`` instead. The change is atomic.

        Returns ``added`` and the bytes stored, or the reason for a refusal: ``same`` (a version or an upload
        of the bot has the same bytes), ``exists``, ``full`` (it already has ``most.versions``), ``large`` (it
        would exceed ``most.bytes``; returned with the bytes it already has) or ``unknown`` (no such bot).
        """
        if upload:
            self._one("ZADD", _UPLOADED, 0, name)
        new: dict[str, object] = {
            "label": label,
            "versions": most.versions,
            "bytes": most.bytes,
            "fields": fields or {},
        }
        if upload is None:
            new["version"] = version
        else:
            new |= upload.named()
        source = b"" if upload is None else upload.data
        verdict, number = self._one(*_ADD_VERSION.call_named(bot_keys(name), new, source))
        return _text(verdict), int(number)

    def versions(self, name: str) -> dict[str, str]:
        """Return all versions by label."""
        return _texts(self._one("HGETALL", _versions(name)))

    def replace_version(self, name: str, label: str, version: str) -> None:
        """Replace the stored form of a version, for an upgrade of the data."""
        self._one("HSET", _versions(name), label, version)

    def versions_of(self, names: Sequence[str]) -> list[dict[str, str]]:
        """Return the versions of several bots, each as returned by :meth:`versions`."""
        found: list[dict[str, str]] = []
        for start in range(0, len(names), _BOTS_AT_ONCE):
            part = names[start : start + _BOTS_AT_ONCE]
            found += map(_texts, self._connection.run([("HGETALL", _versions(name)) for name in part]))
        return found

    def delete_bot(self, name: str, owner: str, sharing: Sharing, *, listed: bool) -> Stored:
        """Delete a bot, whose name stays taken, and return the amounts by which the store shrank. If
        ``listed``, the bot stays in the lists with its owner and version, and counts as a bot. Can be
        repeated.
        """
        # Entries that were found through the bot's fields are removed before them; those found through its
        # name, after.
        entries = [(index, name) for index in (_WEBHOOKS, _UPLOADED, _SUSPENDED)]
        entries += [(_bots_of(other), name) for other in sharing.co_owners]
        entries += [(_invited(other), name) for other in sharing.invited]
        uploads = self._one("HKEYS", uploads_key(name))
        entries += [(UPLOADS_DUE, f"{name}/{_text(upload)}") for upload in uploads]
        self._connection.run([("ZREM", *entry) for entry in entries])
        gone = self._one(*_DELETE.call(bot_keys(name), *_LISTED))
        if not listed:
            self._connection.run([("ZREM", index, name) for index in (_BOTS, _bots_of(owner))])
            self._connection.run(removals("bot", name))
            self._one("HDEL", _bot(name), *_LISTED)
        bots, versions, size = gone
        return Stored(0 if listed else bots, versions, size)

    def leave_indexes(self, name: str, owner: str) -> None:
        """Remove a released bot from the lists, unless its name has been registered again."""
        indexes = _indexes(owner)
        removed = self._connection.run([("ZREM", index, name) for index in indexes])
        self._connection.run(removals("bot", name))
        if self._one("EXISTS", _bot(name)):
            self._connection.run(additions("bot", name))
            lists = [index for index, was_in in zip(indexes, removed, strict=True) if was_in]
            self._connection.run([("ZADD", index, 0, name) for index in lists])

    def stored(self, owner: str | None = None) -> Stored:
        """Count what an owner's bots, or all bots, store, with notes, logs, stored replies and documents."""
        names = self.bot_names(owner, "", -1)
        replies, *owned = self._connection.run([reply_bytes(owner), *owned_bytes(owner)])
        total = Stored(bytes=replies + sum(int(size or 0) for sizes in owned for size in sizes))
        for start in range(0, len(names), _BOTS_AT_ONCE):
            part = names[start : start + _BOTS_AT_ONCE]
            shared = f"{_CO_OWNER}{owner}"
            rows = self._connection.run([("HMGET", _bot(name), "owner", shared) for name in part])
            own = [
                name
                for name, (of, shares) in zip(part, rows, strict=True)
                # A deleted bot has an owner only while it is listed.
                if of is not None
                if shares is not None or owner in (None, _text(of))
            ]
            total = Stored.sum([total, *self.stored_by(own)])
        return total

    def stored_by(self, names: Sequence[str]) -> list[Stored]:
        """Return what each of these bots stores."""
        calls = [
            _STORED.call(
                [*bot_keys(name)[1:], texts_key(NOTES, name), texts_key(LOGS, name)], KEPT_MS, LOGS_KEPT_MS
            )
            for name in names
        ]
        found = self._connection.run(calls) if calls else []
        return [Stored(1, *counts) for counts in found]

    # Co-owners. An index entry is written before the bot field that it points to, and removed after it.

    def invite_owner(self, bot: str, owner: str, at_ms: int) -> bool:
        """Record the invitation of an owner to become a co-owner. Returns False if the bot does not exist."""
        self._one("ZADD", _invited(owner), 0, bot)
        return self.change_bot(bot, {f"{_INVITED}{owner}": str(at_ms)})

    def add_co_owner(self, bot: str, owner: str, at_ms: int) -> bool:
        """Make an invited owner a co-owner. Returns False if the owner is no longer invited."""
        self._one("ZADD", _bots_of(owner), 0, bot)
        call = _ADD_CO_OWNER.call([_bot(bot)], f"{_INVITED}{owner}", f"{_CO_OWNER}{owner}", str(at_ms))
        added = bool(self._one(*call))
        if added:
            self._one("ZREM", _invited(owner), bot)
        return added

    def remove_co_owner(self, bot: str, owner: str) -> None:
        """Remove a co-owner, or an owner's invitation."""
        self.change_bot(bot, {}, (f"{_CO_OWNER}{owner}", f"{_INVITED}{owner}"))
        self._connection.run([("ZREM", index, bot) for index in (_bots_of(owner), _invited(owner))])

    def invited_to(self, owner: str) -> list[str]:
        """Return the names of the bots that an owner is invited to share. Callers must check them."""
        return [_text(name) for name in self._one("ZRANGE", _invited(owner), 0, -1)]

    def take(
        self, owner: str | None, change: Stored, most: Stored, *, is_stored: bool = False
    ) -> tuple[str, Stored]:
        """Add ``change`` to the recorded usage of an owner, or of the service. Returns ``taken`` and the new
        usage, or the first value that would exceed ``most`` and the unchanged usage. ``is_stored``: whether
        the amount is already stored.

        If a process is killed, the amounts it has just added stay counted although nothing was stored.
        Therefore an owner's usage is recounted if it has not changed for a while.
        """
        count_after = _NEVER_MS if owner is None else _COUNT_AFTER_MS
        verdict, stored = self._take(owner, count_after, change, most, is_stored=is_stored)
        if verdict == "uncounted":
            counted = self.stored(owner)
            verdict, stored = self._take(owner, count_after, change, most, counted, is_stored=is_stored)
        return verdict, stored

    def used(self, owner: str | None) -> Stored:
        """Return the recorded usage of an owner, or of the service."""
        _, stored = self.take(owner, Stored(), Stored())
        return stored

    def claim_first(self, at: str, bot: str) -> bool:
        """Record that a bot uses the room for first bots that is kept for ``at``, the account of an address.
        Returns False if another bot uses it.
        """
        stale = ""
        while True:
            name, age_ms = self._one(*_CLAIM_FIRST.call([_first(at)], bot, stale, _FIRST_MS))
            holder = _text(name)
            if holder == bot:
                return True
            fields = self.bot(holder) or {"state": "deleted"}
            if age_ms < _SURELY_STORED_MS or fields.get("state") != "deleted":
                return False
            stale = holder

    def unclaim_first(self, at: str, bot: str) -> None:
        """Take back a claim of a bot that was not stored."""
        self._one(*_CLAIM_FIRST.call([_first(at)], "", bot, 0))

    def count_stored(self) -> None:
        """Recount what the whole service stores."""
        self._take(None, 0, Stored(), Stored(), self.stored())

    def _take(
        self,
        owner: str | None,
        count_after_ms: int,
        change: Stored,
        most: Stored,
        counted: Stored | None = None,
        *,
        is_stored: bool = False,
    ) -> tuple[str, Stored]:
        key = _STORED_BY_ALL if owner is None else f"{_owner(owner)}:stored"
        asked: dict[str, object] = {
            "count_after_ms": count_after_ms,
            "is_stored": is_stored,
            "change": change._asdict(),
            "most": most._asdict(),
        }
        if counted is not None:
            asked["counted"] = counted._asdict()
        verdict, *stored = self._one(*_TAKE.call_named([key], asked))
        return _text(verdict), Stored(*stored)

    def source(self, name: str, digest: str) -> bytes | None:
        """Return the upload of a bot with that SHA-256."""
        found: bytes | None = self._one("HGET", _sources(name), digest)
        return found

    def source_piece(self, name: str, digest: str, start: int, size: int) -> bytes:
        """Return up to ``size`` bytes of that upload from ``start``, or nothing after its end."""
        found: bytes = self._one(*_PIECE.call([_sources(name)], digest, start, size))
        return found

    def uploaded_names(self) -> list[str]:
        """Return all bots with an uploaded version. Some may have none, so callers must check."""
        return [_text(name) for name in self._one("ZRANGE", _UPLOADED, 0, -1)]

    def note_webhook(self, name: str) -> None:
        """Add a bot that is about to get a webhook to the list of bots with webhooks."""
        self._one("ZADD", _WEBHOOKS, 0, name)

    def webhook_names(self) -> list[str]:
        """Return all bots with a webhook. Some may have none, so callers must check."""
        return [_text(name) for name in self._one("ZRANGE", _WEBHOOKS, 0, -1)]

    def note_suspended(self, name: str) -> None:
        """Add a bot that is about to be suspended to the list of suspended bots."""
        self._one("ZADD", _SUSPENDED, 0, name)

    def suspended_names(self) -> list[str]:
        """Return all bots that are or were suspended. Some may no longer be, so callers must check."""
        return [_text(name) for name in self._one("ZRANGE", _SUSPENDED, 0, -1)]

    def signing_fields(self, name: str) -> dict[str, str]:
        """Return those signing fields of the webhook that are set: ``hook``, ``hook_old``,
        ``hook_old_until``.
        """
        names = ("hook", "hook_old", "hook_old_until")
        values = self._one("HMGET", _bot(name), *names)
        return {name: _text(value) for name, value in zip(names, values, strict=True) if value is not None}

    def bot_names(self, owner: str | None, after: str, limit: int) -> list[str]:
        """Return at most ``limit`` bot names (-1: all) that come after ``after``, in order, for an owner or
        for all bots.

        Some may not exist or may belong to another owner, so callers must check.
        """
        index = _BOTS if owner is None else _bots_of(owner)
        start = f"({after}" if after else "-"
        return [_text(name) for name in self._one("ZRANGEBYLEX", index, start, "+", "LIMIT", 0, limit)]

    def audit(self, entry: Mapping[str, str]) -> str:
        """Log an admin action and return the id of its entry; ids sort chronologically."""
        return _text(self._one("XADD", _AUDIT, "MAXLEN", "~", AUDIT_KEPT, "*", *_pairs(entry)))

    def audited(self, before: str, limit: int) -> list[tuple[str, dict[str, str]]]:
        """Return at most ``limit`` log entries, newest first, and only older than ``before`` if given."""
        newest = f"({before}" if before else "+"
        entries = self._one("XREVRANGE", _AUDIT, newest, "-", "COUNT", limit)
        return [(_text(number), _texts(fields)) for number, fields in entries]


_BOTS: Final = "bots"
_WEBHOOKS: Final = "bots:webhook"
_UPLOADED: Final = "bots:uploaded"
_STATE_CHANGES: Final = "bots:state-changes"
_SUSPENDED: Final = "bots:suspended"
_SUSPENDED_OWNERS: Final = "owners:suspended"
_AUDIT: Final = "audit"
UPLOADS_DUE: Final = "uploads:due"
"""The list of uploads that are being checked; see :mod:`arena.store.uploads`."""

_STORED_BY_ALL: Final = "{arena}:stored"
_BOTS_AT_ONCE: Final = 500
_LISTED: Final = ("owner", "version", "created")
"""The fields that a deleted bot keeps while it is still listed."""


def _owner(name: str) -> str:
    return f"{{o:{name}}}"


def _existing_owner(fields: dict[str, str]) -> dict[str, str] | None:
    return None if fields.get("state") == "deleted" else fields or None


def _first(at: str) -> str:
    return f"first-bot:{at}"


def _indexes(owner: str) -> tuple[str, ...]:
    return _BOTS, _bots_of(owner), _WEBHOOKS, _UPLOADED, _SUSPENDED


def _bots_of(owner: str) -> str:
    return f"{{o:{owner}}}:bots"


def _invited(owner: str) -> str:
    return f"{{o:{owner}}}:invited"


def _bot(name: str) -> str:
    return f"{{b:{name}}}"


def _versions(name: str) -> str:
    return f"{{b:{name}}}:versions"


def _sources(name: str) -> str:
    return f"{{b:{name}}}:sources"


def uploads_key(name: str) -> str:
    """Return the key of the hash of a bot's uploads that are being checked."""
    return f"{{b:{name}}}:uploads"


def bot_keys(name: str) -> list[str]:
    """Return the keys of a bot: its fields, versions, sources, and uploads that are being checked."""
    return [_bot(name), _versions(name), _sources(name), uploads_key(name)]


def _pairs(fields: Mapping[str, str]) -> list[str]:
    return [text for pair in fields.items() for text in pair]


def _text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _texts(fields: Mapping[bytes, bytes] | Sequence[bytes]) -> dict[str, str]:
    items = fields.items() if isinstance(fields, Mapping) else zip(fields[::2], fields[1::2], strict=True)
    return {_text(name): _text(value) for name, value in items}
