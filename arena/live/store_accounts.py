"""Where accounts are kept in Redis: owners, bots, their versions, and the log of admin actions.

Everything that has to be true at once lives in one hash tag (a bot and its versions, an owner), so
each change is one script on one slot. The indexes (all bots, an owner's bots) are in slots of their
own; they are written before what they point at, and whoever reads them checks against that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.live.store_wire import Script, Wire

AUDIT_KEPT: Final = 100_000
"""About how many of the newest audit entries are kept."""

_CREATE: Final = Script("account_create")
_CHANGE: Final = Script("account_change")
_CREATE_BOT: Final = Script("bot_create")
_ADD_VERSION: Final = Script("bot_version")
_DELETE: Final = Script("bot_delete")
ACCOUNT_SCRIPTS: Final = (_CREATE, _CHANGE, _CREATE_BOT, _ADD_VERSION, _DELETE)
"""What the wire of an :class:`AccountStore` must know."""


class AccountStore:
    """The accounts in one Redis (or Redis Cluster). Values are texts; rules are the caller's."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def _one(self, *command: Any) -> Any:
        (reply,) = self._wire.run([command])
        return reply

    def create_owner(self, name: str, token: str, fields: Mapping[str, str]) -> bool:
        """False if there is or was an owner of that name. ``token``: the hash of its token."""
        return bool(self._one(*_CREATE.call([_owner(name)], token, *_pairs({"name": name, **fields}))))

    def owner(self, name: str) -> dict[str, str] | None:
        """The owner's fields, None if there is no such owner."""
        return _texts(self._one("HGETALL", _owner(name))) or None

    def change_owner(self, name: str, fields: Mapping[str, str], remove: tuple[str, ...] = ()) -> bool:
        """False if there is no such owner."""
        return bool(self._one(*_CHANGE.call([_owner(name)], len(remove), *remove, *_pairs(fields))))

    def create_bot(
        self, name: str, owner: str, token: str, fields: Mapping[str, str], label: str, version: str
    ) -> bool:
        """Make a bot with its first version; False if the name is or was in use."""
        if self._one("EXISTS", _bot(name)):
            return False
        self._wire.run([("ZADD", _bots_of(owner), 0, name), ("ZADD", _BOTS, 0, name)])
        pairs = _pairs({"name": name, "owner": owner, **fields})
        keys = [_bot(name), _versions(name)]
        return bool(self._one(*_CREATE_BOT.call(keys, token, label, version, *pairs)))

    def bot(self, name: str) -> dict[str, str] | None:
        """The bot's fields (of a deleted one ``name`` and ``state``), None if there never was one."""
        return _texts(self._one("HGETALL", _bot(name))) or None

    def bots(self, names: Sequence[str]) -> list[dict[str, str] | None]:
        """As :meth:`bot`, many at once."""
        replies = self._wire.run([("HGETALL", _bot(name)) for name in names]) if names else []
        return [_texts(fields) or None for fields in replies]

    def change_bot(self, name: str, fields: Mapping[str, str], remove: tuple[str, ...] = ()) -> bool:
        """False if there is no such bot."""
        return bool(self._one(*_CHANGE.call([_bot(name)], len(remove), *remove, *_pairs(fields))))

    def add_version(self, name: str, label: str, version: str, most: int) -> str:
        """Add a version and make it the current one: ``added``, ``exists``, ``full`` (``most`` are
        there) or ``unknown`` bot.
        """
        return _text(self._one(*_ADD_VERSION.call([_bot(name), _versions(name)], most, label, version)))

    def versions(self, name: str) -> dict[str, str]:
        """All versions by label."""
        return _texts(self._one("HGETALL", _versions(name)))

    def delete_bot(self, name: str, owner: str) -> bool:
        """Forget a bot but for its name; False if there is no such bot."""
        deleted = bool(self._one(*_DELETE.call([_bot(name), _versions(name)])))
        self._wire.run(
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
        """Keep what is about to be a version of a bot, under its SHA-256."""
        self._wire.run([("ZADD", _UPLOADED, 0, name), ("HSET", _sources(name), digest, data)])

    def source(self, name: str, digest: str) -> bytes | None:
        """What was kept for a bot under a SHA-256."""
        found: bytes | None = self._one("HGET", _sources(name), digest)
        return found

    def uploaded_names(self) -> list[str]:
        """All bots with an uploaded version. Some may have none: check each."""
        return [_text(name) for name in self._one("ZRANGE", _UPLOADED, 0, -1)]

    def note_webhook(self, name: str) -> None:
        """The bot is about to have a webhook."""
        self._one("ZADD", _WEBHOOKS, 0, name)

    def webhook_names(self) -> list[str]:
        """All bots with a webhook. Some may have none: check each."""
        return [_text(name) for name in self._one("ZRANGE", _WEBHOOKS, 0, -1)]

    def signing_fields(self, name: str) -> dict[str, str]:
        """What signs posts to the bot's webhook: ``hook``, ``hook_old`` and ``hook_old_until``, if set."""
        names = ("hook", "hook_old", "hook_old_until")
        values = self._one("HMGET", _bot(name), *names)
        return {name: _text(value) for name, value in zip(names, values, strict=True) if value is not None}

    def bot_names(self, owner: str | None, after: str, limit: int) -> list[str]:
        """At most ``limit`` names of bots (of an owner, or all) after ``after``, in order.

        Some may belong to nobody or to somebody else: check each.
        """
        index = _BOTS if owner is None else _bots_of(owner)
        start = f"({after}" if after else "-"
        return [_text(name) for name in self._one("ZRANGEBYLEX", index, start, "+", "LIMIT", 0, limit)]

    def audit(self, entry: Mapping[str, str]) -> str:
        """Note an admin action; returns the entry's id, which sorts by time."""
        return _text(self._one("XADD", _AUDIT, "MAXLEN", "~", AUDIT_KEPT, "*", *_pairs(entry)))

    def audited(self, before: str, limit: int) -> list[tuple[str, dict[str, str]]]:
        """At most ``limit`` entries, the newest first, older than entry ``before`` if that is given."""
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
