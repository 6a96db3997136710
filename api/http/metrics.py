"""Metrics for Prometheus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

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
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from arena.ops.service import Service
from arena.store.rows import LEFT_OUT

_REQUESTS = Counter("botequim_requests_total", "Requests answered.", ("operation", "status"))
_SECONDS = Histogram(
    "botequim_request_seconds",
    "Time to answer a request, including the wait of long polls; for streams, the time until they begin.",
    ("operation",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30, 60),
)
_ANSWERS = Counter("botequim_answers_total", "Answers to turns, by result.", ("status",))

connections = Gauge("botequim_connections", "Open connections.", multiprocess_mode="livesum")
connections_limit = Gauge(
    "botequim_connections_limit", "Maximum connections of all processes.", multiprocess_mode="livesum"
)
_ERRORS = Counter(
    "botequim_errors_total", "Responses with a status of 500 or above, by error code.", ("code",)
)

connections_refused = Counter(
    "botequim_connections_refused_total",
    "Connections refused because all connections of the process were in use.",
)

_ACCOUNTS: Final = 10
"""How many accounts the metrics name."""

_requests: Any = cache(_REQUESTS.labels)
_seconds: Any = cache(_SECONDS.labels)
_answers: Any = cache(_ANSWERS.labels)
_errors: Any = cache(_ERRORS.labels)


def count_answers(results: Iterable[Mapping[str, Any]]) -> None:
    """Count the results of answers. A stale result counts as ``late`` if the turn's time ran out."""
    counts: dict[str, int] = {}
    for result in results:
        status = "late" if result.get("reason") == "clock" else result["status"]
        counts[status] = counts.get(status, 0) + 1
    for status, count in counts.items():
        _answers(status).inc(count)


def count_request(operation: str, status: int, seconds: float, code: str | None) -> None:
    """Count an answered request. ``code`` is its error code."""
    if status >= 500:
        _errors(code or "internal_error").inc()
    _requests(operation, status).inc()
    _seconds(operation).observe(seconds)


