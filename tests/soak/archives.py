"""Archives of the soaks: a folder or an object store, an archiver in a hurry, and the proof that every record
is there once.

``python -m tests.soak.archives ENTRIES STEP`` is that archiver. It writes segments of up to ``ENTRIES`` games
or groups again and again, beside ``python -m workers --archiver``; and it is killed before its step number
``STEP`` that writes to the archive, or to the database what was archived.
"""

from __future__ import annotations

import json
import logging
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final
from unittest.mock import patch

from redis import Redis, RedisError

from arena.errors import ArenaError
from arena.live import archiver as archiver_module
from arena.live.retention import Retention
from arena.ops.data_check import check_archive
from arena.ops.die_with_parent import die_with_parent
from arena.records.archive.archive import PRIVATE, PUBLIC, Archive
from arena.records.archive.checking import segment_members
from arena.records.archive.objects import FolderStore
from arena.records.archive.places import S3Store, open_objects
from arena.store.game_index import GameIndex
from arena.store.records import PENDING, PENDING_PRIVATE, RecordStore
from tests.archive.s3_server import BUCKET, credentials, s3_server
from tests.dying import counted_to
from tests.service import Service, botequim, environment
from tests.soak.season import end
from tests.waiting import wait_until

KINDS: Final = ("folder", "s3")
"""Where the archive is: in a folder, or in an object store that is a process on this machine."""

_STEPS: Final = 20
"""Before one of so many steps the archiver is killed; a batch takes about ten."""

_READY: Final = "the archiver begins its first run"
_PAUSE: Final = 0.2

log = logging.getLogger("botequim.soak")


class SoakArchive:
    """The archive of the service in ``folder``; as :func:`archive_of` opens it.

    ``settings``: those of the service. ``entries``: those of a batch. ``starts``: how often the archiver was
    started.
    """

    def __init__(self, folder: Path, place: str, settings: dict[str, str], entries: int) -> None:
        self.starts = 0
        self._source = random.Random(1)
        self.folder = folder
        self.place = place
        self.settings = settings
        self.entries = entries
        self._process: subprocess.Popen[bytes] | None = None
        self._log = folder / "archiver.log"
        self._ready_from = 0

    @contextmanager
    def archiving(self, service: Service) -> Iterator[None]:
        """Run the archiver inside the block; :meth:`tend` starts it again there."""
        try:
            self.tend(service)
            yield
        finally:
            if self._process is not None:
                end(self._process)
                self._process = None

    def tend(self, service: Service) -> None:
        """Start the archiver if it does not run."""
        if self._process is not None and self._process.poll() is None:
            return
        self.starts += 1
        numbers = [str(self.entries), str(self._source.randint(1, _STEPS))]
        with self._log.open("ab") as output:
            self._ready_from = output.tell()
            self._process = subprocess.Popen(
                die_with_parent([sys.executable, "-m", "tests.soak.archives", *numbers]),
                cwd=self.folder,
                env=environment(REDIS_URL=service.database, **self.settings),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def pids(self, service: Service) -> list[int]:
        """The archivers that can be killed: that of the service, and the other one while it archives."""
        found = service.pids("archiver")
        if self._process is not None and self._process.poll() is None and _READY in self._said():
            found.append(self._process.pid)
        return found

    def _said(self) -> str:
        return self._log.read_bytes()[self._ready_from :].decode(errors="replace")

    def is_whole(self, service: Service, count: int) -> bool:
        """Whether there are ``count`` records, each in the archive and none in the database any more."""
        try:
            waiting = in_database(service.database)
            found = in_archive(self.place)
        except (ArenaError, RedisError):
            return False
        return found.total() == len(found) == count and not waiting

    def prove(self, service: Service, count: int, counts: Counter[str]) -> None:
        """Let the archiver finish, without kills; then every record is there once, and the archive is whole.
        Adds to ``counts`` how many records are in the archive.
        """

        def is_whole() -> bool:
            self.tend(service)
            return self.is_whole(service, count)

        wait_until(is_whole, 600, pause=0.5)
        counts["archiver starts"] = self.starts
        counts["archived"] = in_archive(self.place).total()
        check = subprocess.run(
            botequim("archive", "check", self.place),
            cwd=self.folder,
            env=environment(**self.settings),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert check.returncode == 0, (check.stdout, check.stderr)
        assert f"{counts['archived']} records in " in check.stdout, check.stdout
        assert check.stdout.rstrip().endswith("all checked"), check.stdout
        assert "Traceback" not in self._log.read_text(errors="replace"), self._log.read_text(errors="replace")


@contextmanager
def archive_of(folder: Path, kind: str, entries: int) -> Iterator[SoakArchive]:
    """One of :data:`KINDS` for a service in ``folder``, in batches of ``entries``; inside the block this
    process can read it as well.
    """
    if kind == "folder":
        place = str(folder / "archive")
        yield SoakArchive(folder, place, {"BOTEQUIM_ARCHIVE": place}, entries)
    else:
        assert kind == "s3", kind
        with s3_server() as endpoint:
            place, own = f"s3://{BUCKET}/soak", credentials(endpoint)
            with patch.dict(os.environ, own):
                yield SoakArchive(folder, place, {"BOTEQUIM_ARCHIVE_URL": place, **own}, entries)


def in_archive(place: str) -> Counter[str]:
    """How often the record of each game is in the archive."""
    archive = Archive(open_objects(place))
    segments = [segment for name in (PUBLIC, PRIVATE) for segment in archive.segments(name)]
    found = (member for segment in segments for member in segment_members(archive, segment))
    return _games(line for member in found for line in member.lines())


def in_database(url: str) -> int:
    """How many released entries wait for the archive in the database, or are still copies there."""
    with Redis.from_url(url) as connection:
        rows: list[bytes | None] = [
            connection.hget(key, "z")  # type: ignore[misc]
            for key in connection.scan_iter("{g:*}:rec", count=1000)
        ]
        for key in connection.scan_iter("{t:*}:records", count=1000):
            rows += connection.hvals(key)  # type: ignore[arg-type]
        waiting = int(connection.zcard(PENDING)) + int(connection.zcard(PENDING_PRIVATE))  # type: ignore[arg-type]
    return waiting + sum(row is not None and not RecordStore.is_archived(row) for row in rows)


def _games(lines: Iterable[bytes]) -> Counter[str]:
    return Counter(json.loads(line)["canonical"]["game"] for line in lines)


def main(entries: int, step: int) -> None:
    """Archive until the process is killed."""
    from workers.jobs import service

    counted = counted_to(step)
    steps = [
        *((RecordStore, name) for name in ("set_places", "add_segment", "forget")),
        *((kind, "put") for kind in (FolderStore, S3Store)),
        (GameIndex, "archive"),
    ]
    for kind, name in steps:
        setattr(kind, name, counted(getattr(kind, name)))
    archiver_module.SEGMENT_ENTRIES = entries  # type: ignore[misc]
    check_archive(service().settings)
    archiver = service().archiver()
    # Private records do not wait either.
    archiver._retention = Retention(live_s=-3600)
    print(_READY, flush=True)
    while True:
        try:
            archiver.run()
        except ArenaError as error:
            log.warning("records remain in the database until they can be archived: %s", error)
        time.sleep(_PAUSE)


if __name__ == "__main__":
    from workers.__main__ import run

    run("archiver", partial(main, *map(int, sys.argv[1:])))
