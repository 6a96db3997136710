"""An S3-compatible store: moto's server in a process of its own, at a free port of loopback."""

from __future__ import annotations

import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import URLError

from arena.ops.die_with_parent import die_with_parent
from tests.ports import free_port
from tests.service import environment
from tests.waiting import wait_until

BUCKET = "bucket"


@contextmanager
def s3_server() -> Iterator[str]:
    """The address of a running store with an empty :data:`BUCKET`."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(
        die_with_parent(command),
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def has_bucket() -> bool:
        try:
            request = urllib.request.Request(f"{url}/{BUCKET}", method="PUT")
            with urllib.request.urlopen(request, timeout=5):
                return True
        except URLError:
            assert server.poll() is None
            return False

    try:
        wait_until(has_bucket)
        yield url
    finally:
        server.terminate()
        server.wait()


def credentials(endpoint: str) -> dict[str, str]:
    """The environment of processes that use the store at ``endpoint``."""
    return {
        "AWS_ENDPOINT": endpoint,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }
