"""The archive as workers and schedulers run it."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.records.archive.archive import Archive
from arena.records.archive.objects import FolderStore
from arena.store.embedded import EmbeddedStore
from arena.store.repositories import open_store
from tests.service import Process
from tests.waiting import wait_until

WORKER = [sys.executable, "-m", "workers"]


def test_a_worker_that_has_an_archive_archives(tmp_path: Path) -> None:
    """The one without one leaves its jobs alone."""
    place = tmp_path / "archive"
    with EmbeddedStore(tmp_path / "store") as running:
        store = open_store(running.url)
        with (
            Process(WORKER, tmp_path, REDIS_URL=running.url),
            Process(WORKER, tmp_path, REDIS_URL=running.url, BOTEQUIM_ARCHIVE=str(place)),
            Process([*WORKER, "--scheduler"], tmp_path, REDIS_URL=running.url),
        ):

            def has_run() -> bool:
                status = store.archiving.status()
                return status is not None and status.at_ms is not None

            wait_until(has_run)
        assert Archive(FolderStore(place)).refresh().service == store.identity.id()
        store.close()


def test_a_worker_refuses_the_archive_of_another_service(tmp_path: Path) -> None:
    place = tmp_path / "archive"
    Archive(FolderStore(place)).claim("another one")
    with (
        EmbeddedStore(tmp_path / "store") as running,
        Process(WORKER, tmp_path, REDIS_URL=running.url, BOTEQUIM_ARCHIVE=str(place)) as worker,
    ):
        wait_until(lambda: worker.process.poll() is not None)
        assert worker.stop() == 1
        (line,) = worker.lines
        assert line.startswith(
            f"botequim: error: the folder {place} holds the archive of the service another one"
        )
