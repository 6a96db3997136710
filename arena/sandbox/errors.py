"""Errors while building the sandbox."""

from __future__ import annotations

from arena.bots import HostFailure
from arena.errors import ArenaError


class BuildFailed(ArenaError):
    """The sandbox's Python, or an engine for it, cannot be built here."""

    code = "runtime_not_built"


class CompilingEnded(BuildFailed, HostFailure):
    """The process that compiled a module was terminated, through no fault of the module."""
