"""Metrics for Prometheus."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from flask import Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from arena.store.rows import LEFT_OUT
from arena.store.stats import LiveStats

_REQUESTS = Counter("botequim_requests_total", "Requests answered.", ("operation", "status"))
_SECONDS = Histogram(
    "botequim_request_seconds",
    "Time to answer a request, including the wait of long polls; for streams, until they begin.",
    ("operation",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30, 60),
)
_ANSWERS = Counter("botequim_answers_total", "Answers to turns, by result.", ("status",))

connections = Gauge("botequim_connections", "Open connections.", multiprocess_mode="livesum")
connections_refused = Counter(
    "botequim_connections_refused_total", "Connections refused because all of a process were in use."
)

_requests: Any = cache(_REQUESTS.labels)
_seconds: Any = cache(_SECONDS.labels)
_answers: Any = cache(_ANSWERS.labels)


def count_answers(results: Iterable[Mapping[str, Any]]) -> None:
    """Count the results of answers; ``late`` is one that is stale because time ran out."""
    counts: dict[str, int] = {}
    for result in results:
        status = "late" if result.get("reason") == "clock" else result["status"]
        counts[status] = counts.get(status, 0) + 1
    for status, count in counts.items():
        _answers(status).inc(count)


def count_request(operation: str, status: int, seconds: float) -> None:
    """Count an answered request."""
    _requests(operation, status).inc()
    _seconds(operation).observe(seconds)


class GameCollector:
    """Metrics from the store, read on collection: the same in every process."""

    def __init__(self, stats: Callable[[], LiveStats], waiting: Callable[[], int]) -> None:
        self._stats = stats
        self._waiting = waiting

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """See :mod:`prometheus_client`."""
        stats = self._stats()
        games = GaugeMetricFamily("botequim_games", "Games listed.", labels=("state",))
        for state, count in stats.games.items():
            games.add_metric((state,), count)
        yield games
        pending = max(0, stats.due - stats.games["waiting"])
        yield GaugeMetricFamily("botequim_turns_pending", "Games waiting for a decision.", pending)
        yield GaugeMetricFamily(
            "botequim_waiting", "Requests and streams that wait for news.", self._waiting()
        )
        yield GaugeMetricFamily(
            "botequim_rows_left_out",
            "Rows that this process cannot read and leaves out of lists.",
            len(LEFT_OUT),
        )


def exposition(stats: Callable[[], LiveStats], waiting: Callable[[], int]) -> Response:
    """Return the metrics of all processes of this server, and those from the store."""
    counted = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        counted = CollectorRegistry()
        MultiProcessCollector(counted)
    stored = CollectorRegistry()
    stored.register(GameCollector(stats, waiting))
    return Response(generate_latest(counted) + generate_latest(stored), content_type=CONTENT_TYPE_LATEST)
