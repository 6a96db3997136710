"""Accounts in Redis: owners, bots, their versions, and the log of admin actions.

Data that must be consistent share one hash tag (a bot and its versions, an owner), so each change is one
script on one slot. The indexes (all bots, an owner's bots) are in other slots; an index entry is written
before the data it points to, and readers check that the data exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.store.connection import RedisConnection, Script

AUDIT_KEPT: Final = 100_000
"""The approximate number of audit entries that are kept."""

_CREATE: Final = Script("account_create")
_CHANGE: Final = Script("account_change")
_CREATE_BOT: Final = Script("bot_create")
_ADD_VERSION: Final = Script("bot_version")
_DELETE: Final = Script("bot_delete")
ACCOUNT_SCRIPTS: Final = (_CREATE, _CHANGE, _CREATE_BOT, _ADD_VERSION, _DELETE)
"""The scripts that the connection of an :class:`AccountStore` must load."""


class AccountStore:
    """The accounts in one Redis (or Redis Cluster). Values are strings; the caller applies the rules."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def _one(self, *command: Any) -> Any:
        (reply,) = self._connection.run([command])
        return reply

    def create_owner(self, name: str, token: str, fields: Mapping[str, str]) -> bool:
        """Create an owner; False if the name is or was in use. ``token``: the hash of its token."""
        return bool(self._one(*_CREATE.call([_owner(name)], token, *_pairs({"name": name, **fields}))))

    def owner(self, name: str) -> dict[str, str] | None:
        """The owner's fields, None if the owner does not exist."""
        return _texts(self._one("HGETALL", _owner(name))) or None

    def change_owner(self, name: str, fields: Mapping[str, str], remove: tuple[str, ...] = ()) -> bool:
        """Change fields of an owner; False if the owner does not exist."""
        return bool(self._one(*_CHANGE.call([_owner(name)], len(remove), *remove, *_pairs(fields))))

    def create_bot(
        self, name: str, owner: str, token: str, fields: Mapping[str, str], label: str, version: str
    ) -> bool:
        """Create a bot with its first version; False if the name is or was in use."""
        if self._one("EXISTS", _bot(name)):
            return False
        self._connection.run([("ZADD", _bots_of(owner), 0, name), ("ZADD", _BOTS, 0, name)])
        pairs = _pairs({"name": name, "owner": owner, **fields})
        keys = [_bot(name), _versions(name)]
        return bool(self._one(*_CREATE_BOT.call(keys, token, label, version, *pairs)))

    def bot(self, name: str) -> dict[str, str] | None:
        """The bot's fields (only ``name`` and ``state`` if deleted), None if it never existed."""
        return _texts(self._one("HGETALL", _bot(name))) or None

    def bots(self, names: Sequence[str]) -> list[dict[str, str] | None]:
        """As :meth:`bot`, for several bots."""
        replies = self._connection.run([("HGETALL", _bot(name)) for name in names]) if names else []
        return [_texts(fields) or None for fields in replies]

    def change_bot(self, name: str, fields: Mapping[str, str], remove: tuple[str, ...] = ()) -> bool:
        """Change fields of a bot; False if the bot does not exist."""
        return bool(self._one(*_CHANGE.call([_bot(name)], len(remove), *remove, *_pairs(fields))))

    def add_version(self, name: str, label: str, version: str, most: int) -> str:
        """Add a version and make it the current one. Returns ``added``, ``exists``, ``full`` (there are
        ``most``) or ``unknown`` (bot).
        """
        return _text(self._one(*_ADD_VERSION.call([_bot(name), _versions(name)], most, label, version)))

    def versions(self, name: str) -> dict[str, str]:
        """All versions by label."""
        return _texts(self._one("HGETALL", _versions(name)))

    def delete_bot(self, name: str, owner: str) -> bool:
        """Delete a bot but keep its name taken; False if the bot does not exist."""
        deleted = bool(self._one(*_DELETE.call([_bot(name), _versions(name)])))
        self._connection.run(
            [
                ("ZREM", _BOTS, name),
                ("ZREM", _bots_of(owner), name),
                ("ZREM", _WEBHOOKS, name),
                ("ZREM", _UPLOADED, name),
                ("DEL", _sources(name)),
            ]
        )
        return deleted

    def put_source(self, name: str, digest: str, data: bytes) -> None:
        """Store the upload of a version under its SHA-256, before the version is added."""
        self._connection.run([("ZADD", _UPLOADED, 0, name), ("HSET", _sources(name), digest, data)])

    def source(self, name: str, digest: str) -> bytes | None:
        """The upload of a bot with that SHA-256."""
        found: bytes | None = self._one("HGET", _sources(name), digest)
        return found

    def uploaded_names(self) -> list[str]:
        """All bots with an uploaded version. Some may have none: callers check."""
        return [_text(name) for name in self._one("ZRANGE", _UPLOADED, 0, -1)]

    def note_webhook(self, name: str) -> None:
        """Add the bot to the list of bots with a webhook, before it gets one."""
        self._one("ZADD", _WEBHOOKS, 0, name)

    def webhook_names(self) -> list[str]:
        """All bots with a webhook. Some may have none: callers check."""
        return [_text(name) for name in self._one("ZRANGE", _WEBHOOKS, 0, -1)]

    def signing_fields(self, name: str) -> dict[str, str]:
        """The signing secrets of the bot's webhook: ``hook``, ``hook_old`` and ``hook_old_until``, if set."""
        names = ("hook", "hook_old", "hook_old_until")
        values = self._one("HMGET", _bot(name), *names)
        return {name: _text(value) for name, value in zip(names, values, strict=True) if value is not None}

    def bot_names(self, owner: str | None, after: str, limit: int) -> list[str]:
        """At most ``limit`` names of bots (of an owner, or all) after ``after``, in order.

        Some may not exist or belong to another owner: callers check.
        """
        index = _BOTS if owner is None else _bots_of(owner)
        start = f"({after}" if after else "-"
        return [_text(name) for name in self._one("ZRANGEBYLEX", index, start, "+", "LIMIT", 0, limit)]

    def audit(self, entry: Mapping[str, str]) -> str:
        """Log an admin action; returns the entry's id, which sorts by time."""
        return _text(self._one("XADD", _AUDIT, "MAXLEN", "~", AUDIT_KEPT, "*", *_pairs(entry)))

    def audited(self, before: str, limit: int) -> list[tuple[str, dict[str, str]]]:
        """At most ``limit`` log entries, newest first, older than entry ``before`` if given."""
        newest = f"({before}" if before else "+"
        entries = self._one("XREVRANGE", _AUDIT, newest, "-", "COUNT", limit)
        return [(_text(number), _texts(fields)) for number, fields in entries]


_BOTS: Final = "bots"
_WEBHOOKS: Final = "bots:webhook"
_UPLOADED: Final = "bots:uploaded"
_AUDIT: Final = "audit"


def _owner(name: str) -> str:
    return f"{{o:{name}}}"


def _bots_of(owner: str) -> str:
    return f"{{o:{owner}}}:bots"


def _bot(name: str) -> str:
    return f"{{b:{name}}}"


def _versions(name: str) -> str:
    return f"{{b:{name}}}:versions"


def _sources(name: str) -> str:
    return f"{{b:{name}}}:sources"


def _pairs(fields: Mapping[str, str]) -> list[str]:
    return [text for pair in fields.items() for text in pair]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _texts(fields: Any) -> dict[str, str]:
    items = fields.items() if isinstance(fields, Mapping) else zip(fields[::2], fields[1::2], strict=True)
    return {_text(name): _text(value) for name, value in items}
