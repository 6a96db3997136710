"""The proxy of the deployment, Caddy with ``deploy/Caddyfile``, in front of API processes of this machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent


def caddy() -> str | None:
    """The program of the proxy: that of this environment, or one in the path."""
    return shutil.which("caddy", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))


def caddyfile(ports: Sequence[int]) -> str:
    """deploy/Caddyfile for API processes at these ports of this machine."""
    text = (ROOT / "deploy/Caddyfile").read_text(encoding="utf-8")
    start, end = text.index("dynamic a api 8000 {"), text.index("lb_policy")
    upstreams = " ".join(f"127.0.0.1:{port}" for port in ports)
    return f"{text[:start]}to {upstreams}\n{text[end:]}"
