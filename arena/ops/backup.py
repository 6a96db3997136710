"""Writes the data of a database to a backup folder, and restores such backups together with the service's
archive.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

import fastjsonschema

from arena import __version__
from arena.errors import ArenaError
from arena.inputs.reading import json_value, read_all
from arena.live.archiver import Adopted
from arena.ops.jobs import InlineJobs
from arena.ops.service import open_service
from arena.ops.settings import Settings, maxmemory, redis_url
from arena.records.archive.archive import Archive, ArchiveMismatch
from arena.records.archive.places import open_objects
from arena.store.backup import DumpedStore, check_commands, check_empty, dump, finish, load
from arena.store.embedded import DataFolderInUse, EmbeddedStore, has_data, running_url
from arena.text import printable
from arena.upgrade import check_upgradable, upgrade
from arena.upgrade.step_2 import FormerArchive

FORMAT: Final = 1
_DATA: Final = "data.resp"
_ABOUT: Final = "backup.json"
_PART: Final = ".part"
_MOST_ABOUT: Final = 1 << 20


class InvalidBackup(ArenaError):
    """The folder does not contain a complete backup, or cannot be used for one."""

    code = "invalid_backup"


@dataclass(frozen=True)
class Backup:
    """The description of a backup: the database that was read (``store``), and the ``size`` and ``sha256`` of
    its data.
    """

    store: DumpedStore
    size: int
    sha256: str


def make_backup(url: str, folder: Path) -> Backup:
    """Write a backup of the database at ``url`` to ``folder``, which must be new or empty. An interrupted
    backup is not valid, and can be restarted in the same folder.

    Raises :class:`InvalidBackup` and the errors of :func:`arena.store.backup.dump`.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    names = {path.name for path in folder.iterdir()}
    if names - {_DATA, _DATA + _PART, _ABOUT + _PART}:
        raise InvalidBackup(f"the folder {folder} is not empty", field="to", expected="a new or empty folder")
    with _written(folder / _DATA) as file:
        digest = sha256()

        def write(data: bytes) -> None:
            digest.update(data)
            file.write(data)

        found = dump(url, write)
        backup = Backup(found, file.tell(), digest.hexdigest())
    about = {"format": FORMAT, "release": __version__, "store": found._asdict()}
    with _written(folder / _ABOUT) as file:
        file.write(json.dumps({**about, "size": backup.size, "sha256": backup.sha256}).encode() + b"\n")
    return backup


def read_backup(folder: Path) -> Backup:
    """Check the data of the backup in a folder, and return its description. Raises :class:`InvalidBackup`."""
    try:
        backup = _described(folder)
        with open(folder / _DATA, "rb") as file:
            digest = sha256()
            while data := file.read(1 << 20):
                digest.update(data)
            if digest.hexdigest() != backup.sha256:
                raise InvalidBackup(
                    f"the backup in {folder} is damaged: {_DATA} does not match its SHA-256",
                    field="from",
                    expected="another backup",
                )
            file.seek(0)
            check_commands(file)
    except OSError as error:
        raise _incomplete(folder, str(error)) from None
    return backup


def _described(folder: Path) -> Backup:
    """Return the description in a folder. Raises OSError and :class:`InvalidBackup`."""

    def refuse(message: str, field: str, expected: str) -> InvalidBackup:
        return _incomplete(folder, message)

    with open(folder / _ABOUT, "rb") as file:
        data = read_all(file, _ABOUT, "from", refuse, most=_MOST_ABOUT)
    about = json_value(data, _ABOUT, "from", refuse)
    if isinstance(about, dict) and type(about.get("format")) is int and about["format"] > FORMAT:
        raise InvalidBackup(
            f"the backup in {folder} has format {about['format']}",
            field="from",
            expected=f"format {FORMAT}, or a newer version of this program",
        )
    try:
        _validator()(about)
    except fastjsonschema.JsonSchemaValueException as error:
        raise _incomplete(folder, f"{_ABOUT}: {printable(error.message, 200)}") from None
    return Backup(DumpedStore(**about["store"]), about["size"], about["sha256"])


