"""Operations for admins, and the health of the service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.client.http import HttpClient, path


class AdminCalls(HttpClient):
    """The operations of ``/v1/admin``, ``/healthz``, ``/readyz`` and ``/metrics``."""

    def issue_owner_token(self, owner: str) -> str:
        """Issue a new token for an owner and return it."""
        return str(self.request("POST", path("admin", "owners", owner, "token"), creates=True)["token"])

    def set_admin(self, owner: str, admin: bool) -> Any:
        """Set whether an owner is an admin."""
        return self.request("PUT", path("admin", "owners", owner, "admin"), {"admin": admin})

    def allow_invitations(self, owner: str, most: int) -> Any:
        """Set how many invitations an owner may make in all."""
        return self.request("PUT", path("admin", "owners", owner, "invitations"), {"most": most})

    def audit(self, *, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """The log of admin actions, newest first; ``limit`` per request."""
        return self._pages(path("admin", "audit"), "entries", limit=limit)

    def annul_game(self, game: str, reason: str) -> Any:
        """Annul the group of a game, with a public reason."""
        return self.request("POST", path("admin", "games", game, "annul"), {"reason": reason})

    def suspicions(self, kind: str, division: str, *, preset: str | None = None) -> Any:
        """Pairs of bots whose results suggest collusion, with the evidence; by default on the board of the
        game's first preset.
        """
        query = {"kind": kind, "division": division, "preset": preset}
        return self.request("GET", path("admin", "suspicions"), query=query)

    def suspensions(self) -> Any:
        """The suspended bots."""
        return self.request("GET", path("admin", "suspensions"))["bots"]

    def suspend_owner(self, owner: str, reason: str) -> Any:
        """Suspend an owner, with a reason that it reads."""
        return self.request("PUT", path("admin", "owners", owner, "suspension"), {"reason": reason})

    def unsuspend_owner(self, owner: str) -> None:
        """Lift the suspension of an owner."""
        self.request("DELETE", path("admin", "owners", owner, "suspension"))

    def hidden_texts(self) -> Any:
        """The texts that admins hid."""
        return self.request("GET", path("admin", "hidden-texts"))["texts"]

    def hide_text(self, of: str, id: str, text: str, reason: str) -> Any:
        """Hide the ``name`` or the ``description`` of an ``owner``, a ``bot`` or a ``tournament``."""
        body = {"of": of, "id": id, "text": text, "reason": reason}
        return self.request("POST", path("admin", "hidden-texts"), body, creates=True)

    def show_text(self, of: str, id: str, text: str) -> None:
        """Show a hidden text again."""
        self.request("DELETE", path("admin", "hidden-texts"), query={"of": of, "id": id, "text": text})

    def lift_suspension(self, bot: str) -> None:
        """Lift the suspension of a bot."""
        self.request("DELETE", path("admin", "suspensions", bot))

    def is_alive(self) -> Any:
        """Whether the API answers."""
        return self.request("GET", "/healthz")

    def is_ready(self) -> Any:
        """Whether the API reaches its database. Raises :class:`~arena.client.ApiError` if it does not."""
        return self.request("GET", "/readyz")

    def metrics(self) -> str:
        """The metrics in Prometheus' text format."""
        return self._text("/metrics")
