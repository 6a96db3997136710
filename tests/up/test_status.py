"""``botequim ops status`` on a real service: well, and with what is wrong."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
import redis

from arena.ops.status import parse, status
from tests.service import Service, botequim, environment
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system

ROOT = Path(__file__).parent.parent.parent


def shown(service: Service) -> tuple[int, str]:
    """The exit code and the screen of the command."""
    command = botequim("ops", "status", "--url", service.url)
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=PATIENCE)
    assert done.stderr == ""
    return done.returncode, done.stdout


def screen_of(service: Service, *, code: int) -> str:
    """The first screen with which the command ends with ``code``."""
    screens: list[str] = []

    def ends() -> bool:
        found, screen = shown(service)
        screens.append(screen)
        return found == code

    wait_until(ends)
    return screens[-1]


def test_the_status_of_a_service_and_what_is_wrong_with_it(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        screen = screen_of(service, code=0)
        for name in (
            "ready                yes",
            "workers alive        1",
            "queue maintenance",
            "last tick",
            "archive              0 segments of 0.0 MB",
            "connections",
            "processor time today",
            "  the arena itself",
        ):
            assert name in screen
        assert "WRONG" not in screen
        database = redis.Redis(unix_socket_path=str(service.data / "store.sock"))
        # The time passes for all of them.
        database.set("{arena}:ticked", 1)
        (scheduler,) = service.pids("scheduler")
        os.kill(scheduler, signal.SIGSTOP)
        database.set("{arena}:ticked", 1)

        def alarms() -> list[str]:
            # The service frees memory as well.
            database.config_set("maxmemory", database.info("memory")["used_memory"] + 100_000)
            return re.findall(r"docs/alarms\.md#([a-z-]+)", shown(service)[1])

        wait_until(lambda: {"no-ticks", "full-memory"} <= set(alarms()))
        assert shown(service)[0] == 1
        os.kill(scheduler, signal.SIGCONT)
        database.config_set("maxmemory", 0)
        database.flushall()
        code, screen = shown(service)
        assert code == 1
        assert "store_replaced" in screen
        assert "docs/alarms.md#not-ready" in screen
        service.stop()
        code, screen = shown(service)
        assert code == 1
        assert "does not answer" in screen


def test_it_says_who_uses_the_machine() -> None:
    text = (
        'botequim_account_seconds{account="olga"} 12.5\nbotequim_account_seconds{account="all guests"} 30.0\n'
        'botequim_account_seconds{account="the arena itself"} 7.5\nbotequim_accounts_seconds 100.0\n'
        "botequim_guests 3.0"
    )
    lines = [(line.name, line.value) for line in status(parse(text))]
    start = lines.index(("processor time today", "100.0 s"))
    assert lines[start + 1 : start + 4] == [
        ("  all guests (3)", "30.0 s, 30 %"),
        ("  olga", "12.5 s, 12 %"),
        ("  the arena itself", "7.5 s, 8 %"),
    ]


@pytest.mark.parametrize(
    ("text", "alarm"),
    [
        ("botequim_workers 0.0", "no-workers"),
        ("botequim_tick_age_seconds 31.0", "no-ticks"),
        ("botequim_sweep_lag_seconds 11.0", "no-clocks"),
        ('botequim_board_lag_seconds{kind="truco",division="open"} 4000.0', "old-board"),
        ("botequim_database_bytes 95.0\nbotequim_database_limit_bytes 100.0", "full-memory"),
        ("botequim_database_bytes 95.0\nbotequim_database_writing 0.0", "no-flush"),
        ("botequim_database_bytes 95.0\nbotequim_database_unflushed_seconds 3.0", "no-flush"),
        ("botequim_connections 95.0\nbotequim_connections_limit 100.0", "full-connections"),
        ("botequim_rows_left_out 1.0", "unreadable-rows"),
        ("botequim_suspended_bots 1.0", "suspended-bots"),
        ("botequim_archive_failed 0.0", "no-archiver"),
        ("botequim_archive_failed 0.0\nbotequim_archive_age_seconds 601.0", "no-archiver"),
        ("botequim_archive_failed 1.0\nbotequim_archive_age_seconds 9.0", "archive-fails"),
        (
            'botequim_queue_jobs{queue="house"} 2.0\nbotequim_queue_oldest_seconds{queue="house"} 61.0\n'
            'botequim_queue_failed{queue="house"} 0.0',
            "slow-queue",
        ),
    ],
)
def test_every_alarm_is_raised_and_on_the_page(text: str, alarm: str) -> None:
    raised = {line.alarm for line in status(parse(text)) if line.value != "unknown"} - {""}
    assert raised == {alarm}
    page = (ROOT / "docs" / "alarms.md").read_text()
    assert f'<a id="{alarm}"></a>`{alarm}`' in page
    assert len(re.findall(r'<a id="', page)) == 13