def _incomplete(folder: Path, why: str) -> InvalidBackup:
    return InvalidBackup(
        f"there is no complete backup in {folder}: {why}",
        field="from",
        expected="a folder written by 'botequim backup'",
    )


@cache
def _validator() -> Callable[[object], object]:
    number = {"type": "integer", "minimum": 0, "maximum": 1 << 53}
    store = {
        "id": {"type": "string", "minLength": 1, "maxLength": 200},
        "properties": {
            "type": "object",
            "properties": {"format": {"type": "string", "pattern": "^[0-9]{1,9}$"}},
            "required": ["format"],
            "additionalProperties": {"type": "string"},
        },
        "has_archive": {"type": "boolean"},
        "at_ms": {**number, "maximum": 1 << 47},
        "keys": number,
        "paused_s": {"type": "number"},
    }
    described = {
        "format": number,
        "store": _object(store),
        "size": number,
        "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    }
    return fastjsonschema.compile({**_object(described), "additionalProperties": True})


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    """Return the schema of an object that has all these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def restore_backup(folder: Path, data: Path) -> tuple[Backup, Adopted]:
    """Restore a backup to the empty database at ``REDIS_URL``, or in the data folder, using the service's
    archive. If the backup, the database or the archive is unsuitable, nothing is changed. Processes do not
    use the database until the restore is complete.

    Raises :class:`InvalidBackup`, :class:`~arena.store.backup.StoreNotEmpty`,
    :class:`~arena.store.identity.UnknownFormat`, :class:`~arena.records.archive.archive.ArchiveMismatch`, and
    the other errors of archive and database.
    """
    backup = read_backup(folder)
    with _target(data) as settings:
        _check_archive(backup.store, settings)
        check_upgradable(int(backup.store.properties["format"]))
        check_empty(settings.redis_url)
        with open(folder / _DATA, "rb") as file:
            load(settings.redis_url, file, backup.store)
        service = open_service(settings, InlineJobs())
        try:
            upgrade(service.store, open_objects(settings.archive))
            adopted = service.archiver().adopt() or Adopted(0, 0, 0)
        finally:
            service.close()
        finish(settings.redis_url)
    return backup, adopted


@contextmanager
def source(data: Path) -> Iterator[str]:
    """Yield the address of the database to back up: ``REDIS_URL``, else the database of the service running
    on the data folder, else a database started on the folder. Raises :class:`InvalidBackup` if there is none.
    """
    if url := redis_url():
        yield url
        return
    if not has_data(data):
        raise InvalidBackup(
            f"there is no database in {data}", field="data", expected="a data folder, or REDIS_URL"
        )
    try:
        store = EmbeddedStore(data, maxmemory=maxmemory()).start()
    except DataFolderInUse:
        yield running_url(data)
        return
    with store:
        yield store.url


@contextmanager
def _target(data: Path) -> Iterator[Settings]:
    """Yield the settings with the database to restore to: ``REDIS_URL``, or an embedded one in the data
    folder.
    """
    if redis_url():
        yield Settings.from_environment()
        return
    with EmbeddedStore(data, maxmemory=maxmemory()) as store:
        yield Settings.of_embedded(store.url, data)


def _check_archive(store: DumpedStore, settings: Settings) -> None:
    settings.check_archive()
    objects = open_objects(settings.archive)
    is_there = Archive(objects).is_of(store.id) or FormerArchive(objects).service == store.id
    if is_there or not store.has_archive:
        return
    raise ArchiveMismatch(
        f"the backup is of service {store.id}, whose archive is not in {settings.archive}",
        field="BOTEQUIM_ARCHIVE",
        expected="the service's archive or a copy of it",
    )


@contextmanager
def _written(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that gets its final name once it is written and synced. Only this user can read it."""
    part = path.with_name(path.name + _PART)
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
