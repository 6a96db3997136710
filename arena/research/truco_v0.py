"""Brazilian Truco as a PettingZoo environment::

    from botequim import truco_v0

    env = truco_v0.env("paulista-2@1", bots={1: "rookie"})

See :class:`arena.research.environment.RawEnvironment` for the arguments.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from arena.research.environment import Observation, RawEnvironment, wrapped


class TrucoEnvironment(RawEnvironment):
    """The Truco environment without wrappers."""

    kind = "truco"


raw_env = TrucoEnvironment
"""PettingZoo's conventional name for an environment without wrappers."""


def env(preset: str | None = None, **arguments: Any) -> AECEnv[str, Observation, int | None]:
    """Return the environment with the same wrappers as PettingZoo's card games."""
    return wrapped(raw_env(preset, **arguments))
