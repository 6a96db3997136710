"""The supervisor, which runs the whole service on one machine: database, API and workers are its child
processes.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Final, NamedTuple
from urllib.error import HTTPError
from urllib.request import urlopen

from arena.errors import ArenaError
from arena.ops.data_check import check_data
from arena.ops.die_with_parent import die_with_parent
from arena.ops.process_logs import ProcessLog, json_handler, rotate_if_large
from arena.ops.settings import (
    MOST_GRACE,
    Settings,
    maxmemory,
    redis_url,
    set_archive,
    set_own_hosts,
    without_api_secrets,
    without_archive,
)
from arena.store.embedded import DataFolderInUse, EmbeddedStore, StoreKilled
from arena.store.server import StoreFailed

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 10.0
"""The maximum number of seconds before a process that ended is restarted. The pause doubles each time the
process ends within ``STEADY``.
"""

STEADY: Final = 30.0
FIRST_ATTEMPTS: Final = 5
"""How many times the API can exit by itself before it is first ready."""

ADDRESS_AFTER: Final = 20.0
"""Seconds to wait for a process that is listening on the API's address but no longer serves requests. It can
be an API that is finishing its requests after its supervisor was killed.
"""

TELL_EVERY: Final = 10.0
"""Seconds between two lines about what startup is waiting for."""

STOP_AFTER: Final = 10.0 + MOST_GRACE
"""Seconds that a process has to stop, in addition to the configured time for its requests."""


ROTATE_EVERY: Final = 60.0
"""Seconds between two checks of the size of the database's log."""

log = logging.getLogger("botequim.up")


class NotReady(ArenaError):
    """The service did not start."""

    code = "not_ready"


class AddressInUse(ArenaError):
    """The API cannot listen on its address."""

    code = "address_in_use"


