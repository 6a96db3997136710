"""``botequim records``: downloads all public records of a service to a file or to standard output.

The file has a state file beside it (``FILE.state``), with the size of its complete part, the cursor of the
next page, and the changes to older records that it contains. A page counts only when it is in the state, so
an interruption at any moment neither loses nor duplicates a record. A finished file has the same bytes as one
downloaded without interruption.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Final, TypedDict

import click

from arena.cli.commands import Command
from arena.cli.online import online
from arena.cli.params import KIND, out_option
from arena.cli.progress import progress_bar
from arena.client import Client
from arena.client.shapes import WrongShape, check_object
from arena.client.types import BoardSummary
from arena.errors import ArenaError
from arena.inputs.reading import json_value, read_file
from arena.records.record import dumps

_FORMAT: Final = 1


@dataclass
class DownloadState:
    """The state of a file of records: its service, the ``kind`` of the games (None for all), the cursor, and
    the number of complete ``bytes`` and ``records``.

    If ``finished``, the service had no more records. ``changed`` contains the changes to records after their
    release, by group, that are in the file. ``boards`` are the service's boards at that time, as listed by
    ``GET /v1/leaderboards``. If ``replacing``, another file is about to replace this one.
    """

    url: str
    kind: str | None
    after: str | None = None
    bytes: int = 0
    records: int = 0
    finished: bool = False
    changed: dict[str, dict[str, Any]] = field(default_factory=dict)
    boards: list[BoardSummary] = field(default_factory=list)
    replacing: bool = False
    format: int = _FORMAT


class StoredState(TypedDict):
    """The stored form of :class:`DownloadState`."""

    url: str
    kind: str | None
    after: str | None
    bytes: int
    records: int
    finished: bool
    changed: dict[str, dict[str, Any]]
    boards: list[BoardSummary]
    replacing: bool
    format: int


class InvalidState(ArenaError):
    """The state of a download cannot be used."""

    code = "invalid_state"


def state_path(path: Path) -> Path:
    """Return the path of the state file for a file of records."""
    return path.with_name(path.name + ".state")


def read_state(path: Path) -> DownloadState | None:
    """Return the state of a file of records, or None if there is no state. Raises ``invalid_state``."""
    where = state_path(path)
    if not where.exists():
        return None

    def refuse(message: str, field: str, expected: str) -> InvalidState:
        return _invalid_state(where, message)

    values = json_value(read_file(where, "out", refuse), "its text", "out", refuse)
    try:
        check_object(StoredState, values)
    except WrongShape as error:
        raise _invalid_state(where, f"{error.where or 'the top'} is {error.found}") from None
    state = DownloadState(**{name: values[name] for name in StoredState.__annotations__})
    if state.format != _FORMAT:
        raise _invalid_state(where, f"unsupported format {state.format}")
    if state.bytes < 0 or state.records < 0:
        raise _invalid_state(where, "a size is negative")
    return state


def _invalid_state(where: Path, why: str) -> InvalidState:
    return InvalidState(
        f"{where} is not a valid state of a download ({why})",
        field="out",
        expected="another file, or to delete both the file and its state",
    )


class Download:
    """A download to a file, created by :func:`opened_download`."""

    def __init__(self, client: Client, path: Path, state: DownloadState) -> None:
        self.state = state
        self._client = client
        self.path = path
        self._file = path.open("r+b")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def resume(self) -> None:
        """Restore the saved state: finish any replacement, and cut off bytes beyond the state."""
        temporary = _temporary(self.path)
        if self.state.replacing:
            if temporary.exists():
                os.replace(temporary, self.path)
            self._reopen()
            self.state.replacing = False
            self._save()
        temporary.unlink(missing_ok=True)
        size = self._file.seek(0, os.SEEK_END)
        if size < self.state.bytes:
            raise ArenaError(
                f"{self.path} has {size} bytes, but {self.state.bytes} were downloaded",
                code="invalid_state",
                field="out",
                expected=f"the unchanged file, or to delete it and {state_path(self.path).name}",
            )
        self._file.truncate(self.state.bytes)

    def run(self, on_page: Callable[[int], None]) -> None:
        """Download all missing records. ``on_page`` is called with the number of records after each page."""
        self.state.finished = False
        self._take_changes()
        while (page := self._client.records_page(self.state.kind, after=self.state.after)).lines:
            self._file.seek(self.state.bytes)
            self._file.write("".join(line + "\n" for line in page.lines).encode())
            _flush(self._file)
            self.state.bytes = self._file.tell()
            self.state.records += len(page.lines)
            self.state.after = page.after
            self._save()
            on_page(self.state.records)
        # Apply changes made meanwhile to records that were already here.
        self._take_changes()
        self.state.boards = [
            board
            for board in self._client.leaderboards()
            if self.state.kind in (None, board["kind"]) and board["records"]
        ]
        self.state.finished = True
        self._save()

    def _take_changes(self) -> None:
        changes: dict[str, dict[str, Any]] = {}
        for change in self._client.record_changes():
            changes.setdefault(change["group"], {}).update(change["info"])
        new = {group: info for group, info in changes.items() if info != self.state.changed.get(group)}
        if new and self.state.bytes and self._needs(new):
            self._rewrite(new)
        self.state.changed = changes
        self._save()

    def _needs(self, changes: Mapping[str, Mapping[str, object]]) -> bool:
        self._file.seek(0)
        return any(line != _changed(line, changes) for line in self._file)

    def _rewrite(self, changes: Mapping[str, Mapping[str, object]]) -> None:
        temporary = _temporary(self.path)
        self._file.seek(0)
        with temporary.open("wb") as out:
            out.writelines(_changed(line, changes) for line in self._file)
            _flush(out)
            self.state.bytes = out.tell()
        _flush_folder(self.path.parent)
        self.state.replacing = True
        self._save()
        self.resume()

    def _reopen(self) -> None:
        self._file.close()
        self._file = self.path.open("r+b")

    def _save(self) -> None:
        where = state_path(self.path)
        temporary = _temporary(where)
        with temporary.open("wb") as out:
            out.write(json.dumps(asdict(self.state), indent=1).encode())
            _flush(out)
        os.replace(temporary, where)


@contextmanager
def opened_download(client: Client, path: Path, kind: str | None) -> Iterator[Download]:
    """Open a download of all records, or those of a ``kind``, to ``path``, continuing it if it was
    interrupted.

    Raises ``invalid_state`` if the file does not belong to such a download, or another process is writing to
    it.
    """
    lock = state_path(path).with_name(path.name + ".lock")
    with lock.open("wb") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _in_use(path) from None
        if not lock.exists() or os.fstat(held.fileno()).st_ino != lock.stat().st_ino:
            # The process that held the lock file removed it after this process had opened it.
            raise _in_use(path)
        state = read_state(path)
        if state is None and path.exists() and path.stat().st_size:
            raise ArenaError(
                f"{path} exists, but is not from an earlier download",
                code="invalid_state",
                field="out",
                expected="a new file, or one with its .state file",
            )
        if state is not None and (state.url, state.kind) != (client.url, kind):
            raise ArenaError(
                f"{path} contains {state.kind or 'all'} records of {state.url}",
                code="invalid_state",
                field="out",
                expected="the same service and kind, or another file",
            )
        if state is None or not path.exists():
            state = DownloadState(client.url, kind)
            path.touch()
        download = Download(client, path, state)
        try:
            download.resume()
            yield download
        finally:
            download.close()
            lock.unlink(missing_ok=True)


def _in_use(path: Path) -> ArenaError:
    return ArenaError(
        f"another process is downloading to {path}",
        code="invalid_state",
        field="out",
        expected="one process at a time",
    )


def _changed(line: bytes, changes: Mapping[str, Mapping[str, object]]) -> bytes:
    """Return the record with its later changes applied."""
    if not line.strip():
        return line
    record = json_value(line, "a line of the file", "out", InvalidState)
    match record:
        case {"canonical": {"group": None}, "info": dict()}:
            return line
        case {"canonical": {"group": {"id": str(group)}}, "info": dict(known)}:
            info = changes.get(group, {})
        case _:
            raise InvalidState(
                "the file contains something other than downloaded records",
                field="out",
                expected="the unchanged file, or to delete it and its state",
            )
    if all(name in known and known[name] == value for name, value in info.items()):
        return line
    known.update(info)
    return dumps(record).encode() + b"\n"


def _temporary(path: Path) -> Path:
    return path.with_name(path.name + ".new")


def _flush(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@click.command(
    cls=Command,
    examples=("botequim records --out all.jsonl", "botequim records --kind toepen | botequim verify -"),
)
@click.option("--kind", type=KIND, help="Only records of this game.")
@out_option
@online(json=False)
def records(client: Client, kind: str | None, out: Path | None) -> None:
    """Download all public records of a service, oldest first, as JSON lines.

    With --out, an interrupted download continues where it stopped. Running the command again later adds new
    records, and applies later changes (annulments) to older ones. The progress is stored in FILE.state beside
    the file. 'botequim verify' and 'botequim leaderboard' read the file.
    """
    if out is None:
        for line in client.records(kind):
            sys.stdout.write(line + "\n")
        return
    with opened_download(client, out, kind) as download:
        before = download.state.records
        _run(client, download, kind)
        state = download.state
    click.echo(f"{out}: {state.records} records, {state.records - before} of them new")
    for board in state.boards:
        click.echo(
            f"{board['kind']}, {board['division']}: {board['records']} records on the published board, "
            f"records hash {board['records_hash']}"
        )


def _run(client: Client, download: Download, kind: str | None) -> None:
    """Download with a progress bar. Its total is the number of rated records, although there can be
    others.
    """
    state = download.state
    rated = sum(board["records"] for board in client.leaderboards() if kind in (None, board["kind"]))
    try:
        with progress_bar("download", rated or None, "records") as show:
            show(state.records)
            download.run(show)
    except BaseException:
        click.echo(
            f"interrupted after {state.records} records; run the same command to continue "
            f"({state_path(download.path).name} has the position)",
            err=True,
        )
        raise
