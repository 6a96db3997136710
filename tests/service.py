"""``botequim up`` in a process of its own, and what can be done to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType

from arena.client import Client
from arena.store.embedded import EmbeddedStore
from tests.ports import free_port
from tests.waiting import PATIENCE

ROOT = Path(__file__).parent.parent

READY = "Ctrl-C stops everything"


def environment(**settings: str) -> dict[str, str]:
    """The environment of a process of this tree, without what would reach another service."""
    ours = ("BOTEQUIM_", "REDIS_URL")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {**inherited, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1", **settings}


def botequim(*arguments: str) -> list[str]:
    """The command line of this tree's ``botequim``."""
    return [sys.executable, "-m", "arena.cli", *arguments]


def heed_interrupts() -> None:
    """What a shell starts in the background ignores SIGINT, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Process:
    """A program whose lines are heard as they come; it is ended with the block."""

    def __init__(self, command: list[str], folder: Path, **settings: str) -> None:
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(**settings),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=heed_interrupts,
        )
        self._ear = threading.Thread(target=self._hear, daemon=True)
        self._ear.start()

    def _hear(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    @property
    def said(self) -> str:
        """All that it has said so far."""
        return "\n".join(self.lines)

    def wait_for(self, text: str, times: int = 1, seconds: float = PATIENCE) -> None:
        """Wait until ``times`` lines contain ``text``."""
        deadline = time.monotonic() + seconds
        while sum(text in line for line in self.lines) < times:
            assert self.process.poll() is None or self._ear.is_alive(), f"it has ended: {self.said}"
            assert time.monotonic() < deadline, f"it does not say {text!r}: {self.said}"
            time.sleep(0.01)

    def stop(self, number: signal.Signals = signal.SIGINT, seconds: float = PATIENCE) -> int:
        """Signal it and wait for its end; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(seconds)
        self._ear.join(PATIENCE)
        return status

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


class Service(Process):
    """``botequim up`` on ``folder / "data"`` and a free port, without limits on requests and without the
    tournaments that a new service is given.
    """

    def __init__(self, folder: Path, *, workers: int = 1, port: int | None = None, **settings: str) -> None:
        self.port = port or free_port()
        self.data = folder / "data"
        command = botequim("up", "--bind", f"127.0.0.1:{self.port}", "--workers", str(workers))
        super().__init__(
            [*command, "--data", str(self.data)],
            folder,
            **{"BOTEQUIM_LIMITS": "off", "BOTEQUIM_SEED": "0", **settings},
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database(self) -> str:
        """The address of the embedded database, as in ``REDIS_URL``."""
        return EmbeddedStore(self.data).url

    def client(self, token: str | None = None) -> Client:
        return Client(self.url, token, patience=30)

    def __enter__(self) -> Service:
        try:
            self.wait_for(READY)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def pids(self, what: str) -> list[int]:
        """The processes of ``what``: ``api`` (the server, then those who answer), ``worker``, ``live``,
        ``checks``, ``scheduler``, ``webhooks``, ``archiver`` or ``database``.
        """
        mark, *others = {
            "api": ("gunicorn", "-m workers"),
            "worker": (
                "-m workers",
                "--live",
                "--checks",
                "--scheduler",
                "--webhooks",
                "--archiver",
                "--sandbox",
            ),
            "live": ("-m workers --live", "gunicorn"),
            "checks": ("-m workers --checks", "gunicorn"),
            "scheduler": ("-m workers --scheduler", "gunicorn"),
            "webhooks": ("-m workers --webhooks", "gunicorn"),
            "archiver": ("-m workers --archiver", "gunicorn"),
            "database": ("unixsocket", "gunicorn"),
        }[what]
        return [
            pid
            for pid in descendants(self.process.pid)
            if mark in (line := command_line(pid)) and not any(other in line for other in others)
        ]


def descendants(pid: int) -> list[int]:
    """All processes below ``pid``, parents first."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found = list(parents.get(pid, ()))
    for child in found:
        found += parents.get(child, ())
    return found


def command_line(pid: int) -> str:
    """How ``pid`` was called; empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    """Whether ``pid`` runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
