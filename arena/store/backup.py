"""Backups of a database: a file of Redis protocol commands that rebuild its data.

All writes, on all nodes of a cluster, are paused while the data are read (``CLIENT PAUSE``), so the file is a
consistent snapshot. It does not depend on the server's implementation or version, and can be loaded into a
single server or a cluster. A database is marked while it is being restored, and no process serves it until
the restore is complete.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, BinaryIO, Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from hiredis import pack_command
from redis.cluster import RedisCluster

from arena.errors import ArenaError
from arena.store.connection import (
    CLUSTER_SCHEME,
    Command,
    RedisConnection,
    SingleRedis,
    StoreUnavailable,
    connect,
)
from arena.store.documents import by_name
from arena.store.identity import RESTORING, STORE_KEY
from arena.store.prepared import PREPARED
from arena.store.records import ENDS
from arena.text import printable

_PAUSE_MS: Final = 5_000
"""How long writes stay paused if this process dies. Game clocks stop for as long as writes are paused."""

_RENEW_S: Final = 1.0
_KEYS_AT_ONCE: Final = 200
_ITEMS_AT_ONCE: Final = 1_000
_BYTES_AT_ONCE: Final = 1 << 20
_LONGEST_HEAD: Final = 20
_LONGEST_PART: Final = 512 << 20
_MOST_PARTS: Final = 10_000_000
_WRITERS: Final = (b"SET", b"DEL", b"XADD", b"RPUSH", b"HSET", b"ZADD", b"SADD", b"PEXPIREAT")
"""The commands in a backup."""

_LEFT_OUT: Final = (b"rq:", PREPARED.encode())
"""The prefixes of the keys that are left out: those of the job queues, because all work that is due is
requested again, and those of prepared pages, which are prepared again.
"""


class StoreNotEmpty(ArenaError):
    """The database into which a backup is to be restored already holds data."""

    code = "store_not_empty"


class DumpedStore(NamedTuple):
    """The result of a dump: the id of the database and its other properties, whether it has an archive, the
    server's time of the snapshot, the number of keys, and for how many seconds writes were paused.
    """

    id: str
    properties: dict[str, str]
    has_archive: bool
    at_ms: int
    keys: int
    paused_s: float


def dump(url: str, write: Callable[[bytes], object]) -> DumpedStore:
    """Pass the data of the database at ``url`` to ``write``, in parts.

    Raises :class:`~arena.store.connection.StoreUnavailable`, and ``not_a_store`` if the database does not
    belong to a service.
    """
    properties, has_archive = _identified(url)
    if "id" not in properties or RESTORING in properties:
        raise ArenaError(
            "an earlier restore into this database has not finished"
            if RESTORING in properties
            else "this database does not belong to a service",
            code="not_a_store",
            expected="the database of a service",
        )
    nodes = _nodes(url)
    try:
        incarnations = [node.incarnation for node in nodes]
        with _Pause(nodes) as pause:
            count = 0
            for node in nodes:
                for commands in _read(node, pause.renew):
                    count += len(commands)
                    write(b"".join(map(pack_command, chain.from_iterable(commands))))
        if incarnations != [node.incarnation for node in nodes]:
            raise StoreUnavailable("the database was restarted during the backup; try again")
        identity = properties.pop("id")
        return DumpedStore(identity, properties, has_archive, pause.at_ms, count, pause.seconds)
    finally:
        for node in nodes:
            node.close()


def check_empty(url: str) -> None:
    """Check that a backup can be restored to ``url``: the database is empty, or its last restore did not
    finish.

    Raises :class:`StoreNotEmpty`.
    """
    nodes = _nodes(url)
    sizes = [node.run([("DBSIZE",)]) for node in nodes]
    for node in nodes:
        node.close()
    properties, _ = _identified(url)
    if any(size != [0] for size in sizes) and RESTORING not in properties:
        whose = f"of the service {properties['id']}" if "id" in properties else "that belong to no service"
        raise StoreNotEmpty(
            f"the database already holds data {whose}",
            expected="an empty database that no process uses",
        )


def check_commands(file: BinaryIO) -> None:
    """Check that the file contains only commands that :func:`dump` writes. Raises ``invalid_backup``."""
    for _ in _commands_in(file):
        pass


def _commands_in(file: BinaryIO) -> Iterator[list[Command]]:
    """Yield the commands in a file, in batches. Raises ``invalid_backup``."""
    batch: list[Command] = []
    size = 0
    while head := file.readline(_LONGEST_HEAD):
        parts = [_part(file) for _ in range(_number(head, b"*", _MOST_PARTS))]
        batch.append(_checked(parts))
        size += sum(map(len, parts))
        if size > _BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
    yield batch


def _part(file: BinaryIO) -> bytes:
    size = _number(file.readline(_LONGEST_HEAD), b"$", _LONGEST_PART)
    data = file.read(size + 2)
    if len(data) < size + 2 or not data.endswith(b"\r\n"):
        raise _invalid("a command is not complete")
    return data[:size]


def _number(head: bytes, kind: bytes, most: int) -> int:
    digits = head.removeprefix(kind).removesuffix(b"\r\n")
    if head != kind + digits + b"\r\n" or not digits.isdigit() or int(digits) > most:
        raise _invalid("it contains something else")
    return int(digits)


def _checked(parts: Sequence[bytes]) -> Command:
    name, key, *values = parts if len(parts) > 1 else (b"", b"")
    if name not in _WRITERS or key == STORE_KEY.encode():
        raise _invalid(f"it contains {printable(repr((name[:20], key[:40])))}")
    return (name.decode(), key, *values)


def _invalid(why: str) -> ArenaError:
    return ArenaError(
        f"the data of the backup are not commands that write data: {why}",
        code="invalid_backup",
        expected="a backup written by 'botequim backup'",
    )


def load(url: str, file: BinaryIO, store: DumpedStore) -> None:
    """Load the file into the database at ``url``, after :func:`check_empty`. The database stays marked as
    being restored until :func:`finish`. Anything left over from an earlier attempt is removed first.
    """
    for node in _nodes(url):
        node.run([("FLUSHDB",)])
        node.close()
    connection = connect(url, ())
    try:
        connection.run([("HSET", STORE_KEY, RESTORING, "1")])
        batch: list[Command] = []
        for commands in _commands_in(file):
            batch += commands
            # A batch can be sent twice, so the removal of a key must stay in one batch with what is appended
            # to it.
            kept = [batch.pop()] if batch and batch[-1][0] == "DEL" else []
            _send(connection, batch)
            batch = kept
        _send(connection, batch)
        values = [part for item in {"id": store.id, **store.properties}.items() for part in item]
        connection.run([("HSET", STORE_KEY, *values)])
    finally:
        connection.close()


def finish(url: str) -> None:
    """Allow processes to use a restored database."""
    connection = connect(url, ())
    try:
        connection.run([("HDEL", STORE_KEY, RESTORING)])
    finally:
        connection.close()


class _Pause:
    """A block during which no node accepts writes and no key expires. ``at_ms`` is when it began."""

    def __init__(self, nodes: Sequence[SingleRedis]) -> None:
        self._nodes = nodes

    def __enter__(self) -> _Pause:
        self._begin = self._renewed = time.monotonic()
        self._pause()
        ((seconds, microseconds),) = self._nodes[0].run([("TIME",)])
        self.at_ms = int(seconds) * 1000 + int(microseconds) // 1000
        return self

    def __exit__(self, *_: object) -> None:
        for node in self._nodes:
            with suppress(StoreUnavailable):
                node.run([("CLIENT", "UNPAUSE")])
        self.seconds = time.monotonic() - self._begin

    def renew(self) -> None:
        """Extend the pause. Raises :class:`StoreUnavailable` if it may have ended."""
        now = time.monotonic()
        if now - self._renewed > _RENEW_S:
            self._pause()
            if time.monotonic() - self._renewed > _PAUSE_MS / 1000:
                raise StoreUnavailable(
                    "the pause of writes ended before all data were read; try the backup again"
                )
            self._renewed = now

    def _pause(self) -> None:
        for node in self._nodes:
            node.run([("CLIENT", "PAUSE", _PAUSE_MS, "WRITE")])


def _read(node: SingleRedis, renew: Callable[[], None]) -> Iterator[list[list[Command]]]:
    """Yield the commands that recreate a node's keys, in batches, with one list per key."""
    cursor = b"0"
    seen: set[bytes] = set()
    while True:
        renew()
        ((cursor, found),) = node.run([("SCAN", cursor, "COUNT", _KEYS_AT_ONCE)])
        keys = [key for key in found if key not in seen and not key.startswith(_LEFT_OUT)]
        seen.update(keys)
        keys = [key for key in dict.fromkeys(keys) if key != STORE_KEY.encode()]
        if keys:
            yield _made(node, keys)
        if cursor == b"0":
            renew()
            return


