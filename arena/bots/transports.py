"""The transports: how the turns of a bot reach it, who runs it, and what follows from that elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arena.errors import ArenaError


class UnknownTransport(ArenaError):
    """Raised if this release has no transport of that name."""


@dataclass(frozen=True)
class Runner:
    """Who runs a bot. ``bots`` is what error messages call such bots. ``arena_run`` says whether the arena
    does, so that the bot is always online and workers play its groups, with mirrored deals. ``sealed`` says
    whether it enters tournaments of the sealed division or of the open one; None means both.
    """

    bots: str
    arena_run: bool
    sealed: bool | None


OWNER_RUN: Final = Runner("bots that run elsewhere", arena_run=False, sealed=False)
SANDBOX: Final = Runner("uploaded bots, which the arena runs itself,", arena_run=True, sealed=True)
HOUSE: Final = Runner("house bots", arena_run=True, sealed=None)


@dataclass(frozen=True)
class Transport:
    """How a version of a registered bot is reached. ``name`` is its name in the database and the API.
    ``text`` documents it in the API (Markdown). ``needs_url`` says whether its turns are posted to a URL.
    """

    name: str
    runner: Runner
    text: str
    needs_url: bool = False

    @property
    def takes_upload(self) -> bool:
        """Whether a version has an upload, which the arena stores."""
        return self.runner is SANDBOX


REMOTE: Final = Transport("remote", OWNER_RUN, "it fetches them over HTTP.")
_WEBHOOK: Final = Transport(
    "webhook",
    OWNER_RUN,
    "the service posts them to its `url`, which must first answer a ping.",
    needs_url=True,
)
UPLOADED: Final = Transport("uploaded", SANDBOX, "the arena runs its file in a sandbox.")

TRANSPORTS: Final = {transport.name: transport for transport in (REMOTE, _WEBHOOK, UPLOADED)}
"""The transports of registered bots, by name; house bots have none."""


def transport_of(name: str) -> Transport:
    """Return the transport with this name. Raises :class:`UnknownTransport`."""
    if name not in TRANSPORTS:
        raise UnknownTransport(
            f"there is no transport {name[:64]!r}",
            field="transport",
            expected="one of " + ", ".join(TRANSPORTS),
        )
    return TRANSPORTS[name]
