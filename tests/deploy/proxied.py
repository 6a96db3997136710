"""The proxy of the deployment in front of an API process of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.proxy import caddy, caddyfile
from tests.ports import free_port
from tests.service import Process


@contextmanager
def proxied(api_port: int, folder: Path) -> Iterator[int]:
    """Run it while the block lasts; its port."""
    port = free_port()
    (folder / "Caddyfile").write_text(caddyfile([api_port]), encoding="utf-8")
    settings = {"SITE": f"http://127.0.0.1:{port}", "XDG_DATA_HOME": str(folder), "HOME": str(folder)}
    command = [caddy() or "", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    with Process(command, folder, **settings) as proxy:
        proxy.wait_for("serving initial configuration")
        yield port
