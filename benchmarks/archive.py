"""What finished games cost in the database and in the archive: ``python -m benchmarks.archive``.

Plays tournaments of ``rookie`` and ``random`` bots (distinct games, in groups with the same deals), then
archives them: bytes per game in both places before and after, the time to read one record, and the rate of
a download of all.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any, Final

import click
from redis import Redis

from arena.games import GAMES, game_of
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from arena.records.archive.archive import PUBLIC
from arena.store.embedded import EmbeddedStore

GROUPS: Final = 500
READS: Final = 200


def play(service: Service, games: int) -> None:
    """Play ``games`` games, half of each kind, in tournaments of up to ``GROUPS`` groups."""
    groups = games // (2 * len(GAMES))
    for kind, start in product(GAMES, range(0, groups, GROUPS)):
        now_ms = service.store.clock().now_ms
        # One pairing; a group has one game per side.
        fields = {
            "name": kind,
            "kind": kind,
            "rules": game_of(kind).duel_rules,
            "format": "round_robin",
            "groups": min(GROUPS, groups - start),
            "house": ["rookie", "random"],
            "max_entries": 2,
            "opens_ms": now_ms,
            "locks_ms": now_ms + 1,
        }
        service.tournaments.create(fields, "bench", tournament_id=f"{kind}-{start}")
        time.sleep(0.01)
        while service.tournaments.step(f"{kind}-{start}").state != "finished":
            service.tournaments.play_local_groups(f"{kind}-{start}", 60)


def measure(games: int) -> dict[str, Any]:
    """Play and archive ``games`` games in a service of their own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedStore(Path(folder) / "store") as store,
    ):
        place = Path(folder) / "archive"
        service = open_service(Settings(store.url, archive=str(place)), InlineJobs())
        service.store.identity.register()
        try:
            database: Any = Redis.from_url(store.url)

            def used() -> int:
                database.execute_command("MEMORY", "PURGE")
                return int(database.info("memory")["used_memory"])

            empty = used()
            play(service, games)
            before = used() - empty
            start = time.process_time()
            while service.archiver().run():
                pass
            cost = time.process_time() - start
            after = used() - empty
            segments = service.live.finished.opened().segments(PUBLIC)
            size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
            start = time.perf_counter()
            plain = sum(len(record) for _, record in service.live.iter_records())
            seconds = time.perf_counter() - start
            ids = [json.loads(line)["canonical"]["game"] for _, line in service.live.iter_records()]
            count = len(ids)
            chosen = random.Random(1).choices(ids, k=READS)
            start = time.process_time()
            for game in chosen:
                service.live.record(game)
            one = (time.process_time() - start) / READS
        finally:
            service.close()
    return {
        "games": count,
        "plain": plain / count,
        "before": before / count,
        "after": after / count,
        "archive": size / count,
        "archiving": 1e6 * cost / count,
        "one": 1e3 * one,
        "rate": plain / seconds / 1e6,
        "segments": len(segments),
    }


@click.command()
@click.option("--games", multiple=True, type=int, default=(1_000, 10_000), show_default=True)
def main(games: tuple[int, ...]) -> None:
    """Print one line per number of games."""
    for count in games:
        found = measure(count)
        click.echo(
            "{games:,} games, {plain:,.0f} bytes each as JSON: {before:,.0f} bytes in the database, after "
            "archiving {after:,.0f} there and {archive:,.0f} in the archive ({segments} segments); archiving "
            "{archiving:.0f} us of processor time a game, one record {one:.2f} ms, download "
            "{rate:.0f} MB/s".format(**found)
        )


if __name__ == "__main__":
    main()
