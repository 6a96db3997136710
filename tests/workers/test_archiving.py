"""The archiver as a process: the only one that has the archive."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from arena.records.archive.archive import Archive
from arena.records.archive.objects import FolderStore
from arena.store.embedded import EmbeddedStore
from arena.store.repositories import Store, open_store
from tests.service import Process, Service, descendants
from tests.waiting import wait_until

pytestmark = pytest.mark.system

ARCHIVER = [sys.executable, "-m", "workers", "--archiver"]


def has_run(store: Store, after_ms: int = 0) -> bool:
    return store.records.status().at_ms > after_ms


def test_an_archiver_goes_on_when_another_one_is_killed(tmp_path: Path) -> None:
    place = tmp_path / "archive"
    with EmbeddedStore(tmp_path / "store") as running:
        store = open_store(running.url)
        settings = {"REDIS_URL": running.url, "BOTEQUIM_ARCHIVE": str(place)}
        with (
            Process(ARCHIVER, tmp_path, **settings) as first,
            Process(ARCHIVER, tmp_path, **settings) as second,
        ):
            wait_until(lambda: has_run(store))
            assert Archive(FolderStore(place)).service() == store.identity.id()
            os.kill(first.process.pid, signal.SIGKILL)
            at_ms = store.records.status().at_ms
            # The time until the next run passes.
            assert not store.flags.first("archive", 60_000)
            store._connection.run([("DEL", "{arena}:flags:archive")])
            wait_until(lambda: has_run(store, at_ms))
            assert second.stop(signal.SIGTERM) == 0
            assert second.lines == []
        store.close()


@pytest.mark.nightly("processes")
def test_a_failure_is_noted_and_mended(tmp_path: Path) -> None:
    place = tmp_path / "archive"
    place.write_text("This is no folder.")
    with EmbeddedStore(tmp_path / "store") as running:
        store = open_store(running.url)
        with Process(ARCHIVER, tmp_path, REDIS_URL=running.url, BOTEQUIM_ARCHIVE=str(place)) as archiver:
            wait_until(lambda: store.records.status().failed_ms)
            status = store.records.status()
            assert status.failure == f"the archive in {place} cannot be used: Not a directory"
            assert status.at_ms == 0
            archiver.wait_for("records remain in the database until they can be archived: ")
            place.unlink()
            store._connection.run([("DEL", "{arena}:flags:archive")])
            wait_until(lambda: has_run(store, status.failed_ms))
        store.close()


@pytest.mark.parametrize(
    ("archive", "error"),
    [
        (
            "other",
            "the folder {place} holds the archive of the service another one, but this database belongs to ",
        ),
        (
            "",
            "no archive is configured; at BOTEQUIM_ARCHIVE; expected a folder, or BOTEQUIM_ARCHIVE_URL with s3://bucket/folder",
        ),
    ],
)
def test_an_archiver_refuses_to_start(tmp_path: Path, archive: str, error: str) -> None:
    place = tmp_path / "other"
    Archive(FolderStore(place)).claim("another one")
    with (
        EmbeddedStore(tmp_path / "store") as running,
        Process(ARCHIVER, tmp_path, REDIS_URL=running.url, BOTEQUIM_ARCHIVE=archive) as archiver,
    ):
        wait_until(lambda: archiver.process.poll() is not None)
        assert archiver.stop() == 1
        (line,) = archiver.lines
        assert json.loads(line)["message"].startswith(error.format(place="other"))


@pytest.mark.nightly("processes")
def test_processes_have_only_their_own_secrets(tmp_path: Path) -> None:
    """Of all processes of ``botequim up``."""
    own = {
        "AWS_SECRET_ACCESS_KEY": "of-the-tests",
        "BOTEQUIM_ADMIN_TOKEN": "x" * 32,
        "BOTEQUIM_PUBLIC_URL": "https://bar.example",
        "BOTEQUIM_OIDC_ISSUER": "https://school.example",
        "BOTEQUIM_OIDC_CLIENT_ID": "bar",
        "BOTEQUIM_OIDC_CLIENT_SECRET": "of-the-tests",
    }
    others = {"BOTEQUIM_TOKEN": "of-a-user", "SOME_PASSWORD": "of-a-user", "GITHUB_TOKEN": "of-a-user"}
    with Service(tmp_path, **own, **others) as service:
        wait_until(lambda: service.pids("archiver"))
        having, lacking = service.pids("api") + service.pids("archiver"), service.pids("worker")
        lacking += service.pids("scheduler") + service.pids("webhooks")
        # A worker is two processes: its watchdog and itself.
        assert len(lacking) == 4
        running = descendants(service.process.pid)
        assert set(having + lacking) < set(running)
        for pid in running:
            variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            names = {variable.partition(b"=")[0].decode() for variable in variables}
            found = names & {"AWS_SECRET_ACCESS_KEY", "BOTEQUIM_ARCHIVE"}
            assert len(found) == (2 if pid in having else 0), pid
            for name in ("BOTEQUIM_ADMIN_TOKEN", "BOTEQUIM_OIDC_CLIENT_SECRET"):
                assert (name in names) == (pid in service.pids("api")), (name, pid)
            assert not names & others.keys(), pid
