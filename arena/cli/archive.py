"""``botequim archive``: the contents of an archive, and whether it is whole."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from arena.cli.commands import Commands
from arena.cli.output import json_option, show
from arena.play.game_ids import place_of, tournament_of
from arena.records.archive.archive import PRIVATE, PUBLIC, Archive
from arena.records.archive.checking import check_archive, segment_entries
from arena.records.archive.places import open_objects
from arena.records.archive.segments import ArchiveEntry


@click.group(cls=Commands, examples=("botequim archive check botequim-data/archive",))
def archive() -> None:
    """Check, read and copy an archive of finished records.

    PLACE is a folder, or the URL of an S3-compatible store (s3://bucket/folder).
    """


@archive.command(examples=("botequim archive check botequim-data/archive",))
@click.argument("place")
@json_option
def check(place: str, as_json: bool) -> int:
    """Check a whole archive.

    It checks digests, indexes and the hashes of the records, and that nothing occurs twice. It prints one
    line per problem; the exit code is 1 if there is one.
    """
    found = check_archive(Archive(open_objects(place)))
    verdict = f"{len(found.problems)} problems" if found.problems else "all checked"
    summary = f"{found.records} records in {found.segments} segments of {found.size / 1e6:.1f} MB: {verdict}"
    value: dict[str, Any] = {
        "records": found.records,
        "segments": found.segments,
        "bytes": found.size,
        "problems": [str(problem) for problem in found.problems],
    }
    show(value, as_json, "\n".join([*value["problems"], summary]))
    return 1 if found.problems else 0


@archive.command(examples=("botequim archive copy botequim-data/archive archive-backup",))
@click.argument("place")
@click.argument("target")
@json_option
def copy(place: str, target: str, as_json: bool) -> None:
    """Copy to TARGET what it lacks of the archive at PLACE.

    Use it for backups, which may be repeated, and to move an archive to another place. The service may run
    meanwhile.
    """
    count = Archive(open_objects(place)).copy(open_objects(target))
    show({"segments": count}, as_json, f"{count} new segments copied")


@archive.command(examples=("botequim archive cat botequim-data/archive --kind truco > truco.jsonl",))
@click.argument("place")
@click.option("--kind", help="Only records of this kind of game.")
@click.option("--tournament", help="Only records of this tournament.")
@click.option("--game", help="Only the record of this game.")
@click.option("--private", is_flag=True, help="Print records of private games instead of public ones.")
def cat(place: str, kind: str | None, tournament: str | None, game: str | None, private: bool) -> None:
    """Print the records of an archive as JSON lines.

    They are in the order of the downloads.
    """
    opened = Archive(open_objects(place))
    for entry in _entries(opened, PRIVATE if private else PUBLIC):
        if kind in (None, entry.kind) and tournament in (None, _tournament(entry)):
            for line in entry.lines:
                if game is None or json.loads(line)["canonical"]["game"] == game:
                    sys.stdout.buffer.write(opened.current(line) + b"\n")
    sys.stdout.buffer.flush()


def _entries(opened: Archive, collection: str) -> Iterator[ArchiveEntry]:
    segments = [info for info in opened.refresh().segments if info.collection == collection]
    for info in sorted(segments, key=lambda info: info.first):
        yield from segment_entries(opened, info)


def _tournament(entry: ArchiveEntry) -> str | None:
    place = place_of(entry.key)
    return tournament_of(entry.key) if place is None else place.tournament
