"""Bots: their versions, sources, qualifications, logs, tokens and webhooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from arena.client.http import HttpClient, RawFile, path

_FILES: Final = {"source": "text/x-python", "component": "application/wasm"}


class BotsCalls(HttpClient):
    """The operations of ``/v1/bots``."""

    def register_bot(self, name: str, **fields: Any) -> str:
        """Register a bot of this owner and return its token. ``fields``: ``transport`` and so on; with a
        ``source`` or ``component`` in bytes, which is sent as a file, ``version`` and ``description``.
        """
        return str(self.create_bot(name, **fields)["token"])

    def create_bot(self, name: str, **fields: Any) -> Any:
        """As :meth:`register_bot`, but returns the bot, its token and its webhook secret."""
        return self._send_version(path("bots"), {"name": name, **fields})

    def bots(self, *, owner: str | None = None, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """All bots by name; ``limit`` per request."""
        return self._pages(path("bots"), "bots", owner=owner, limit=limit)

    def bot(self, bot: str) -> Any:
        """A bot with all its versions."""
        return self.request("GET", path("bots", bot))

    def change_bot(self, bot: str, **fields: Any) -> Any:
        """Change ``state`` or ``description``, and return the bot."""
        return self.request("PATCH", path("bots", bot), fields)

    def delete_bot(self, bot: str) -> None:
        """Delete a bot that has not played."""
        self.request("DELETE", path("bots", bot))

    def add_version(self, bot: str, label: str, **fields: Any) -> Any:
        """Add a version, which new games are played with. ``fields``: ``transport`` and so on, or a
        ``source`` or ``component`` in bytes, which is sent as a file.
        """
        return self._send_version(path("bots", bot, "versions"), {"label": label, **fields})

    def _send_version(self, where: str, fields: dict[str, Any]) -> Any:
        for field, media in _FILES.items():
            if isinstance(fields.get(field), bytes):
                query = {name: value for name, value in fields.items() if name not in (field, "transport")}
                return self.request("POST", where, RawFile(media, fields[field]), query, repeatable=False)
        return self.request("POST", where, fields, repeatable=False)

    def publish_version(self, bot: str, version: str, published: bool = True) -> Any:
        """Publish the source of a version, or hide it."""
        return self.request("PATCH", path("bots", bot, "versions", version), {"published": published})

    def source(self, bot: str, version: str) -> Any:
        """The source of an uploaded version."""
        return self.request("GET", path("bots", bot, "versions", version, "source"))

    def qualify(self, bot: str, version: str, kind: str) -> Any:
        """Start the qualification of an uploaded version in a game, and return its state."""
        return self.request("POST", path("bots", bot, "versions", version, "qualifications"), {"kind": kind})

    def qualifications(self, bot: str, version: str) -> list[dict[str, Any]]:
        """The qualifications of a version, one per game."""
        found: list[dict[str, Any]] = self.request(
            "GET", path("bots", bot, "versions", version, "qualifications")
        )["qualifications"]
        return found

    def game_log(self, bot: str, game: str) -> Any:
        """What an uploaded bot decided and printed in a game."""
        return self.request("GET", path("bots", bot, "games", game, "log"))

    def replace_webhook_secret(self, bot: str, **fields: Any) -> Any:
        """Replace the signing secret of the webhook by ``secret``, or by a new one."""
        return self.request("POST", path("bots", bot, "webhook", "secret"), fields, repeatable=False)

    def replace_bot_token(self, bot: str) -> str:
        """Replace the bot's token and return the new one."""
        return str(self.request("POST", path("bots", bot, "token"), repeatable=False)["token"])

    def revoke_bot_token(self, bot: str) -> None:
        """Revoke the bot's token."""
        self.request("DELETE", path("bots", bot, "token"))