def _made(node: SingleRedis, keys: Sequence[bytes]) -> list[list[Command]]:
    (now, *replies) = node.run(
        [("TIME",), *(part for key in keys for part in (("TYPE", key), ("PTTL", key)))]
    )
    now_ms = int(now[0]) * 1000 + int(now[1]) // 1000
    kinds, ttls = replies[::2], replies[1::2]
    for key, kind in zip(keys, kinds, strict=True):
        if kind not in (*_READ, b"none"):
            raise ArenaError(
                f"{key!r} has the unexpected type {kind.decode()}; the service never stores this type",
                code="not_a_store",
                expected="the database of a service",
            )
    there = [(key, kind, ttl) for key, kind, ttl in zip(keys, kinds, ttls, strict=True) if kind != b"none"]
    values = node.run([_READ[kind](key) for key, kind, _ in there]) if there else []
    made = []
    for (key, kind, ttl), value in zip(there, values, strict=True):
        commands = list(_commands(key, kind, value))
        if ttl >= 0:
            commands.append(("PEXPIREAT", key, now_ms + ttl))
        made.append(commands)
    return made


_READ: Final[dict[bytes, Callable[[bytes], Command]]] = {
    b"string": lambda key: ("GET", key),
    b"hash": lambda key: ("HGETALL", key),
    b"zset": lambda key: ("ZRANGE", key, 0, -1, "WITHSCORES"),
    b"set": lambda key: ("SMEMBERS", key),
    b"list": lambda key: ("LRANGE", key, 0, -1),
    b"stream": lambda key: ("XRANGE", key, "-", "+"),
}
"""The command that reads a key, by the key's type."""


