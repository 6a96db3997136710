"""What the service is measured against: a bare Flask app with one route, one read and one write by script."""

from __future__ import annotations

import os
from typing import Any, Final

from flask import Flask, Response, request

from api.http.places import Places
from api.http.server import DrainingWorker
from arena.ops.settings import HttpSettings, Settings
from arena.store.connection import connect

READ_BYTES: Final = "BENCH_READ_BYTES"
WRITE_BYTES: Final = "BENCH_WRITE_BYTES"
"""Variables with the bytes that a request reads and writes."""

PATH: Final = "/move"

_SCRIPT: Final = "redis.call('HSET', KEYS[1], 's', ARGV[1]) return 1"


class BareWorker(DrainingWorker):
    """The worker class of the service, without waiting requests to wake at the end."""

    def http_settings(self) -> HttpSettings:
        """Those of the service."""
        return Settings.from_environment().http

    def _drain(self) -> None:
        """Nothing waits here."""


def create_app() -> Flask:
    """The WSGI app: ``POST /move`` with ``{"key": text}`` reads one value, writes another, and says so.

    Client, pool and protocol of the database are those of the service.
    """
    app = Flask("bare", static_folder=None)
    http = Settings.from_environment().http
    app.extensions["botequim-places"] = Places(http.connections, http.share)
    connection = connect(os.environ["REDIS_URL"], ())
    connection.run([("SET", "bare:read", b"r" * int(os.environ[READ_BYTES]))])
    written = b"w" * int(os.environ[WRITE_BYTES])
    (sha,) = connection.run([("SCRIPT", "LOAD", _SCRIPT)])

    @app.post(PATH)
    def move() -> Response:
        body: dict[str, Any] = request.get_json()
        (value,) = connection.run([("GET", "bare:read")])
        (done,) = connection.run([("EVALSHA", sha, 1, f"bare:{body['key']}", written)])
        return Response(b'{"read":%d,"written":%d}' % (len(value), done), mimetype="application/json")

    return app
