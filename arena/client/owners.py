"""Calls for the export of an account, which a worker of the service writes first."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Final, TypeVar, cast

from arena.client.calls import Calls
from arena.client.http import ApiError
from arena.operations import OPERATIONS

if TYPE_CHECKING:
    from arena.client.types import Export

MOST_BYTES: Final = 4 << 30
"""The maximum size of an export that is written to a file."""

_ACCEPTED: Final = 202
_PAUSE: Final = 5.0
_PATH: Final = OPERATIONS["export_owner"].path

T = TypeVar("T")


class OwnersCalls(Calls):
    """Methods for operations of ``/v1/owners`` that can take several requests."""

    def export_owner(self, wait: float | None = None) -> Export:
        """Return everything that is stored about the owner. Waits up to ``wait`` seconds (by default,
        ``patience``) until the service has written it. Large exports only fit into files; see
        :meth:`save_export`.

        Raises :class:`~arena.client.http.ApiError` with the code ``export_pending`` after ``wait`` seconds.
        """

        def ask() -> Export | None:
            status, value = self._with_status("GET", _PATH, None, None)
            if status == _ACCEPTED:
                return None
            self._check("export_owner", value)
            return cast("Export", value)

        return self._until_there(ask, wait)

    def save_export(self, file: IO[bytes], wait: float | None = None) -> None:
        """Write everything that is stored about the owner to a file; see :meth:`export_owner`."""
        self._until_there(lambda: self._download(_PATH, file, MOST_BYTES) or None, wait)

    def _until_there(self, ask: Callable[[], T | None], wait: float | None) -> T:
        until = time.monotonic() + (self.patience if wait is None else wait)
        while (found := ask()) is None:
            if time.monotonic() + _PAUSE > until:
                detail = "the service has not written the export yet"
                raise ApiError(_ACCEPTED, {"code": "export_pending", "detail": detail})
            time.sleep(_PAUSE)
        return found
