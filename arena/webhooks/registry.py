"""Webhooks of accounts: checks before registration, and the state of their circuits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.errors import ArenaError
from arena.play.clocks import ServiceClock
from arena.store.webhooks import Circuit, WebhookStore
from arena.webhook_messages.content import check_health
from arena.webhook_messages.signing import key_of, new_secret
from arena.webhooks.addresses import Policy
from arena.webhooks.calling import Connect, Endpoint


class Webhooks:
    """The webhooks of one service. ``connect`` creates the endpoint of a URL."""

    def __init__(
        self,
        store: WebhookStore,
        clock: Callable[[], ServiceClock],
        policy: Policy,
        connect: Connect = Endpoint,
    ) -> None:
        self.connect = connect
        self._store = store
        self._clock = clock
        self._policy = policy

    def check(self, url: str, secrets: Sequence[str], owner: str) -> None:
        """Post a ping to the ``url`` of ``owner``, signed with each of the secrets, and check the reply.

        Raises an :class:`~arena.errors.ArenaError` that describes the problem with the URL or the reply.
        """
        endpoint = self.connect(url, self._policy, owner)
        try:
            check_health(endpoint, secrets)
        finally:
            endpoint.close()

    def circuit(self, bot: str) -> Circuit:
        """Return the circuit of the bot's webhook."""
        (found,) = self._store.circuits([bot], self._clock().now_ms)
        return found

    def close_circuit(self, bot: str) -> None:
        """Close the circuit. This is called after a changed webhook has answered a ping."""
        self._store.forget(bot)


def checked_secret(given: str | None) -> str:
    """Return the given signing secret, or a new one if ``given`` is None. Raises
    :class:`~arena.webhook_messages.signing.InvalidSecret`.
    """
    if given is None:
        return new_secret()
    key_of(given)
    return given


class NoWebhook(ArenaError):
    """The bot has never had a webhook."""

    code = "no_webhook"
