"""Uploaded bots as the workers play them: from the accounts into the sandbox."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from arena.bots import Bot, BotFailure, BotSpec
from arena.live.accounts import Accounts, UnknownBot
from arena.live.versions import NoSource, UnknownVersion
from arena.sandbox.bot import SandboxedSpec, sandboxed_spec
from arena.sandbox.python import python_program
from arena.sandbox.runtime import runtime_id

_SPECS: Final = 32


class Gone(BotSpec):
    """A bot that was deleted while it had games to play."""

    def make(self, seed: int) -> Bot:
        """Raises :class:`~arena.bots.BotFailure`: its owner is at fault."""
        raise BotFailure("crashed", "the bot was deleted")


class SandboxedBots:
    """The uploaded bots of ``accounts``, ready to play."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        # Versions never change, so what was loaded stays right.
        self._loaded = lru_cache(_SPECS)(self._load)

    @property
    def runtime_id(self) -> str:
        """What names the sandbox in records."""
        return runtime_id()

    def spec(self, name: str, version: str) -> BotSpec:
        """A version of a bot. Raises :class:`~arena.sandbox.binary.BuildFailed`, which is nobody's fault."""
        python_program()
        try:
            return self._loaded(name, version)
        except (UnknownBot, UnknownVersion, NoSource):
            return Gone(name, version, "")

    def _load(self, name: str, version: str) -> SandboxedSpec:
        return sandboxed_spec(name, version, self._accounts.upload_of(name, version).source)
