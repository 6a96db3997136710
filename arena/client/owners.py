"""Owners: signing up, and the owner's own token."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.client.http import HttpClient, given, path


class OwnersCalls(HttpClient):
    """The operations of ``/v1/owners``."""

    def sign_up(self, name: str, invitation: str | None = None) -> str:
        """Create an owner and return its token. ``invitation``: the code of one."""
        body = given(name=name, invitation=invitation)
        return str(self.request("POST", path("owners"), body, repeatable=False)["token"])

    def invite(
        self,
        *,
        count: int | None = None,
        people: list[dict[str, str]] | None = None,
        roster: str | None = None,
        expires_ms: int | None = None,
    ) -> list[dict[str, Any]]:
        """Make invitations to sign up, for ``people`` or ``count`` for anybody, and return them with their
        codes, which are shown only once.
        """
        body = given(count=count, people=people, roster=roster, expires_ms=expires_ms)
        made = self.request("POST", path("invitations"), body, creates=True)
        found: list[dict[str, Any]] = made["invitations"]
        return found

    def invitations(self, roster: str | None = None, *, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """The invitations of this owner, or of one of its rosters; ``limit`` per request."""
        return self._pages(path("invitations"), "invitations", roster=roster, limit=limit)

    def revoke_invitation(self, invitation: str) -> Any:
        """Revoke an invitation that nobody has used, and return it."""
        return self.request("DELETE", path("invitations", invitation))

    def sign_in_link(self) -> str:
        """A link that signs a browser in as the owner of this token, once, within five minutes."""
        return str(self.request("POST", path("owners", "me", "sign-in-links"), creates=True)["url"])

    def me(self) -> Any:
        """The owner of this token."""
        return self.request("GET", path("owners", "me"))

    def owner(self, owner: str) -> Any:
        """An owner's public data."""
        return self.request("GET", path("owners", owner))

    def replace_owner_token(self) -> str:
        """Replace this token and return the new one."""
        return str(self.request("POST", path("owners", "me", "token"), creates=True)["token"])

    def revoke_owner_token(self) -> None:
        """Revoke this token; only an admin can issue another."""
        self.request("DELETE", path("owners", "me", "token"))

    def export_owner(self) -> Any:
        """Everything that is stored about the owner of this token."""
        return self.request("GET", path("owners", "me", "export"))

    def delete_owner(self, confirm: str) -> str:
        """Delete the owner of this token with all its bots, and return what is shown in place of its name.
        ``confirm``: its name.
        """
        return str(self.request("DELETE", path("owners", "me"), query={"confirm": confirm})["shown"])
