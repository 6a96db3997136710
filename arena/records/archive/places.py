"""The possible locations of an archive: a folder, or an S3-compatible store (using ``obstore``)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from arena.errors import ArenaError
from arena.installation import install_command
from arena.records.archive.objects import ArchiveUnavailable, FolderStore, ObjectStore

SCHEMES: Final = ("s3://", "s3a://")


class InvalidArchive(ArenaError):
    """The location of an archive is not a folder, and not the URL of a usable store."""

    code = "invalid_archive"


class S3Store(ObjectStore):
    """Objects under ``s3://bucket/folder``. Credentials, region and endpoint come from the environment:
    ``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY``, ``AWS_REGION``, ``AWS_ENDPOINT`` and so on. The store
    must support conditional writes (``If-None-Match: *``).
    """

    def __init__(self, url: str) -> None:
        try:
            import obstore
            from obstore.exceptions import AlreadyExistsError, BaseError
            from obstore.store import from_url
        except ModuleNotFoundError:
            raise InvalidArchive(
                f"an archive at {url} requires the library obstore, which is not installed",
                expected=install_command("s3"),
            ) from None
        self._url = url
        self._obstore = obstore
        self._exists = AlreadyExistsError
        self._errors = (BaseError, OSError, ValueError)
        try:
            self._store: Any = from_url(
                url,
                # Plain HTTP is used only if the configured endpoint specifies it.
                client_options={"timeout": "10s", "connect_timeout": "2s", "allow_http": True},
                retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=10)},
            )
        except self._errors as error:
            raise InvalidArchive(f"{url} cannot be used: {_first_line(error)}") from None

    def put(self, name: str, data: bytes) -> bool:
        """See :class:`ObjectStore`."""
        try:
            self._obstore.put(self._store, name, data, mode="create", use_multipart=False)
        except self._exists:
            return False
        except self._errors as error:
            raise self._unavailable(error) from error
        return True

    def replace(self, name: str, data: bytes) -> None:
        """See :class:`ObjectStore`."""
        try:
            self._obstore.put(self._store, name, data, mode="overwrite", use_multipart=False)
        except self._errors as error:
            raise self._unavailable(error) from error

    def get(self, name: str, start: int = 0, length: int | None = None) -> bytes | None:
        """See :class:`ObjectStore`."""
        try:
            if length is not None:
                return bytes(self._obstore.get_range(self._store, name, start=start, length=length))
            return bytes(self._obstore.get(self._store, name).bytes())[start:]
        except FileNotFoundError:
            return None
        except self._errors as error:
            raise self._unavailable(error) from error

    def list(self, folder: str) -> dict[str, int]:
        """See :class:`ObjectStore`."""
        try:
            pages = self._obstore.list(self._store, prefix=folder)
            return dict(sorted((str(found["path"]), int(found["size"])) for page in pages for found in page))
        except self._errors as error:
            raise self._unavailable(error) from error

    def delete(self, name: str) -> None:
        """See :class:`ObjectStore`."""
        try:
            self._obstore.delete(self._store, name)
        except FileNotFoundError:
            return
        except self._errors as error:
            raise self._unavailable(error) from error

    def where(self) -> str:
        """See :class:`ObjectStore`."""
        return self._url

    def _unavailable(self, error: Exception) -> ArchiveUnavailable:
        return ArchiveUnavailable(f"the archive at {self._url} cannot be used: {_first_line(error)}")


def open_objects(place: str) -> ObjectStore:
    """Return the storage with the given name, a store's URL or a folder. Raises :class:`InvalidArchive`."""
    if place.startswith(SCHEMES):
        return S3Store(place)
    if "://" in place:
        raise InvalidArchive(
            f"invalid archive location {place!r}", expected="a folder, or s3://bucket/folder"
        )
    return FolderStore(Path(place))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
