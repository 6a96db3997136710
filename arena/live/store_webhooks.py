"""What all processes know of webhooks: who posts which turn, and which circuits are open.

All keys of a bot's webhook share the bot's hash tag, and each step is one script. All times are milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from arena.live.store_wire import Script, Wire

FAILURES: Final = 5
"""Failures in a row after which the circuit opens."""

FIRST_PAUSE_MS: Final = 2_000
LONGEST_PAUSE_MS: Final = 60_000
"""For how long it opens: doubled each time it opens again."""

LEASE_MS: Final = 4_000
"""For how long a post is its driver's without a renewal."""

DONE_MS: Final = 60_000
PASSED_MS: Final = 3_600_000
"""For how long it is remembered that nothing is left to do for a turn; for a right that was passed."""

_BEGIN: Final = Script("webhook_begin")
_OUTCOME: Final = Script("webhook_outcome")
WEBHOOK_SCRIPTS: Final = (_BEGIN, _OUTCOME)
"""What the wire of a :class:`WebhookStore` must know."""

_FIELDS: Final = ("failures", "until", "error", "error_ms", "ok_ms")


class Begun(NamedTuple):
    """Whether a turn may be posted (``go``), and if not, after how long to ask again."""

    told: Literal["go", "done", "leased", "open"]
    wait_ms: int


@dataclass(frozen=True)
class Circuit:
    """How a webhook does. ``closed``: all is well; ``open``: nothing is posted before ``open_until_ms``;
    ``half_open``: one post at a time tries it. ``failures``: in a row. Moments are Unix times.
    """

    state: Literal["closed", "open", "half_open"]
    failures: int = 0
    open_until_ms: int | None = None
    last_error: str | None = None
    last_error_ms: int | None = None
    last_ok_ms: int | None = None


class WebhookStore:
    """The state of webhooks in one Redis (or Redis Cluster)."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def begin(self, bot: str, delivery: str, holder: str, now_ms: int) -> Begun:
        """Take the lease of a delivery for ``holder``, if the circuit lets it."""
        keys = [_state(bot), _lease(bot, delivery), _probe(bot)]
        ((told, wait_ms),) = self._wire.run([_BEGIN.call(keys, now_ms, LEASE_MS, holder)])
        return Begun(told.decode(), max(1, int(wait_ms)))

    def renew(self, held: Iterable[tuple[str, str]]) -> None:
        """Hold on to leases, each ``(bot, delivery)``, and to the probes of their bots."""
        keys = {key for bot, delivery in held for key in (_lease(bot, delivery), _probe(bot))}
        if keys:
            self._wire.run([("PEXPIRE", key, LEASE_MS) for key in sorted(keys)])

    def finish(self, bot: str, delivery: str, keep_ms: int) -> None:
        """Nothing is left to do for a delivery; remembered for so long."""
        self._wire.run([("SET", _lease(bot, delivery), "done", "PX", keep_ms)])

    def release(self, bot: str, delivery: str) -> None:
        """Leave a delivery to whoever comes next."""
        self._wire.run([("DEL", _lease(bot, delivery))])

    def replied(self, bot: str, now_ms: int, error: str = "") -> None:
        """The bot has replied: the circuit is closed. ``error``: what is wrong with the reply."""
        self._note(bot, "1", now_ms, "", error)

    def failed(self, bot: str, now_ms: int, attempt: str, error: str) -> int | None:
        """The bot could not be reached; until when the circuit is open, None if it is closed."""
        return self._note(bot, "0", now_ms, attempt, error) or None

    def circuits(self, bots: Sequence[str], now_ms: int) -> list[Circuit]:
        """How the webhooks of bots do."""
        replies = self._wire.run([("HMGET", _state(bot), *_FIELDS) for bot in bots]) if bots else []
        return [_circuit(reply, now_ms) for reply in replies]

    def forget(self, bot: str) -> None:
        """Begin anew with a closed circuit."""
        self._wire.run([("DEL", _state(bot)), ("DEL", _probe(bot))])

    def _note(self, bot: str, well: str, now_ms: int, attempt: str = "", error: str = "") -> int:
        arguments = (well, now_ms, attempt, error, FAILURES, FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
        (until_ms,) = self._wire.run([_OUTCOME.call([_state(bot), _probe(bot)], *arguments)])
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


def _lease(bot: str, delivery: str) -> str:
    return f"{{b:{bot}}}:post:{delivery}"


__all__ = ["WEBHOOK_SCRIPTS", "Begun", "Circuit", "WebhookStore"]
