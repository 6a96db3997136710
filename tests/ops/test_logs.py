"""The lines of the logs: their fields, whose they are, for whom they are, and how much of them is kept."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from arena.ops import logs, process_logs
from arena.ops.jobs import Job, JobName
from arena.ops.logs import JsonFormatter, begin_request, current_request, log_fields
from arena.ops.process_logs import ProcessLog, rotate_if_large
from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import MAINTENANCE_QUEUE, BackgroundJobs, RqJobs
from tests.service import environment
from tests.waiting import PATIENCE, wait_until


@pytest.fixture(autouse=True)
def no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread of other tests may have served a request."""
    monkeypatch.setattr(logs, "_FIELDS", ContextVar("log_fields", default=MappingProxyType({})))


def line_of(message: str, **extra: Any) -> dict[str, Any]:
    record = logging.makeLogRecord({"name": "x", "levelname": "INFO", "msg": message, **extra})
    return dict(json.loads(JsonFormatter("worker").format(record)))


def test_a_line_has_its_own_fields_and_those_around_it() -> None:
    with log_fields(job="tick", request_id="a"):
        with log_fields(tournament="cup"):
            line = line_of("void", group="g1", job="other")
        outside = line_of("next")
    assert line.items() >= {
        "process": "worker",
        "level": "info",
        "message": "void",
        "request_id": "a",
        "tournament": "cup",
        "group": "g1",
        "job": "other",
        "pid": os.getpid(),
    }.items() - {("pid", os.getpid())}
    assert {"time", "pid", "logger"} <= line.keys()
    assert outside["job"] == "tick"
    assert "tournament" not in outside
    assert not {"job", "request_id"} & line_of("last").keys()


def test_fields_of_one_thread_are_not_those_of_another() -> None:
    found: list[str | None] = []
    with log_fields(request_id="mine"):
        thread = threading.Thread(target=lambda: found.append(current_request()))
        thread.start()
        thread.join()
        assert current_request() == "mine"
    assert found == [None]


@pytest.mark.parametrize("in_background", [False, True])
def test_a_job_carries_the_id_of_the_request_that_caused_it(
    clean_store: EmbeddedStore, in_background: bool
) -> None:
    queue = RqJobs(clean_store.url).queue(MAINTENANCE_QUEUE)
    jobs = BackgroundJobs(RqJobs(clean_store.url)) if in_background else RqJobs(clean_store.url)

    def ask() -> None:
        begin_request("first")
        jobs.request(Job(JobName.STEP_TOURNAMENT, ("one",)))
        begin_request("second")
        jobs.request(Job(JobName.STEP_TOURNAMENT, ("two",)))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    jobs.request(Job(JobName.STEP_TOURNAMENT, ("three",)))
    wait_until(lambda: len(queue.job_ids) == 3)
    found = {job.args[1]: job.request_id for job in queue.get_jobs()}
    assert found == {"one": "first", "two": "second", "three": None}


PROGRAM = """
import logging, warnings
from arena.ops.logs import set_up_logging
set_up_logging("worker", "INFO")
logging.getLogger("x").info("hello %s", "btq_o_ana_secretsecret")
warnings.warn("be careful")
raise ValueError("nobody catches btq_o_ana_secretsecret")
"""


def test_everything_that_a_process_reports_is_json() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment(), capture_output=True, text=True, timeout=PATIENCE
    )
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["level"] for line in lines] == ["info", "warning", "critical"]
    assert lines[0]["message"] == "hello btq_o_ana [cut]"
    assert "be careful" in lines[1]["message"]
    assert lines[2]["message"] == "ValueError: nobody catches btq_o_ana [cut]"
    assert "Traceback" in lines[2]["exception"]
    assert "secretsecret" not in done.stderr


def test_on_a_terminal_it_is_text() -> None:
    primary, secondary = os.openpty()
    with os.fdopen(primary, "rb", 0) as terminal:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment(), stderr=secondary, timeout=PATIENCE
        )
        os.close(secondary)
        text = terminal.read(65536).decode()
    assert done.returncode == 1
    assert "INFO hello btq_o_ana [cut]" in text
    assert "{" not in text


# Files


def run(log: ProcessLog, program: str) -> None:
    """Run a program as the supervisor does."""
    pipe = log.pipe()
    process = subprocess.Popen([sys.executable, "-c", program], stdout=pipe, stderr=pipe, env=environment())
    os.close(pipe)
    process.wait(120)


def test_all_that_a_process_writes_becomes_json_lines(tmp_path: Path) -> None:
    log = ProcessLog(tmp_path / "api.log", "api")
    run(log, "import sys; print('{\"message\": 1}'); print('plain'); sys.exit('the end')")
    log.close()
    first, *others = map(json.loads, log.path.read_text().splitlines())
    assert first == {"message": 1}
    assert {(line["process"], line["level"], line["message"]) for line in others} == {
        ("api", "warning", "plain"),
        ("api", "warning", "the end"),
    }


def test_the_reason_is_that_of_the_latest_start(tmp_path: Path) -> None:
    log = ProcessLog(tmp_path / "api.log", "api")
    run(log, 'print(\'{"message": "it broke", "exception": "Traceback\\\\nOldError: long ago"}\')')
    assert log.reason() == "OldError: long ago"
    run(log, "import sys; sys.exit('another end')")
    assert log.reason() == "another end"
    run(log, "")
    assert log.reason() == "its log is empty"
    log.close()


def test_logs_have_a_maximum_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_logs, "MOST_BYTES", 20_000)
    log = ProcessLog(tmp_path / "api.log", "api")
    run(log, "for number in range(2000): print('line', number, 'x' * 40)")
    log.close()
    files = sorted(tmp_path.iterdir())
    assert len(files) == 1 + process_logs.KEPT
    assert all(path.stat().st_size <= 20_000 for path in files)
    assert "line 1999" in log.path.read_text()


def test_the_databases_log_is_rotated_while_it_is_written(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "data") as store:
        rotate_if_large(store.log)
        assert store.log.stat().st_size > 0
        with store.log.open("a") as file:
            file.truncate(process_logs.MOST_BYTES + 1)
        rotate_if_large(store.log)
        assert not store.log.exists()
        assert (tmp_path / "data" / "store.log.1").stat().st_size == process_logs.MOST_BYTES + 1
    # What it says when it stops.
    assert store.log.stat().st_size > 0


def test_a_full_disk_does_not_end_the_process(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log = ProcessLog(Path("/dev/full"), "api")
    run(log, "for number in range(100): print('line', number)")
    assert log.reason() == "line 99"
    assert capfd.readouterr().err == ""
