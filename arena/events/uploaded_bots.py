"""Uploaded bots for the workers: loaded from the accounts, run in the sandbox."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from arena.accounts.accounts import Accounts, BotNotFound
from arena.accounts.versions import NoSource, VersionNotFound
from arena.bots import Bot, BotFailure, BotSpec
from arena.sandbox.bot import SandboxedSpec, sandboxed_spec
from arena.sandbox.runtime import python_program, runtime_id

_SPECS: Final = 32


class DeletedBot(BotSpec):
    """A bot that was deleted while it had games to play."""

    def make(self, seed: int) -> Bot:
        """Raises :class:`~arena.bots.BotFailure`, because deleting the bot is its owner's fault."""
        raise BotFailure("crashed", "the bot was deleted")


class SandboxedBots:
    """Makes the uploaded bots of ``accounts``."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        # Versions never change, so the cache never expires.
        self._loaded = lru_cache(_SPECS)(self._load)

    @property
    def runtime_id(self) -> str:
        """The id of the sandbox in records."""
        return runtime_id()

    def spec(self, name: str, version: str) -> BotSpec:
        """A version of a bot. Raises :class:`BuildFailed`, which is a server fault."""
        python_program()
        try:
            return self._loaded(name, version)
        except (BotNotFound, VersionNotFound, NoSource):
            return DeletedBot(name, version, "")

    def _load(self, name: str, version: str) -> SandboxedSpec:
        return sandboxed_spec(name, version, self._accounts.upload_of(name, version).source)
