"""The processes that are measured: started, watched by ``/proc`` and ended."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.request import urlopen

from arena.ops.die_with_parent import die_with_parent
from benchmarks.http.load import BenchFailed

START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 20.0


def free_port() -> int:
    """A TCP port of 127.0.0.1 that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cpu_seconds(pid: int) -> float | None:
    """The processor time of a process in seconds, user and system; None where it is not available."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int | None:
    """The resident set of a process; None where it is not available."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


class Cores:
    """Where processes are started: the server that is measured gets a core of its own, as it would have on a
    machine of its own; callers and database share the others.

    A context manager; inside, this process and what it starts are on the others. Where there is one core
    only, or no choice, ``split`` is false and nothing is moved.
    """

    def __init__(self) -> None:
        self._all = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
        self.split = len(self._all) > 1

    def __enter__(self) -> Cores:
        self._go(self._all[1:])
        return self

    def __exit__(self, *_: object) -> None:
        self._go(self._all)

    @contextmanager
    def of_server(self) -> Iterator[None]:
        """What is started inside is started on the core of the server."""
        self._go(self._all[:1])
        try:
            yield
        finally:
            self._go(self._all[1:])

    def _go(self, cores: Sequence[int]) -> None:
        if self.split:
            os.sched_setaffinity(0, cores)


class Server:
    """A server process with one child that answers, on a port and a core of its own; a context manager.

    ``arguments``: of this Python, with ``{bind}`` where the address belongs. ``ready``: a path that
    answers, whatever the status, once it serves.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        ready: str,
        folder: Path,
        environment: dict[str, str],
        cores: Cores,
    ) -> None:
        self.port = free_port()
        self._cores = cores
        self._arguments = [part.format(bind=f"127.0.0.1:{self.port}") for part in arguments]
        self._ready = f"http://127.0.0.1:{self.port}{ready}"
        self._folder = folder
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("BOTEQUIM_")}
        bind = {"BOTEQUIM_BIND": f"127.0.0.1:{self.port}"}
        self._environment = {**inherited, **bind, **environment}
        self._process: subprocess.Popen[bytes] | None = None
        self.pid = 0
        """The process that answers."""

    def __enter__(self) -> Server:
        with (self._folder / "servers.log").open("ab") as log, self._cores.of_server():
            self._process = subprocess.Popen(
                die_with_parent([sys.executable, *self._arguments]),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            self._wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        self.pid = next(iter(_children(self._process.pid)), self._process.pid)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            for pid in [*_children(self._process.pid), self._process.pid]:
                with suppress(ProcessLookupError):
                    os.kill(pid, 9)
            self._process.wait()

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                with urlopen(self._ready, timeout=5):
                    return
            except HTTPError:
                return
            except OSError:
                pass
            if self._process.poll() is not None or time.monotonic() > deadline:
                lines = (self._folder / "servers.log").read_text(errors="replace").splitlines()
                raise BenchFailed(f"a server did not start: {lines[-1] if lines else 'it said nothing'}")
            time.sleep(0.05)
