"""The connection to Redis: batches of commands, scripts, and retries while the server is unavailable.

Commands are sent over connections kept here, because the general client needs twice the processor time per
command. If a connection breaks, a batch can be sent twice, so every command of a live game is idempotent or
checks a version.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha1
from importlib import resources
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import urlsplit, urlunsplit

import orjson
from hiredis import pack_command
from redis import ConnectionPool, RedisError
from redis.cluster import RedisCluster
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import (
    NoScriptError,
    ReadOnlyError,
    RedisClusterException,
    ResponseError,
)
from redis.exceptions import TimeoutError as RedisTimeoutError

from arena.errors import ArenaError

Command = tuple[Any, ...]
"""A Redis command of bytes, strings and integers. A script is called as ``(Script, keys, args...)``."""

CLUSTER_SCHEME: Final = "redis+cluster"
_PATIENCE: Final = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0)
"""Pauses in seconds before each retry; their total is about as long as a server restart takes."""

_TIMEOUT: Final = 2.5
"""Seconds after which a server that does not respond counts as unavailable; then there are no more retries.
"""

_AWAY: Final = (RedisConnectionError, RedisTimeoutError, ReadOnlyError, RedisClusterException, OSError)


class StoreUnavailable(ArenaError):
    """The database cannot be reached or rejects commands; nothing that was accepted is lost."""

    code = "store_unavailable"


class Script:
    """A Lua script from the folder ``scripts``."""

    def __init__(self, name: str, *libraries: str) -> None:
        folder = resources.files("arena.store") / "scripts"
        self.text = b"\n".join((folder / f"{part}.lua").read_bytes() for part in (*libraries, name))
        self.sha = sha1(self.text).hexdigest().encode()

    def call(self, keys: Sequence[str], *args: object) -> Command:
        """Return the command that runs the script."""
        return ("EVALSHA", self.sha, len(keys), *keys, *args)

    def call_named(self, keys: Sequence[str], values: Mapping[str, object], *args: object) -> Command:
        """Return the command that runs the script with the named ``values`` as JSON in its first argument."""
        return self.call(keys, orjson.dumps(values), *args)


class ServerConnection(Protocol):
    """The part of the client library's connection that is used here; the library has no types for it."""

    def connect(self) -> None:
        """Open the connection."""

    def disconnect(self) -> None:
        """Close the connection."""

    def send_command(self, *command: object, check_health: bool = True) -> None:
        """Send a command."""

    def send_packed_command(self, command: Sequence[bytes], check_health: bool = True) -> None:
        """Send commands that are already encoded for the protocol."""

    def read_response(self, *, disconnect_on_error: bool = True) -> Any:
        """Return the next reply."""


class PoolFigures(NamedTuple):
    """The number of open connections, their maximum, and the number of threads waiting for one."""

    open: int
    most: int
    waiting: int


class RedisConnection(Protocol):
    """The interface of a connection, to a single server or a cluster."""

    is_cluster: bool
    incarnation: str
    """Changes whenever the server restarts, which can lose the last second of data."""
    on_restart: list[Callable[[], None]]

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """Send the commands together and return their replies. Raises :class:`StoreUnavailable`."""

    def keys(self, pattern: str) -> list[bytes]:
        """Return all keys that match a pattern; only for rare tasks, because it scans the whole database."""

    def check_incarnation(self) -> None:
        """Check whether the server was restarted."""

    def pool(self) -> PoolFigures | None:
        """Return the figures of the connection pool, or None for a cluster."""

    def subscription(self) -> ServerConnection:
        """Return a separate connection for a subscription."""

    def close(self) -> None:
        """Close all connections."""


