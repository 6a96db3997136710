"""Object-store reads in separate threads, so that the process can keep serving other requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

from gevent import get_hub

from arena.live.finished import FinishedGames
from arena.records.archive.objects import ObjectStore
from arena.records.archive.places import S3Store

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")


class ThreadedStore(ObjectStore):
    """An object store whose calls run in the thread pool of gevent's hub, for processes that use gevent."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def put(self, name: str, data: bytes) -> bool:
        """See :class:`ObjectStore`."""
        return _run(self._objects.put, name, data)

    def replace(self, name: str, data: bytes) -> None:
        """See :class:`ObjectStore`."""
        _run(self._objects.replace, name, data)

    def get(self, name: str, start: int = 0, length: int | None = None) -> bytes | None:
        """See :class:`ObjectStore`."""
        return _run(self._objects.get, name, start, length)

    def list(self, folder: str) -> dict[str, int]:
        """See :class:`ObjectStore`."""
        return _run(self._objects.list, folder)

    def delete(self, name: str) -> None:
        """See :class:`ObjectStore`."""
        _run(self._objects.delete, name)

    def where(self) -> str:
        """See :class:`ObjectStore`."""
        return self._objects.where()


def read_in_threads(finished: FinishedGames) -> None:
    """Make this process read its archive in threads if the archive is in an object store."""
    archive = finished.archive
    if archive is not None and isinstance(archive.objects, S3Store):
        archive.objects = ThreadedStore(archive.objects)


def _run(call: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
    found: Result = get_hub().threadpool.apply(call, arguments)
    return found
