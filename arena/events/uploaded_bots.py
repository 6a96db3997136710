"""Uploaded bots for the workers, loaded from the accounts and run in the sandbox."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import Final

from arena.accounts.accounts import Accounts, BotNotFound
from arena.accounts.versions import NoSource, VersionNotFound
from arena.bots import Bot, BotFailure, BotSpec
from arena.events.runtimes import Runtimes
from arena.sandbox.bot import SandboxedSpec, sandboxed_spec
from arena.sandbox.errors import BuildFailed
from arena.sandbox.runtime import Runtime, used_runtime

_SPECS: Final = 32


class DeletedBot(BotSpec):
    """A bot that was deleted before all its games were played."""

    def make(self, seed: int) -> Bot:
        """Raise :class:`~arena.bots.BotFailure`, because the owner is responsible for deleting the bot."""
        raise BotFailure("crashed", "the bot was deleted")


class SandboxedBots:
    """Loads the uploaded bots of ``accounts``, which run in the service's runtime."""

    def __init__(self, accounts: Accounts, runtimes: Runtimes) -> None:
        self._accounts = accounts
        self._runtimes = runtimes
        # The key includes the digest: a restored database can have a different version with that label.
        self._loaded = lru_cache(_SPECS)(self._load)

    @property
    def runtime_id(self) -> str:
        """The id by which records name the sandbox."""
        return self._runtime().id

    def check(self) -> None:
        """See :meth:`arena.events.tournament.Sandbox.check`."""
        # A failed build here is reported as a fault of the group that needs it.
        with suppress(BuildFailed):
            self._runtimes.ready()

    def spec(self, name: str, version: str) -> BotSpec:
        """Return a version of a bot. Raises :class:`BuildFailed`, which is a server fault."""
        self._runtime()
        try:
            return self._loaded(name, version, self._accounts.bot(name).find(version).digest)
        except (BotNotFound, VersionNotFound, NoSource):
            return DeletedBot(name, version, "")

    def _runtime(self) -> Runtime:
        # A group that has begun is played to the end in the process's current runtime.
        return used_runtime() or self._runtimes.ready()

    def _load(self, name: str, version: str, digest: str | None) -> SandboxedSpec:
        upload = self._accounts.upload_of(name, version)
        return sandboxed_spec(name, version, upload.source, language=upload.language)