class Address(NamedTuple):
    """The address of the API."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Parse ``host:port``, ``[::1]:port`` or ``:port`` (all interfaces)."""
        host, separator, port = text.rpartition(":")
        bare = host.removeprefix("[").removesuffix("]")
        if (
            not separator
            or not port.isdecimal()
            or not 0 < int(port) < 2**16
            or (":" in bare and bare == host)
        ):
            raise ArenaError(
                f"{text!r} is not a valid listen address",
                code="invalid_address",
                field="bind",
                expected="host:port, such as 127.0.0.1:8000",
            )
        return cls(bare or "0.0.0.0", int(port))

    @property
    def url(self) -> str:
        """The URL of the API on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def bind(self) -> str:
        """The address in the form that servers take as an option."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def wait_until_free(self, stop: threading.Event) -> None:
        """Wait until the address is free, or ``stop`` is set.

        Raises :class:`AddressInUse` if a service is answering there, or the address is not released in time.
        """
        deadline = time.monotonic() + ADDRESS_AFTER
        while not stop.is_set():
            try:
                self.check()
            except AddressInUse as error:
                is_busy = error.extra.get("errno") == errno.EADDRINUSE
                if not is_busy or time.monotonic() > deadline or self.readiness() == "":
                    raise
                stop.wait(0.2)
            else:
                return

    def readiness(self) -> str | None:
        """Return why the API at this address is not ready. The result is empty if it is ready, or None if
        nothing answers.
        """
        try:
            with urlopen(f"{self.url}/readyz", timeout=5):
                return ""
        except HTTPError as error:
            with suppress(ValueError, TypeError, KeyError, OSError):
                return str(json.load(error)["detail"])
            return f"{error.code} {error.reason}"
        except (OSError, HTTPException):
            return None

    def check(self) -> None:
        """Raise :class:`AddressInUse` if it is impossible to listen on the address now."""
        try:
            family, kind, protocol, _, where = socket.getaddrinfo(
                self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(where)
        except OSError as error:
            raise AddressInUse(
                f"cannot listen on {self.bind}: {error.strerror or error}",
                field="bind",
                expected="a free address and port, such as 127.0.0.1:8001",
                extra={"errno": error.errno},
            ) from None


@dataclass
class _Child:
    """A child process, which leads a process group. Its fields are its name in messages, its command, its
    log, and whether it uses the archive and the secrets of the API.
    """

    name: str
    command: Sequence[str]
    log: ProcessLog
    archive: bool = False
    api: bool = False
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = FIRST_PAUSE
    due: float = 0.0

    def start(self, environment: Mapping[str, str]) -> None:
        self.started = time.monotonic()
        pipe = self.log.pipe()
        try:
            self.process = subprocess.Popen(
                die_with_parent(self.command),
                env=self._own(environment),
                stdin=subprocess.DEVNULL,
                stdout=pipe,
                stderr=pipe,
                start_new_session=True,
            )
        finally:
            os.close(pipe)
        fields = {"child": self.name, "child_pid": self.process.pid}
        log.info("%s: running as process %d", self.name, self.process.pid, extra=fields)

    def _own(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the environment without the secrets that this process does not use."""
        own = dict(environment) if self.archive else without_archive(environment)
        return own if self.api else without_api_secrets(own)

    def ended(self) -> int | None:
        """If the process has just ended, return its exit status and schedule its restart after a pause, else
        return None.
        """
        if self.process is None or (status := self.process.poll()) is None:
            return None
        # Other processes in the group of a killed leader must release the address.
        self._signal(signal.SIGTERM)
        self.process = None
        steady = time.monotonic() - self.started > STEADY
        self.pause = FIRST_PAUSE if steady else min(2 * self.pause, LONGEST_PAUSE)
        self.due = time.monotonic() + self.pause
        return status

    def terminate(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def stop(self, deadline: float) -> None:
        """Wait until the process has ended or the deadline has passed, and kill what is left of its group."""
        if self.process is None:
            return
        fields = {"child": self.name, "child_pid": self.process.pid}
        try:
            self.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            log.warning("%s: did not stop in time; killing it", self.name, extra=fields)
        else:
            log.info("%s: stopped %s", self.name, _ended(self.process.returncode), extra=fields)
        self._signal(signal.SIGKILL)
        self.process.wait()

    def _signal(self, number: signal.Signals) -> None:
        """Send a signal to the whole process group."""
        assert self.process is not None
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


class Supervisor:
    """Runs the service at ``bind`` with ``workers`` workers. The database is the one at ``REDIS_URL``, or an
    embedded one in the folder ``data``, which also contains the logs. The supervisor restarts processes that
    end, and reports through ``say``.
    """

    def __init__(self, bind: str, workers: int, data: Path, say: Callable[[str], None] = print) -> None:
        self.address = Address.parse(bind)
        self._tell = say
        self._workers = workers
        self._stop = threading.Event()
        self._environment = {**os.environ, "BOTEQUIM_BIND": self.address.bind}
        self._store = None if redis_url() else EmbeddedStore(data, say=self.say, maxmemory=maxmemory())
        self._store_due = 0.0
        self._store_pause = FIRST_PAUSE
        self._stop_after = STOP_AFTER
        python = sys.executable
        self._logs = Path(data).absolute() / "logs"
        gunicorn = [python, "-m", "gunicorn", "-c", "python:api.http.gunicorn_conf"]
        self._children = [_Child("api", gunicorn, self._log("api"), archive=True, api=True)]
        self._children += [
            _Child(f"worker {number}", [python, "-m", "workers"], self._log("worker", f"-{number}"))
            for number in range(1, workers + 1)
        ]
        if workers:
            self._environment.setdefault("BOTEQUIM_SEED", "1")
            for kind in ("live", "checks"):
                command = [python, "-m", "workers", f"--{kind}"]
                self._children.append(_Child(kind, command, self._log(kind)))
            scheduler = [python, "-m", "workers", "--scheduler"]
            self._children.append(_Child("scheduler", scheduler, self._log("scheduler")))
            webhooks = [python, "-m", "workers", "--webhooks"]
            self._children.append(_Child("webhooks", webhooks, self._log("webhooks")))
        # Built once per machine, so that the first uploaded bot does not wait for it.
        runtime = [python, "-m", "workers", "--sandbox"]
        self._sandbox = _Child("sandbox", runtime, self._log("sandbox"))

    def say(self, line: str, **fields: object) -> None:
        """Report a line to the user and the log. Only the log includes the ``fields``."""
        self._tell(line)
        log.info("%s", line, extra=fields)

    def _log(self, process: str, suffix: str = "") -> ProcessLog:
        return ProcessLog(self._logs / f"{process}{suffix}.log", process)

    def stop(self) -> None:
        """Make :meth:`run` return. Safe to call from other threads."""
        self._stop.set()
        if self._store is not None:
            self._store.interrupt()

    def run(self) -> None:
        """Run until :meth:`stop` is called, then stop everything: first workers and API, then the database.

        Raises :class:`AddressInUse`, :class:`~arena.store.embedded.DataFolderInUse`,
        :class:`~arena.store.embedded.StoreFailed`, :class:`~arena.ops.settings.InvalidSetting`,
        :class:`NotReady`, or the errors of :func:`~arena.ops.data_check.check_data`.
        """
        try:
            if self._store is not None:
                # The folder is checked before the address, because its error explains a second start better.
                self._start_store(self._store)
                self._environment["REDIS_URL"] = self._store.url
                set_archive(self._environment, self._store.folder)
                self._environment.setdefault("BOTEQUIM_OWN_RUNTIME", "1")
            if self._stop.is_set():
                return
            set_own_hosts(self._environment, self.address.host)
            settings = Settings.from_environment(self._environment)
            check_data(settings, is_alone=self._store is not None)
            self._stop_after = STOP_AFTER + settings.http.grace_seconds
            self.address.wait_until_free(self._stop)
            self._make_log_folder()
            if self._stop.is_set():
                return
            if self._workers:
                archiver = [sys.executable, "-m", "workers", "--archiver"]
                self._children.append(_Child("archiver", archiver, self._log("archiver"), archive=True))
            for child in self._children:
                child.start(self._environment)
            if self._wait_until_ready():
                self._greet()
                if self._workers:
                    self._sandbox.start(self._environment)
            rotate_at = 0.0
            while not self._stop.wait(0.1):
                self._restart_ended()
                if self._store is not None and time.monotonic() >= rotate_at:
                    rotate_at = time.monotonic() + ROTATE_EVERY
                    rotate_if_large(self._store.log)
        finally:
            self._end()

    def _make_log_folder(self) -> None:
        try:
            self._logs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotReady(
                f"the folder {self._logs} cannot be created: {error.strerror}", field="data"
            ) from None
        logging.getLogger().addHandler(json_handler(self._logs / "up.log", "supervisor"))

    def _greet(self) -> None:
        if self._store is None:
            self.say("database: from REDIS_URL")
        else:
            self.say(f"database: embedded, in {self._store.folder} (process {self._store.pid})")
        self.say(f"API:      {self.address.url}")
        self.say(f"docs:     {self.address.url}/docs")
        self.say(f"workers:  {self._workers}, logs in {self._logs}")
        self.say("Ctrl-C stops everything; the data are kept.")

    def _start_store(self, store: EmbeddedStore) -> None:
        """Start the database, retrying if it is killed meanwhile."""
        pause = FIRST_PAUSE
        while not self._stop.is_set():
            try:
                store.start()
            except StoreKilled as error:
                if not self._stop.is_set():
                    self.say(f"database: {error.message}; restarting in {pause:.1f} s")
                    self._stop.wait(pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
            else:
                return

    def _wait_until_ready(self) -> bool:
        """Wait for the API. Return True when it is ready, or False if the supervisor is stopped first.

        Raises :class:`NotReady` if the API repeatedly exits by itself.
        """
        api = self._children[0]
        attempts = 0
        tell_at = time.monotonic() + TELL_EVERY
        while not self._stop.is_set():
            if api.process is not None and (status := api.process.poll()) is not None:
                attempts += status >= 0
                if attempts == FIRST_ATTEMPTS:
                    raise NotReady(
                        f"the API did not start (status {status}): {api.log.reason()}",
                        expected=f"see {api.log.path}",
                    )
            self._restart_ended()
            # While our API is not running, another process can answer at its address.
            why = None if api.process is None else self.address.readiness()
            if why == "":
                return True
            if time.monotonic() > tell_at:
                tell_at = time.monotonic() + TELL_EVERY
                self.say(f"API:      not ready yet: {why or 'nothing answers'}; see {api.log.path}")
            self._stop.wait(0.05)
        return False

    def _restart_ended(self) -> None:
        """Restart processes that have ended."""
        if self._store is not None and not self._store.is_running() and time.monotonic() >= self._store_due:
            status = self._store.exit_status
            how = "" if status is None else f" {_ended(status)}"
            self.say(f"database: ended{how}, restarting", child="database", status=status)
            try:
                self._store.start()
                self._store_pause = FIRST_PAUSE
            except (StoreFailed, DataFolderInUse) as error:
                if self._stop.is_set():
                    return
                self._store_due = time.monotonic() + self._store_pause
                self.say(f"database: {error.message}; retrying in {self._store_pause:.1f} s")
                self._store_pause = min(2 * self._store_pause, LONGEST_PAUSE)
        status = self._sandbox.ended()
        if status:
            self.say(
                f"sandbox: building its Python failed (status {status}), so uploaded bots cannot play; "
                f"see {self._sandbox.log.path}"
            )
        for child in self._children:
            status = child.ended()
            if status is not None:
                line = f"{child.name}: ended {_ended(status)}, restarting in {child.pause:.1f} s"
                self.say(line, child=child.name, status=status)
            if child.process is None and time.monotonic() >= child.due:
                child.start(self._environment)

    def _end(self) -> None:
        processes = [*self._children, self._sandbox]
        for child in processes:
            child.terminate()
        deadline = time.monotonic() + self._stop_after
        for child in processes:
            child.stop(deadline)
        for child in processes:
            child.log.close()
        if self._store is not None:
            self._store.stop()


def _ended(status: int) -> str:
    """Return a description of how a process ended. ``status`` is its exit status, which is negative for a
    signal.
    """
    if status >= 0:
        return f"with status {status}"
    return f"by signal {-status} ({signal.strsignal(-status) or 'unknown'})"