class Repository:
    """The base class of repositories, with the connection over which they send commands."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def _one(self, *command: Any) -> Any:
        """Send one command and return its reply."""
        (reply,) = self._connection.run([command])
        return reply

    def _names(self, *command: Any) -> list[str]:
        """Send one command and return its reply, a list of names."""
        return [name.decode() for name in self._one(*command)]


def connect(url: str, scripts: Sequence[Script], *, max_connections: int = 64) -> RedisConnection:
    """Return a connection to a ``redis://``, ``rediss://``, ``unix://`` or ``redis+cluster://`` URL; for a
    cluster, that of any node.
    """
    parts = urlsplit(url)
    if parts.scheme == CLUSTER_SCHEME:
        return ClusterRedis(urlunsplit(parts._replace(scheme="redis")), scripts)
    if parts.scheme not in ("redis", "rediss", "unix"):
        raise ArenaError(
            f"invalid database URL scheme {parts.scheme!r}",
            code="invalid_store_url",
            field="REDIS_URL",
            expected=f"redis://, rediss://, unix:// or {CLUSTER_SCHEME}://",
        )
    return SingleRedis(url, scripts, max_connections)


class SingleRedis:
    """A single server, with at most ``max_connections`` connections and one round trip per batch."""

    is_cluster = False

    def __init__(self, url: str, scripts: Sequence[Script], max_connections: int = 64) -> None:
        self._pool = ConnectionPool.from_url(
            url,
            protocol=2,
            socket_timeout=_TIMEOUT,
            socket_connect_timeout=2,
            max_connections=2**31,
            decode_responses=False,
        )
        self._scripts = list(scripts)
        self._most = max_connections
        self._open = 0
        self._waiting = 0
        self._free: list[ServerConnection] = []
        self._room = threading.Condition()
        self._timed_out = 0.0
        self.incarnation = ""
        self.on_restart: list[Callable[[], None]] = []
        _forget_in_child(self)

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """See :class:`RedisConnection`."""
        packed = _pack(commands)
        problem: Exception | None = None
        until = time.monotonic() + _TIMEOUT
        for delay in _PATIENCE:
            try:
                return self._exchange(packed, len(commands))
            except NoScriptError as error:
                problem = error
                self._load_scripts()
            except _AWAY as error:
                problem = error
                if time.monotonic() + delay > until:
                    break
                time.sleep(delay)
            except RedisError as error:
                raise StoreUnavailable(f"the database rejected a command: {error}") from error
        raise StoreUnavailable(f"the database is unavailable: {problem}") from problem

    def keys(self, pattern: str) -> list[bytes]:
        """See :class:`RedisConnection`."""
        found: list[bytes] = []
        cursor = b"0"
        while True:
            ((cursor, names),) = self.run([("SCAN", cursor, "MATCH", pattern, "COUNT", 1000)])
            found += names
            if cursor == b"0":
                return sorted(set(found))

    def check_incarnation(self) -> None:
        """See :class:`RedisConnection`."""
        self.run([("PING",)])

    def pool(self) -> PoolFigures | None:
        """See :class:`RedisConnection`."""
        return PoolFigures(self._open, self._most, self._waiting)

    def subscription(self) -> ServerConnection:
        """See :class:`RedisConnection`."""
        return self._connection(socket_timeout=15)

    def close(self) -> None:
        """See :class:`RedisConnection`."""
        with self._room:
            free, self._free = self._free, []
            self._open -= len(free)
            self._room.notify_all()
        for connection in free:
            connection.disconnect()

    def _forget(self) -> None:
        """Drop all connections, because a forked child process must not use those of its parent."""
        self._open = 0
        self._waiting = 0
        self._free = []
        self._room = threading.Condition()

    def _exchange(self, packed: bytes, replies: int) -> list[Any]:
        try:
            connection = self._free.pop()
        except IndexError:
            connection = self._another()
        try:
            connection.send_packed_command((packed,), check_health=False)
            results = []
            refused = None
            for _ in range(replies):
                try:
                    results.append(connection.read_response())
                except ResponseError as error:
                    refused = refused or error
        except BaseException as error:
            # Part of a reply may be left on the connection, whatever happened.
            connection.disconnect()
            self._gone()
            if isinstance(error, RedisTimeoutError):
                self._timed_out = time.monotonic()
            if isinstance(error, _AWAY):
                self.close()
            raise
        self._free.append(connection)
        if self._waiting:
            with self._room:
                self._room.notify()
        if refused is not None:
            raise refused
        return results

    def _another(self) -> ServerConnection:
        """Return a new connection or, if the maximum is reached, the next one that becomes free."""
        begin = time.monotonic()
        with self._room:
            while True:
                if self._free:
                    return self._free.pop()
                if self._open < self._most:
                    self._open += 1
                    break
                if self._timed_out > begin:
                    raise RedisTimeoutError("the server does not respond to other connections either")
                self._waiting += 1
                # A short wait: a connection may have been freed before this thread counted as waiting.
                self._room.wait(0.05)
                self._waiting -= 1
        try:
            return self._opened()
        except BaseException:
            self._gone()
            raise

    def _gone(self) -> None:
        with self._room:
            self._open -= 1
            self._room.notify()

    def _connection(self, **changes: object) -> ServerConnection:
        made: ServerConnection = self._pool.connection_class(**{**self._pool.connection_kwargs, **changes})
        return made

    def _opened(self) -> ServerConnection:
        """Return a new connection, with the scripts loaded and the server's incarnation recorded."""
        connection = self._connection()
        try:
            connection.connect()
            commands: list[Command] = [("SCRIPT", "LOAD", script.text) for script in self._scripts]
            connection.send_packed_command((_pack([*commands, ("INFO", "server")]),), check_health=False)
            replies = [connection.read_response() for _ in range(len(commands) + 1)]
        except BaseException:
            connection.disconnect()
            raise
        self._note(_run_id(replies[-1]))
        return connection

    def _note(self, run_id: str) -> None:
        known, self.incarnation = self.incarnation, run_id
        if known and known != run_id:
            for callback in self.on_restart:
                callback()

    def _load_scripts(self) -> None:
        self.run([("SCRIPT", "LOAD", script.text) for script in self._scripts])


