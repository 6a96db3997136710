"""Webhooks as accounts have them: checked before they are registered, and looked at later."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.errors import ArenaError
from arena.live.clocks import ServiceClock
from arena.live.store_webhooks import Circuit, WebhookStore
from arena.webhooks.addresses import Policy
from arena.webhooks.calling import Endpoint
from arena.webhooks.messages import check_health
from arena.webhooks.signing import key_of, new_secret


class Webhooks:
    """The webhooks of one service. ``connect`` makes the endpoint of a URL."""

    def __init__(
        self,
        store: WebhookStore,
        clock: Callable[[], ServiceClock],
        policy: Policy,
        connect: Callable[[str, Policy], Endpoint] = Endpoint,
    ) -> None:
        self.connect = connect
        self._store = store
        self._clock = clock
        self._policy = policy

    def check(self, url: str, secrets: Sequence[str]) -> None:
        """Call ``url`` with a ping that is signed with each of the secrets, and see that it answers.

        Raises an :class:`~arena.errors.ArenaError` that says what is wrong with the URL or the answer.
        """
        endpoint = self.connect(url, self._policy)
        try:
            check_health(endpoint, secrets)
        finally:
            endpoint.close()

    def circuit(self, bot: str) -> Circuit:
        """How the bot's webhook does."""
        (found,) = self._store.circuits([bot], self._clock().now_ms)
        return found

    def begin_anew(self, bot: str) -> None:
        """Close the circuit: the webhook was changed, and answers."""
        self._store.forget(bot)


def checked_secret(given: str | None) -> str:
    """The signing secret ``given``, or a new one. Raises :class:`~arena.webhooks.signing.InvalidSecret`."""
    if given is None:
        return new_secret()
    key_of(given)
    return given


class NoWebhook(ArenaError):
    """A bot that never had a webhook."""

    code = "no_webhook"


__all__ = ["NoWebhook", "Webhooks", "checked_secret"]
