"""Toepen as a PettingZoo environment::

    from botequim import toepen_v0

    env = toepen_v0.env("table-4@1", bots={1: "rookie"})

See :class:`arena.research.environment.RawEnvironment` for the arguments.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from arena.research.environment import Observation, RawEnvironment, wrapped


class ToepenEnvironment(RawEnvironment):
    """The Toepen environment without wrappers."""

    kind = "toepen"


raw_env = ToepenEnvironment
"""PettingZoo's conventional name for an environment without wrappers."""


def env(preset: str | None = None, **arguments: Any) -> AECEnv[str, Observation, int | None]:
    """Return the environment with the same wrappers as PettingZoo's card games."""
    return wrapped(raw_env(preset, **arguments))
