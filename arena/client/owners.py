"""Owners: signing up, and the owner's own token."""

from __future__ import annotations

from typing import Any

from arena.client.http import HttpClient, path


class OwnersCalls(HttpClient):
    """The operations of ``/v1/owners``."""

    def sign_up(self, name: str) -> str:
        """Create an owner and return its token."""
        return str(self.request("POST", path("owners"), {"name": name}, repeatable=False)["token"])

    def sign_in_link(self) -> str:
        """A link that signs a browser in as the owner of this token, once, within five minutes."""
        return str(self.request("POST", path("owners", "me", "sign-in-links"), repeatable=False)["url"])

    def me(self) -> Any:
        """The owner of this token."""
        return self.request("GET", path("owners", "me"))

    def owner(self, owner: str) -> Any:
        """An owner's public data."""
        return self.request("GET", path("owners", owner))

    def replace_owner_token(self) -> str:
        """Replace this token and return the new one."""
        return str(self.request("POST", path("owners", "me", "token"), repeatable=False)["token"])

    def revoke_owner_token(self) -> None:
        """Revoke this token; only an admin can issue another."""
        self.request("DELETE", path("owners", "me", "token"))