class ClusterRedis:
    """A connection to a Redis Cluster: every command goes to the node that holds its keys."""

    is_cluster = True

    def __init__(self, url: str, scripts: Sequence[Script]) -> None:
        self._scripts = {script.sha: script for script in scripts}
        self._redis: Any = self._connected(url)
        self.incarnation = ""
        self.on_restart: list[Callable[[], None]] = []
        self.check_incarnation()

    @staticmethod
    def _connected(url: str) -> RedisCluster:
        try:
            return RedisCluster.from_url(
                url, protocol=2, socket_timeout=_TIMEOUT, socket_connect_timeout=2, decode_responses=False
            )
        except _AWAY as error:
            raise StoreUnavailable(f"the database is unavailable: {error}") from error

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """See :class:`RedisConnection`. Commands on the same key keep their order."""
        replies: list[Any] = [None] * len(commands)
        left = list(range(len(commands)))
        problem: Exception | None = None
        until = time.monotonic() + _TIMEOUT
        for delay in _PATIENCE:
            try:
                results = self._try([commands[index] for index in left])
            except _AWAY as error:
                problem = error
                if isinstance(error, RedisTimeoutError) and time.monotonic() + delay > until:
                    break
                time.sleep(delay)
                continue
            again = []
            for index, result in zip(left, results, strict=True):
                if isinstance(result, NoScriptError):
                    self._load(commands[index])
                    again.append(index)
                elif isinstance(result, _AWAY):
                    problem = result
                    again.append(index)
                elif isinstance(result, Exception):
                    raise StoreUnavailable(f"the database rejected a command: {result}") from result
                else:
                    replies[index] = result
            left = again
            if not left:
                return replies
            if problem is not None:
                time.sleep(delay)
        raise StoreUnavailable(f"the database is unavailable: {problem}") from problem

    def keys(self, pattern: str) -> list[bytes]:
        """See :class:`RedisConnection`."""
        return sorted(set(self._redis.scan_iter(pattern, count=1000, target_nodes=RedisCluster.PRIMARIES)))

    def check_incarnation(self) -> None:
        """See :class:`RedisConnection`."""
        try:
            infos = self._redis.info("server", target_nodes=RedisCluster.PRIMARIES)
        except (RedisError, OSError) as error:
            raise StoreUnavailable(f"the database is unavailable: {error}") from error
        by_node = infos if all(isinstance(info, dict) for info in infos.values()) else {"": infos}
        run_ids = "".join(sorted(str(info.get("run_id", "")) for info in by_node.values()))
        known, self.incarnation = self.incarnation, sha1(run_ids.encode()).hexdigest()[:8]
        if known and known != self.incarnation:
            for callback in self.on_restart:
                callback()

    def pool(self) -> PoolFigures | None:
        """See :class:`RedisConnection`."""
        return None

    def subscription(self) -> ServerConnection:
        """See :class:`RedisConnection`. Every node receives what is published on any other node."""
        node = self._redis.get_random_node()
        pool = self._redis.get_redis_connection(node).connection_pool
        made: ServerConnection = pool.connection_class(**{**pool.connection_kwargs, "socket_timeout": 15})
        return made

    def close(self) -> None:
        """See :class:`RedisConnection`."""
        self._redis.close()

    def _try(self, commands: Sequence[Command]) -> list[Any]:
        if len(commands) == 1:
            try:
                return [self._redis.execute_command(*commands[0])]
            except ResponseError as error:
                return [error]
        pipeline = self._redis.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        return list(pipeline.execute(raise_on_error=False))

    def _load(self, command: Command) -> None:
        """Load the script of a command on the node that holds its keys."""
        script = self._scripts[command[1]]
        node = self._redis.get_node_from_key(command[3])
        self._redis.execute_command("SCRIPT LOAD", script.text, target_nodes=node)


def _pack(commands: Sequence[Command]) -> bytes:
    """Encode the commands for the protocol."""
    return b"".join(map(pack_command, commands))


def _run_id(info: bytes) -> str:
    for line in bytes(info).split(b"\r\n"):
        if line.startswith(b"run_id:"):
            return line[7:15].decode()
    return "0"


def _forget_in_child(connection: SingleRedis) -> None:
    reference = weakref.ref(connection)

    def forget() -> None:
        here = reference()
        if here is not None:
            here._forget()

    os.register_at_fork(after_in_child=forget)


__all__ = [
    "CLUSTER_SCHEME",
    "Command",
    "RedisConnection",
    "Script",
    "ServerConnection",
    "StoreUnavailable",
    "connect",
]
