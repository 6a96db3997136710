"""``botequim archive``: checks, reads and copies an archive."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from arena.cli.commands import Commands
from arena.cli.output import json_option, show
from arena.cli.terminal import escaped
from arena.inputs.reading import json_value
from arena.play.game_ids import group_of, place_of, tournament_of
from arena.records.annulled import annulled_info
from arena.records.archive.archive import PRIVATE, PUBLIC, ROWS, Archive
from arena.records.archive.checking import check_archive, segment_members
from arena.records.archive.places import open_objects
from arena.records.archive.segments import DamagedArchive, Member
from arena.records.record import InvalidRecord, Record, UnreadableRecord, dumps, parse_record


@click.group(cls=Commands, examples=("botequim archive check botequim-data/archive",))
def archive() -> None:
    """Check, read and copy an archive of finished records.

    PLACE is a folder, or the URL of an S3-compatible store (s3://bucket/folder).
    """


@archive.command(examples=("botequim archive check botequim-data/archive",))
@click.argument("place")
@json_option
def check(place: str, as_json: bool) -> int:
    """Check an archive completely.

    The command checks that the archive is readable, that the keys and hashes of the records are correct, and
    that nothing is missing or duplicated. It prints one line per problem; the exit code is 1 if there are
    any.
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
    """Copy to TARGET everything that it lacks from the archive at PLACE.

    Use this for repeated backups, or to move an archive to another place. The service can keep running.
    """
    count = Archive(open_objects(place)).copy(open_objects(target))
    show({"segments": count}, as_json, f"{count} segments copied")


@archive.command(examples=("botequim archive cat botequim-data/archive --kind truco > truco.jsonl",))
@click.argument("place")
@click.option("--kind", help="Only records of this kind of game.")
@click.option("--tournament", help="Only records of this tournament.")
@click.option("--game", help="Only the record of this game.")
@click.option("--private", is_flag=True, help="Print records of private games instead of public ones.")
def cat(place: str, kind: str | None, tournament: str | None, game: str | None, private: bool) -> None:
    """Print the records of an archive as JSON lines.

    The records are in download order, with annulments applied.
    """
    opened = Archive(open_objects(place))
    annulments = _annulments(opened)
    for member in _members(opened, PRIVATE if private else PUBLIC):
        if kind in (None, member.kind) and tournament in (None, _tournament(member)):
            annulment = annulments.get(group_of(member.key) or "")
            for line in member.lines():
                record = _record(member, line)
                if game in (None, record["canonical"]["game"]):
                    text = line.decode()
                    if annulment is not None:
                        record["info"].update(annulled_info(annulment))
                        text = dumps(record)
                    sys.stdout.buffer.write(escaped(text).encode() + b"\n")
    sys.stdout.buffer.flush()


def _members(opened: Archive, collection: str) -> Iterator[Member]:
    for segment in opened.segments(collection):
        yield from segment_members(opened, segment)


def _annulments(opened: Archive) -> dict[str, dict[str, Any]]:
    """Return the annulments in an archive, by group."""
    found = {}
    for member in _members(opened, ROWS):
        for line in member.lines():
            row = json_value(line, f"a row of {member.key}", "rows", DamagedArchive)
            annulment = row.get("annulled") if isinstance(row, dict) else None
            if isinstance(annulment, dict) and isinstance(annulment.get("reason"), (str, type(None))):
                found[member.key] = annulment
    return found


def _record(member: Member, line: bytes) -> Record:
    try:
        return parse_record(line)
    except (InvalidRecord, UnreadableRecord) as error:
        raise DamagedArchive(f"a record of {member.key} cannot be read: {error}") from None


def _tournament(member: Member) -> str | None:
    place = place_of(member.key)
    return tournament_of(member.key) if place is None else place.tournament
