"""Bots: their versions, sources, qualifications, logs, tokens and webhooks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from arena.client.http import ApiError, HttpClient, RawFile, path
from arena.errors import ArenaError

OnUpload = Callable[[Mapping[str, Any]], None]
"""Called with an upload that is being checked."""

_ACCEPTED: Final = 202
_REFUSED: Final = 422
_LONG_POLL: Final = 20.0

_FILES: Final = {"source": "text/x-python", "component": "application/wasm"}


class UploadPending(ArenaError):
    """An upload was not checked in time; the service goes on with it. ``field``: where it can be read.
    ``extra``: the ``token`` of a new bot.
    """

    code = "upload_pending"


class BotsCalls(HttpClient):
    """The operations of ``/v1/bots``."""

    def register_bot(self, name: str, **fields: Any) -> str:
        """Register a bot of this owner and return its token. ``fields``: ``transport`` and so on; with a
        ``source`` or ``component`` in bytes, which is sent as a file, ``version`` and ``description``.
        """
        return str(self.create_bot(name, **fields)["token"])

    def create_bot(
        self, name: str, *, wait: float | None = None, on_upload: OnUpload | None = None, **fields: Any
    ) -> Any:
        """As :meth:`register_bot`, but returns the bot, its token, its webhook secret and its upload.

        ``wait``, ``on_upload``: as for :meth:`add_version`. A bot whose upload is refused is not registered.
        """
        made, pending = self._send_version(path("bots"), {"name": name, **fields})
        if pending:
            try:
                made["upload"] = self.await_upload(name, made["upload"], wait, on_upload)
            except UploadPending as error:
                error.extra["token"] = made["token"]
                raise
            made["bot"] = self.bot(name)
        return made

    def bots(self, *, owner: str | None = None, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """All bots by name; ``limit`` per request."""
        return self._pages(path("bots"), "bots", owner=owner, limit=limit)

    def bot_games(
        self,
        bot: str,
        *,
        kind: str | None = None,
        preset: str | None = None,
        against: str | None = None,
        result: str | None = None,
        limit: int = 50,
    ) -> list[dict[str, Any]]:
        """The last games of a bot, or house bot, as it played them; in tournaments and over HTTP."""
        query = {"kind": kind, "preset": preset, "against": against, "result": result, "limit": limit}
        found: list[dict[str, Any]] = self.request("GET", path("bots", bot, "games"), query=query)["games"]
        return found

    def bot(self, bot: str) -> Any:
        """A bot with all its versions."""
        return self.request("GET", path("bots", bot))

    def change_bot(self, bot: str, **fields: Any) -> Any:
        """Change the ``state`` of a bot, or what its owner says about it
        (:class:`~arena.accounts.bot_settings.BotSettings`; None removes it), and return the bot.
        """
        return self.request("PATCH", path("bots", bot), fields)

    def delete_bot(self, bot: str) -> None:
        """Delete a bot for good, also one that has played. Its name stays taken."""
        self.request("DELETE", path("bots", bot))

    def bot_owners(self, bot: str) -> Any:
        """The owner of a bot, the co-owners, and who is invited to share it."""
        return self.request("GET", path("bots", bot, "owners"))

    def add_bot_owner(self, bot: str, owner: str) -> Any:
        """Invite an owner to share a bot of this owner, or, with the own name, accept an invitation."""
        return self.request("PUT", path("bots", bot, "owners", owner))

    def remove_bot_owner(self, bot: str, owner: str) -> None:
        """Remove a co-owner of a bot or an invitation; with the own name, leave it or decline."""
        self.request("DELETE", path("bots", bot, "owners", owner))

    def add_version(
        self,
        bot: str,
        label: str,
        *,
        wait: float | None = None,
        on_upload: OnUpload | None = None,
        **fields: Any,
    ) -> Any:
        """Add a version, which new games are played with. ``fields``: ``transport`` and so on, or a
        ``source`` or ``component`` in bytes, which is sent as a file.

        An upload is checked first. If that takes longer than the service lets a request wait, this waits for
        it for up to ``wait`` seconds (by default, ``patience``), and calls ``on_upload`` with each state. If
        the bot has the same upload already, this is that version, with its own label and ``added`` false.
        Raises :class:`UploadPending` after that, and :class:`~arena.client.http.ApiError` for a refused one.
        """
        made, pending = self._send_version(path("bots", bot, "versions"), {"label": label, **fields})
        if not pending:
            return made
        self.await_upload(bot, made, wait, on_upload)
        (version,) = [one for one in self.bot(bot)["versions"] if one["label"] == made["version"]]
        return {**version, "webhook_secret": None, "added": True}

    def upload(self, bot: str, upload: str, *, wait: float | None = None) -> Any:
        """An upload; with ``wait``, as soon as it is a version or refused, or after that many seconds."""
        return self.request("GET", path("bots", bot, "uploads", upload), query={"wait": wait})

    def uploads(self, bot: str) -> list[dict[str, Any]]:
        """The uploads of a bot that are being checked."""
        found: list[dict[str, Any]] = self.request("GET", path("bots", bot, "uploads"))["uploads"]
        return found

    def await_upload(
        self,
        bot: str,
        upload: Mapping[str, Any],
        wait: float | None = None,
        on_upload: OnUpload | None = None,
    ) -> Any:
        """The upload when it is a version; ``wait``, ``on_upload`` and errors: as for :meth:`add_version`."""
        until = time.monotonic() + (self.patience if wait is None else wait)
        last = None
        while upload["state"] not in ("added", "refused"):
            if on_upload is not None and upload["state"] != last:
                last = upload["state"]
                on_upload(upload)
            left = until - time.monotonic()
            if left <= 0:
                raise UploadPending(
                    f"{bot} {upload['version']} has not been checked yet: the upload is {upload['state']}",
                    field=path("bots", bot, "uploads", upload["id"]),
                )
            upload = self.upload(bot, upload["id"], wait=min(left, _LONG_POLL))
        if upload["state"] == "refused":
            raise ApiError(_REFUSED, {"code": upload["code"], "detail": upload["reason"]})
        return upload

    def _send_version(self, where: str, fields: dict[str, Any]) -> tuple[Any, bool]:
        """What the service answers, and whether the upload is still being checked."""
        body: object = fields
        query = None
        for field, media in _FILES.items():
            if isinstance(fields.get(field), bytes):
                body = RawFile(media, fields[field])
                query = {name: value for name, value in fields.items() if name not in (field, "transport")}
        status, value = self._with_status("POST", where, body, query, creates=True)
        return value, status == _ACCEPTED

    def publish_version(self, bot: str, version: str, published: bool = True) -> Any:
        """Publish the source of a version, or hide it."""
        return self.request("PATCH", path("bots", bot, "versions", version), {"published": published})

    def source(self, bot: str, version: str) -> Any:
        """The source of an uploaded version."""
        return self.request("GET", path("bots", bot, "versions", version, "source"))

    def qualify(self, bot: str, version: str, kind: str, *, preset: str | None = None) -> Any:
        """Start the qualification of a version in a game, or for a preset of it, and return its state."""
        body = {"kind": kind} if preset is None else {"kind": kind, "preset": preset}
        where = path("bots", bot, "versions", version, "qualifications")
        return self.request("POST", where, body, creates=True)

    def qualifications(self, bot: str, version: str) -> list[dict[str, Any]]:
        """The qualifications of a version: one per game, and those for presets."""
        found: list[dict[str, Any]] = self.request(
            "GET", path("bots", bot, "versions", version, "qualifications")
        )["qualifications"]
        return found

    def game_log(self, bot: str, game: str) -> Any:
        """What an uploaded bot decided and printed in a game."""
        return self.request("GET", path("bots", bot, "games", game, "log"))

    def notes(self, bot: str, game: str) -> Any:
        """The notes of a bot on its moves in a finished game."""
        return self.request("GET", path("bots", bot, "games", game, "notes"))

    def publish_notes(self, bot: str, game: str, published: bool = True) -> Any:
        """Publish the notes of a bot on a game, or hide them."""
        return self.request("PATCH", path("bots", bot, "games", game, "notes"), {"published": published})

    def replace_webhook_secret(self, bot: str, **fields: Any) -> Any:
        """Replace the signing secret of the webhook by ``secret``, or by a new one."""
        return self.request("POST", path("bots", bot, "webhook", "secret"), fields, creates=True)

    def replace_bot_token(self, bot: str) -> str:
        """Replace the bot's token and return the new one."""
        return str(self.request("POST", path("bots", bot, "token"), creates=True)["token"])

    def revoke_bot_token(self, bot: str) -> None:
        """Revoke the bot's token."""
        self.request("DELETE", path("bots", bot, "token"))