class ServiceCollector:
    """Metrics of the whole service, read from its databases on collection, and some of this process."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; see :mod:`prometheus_client`."""
        store = self._service.store
        stats = store.stats()
        games = GaugeMetricFamily("botequim_games", "Games, on lists or not.", labels=("state",))
        for state, count in stats.games.items():
            games.add_metric((state,), count)
        yield games
        pending = max(0, stats.due - stats.games["waiting"])
        yield GaugeMetricFamily("botequim_turns_pending", "Games waiting for a decision.", pending)
        now_ms = store.clock().now_ms
        for when, family in (
            (stats.tick_ms, GaugeMetricFamily("botequim_tick_age_seconds", "Time since the last tick.")),
            (
                stats.beat_ms,
                GaugeMetricFamily("botequim_sweep_age_seconds", "Time since clocks were served."),
            ),
        ):
            if when is not None:
                family.add_metric((), max(0, now_ms - when) / 1000)
                yield family
        lag_ms = 0 if stats.due_ms is None else max(0, now_ms - stats.due_ms)
        yield GaugeMetricFamily(
            "botequim_sweep_lag_seconds", "Delay of the most overdue game.", lag_ms / 1000
        )
        lags = GaugeMetricFamily(
            "botequim_board_lag_seconds",
            "How long groups have waited.",
            labels=("kind", "division", "preset"),
        )
        ages = GaugeMetricFamily(
            "botequim_board_age_seconds",
            "Time since it was published.",
            labels=("kind", "division", "preset"),
        )
        for board, (lag, age) in self._service.boards.ages().items():
            lags.add_metric(board, lag)
            if age is not None:
                ages.add_metric(board, age)
        yield from (lags, ages)
        yield from self._of_database()
        yield from self._of_archive(now_ms)
        yield from self._of_queues()
        if (pool := store.pool()) is not None:
            yield GaugeMetricFamily("botequim_pool", "Connections to the database.", pool.open)
            yield GaugeMetricFamily("botequim_pool_limit", "Maximum number of them.", pool.most)
            yield GaugeMetricFamily(
                "botequim_pool_waiting", "Requests that are waiting for one.", pool.waiting
            )
        waiting = self._service.live.notifier.count()
        yield GaugeMetricFamily(
            "botequim_waiting", "Requests and streams that are waiting for news.", waiting
        )
        yield from self._of_accounts()
        suspended = len(self._service.suspensions.bots())
        yield GaugeMetricFamily("botequim_suspended_bots", "Bots that an admin must review.", suspended)
        yield GaugeMetricFamily("botequim_rows_left_out", "Rows that are unreadable.", len(LEFT_OUT))

    def _of_accounts(self) -> Iterator[Metric]:
        used = self._service.budgets.usage(_ACCOUNTS)
        seconds = GaugeMetricFamily(
            "botequim_account_seconds",
            "Processor time of jobs today, of the accounts that used the most.",
            labels=("account",),
        )
        for account, ms in used.accounts.items():
            seconds.add_metric((self._service.moderation.name("owner", account),), ms / 1000)
        yield seconds
        yield GaugeMetricFamily(
            "botequim_accounts_seconds", "Processor time of all jobs today.", used.all_ms / 1000
        )
        yield GaugeMetricFamily("botequim_guests", "Guests who used processor time today.", used.guests)

    def _of_database(self) -> Iterator[Metric]:
        found = self._service.store.database_stats()
        if found is None:
            return
        yield GaugeMetricFamily("botequim_database_bytes", "Memory used by the database.", found.memory)
        yield GaugeMetricFamily(
            "botequim_database_limit_bytes",
            "Memory limit of the database; 0 means unlimited.",
            found.memory_limit,
        )
        yield GaugeMetricFamily("botequim_database_file_bytes", "Size of the append-only file.", found.file)
        yield GaugeMetricFamily(
            "botequim_database_writing", "Whether writes to it succeed.", found.is_writing
        )
        unflushed = found.unflushed_s
        yield GaugeMetricFamily(
            "botequim_database_unflushed_seconds", "Time since a flush failed.", unflushed
        )
        late = CounterMetricFamily("botequim_database_late_flushes", "Late flushes of the database.")
        late.add_metric((), found.late_flushes)
        yield late

    def _of_archive(self, now_ms: int) -> Iterator[Metric]:
        found = self._service.store.records.status()
        has_failed = found.failed_ms > found.at_ms
        yield GaugeMetricFamily("botequim_archive_failed", "Whether the last run failed.", has_failed)
        if found.failed_ms:
            seconds = max(0, now_ms - found.failed_ms) / 1000
            yield GaugeMetricFamily("botequim_archive_failure_age_seconds", "Since it failed.", seconds)
        if found.at_ms:
            age = max(0, now_ms - found.at_ms) / 1000
            yield GaugeMetricFamily(
                "botequim_archive_age_seconds", "Time since the end of the last run.", age
            )
            yield GaugeMetricFamily("botequim_archive_segments", "Segments.", found.segments)
            yield GaugeMetricFamily("botequim_archive_bytes", "Bytes of the segments.", found.bytes)

    def _of_queues(self) -> Iterator[Metric]:
        found = self._service.jobs.figures()
        if found is None:
            return
        yield GaugeMetricFamily("botequim_workers", "Live workers.", found.workers)
        yield GaugeMetricFamily("botequim_workers_busy", "Workers that are running a job.", found.busy)
        jobs = GaugeMetricFamily("botequim_queue_jobs", "Waiting jobs.", labels=("queue",))
        oldest = GaugeMetricFamily(
            "botequim_queue_oldest_seconds", "Age of the oldest job.", labels=("queue",)
        )
        failed = GaugeMetricFamily(
            "botequim_queue_failed", "Jobs that failed within the last hour.", labels=("queue",)
        )
        for queue in found.queues:
            jobs.add_metric((queue.name,), queue.jobs)
            oldest.add_metric((queue.name,), queue.oldest_s)
            failed.add_metric((queue.name,), queue.failed)
        yield from (jobs, oldest, failed)


def exposition(service: Service) -> Response:
    """Return the metrics of all processes of this server and of the whole service."""
    counted = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        counted = CollectorRegistry()
        MultiProcessCollector(counted)
    stored = CollectorRegistry()
    stored.register(ServiceCollector(service))
    return Response(generate_latest(counted) + generate_latest(stored), content_type=CONTENT_TYPE_LATEST)
