"""The storage of archives: an interface for named, write-once objects, and its implementation by folders."""

from __future__ import annotations

import os
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.errors import ArenaError


class ArchiveUnavailable(ArenaError):
    """The storage of the archive cannot be read or written at present; nothing is lost."""

    code = "archive_unavailable"


class ObjectStore(ABC):
    """Stores objects by name (``folder/name``). Every method can raise :class:`ArchiveUnavailable`."""

    @abstractmethod
    def put(self, name: str, data: bytes) -> bool:
        """Durably write a whole object. Returns False, and writes nothing, if the name already exists."""

    @abstractmethod
    def replace(self, name: str, data: bytes) -> None:
        """Durably and atomically replace the object with that name."""

    @abstractmethod
    def get(self, name: str, start: int = 0, length: int | None = None) -> bytes | None:
        """Return the object, or ``length`` bytes of it from ``start``, or None if it does not exist."""

    @abstractmethod
    def list(self, folder: str) -> dict[str, int]:
        """Return the objects in a folder, ordered by name, with their sizes."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Delete an object if it exists."""

    def tidy(self) -> None:
        """Remove temporary data that killed processes have left behind."""
        return

    @abstractmethod
    def where(self) -> str:
        """Return the location of the storage, for messages."""


_TEMPORARY: Final = "tmp"
_ABANDONED_S: Final = 86_400
"""The age after which a temporary file cannot belong to a running process."""


class FolderStore(ObjectStore):
    """Objects as files in one folder, which several hosts can share. The files are private to their user."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, data: bytes) -> bool:
        """See :class:`ObjectStore`."""
        try:
            # Unlike a rename, a link fails if the name is taken.
            self._write(name, data, os.link)
        except FileExistsError:
            return False
        except OSError as error:
            raise self._unavailable(error) from error
        return True

    def replace(self, name: str, data: bytes) -> None:
        """See :class:`ObjectStore`."""
        try:
            self._write(name, data, os.replace)
        except OSError as error:
            raise self._unavailable(error) from error

    def _write(self, name: str, data: bytes, move: Callable[[Path, Path], None]) -> None:
        """Write a temporary file, and ``move`` it to its destination."""
        target = self._folder / name
        temporary = self._folder / _TEMPORARY / secrets.token_hex(8)
        for folder in (self._folder, target.parent, temporary.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(descriptor)
            move(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
        for folder in (target.parent, self._folder):
            _sync(folder)

    def get(self, name: str, start: int = 0, length: int | None = None) -> bytes | None:
        """See :class:`ObjectStore`."""
        try:
            with open(self._folder / name, "rb") as file:
                file.seek(start)
                return file.read() if length is None else file.read(length)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unavailable(error) from error

    def list(self, folder: str) -> dict[str, int]:
        """See :class:`ObjectStore`."""
        try:
            with os.scandir(self._folder / folder) as entries:
                sizes = {f"{folder}/{entry.name}": entry.stat().st_size for entry in entries}
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._unavailable(error) from error
        return dict(sorted(sizes.items()))

    def delete(self, name: str) -> None:
        """See :class:`ObjectStore`."""
        try:
            (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise self._unavailable(error) from error

    def where(self) -> str:
        """See :class:`ObjectStore`."""
        return f"the folder {self._folder}"

    def tidy(self) -> None:
        """See :class:`ObjectStore`."""
        with suppress(OSError):
            for path in (self._folder / _TEMPORARY).iterdir():
                if time.time() - path.stat().st_mtime > _ABANDONED_S:
                    path.unlink()

    def _unavailable(self, error: OSError) -> ArchiveUnavailable:
        return ArchiveUnavailable(f"the archive in {self._folder} cannot be used: {error.strerror or error}")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
