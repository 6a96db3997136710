"""The lines in which the supervisor says what it did with a process."""

from __future__ import annotations

import logging
import os
import signal
import sys
from pathlib import Path

import pytest

from arena.ops.process_logs import ProcessLog
from arena.ops.supervisor import Supervisor, _Child
from tests.waiting import wait_until

pytestmark = pytest.mark.system


def test_a_process_that_ends_says_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "botequim.up")
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1")
    said: list[str] = []
    supervisor = Supervisor("127.0.0.1:8000", 0, tmp_path, said.append)
    (tmp_path / "logs").mkdir()
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    child = _Child("worker 7", command, ProcessLog(tmp_path / "logs" / "worker-7.log", "worker"))
    supervisor._children = [child]
    child.start(os.environ)
    assert child.process is not None
    first = child.process.pid
    os.kill(first, signal.SIGKILL)

    def restarted() -> bool:
        supervisor._restart_ended()
        return child.process is not None and child.process.pid != first

    wait_until(restarted)
    second = child.process.pid
    supervisor._end()
    records = [record for record in caplog.records if vars(record).get("child") == "worker 7"]
    runs, ended, again, stopped = records
    assert runs.getMessage() == f"worker 7: running as process {first}"
    assert ended.getMessage().startswith("worker 7: ended by signal 9 (Killed), restarting in ")
    assert (vars(ended)["status"], vars(again)["child_pid"]) == (-9, second)
    assert stopped.getMessage() == "worker 7: stopped by signal 15 (Terminated)"
    assert said == [ended.getMessage()]
