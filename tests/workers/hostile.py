"""A callback that a job may not have; it leaves a file behind."""

from __future__ import annotations

import os
from pathlib import Path


def run(*_: object) -> None:
    Path(os.environ["HOSTILE_FILE"]).touch()
