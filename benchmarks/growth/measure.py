"""What a service costs: bytes in the database by family of keys, in the archive, and processor time."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from typing import Any, Final

from redis import Redis

from api.app import create_app
from arena.games import GAMES
from arena.play.players import SEALED
from benchmarks.growth.fill import Place

TIMES: Final = 20

FAMILIES: Final = {
    "groups": r"\{t:[^}]*\}:(groups|order|results|chunks|voided|voids|due|remote|unreleased|standings)",
    "records": r"\{t:[^}]*\}:records|\{g:.*\}:rec|\{live:records\}.*",
    "tournaments": r"\{t:[^}]*\}|tournaments.*",
    "ledgers": r"\{board:[^}]*\}:ledger",
    "board lists": r"\{board:[^}]*\}:(log|last|tournaments)",
    "boards": r"\{board:[^}]*\}.*",
    "lists of bots": r"\{b:[^}]*\}:(groups.*|tournaments)",
    "games": r"\{?live:games.*|\{b:.*\}:games.*|\{g:.*",
}
"""Families of keys, the first that matches; the rest is ``other``."""


def families(url: str) -> Counter[str]:
    """The bytes in the database by family, and ``used``, the database's own figure."""
    database: Any = Redis.from_url(url)
    found: Counter[str] = Counter(dict.fromkeys((*FAMILIES, "other"), 0))
    patterns = {name: re.compile(pattern) for name, pattern in FAMILIES.items()}
    for key in database.scan_iter(count=1000):
        name = key.decode(errors="replace")
        family = next((own for own, pattern in patterns.items() if pattern.fullmatch(name)), "other")
        found[family] += int(database.memory_usage(key, samples=0) or 0)
    database.execute_command("MEMORY", "PURGE")
    found["used"] = int(database.info("memory")["used_memory"])
    return found


def archive_bytes(archive: str) -> int:
    """The bytes of all files of an archive."""
    return sum(path.stat().st_size for path in Path(archive).rglob("*") if path.is_file())


def publish(place: Place) -> tuple[float, float]:
    """Publish all boards in a process of its own: the most seconds of processor time that one board took, and
    the largest size of the process in megabytes.
    """
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_publish, (place,))


def _publish(place: Place) -> tuple[float, float]:
    service = place.open()
    most = 0.0
    for kind in GAMES:
        start = time.process_time()
        service.boards.publish(kind, SEALED)
        most = max(most, time.process_time() - start)
    return most, getrusage(RUSAGE_SELF).ru_maxrss / 1024


def pages(place: Place, tournament: str, bot: str) -> dict[str, float]:
    """The milliseconds of processor time of an API process for one answer: the median of :data:`TIMES`."""
    paths = {
        "/": "/",
        "board page": "/leaderboards/toepen",
        "board": "/v1/leaderboards/toepen/sealed",
        "history": "/v1/leaderboards/toepen/sealed/history",
        "history of one": f"/v1/leaderboards/toepen/sealed/history?bot={bot}",
        "list of games": "/v1/games",
        "list of records": "/v1/records?limit=100",
        "metrics": "/metrics",
    }
    return {**_costs(place, paths), **tournament_pages(place, tournament)}


def tournament_pages(place: Place, tournament: str) -> dict[str, float]:
    """The same for the answers about a tournament."""
    paths = {
        "tournament page": f"/tournaments/{tournament}",
        "tournament": f"/v1/tournaments/{tournament}",
        "list of groups": f"/v1/tournaments/{tournament}/groups",
        "standings": f"/v1/tournaments/{tournament}/standings",
    }
    return _costs(place, paths)


def _costs(place: Place, paths: Mapping[str, str]) -> dict[str, float]:
    client = create_app(place.settings).test_client()

    def get(path: str) -> Callable[[], Any]:
        def ask() -> None:
            response = client.get(path)
            assert response.status_code == 200, (path, response.status_code, response.get_data()[:500])
            response.get_data()

        return ask

    return {name: _cost(get(path)) for name, path in paths.items()}


def _cost(ask: Callable[[], Any]) -> float:
    costs = []
    for _ in range(TIMES):
        start = time.process_time()
        ask()
        costs.append(1000 * (time.process_time() - start))
    return median(costs)
