"""Liveness, readiness and metrics."""

from __future__ import annotations

from arena.operations.operation import Operation

is_alive = Operation(
    "GET",
    "/healthz",
    """
    Check that the process is alive

    Does not check the database; for that, see `GET /readyz`.
    """,
)

is_ready = Operation(
    "GET",
    "/readyz",
    """
    Check that the process can serve requests

    Fails while the database is unreachable, refuses writes or has lost its data, and while the process is
    shutting down. The status is `degraded` while games between remote bots continue but something else does
    not work.
    """,
    errors=("store_unavailable", "store_replaced", "unknown_format", "draining"),
)

get_metrics = Operation(
    "GET",
    "/metrics",
    """
    Get metrics in the Prometheus text format

    Counters cover all processes of this server; games and turns cover the whole service.
    """,
    media="text/plain",
    errors=("store_unavailable",),
    client="metrics",
)
