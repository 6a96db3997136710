"""Errors of webhook calls: no connection, no reply in time, or an invalid reply."""

from __future__ import annotations

from arena.errors import ArenaError


class CallFailed(ArenaError):
    """The call produced no valid reply."""

    code = "webhook_failed"


class NotConnected(CallFailed):
    """No connection was made, so the receiver saw nothing."""


class InvalidUrl(NotConnected):
    """The URL is not allowed for a webhook."""

    code = "invalid_webhook_url"


class NameNotFound(NotConnected):
    """The host name has no address, or resolving it timed out."""


class ResolversBusy(NotConnected):
    """The name was not resolved because names of other owners are pending, so this shows nothing about the
    receiver.
    """


class AddressNotAllowed(NotConnected):
    """The host name resolves to an address that must not be called."""

    code = "webhook_address"


class ReplyTimeout(CallFailed):
    """The connection was made, but the reply was not complete in time."""


class BadReply(CallFailed):
    """The connection broke, or the reply is not HTTP or has a status other than 2xx."""


class ReplyTooLarge(CallFailed):
    """The reply is larger than allowed."""
