"""The webhook state that all processes share: leases of turns being posted, and open circuits.

All keys of a bot's webhook share the bot's hash tag. Each step is one script. Times are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, NamedTuple

from arena.store.connection import Repository, Script
from arena.store.rows import shown_or_left_out

FAILURES: Final = 5
"""The number of consecutive failures after which the circuit opens."""

FIRST_PAUSE_MS: Final = 2_000
LONGEST_PAUSE_MS: Final = 60_000
"""The minimum and maximum time that the circuit stays open; the time doubles each time it opens again."""

LEASE_MS: Final = 4_000
"""How long a driver holds the lease of a post if it does not renew it."""

DONE_MS: Final = 60_000
PASSED_MS: Final = 3_600_000
"""How long the completion of a turn, and of a right that was passed, is remembered."""

_BEGIN: Final = Script("webhook_begin")
_OUTCOME: Final = Script("webhook_outcome")
WEBHOOK_SCRIPTS: Final = (_BEGIN, _OUTCOME)
"""The scripts that the connection of a :class:`WebhookStore` must load."""

_FIELDS: Final = ("failures", "until", "error", "error_ms", "ok_ms")


class Begun(NamedTuple):
    """Whether a turn can be posted now (``go``) and, if not, how long to wait before trying again."""

    status: Literal["go", "done", "leased", "open"]
    wait_ms: int


@dataclass(frozen=True)
class Circuit:
    """The circuit of a webhook. ``closed`` means that all is well; ``open``, that nothing is posted before
    ``open_until_ms``; and ``half_open``, that posts are sent one at a time to test it. ``failures`` counts
    consecutive failures. Times are in Unix milliseconds.
    """

    state: Literal["closed", "open", "half_open"]
    failures: int = 0
    open_until_ms: int | None = None
    last_error: str | None = None
    last_error_ms: int | None = None
    last_ok_ms: int | None = None


class WebhookStore(Repository):
    """Stores the state of webhooks in one Redis or Redis Cluster."""

    def begin(self, bot: str, delivery: str, holder: str, now_ms: int) -> Begun:
        """Acquire the lease of a delivery for ``holder``, if the circuit allows a post."""
        keys = [_state(bot), _lease(bot, delivery), _probe(bot)]
        status, wait_ms = self._one(*_BEGIN.call(keys, now_ms, LEASE_MS, holder))
        return Begun(status.decode(), max(1, int(wait_ms)))

    def renew(self, held: Iterable[tuple[str, str]]) -> None:
        """Renew leases, each a pair ``(bot, delivery)``, and the probes of their bots."""
        keys = {key for bot, delivery in held for key in (_lease(bot, delivery), _probe(bot))}
        if keys:
            self._connection.run([("PEXPIRE", key, LEASE_MS) for key in sorted(keys)])

    def finish(self, bot: str, delivery: str, keep_ms: int) -> None:
        """Mark a delivery as done for ``keep_ms``."""
        self._one("SET", _lease(bot, delivery), "done", "PX", keep_ms)

    def release(self, bot: str, delivery: str) -> None:
        """Release the lease of a delivery."""
        self._one("DEL", _lease(bot, delivery))

    def replied(self, bot: str, version: str, now_ms: int, error: str = "") -> None:
        """Record a reply of the version, which closes the circuit. ``error`` is what is wrong with the reply,
        if anything.
        """
        self._note(bot, version, True, now_ms, "", error, connected=True)

    def failed(
        self, bot: str, version: str, now_ms: int, attempt: str, error: str, connected: bool | None = True
    ) -> int | None:
        """Record a failed post to the version. Returns when an open circuit ends, or None if it is closed.

        ``connected`` is whether a connection was made, or None if there was too little time to find out.
        """
        return self._note(bot, version, False, now_ms, attempt, error, connected) or None

    def is_unreachable(self, bot: str, version: str, since_ms: int) -> bool:
        """Return whether the last post to the version made no connection, and either it was not before
        ``since_ms`` or the circuit was open at that time.
        """
        fields = ("HMGET", _state(bot), _unreachable(version), "until")
        failed_ms, until_ms = self._one(*fields)
        return failed_ms is not None and since_ms <= max(int(failed_ms), int(until_ms or 0))

    def circuits(self, bots: Sequence[str], now_ms: int) -> list[Circuit]:
        """Return the circuits of bots, treating one that cannot be read as closed."""
        replies = self._connection.run([("HMGET", _state(bot), *_FIELDS) for bot in bots]) if bots else []
        return [
            shown_or_left_out(f"webhook of {bot}", partial(_circuit, reply, now_ms)) or Circuit("closed")
            for bot, reply in zip(bots, replies, strict=True)
        ]

    def forget(self, bot: str) -> None:
        """Close the circuit of a bot and delete its history."""
        self._connection.run([("DEL", _state(bot)), ("DEL", _probe(bot))])

    def _note(
        self,
        bot: str,
        version: str,
        replied: bool,
        now_ms: int,
        attempt: str,
        error: str,
        connected: bool | None,
    ) -> int:
        post = {
            "replied": replied,
            "now_ms": now_ms,
            "attempt": attempt,
            "error": error,
            "failures": FAILURES,
            "first_ms": FIRST_PAUSE_MS,
            "longest_ms": LONGEST_PAUSE_MS,
            "unreachable": _unreachable(version),
            "connected": connected,
        }
        until_ms = self._one(*_OUTCOME.call_named([_state(bot), _probe(bot)], post))
        return int(until_ms)


def _circuit(reply: Sequence[bytes | None], now_ms: int) -> Circuit:
    failures, until_ms, error, error_ms, ok_ms = reply
    opened = None if until_ms is None else int(until_ms)
    return Circuit(
        "closed" if opened is None else "open" if opened > now_ms else "half_open",
        int(failures or 0),
        opened,
        None if error is None else error.decode(),
        None if error_ms is None else int(error_ms),
        None if ok_ms is None else int(ok_ms),
    )


def _state(bot: str) -> str:
    return f"{{b:{bot}}}:hook"


def _probe(bot: str) -> str:
    return f"{{b:{bot}}}:probe"


def _unreachable(version: str) -> str:
    return f"unreachable:{version}"


def _lease(bot: str, delivery: str) -> str:
    return f"{{b:{bot}}}:post:{delivery}"


__all__ = ["WEBHOOK_SCRIPTS", "Begun", "Circuit", "WebhookStore"]