def _commands(key: bytes, kind: bytes, value: Any) -> Iterator[Command]:
    """Yield the commands that recreate a key; the whole sequence can be repeated."""
    if kind == b"string":
        yield ("SET", key, value)
    elif kind == b"stream":
        yield ("DEL", key)
        for entry, fields in value:
            yield ("XADD", key, entry, *fields)
    elif kind == b"list":
        yield ("DEL", key)
        yield ("RPUSH", key, *value)
    else:
        if kind == b"zset":
            value = [part for at in range(0, len(value), 2) for part in (value[at + 1], value[at])]
        name = {b"hash": "HSET", b"zset": "ZADD", b"set": "SADD"}[kind]
        for at in range(0, len(value), _ITEMS_AT_ONCE):
            yield (name, key, *value[at : at + _ITEMS_AT_ONCE])


def _send(connection: RedisConnection, commands: Sequence[Command]) -> None:
    if commands:
        connection.run(commands)


def _identified(url: str) -> tuple[dict[str, str], bool]:
    """Return the properties of a database, and whether it has an archive."""
    connection = connect(url, ())
    try:
        fields, archived = connection.run([("HGETALL", STORE_KEY), ("EXISTS", ENDS)])
    finally:
        connection.close()
    return {name: value.decode() for name, value in by_name(fields).items()}, bool(archived)


def _nodes(url: str) -> list[SingleRedis]:
    """Return a connection to the server, or to each primary of a cluster."""
    parts = urlsplit(url)
    if parts.scheme != CLUSTER_SCHEME:
        connect(url, ()).close()
        nodes = [SingleRedis(url, ())]
    else:
        user, at, _ = parts.netloc.rpartition("@")
        cluster: Any = RedisCluster.from_url(urlunsplit(parts._replace(scheme="redis")), protocol=2)
        places = [f"{user}{at}{node.host}:{node.port}" for node in cluster.get_primaries()]
        cluster.close()
        nodes = [SingleRedis(urlunsplit(parts._replace(scheme="redis", netloc=p)), ()) for p in places]
    for node in nodes:
        node.check_incarnation()
    return nodes


__all__ = ["DumpedStore", "StoreNotEmpty", "check_empty", "dump", "finish", "load"]
