"""Calls for bots and their uploads, which are checked before they become versions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from arena.client.calls import Calls
from arena.client.http import ApiError, path
from arena.client.operations import request_of
from arena.client.replies import Json
from arena.errors import ArenaError
from arena.operations import OPERATIONS

if TYPE_CHECKING:
    from typing import Unpack

    from arena.client.types import (
        AddedVersion,
        AddVersionFields,
        BotWithToken,
        RegisterBotFields,
        Upload,
    )

OnUpload: TypeAlias = "Callable[[Upload], None]"
"""Called with an upload that is being checked."""

_ACCEPTED: Final = 202
_REFUSED: Final = 422
_LONG_POLL: Final = 20.0


class UploadPending(ArenaError):
    """Raised if checking an upload takes too long. The service continues to check it. ``field`` is the
    address of the upload, and ``extra`` holds the ``token`` of a new bot.
    """

    code = "upload_pending"


class BotsCalls(Calls):
    """Methods for operations of ``/v1/bots`` that can take several requests."""

    def register_bot(self, name: str, **fields: Unpack[RegisterBotFields]) -> str:
        """Register a bot of this owner, and return its token. ``fields`` are those of the request, such as
        ``transport``; or a ``source``, ``javascript`` or ``module`` in bytes, which is sent as a file, with
        ``version`` and ``description``.
        """
        return self.create_bot(name, **fields)["token"]

    def create_bot(
        self,
        name: str,
        *,
        wait: float | None = None,
        on_upload: OnUpload | None = None,
        **fields: Unpack[RegisterBotFields],
    ) -> BotWithToken:
        """Register a bot like :meth:`register_bot`, but return the bot with its token, webhook secret and
        upload.

        For ``wait`` and ``on_upload``, see :meth:`add_version`. If the upload is refused, the bot is not
        registered.
        """
        reply, pending = self._send_version("register_bot", {"name": name, **fields})
        made = cast("BotWithToken", reply)
        if pending and made["upload"] is not None:
            try:
                made["upload"] = self.await_upload(name, made["upload"], wait, on_upload)
            except UploadPending as error:
                error.extra["token"] = made["token"]
                raise
            made["bot"] = self.bot(name)
        return made

    def add_version(
        self,
        bot: str,
        label: str,
        *,
        wait: float | None = None,
        on_upload: OnUpload | None = None,
        **fields: Unpack[AddVersionFields],
    ) -> AddedVersion:
        """Add a version, which then plays all new games. ``fields`` are those of the request, such as
        ``transport``, or a ``source``, ``javascript`` or ``module`` in bytes, which is sent as a file.

        An upload is checked first. If the check takes longer than a request can wait, this method waits up to
        ``wait`` seconds (by default, ``patience``) for its outcome, and calls ``on_upload`` with each state.
        If the bot already has a version with the same upload, that version is returned, with its existing
        label and ``added`` false. Raises :class:`UploadPending` after ``wait`` seconds, and
        :class:`~arena.client.http.ApiError` if the upload is refused.
        """
        reply, pending = self._send_version("add_version", {"bot": bot, "label": label, **fields})
        if not pending:
            return cast("AddedVersion", reply)
        upload = self.await_upload(bot, cast("Upload", reply), wait, on_upload)
        (version,) = [one for one in self.bot(bot)["versions"] if one["label"] == upload["version"]]
        return {**version, "webhook_secret": None, "added": True}

    def await_upload(
        self,
        bot: str,
        upload: Upload,
        wait: float | None = None,
        on_upload: OnUpload | None = None,
    ) -> Upload:
        """Wait until the upload has become a version, and return it. For ``wait``, ``on_upload`` and errors,
        see :meth:`add_version`.
        """
        until = time.monotonic() + (self.patience if wait is None else wait)
        last = None
        while upload["state"] not in ("added", "refused"):
            if on_upload is not None and upload["state"] != last:
                last = upload["state"]
                on_upload(upload)
            left = until - time.monotonic()
            if left <= 0:
                raise UploadPending(
                    f"{bot} {upload['version']} has not been checked yet; the upload is {upload['state']}",
                    field=path("bots", bot, "uploads", upload["id"]),
                )
            upload = self.upload(bot, upload["id"], wait=min(left, _LONG_POLL))
        if upload["state"] == "refused":
            raise ApiError(_REFUSED, {"code": upload["code"], "detail": upload["reason"]})
        return upload

    def _send_version(self, name: str, fields: Mapping[str, object]) -> tuple[Json, bool]:
        """Send a version, and return the response and whether the upload is still being checked."""
        where, query, body = request_of(OPERATIONS[name], fields)
        status, value = self._with_status("POST", where, body, query, creates=True, operation=name)
        return value, status == _ACCEPTED
