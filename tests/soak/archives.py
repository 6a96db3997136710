"""Archives of the soaks: a folder or an object store, an archiver in a hurry, and the proof that every record
is there once.

``python -m tests.soak.archives ENTRIES STEP`` is that archiver. It archives as soon as ``ENTRIES`` games or
groups wait, without the hour that ``python -m workers --archiver`` waits, which runs beside it; and it is
killed before its step number ``STEP`` that writes to the archive, or to the database what was archived.
"""

from __future__ import annotations

import gzip
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

from arena.store.archiving import Archiving
from redis import Redis, RedisError

from arena.errors import ArenaError
from arena.live.archiver import Batches
from arena.ops.data_check import check_archive
from arena.ops.die_with_parent import die_with_parent
from arena.records.archive.archive import PRIVATE, PUBLIC, Archive
from arena.records.archive.checking import segment_entries
from arena.records.archive.objects import FolderStore
from arena.records.archive.places import S3Store, open_objects
from arena.store.game_index import PRIVATE_RECORDS, GameIndex, records_key
from tests.archive.s3_server import BUCKET, credentials, s3_server
from tests.dying import counted_to
from tests.service import Service, botequim, environment
from tests.soak.season import end
from tests.waiting import wait_until

KINDS: Final = ("folder", "s3", "none")
"""Where the archive is: in a folder, in an object store that is a process on this machine, or nowhere."""

SETTLE_MS: Final = 2_000
"""The archiver of the soaks leaves a record alone for so long after its release."""

_STEPS: Final = 20
"""Before one of so many steps the archiver is killed; a batch takes about ten."""

_READY: Final = "the archiver begins its first run"
_PAUSE: Final = 0.2

log = logging.getLogger("botequim.soak")


class SoakArchive:
    """The archive of the service in ``folder``, or none; as :func:`archive_of` opens it.

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
        """Run the archiver inside the block, if there is an archive; :meth:`tend` starts it again there."""
        try:
            self.tend(service)
            yield
        finally:
            if self._process is not None:
                end(self._process)
                self._process = None

    def tend(self, service: Service) -> None:
        """Start the archiver if it does not run."""
        if not self.place or (self._process is not None and self._process.poll() is None):
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
        """Whether there are ``count`` records, each either in the archive or in the database, and fewer than
        a batch wait in the database.
        """
        try:
            stored, waiting = in_database(service.database)
            found = stored + in_archive(self.place)
        except (ArenaError, RedisError):
            return False
        return found.total() == len(found) == count and max(waiting) < self.entries

    def prove(self, service: Service, count: int, counts: Counter[str]) -> None:
        """Let the archiver finish, without kills; then every record is there once, and the archive is whole.
        Adds to ``counts`` how many records are in the archive and in the database.
        """
        if not self.place:
            return

        def is_whole() -> bool:
            self.tend(service)
            return self.is_whole(service, count)

        wait_until(is_whole, 600, pause=0.5)
        counts["archiver starts"] = self.starts
        counts["archived"] = in_archive(self.place).total()
        counts["stored"] = in_database(service.database)[0].total()
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
    if kind == "none":
        yield SoakArchive(folder, "", {"BOTEQUIM_ARCHIVE": "off"}, entries)
    elif kind == "folder":
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
    if not place:
        return Counter()
    archive = Archive(open_objects(place))
    segments = [info for info in archive.refresh().segments if info.collection in (PUBLIC, PRIVATE)]
    return _games(
        line for info in segments for entry in segment_entries(archive, info) for line in entry.lines
    )


def in_database(url: str) -> tuple[Counter[str], tuple[int, int]]:
    """How often the record of each game is in the database, on a list or not; and the lengths of the lists of
    public and private records that wait for the archive.
    """
    with Redis.from_url(url) as connection:
        packed: list[bytes | None] = [
            connection.hget(key, "z")  # type: ignore[misc]
            for key in connection.scan_iter("{g:*}:rec", count=1000)
        ]
        for key in connection.scan_iter("{t:*}:packs", count=1000):
            packed += connection.hvals(key)  # type: ignore[arg-type]
        waiting = connection.zcard(records_key(None)), connection.zcard(PRIVATE_RECORDS)
    lines = (line for pack in packed if pack for line in gzip.decompress(pack).split(b"\n"))
    return _games(lines), waiting  # type: ignore[return-value]


def _games(lines: Iterable[bytes]) -> Counter[str]:
    return Counter(json.loads(line)["canonical"]["game"] for line in lines)


def main(entries: int, step: int) -> None:
    """Archive until the process is killed."""
    from workers.jobs import service

    counted = counted_to(step)
    steps = [
        *((Archiving, name) for name in ("note_change", "remove", "unlist")),
        *((kind, "put") for kind in (FolderStore, S3Store)),
        (GameIndex, "archive"),
    ]
    for kind, name in steps:
        setattr(kind, name, counted(getattr(kind, name)))
    check_archive(service().settings)
    archiver = service().archiver(Batches(entries=entries, settle_ms=SETTLE_MS))
    print(_READY, flush=True)
    while True:
        try:
            archiver.run()
        except ArenaError as error:
            log.warning("records stay in the database: %s", error)
        time.sleep(_PAUSE)


if __name__ == "__main__":
    from workers.__main__ import run

    run("archiver", partial(main, *map(int, sys.argv[1:])))
