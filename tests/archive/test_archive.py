"""Archives: what is written is read again, one by one and in whole; damage, gaps and doubles are found."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from arena.cli import run
from arena.records.archive.archive import PRIVATE, PUBLIC, ROWS, Archive, ArchiveMismatch, ArchivePlace
from arena.records.archive.checking import check_archive
from arena.records.archive.objects import FolderStore
from arena.records.archive.places import InvalidArchive, open_objects
from arena.records.archive.segments import ArchiveEntry, DamagedArchive, members
from tests.archive.entries import add, end_of, games_of, group_entry, members_of

ENTRIES = [group_entry(number) for number in range(40)]


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An empty one, of the service ``here``."""
    opened = Archive(FolderStore(tmp_path / "archive"))
    opened.claim("here")
    return opened


@pytest.fixture
def full(archive: Archive) -> Archive:
    """One with all entries in four segments."""
    for start in range(0, 40, 10):
        add(archive, PUBLIC, *ENTRIES[start : start + 10])
    return archive


def paths(archive: Archive) -> list[Path]:
    """The files of the public segments."""
    folder = Path(archive.objects.where().removeprefix("the folder "))
    return [folder / segment.name for segment in archive.segments(PUBLIC)]


def test_members_are_what_was_written(full: Archive) -> None:
    found = members_of(full, PUBLIC)
    assert [ArchiveEntry(*member[:3], member.lines()) for member in found] == ENTRIES
    offset = 0
    for segment in full.segments(PUBLIC):
        assert segment.start == offset
        data = full.objects.get(segment.name) or b""
        for member in members(data, segment.name):
            place = ArchivePlace(PUBLIC, offset, len(member.data))
            assert ArchivePlace.loads(place.dumps()) == place
            assert full.read(place, segment.start) == member.data
            offset += len(member.data)
    assert full.read(ArchivePlace(PUBLIC, offset, 1), full.segments(PUBLIC)[-1].start) is None


def test_a_segment_is_what_zcat_and_verify_read(full: Archive) -> None:
    path = paths(full)[0]
    expected = [line for entry in ENTRIES[:10] for line in entry.lines]
    assert gzip.decompress(path.read_bytes()).splitlines() == expected
    assert run(["verify", str(path)]) == 0


def test_the_whole_collection_is_one_file(full: Archive) -> None:
    data = b"".join(path.read_bytes() for path in paths(full))
    assert gzip.decompress(data).splitlines() == [line for entry in ENTRIES for line in entry.lines]


def test_of_two_writers_one_goes_on(full: Archive) -> None:
    end = end_of(full, PUBLIC)
    other = Archive(full.objects)
    assert other.add(PUBLIC, end, [group_entry(51)]) is not None
    assert full.add(PUBLIC, end, [group_entry(52), group_entry(53)]) is None
    assert members_of(full, PUBLIC)[-1].key == group_entry(51).key


def test_segments_that_were_joined_are_read_once(full: Archive) -> None:
    before = members_of(full, PUBLIC)
    first, *others = full.segments(PUBLIC)
    full.objects.replace(first.name, b"".join(path.read_bytes() for path in paths(full)[:3]))
    assert full.joined(PUBLIC) == [segment.name for segment in others[:2]]
    assert members_of(full, PUBLIC) == before
    assert check_archive(full).problems == []
    for name in full.joined(PUBLIC):
        full.objects.delete(name)
    assert members_of(full, PUBLIC) == before
    assert len(full.segments(PUBLIC)) == 2


def test_an_archive_belongs_to_one_service(full: Archive) -> None:
    Archive(full.objects).claim("here")
    with pytest.raises(
        ArchiveMismatch, match="archive of the service here, but this database belongs to there"
    ):
        Archive(full.objects).claim("there")


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    objects = FolderStore(tmp_path / "newer")
    objects.put("archive.json", b'{"format": 3, "service": "here"}')
    with pytest.raises(ArchiveMismatch, match="has format 3"):
        Archive(objects).claim("here")
    objects.replace("archive.json", b"{")
    with pytest.raises(DamagedArchive, match=r"archive\.json in the folder .* cannot be read"):
        Archive(objects).claim("here")


@pytest.mark.parametrize("length", [1, 19, 40, 200])
def test_a_member_that_is_cut_off_is_damaged(full: Archive, length: int) -> None:
    data = ENTRIES[0].dumps()
    with pytest.raises(DamagedArchive, match=f"here cannot be read at byte {len(data)}"):
        list(members(data + data[:length], "here"))
    with pytest.raises(DamagedArchive):
        next(members(b"x" + data, "here"))
    (member,) = members(data[:-9] + b"\0" * 9, "here")
    with pytest.raises(DamagedArchive):
        member.lines()


class TestCheck:
    def test_a_whole_archive(self, full: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["archive", "check", str(tmp_path / "archive")]) == 0
        assert "records in 4 segments of" in capsys.readouterr().out

    def test_a_changed_byte(self, full: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = paths(full)[1]
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        assert run(["archive", "check", str(tmp_path / "archive")]) == 1
        out = capsys.readouterr().out
        assert " cannot be read" in out
        assert "1 problems" in out

    def test_a_missing_segment(self, full: Archive) -> None:
        first, second, *_ = full.segments(PUBLIC)
        paths(full)[1].unlink()
        (problem,) = check_archive(full).problems
        assert problem == f"public: bytes {first.end} to {second.end} are missing"

    def test_doubles_and_disorder(self, full: Archive) -> None:
        add(full, PUBLIC, ENTRIES[0]._replace(number=999), ENTRIES[1])
        add(full, PRIVATE, ENTRIES[2])
        problems = check_archive(full).problems
        assert sum("occurs twice" in problem for problem in problems) == sum(
            len(entry.lines) for entry in ENTRIES[:3]
        )
        assert sum("is out of order" in problem for problem in problems) == 1

    def test_a_record_with_another_hash_or_key(self, archive: Archive) -> None:
        record = json.loads(ENTRIES[0].lines[0])
        record["canonical"]["seed"] = "00" * 32
        add(archive, PUBLIC, ENTRIES[0]._replace(lines=[json.dumps(record).encode()]))
        add(archive, PUBLIC, ENTRIES[1]._replace(lines=ENTRIES[1].lines[:1], key="cup-r1-p9-g9"))
        first, second = check_archive(archive).problems
        assert "the hash of a record is wrong" in first
        assert f"cup-r1-p9-g9: it contains the record of another game, {games_of(ENTRIES[1])[0]}" in second

    def test_what_is_no_archive(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["archive", "check", str(tmp_path / "nowhere")]) == 2
        assert "does not contain an archive" in capsys.readouterr().err
        with pytest.raises(InvalidArchive, match="ftp://x"):
            open_objects("ftp://x/y")


def test_cat_prints_by_kind_tournament_and_game(
    full: Archive, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    place = str(tmp_path / "archive")

    def cat(*options: str) -> list[bytes]:
        assert run(["archive", "cat", place, *options]) == 0
        return capfdbinary.readouterr().out.splitlines()

    everything = [line for entry in ENTRIES for line in entry.lines]
    assert cat() == everything
    assert cat("--kind", "truco") == [line for entry in ENTRIES[1::2] for line in entry.lines]
    assert cat("--tournament", "cup") == everything
    assert cat("--tournament", "other") == cat("--private") == []
    assert cat("--game", games_of(ENTRIES[5])[1]) == [ENTRIES[5].lines[1]]
    row = json.dumps({"annulled": {"reason": "collusion", "by": "admin", "at_ms": 1}}).encode()
    add(full, ROWS, ArchiveEntry(ENTRIES[3].key, 1, "annulment", [row]))
    changed = [line for line in map(json.loads, cat()) if line["info"].get("annulled") == "collusion"]
    assert [line["canonical"]["game"] for line in changed] == games_of(ENTRIES[3])


class TestCopy:
    def test_a_copy_is_an_archive_with_the_same_content(
        self, full: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        here, there = str(tmp_path / "archive"), str(tmp_path / "copy")
        assert run(["archive", "copy", here, there]) == 0
        assert capsys.readouterr().out == "4 segments copied\n"
        add(full, PUBLIC, group_entry(70))
        add(full, PRIVATE, group_entry(71))
        assert run(["archive", "copy", here, there]) == 0
        assert capsys.readouterr().out == "2 segments copied\n"
        # Two of them are joined.
        first, second, *_ = full.segments(PUBLIC)
        data = (full.objects.get(first.name) or b"") + (full.objects.get(second.name) or b"")
        full.objects.replace(first.name, data)
        full.objects.delete(second.name)
        assert run(["archive", "copy", here, there]) == 0
        assert capsys.readouterr().out == "1 segments copied\n"
        assert run(["archive", "copy", here, there]) == 0
        assert capsys.readouterr().out == "0 segments copied\n"
        copied = Archive(open_objects(there))
        for collection in (PUBLIC, PRIVATE):
            assert copied.segments(collection) == full.segments(collection)
            assert members_of(copied, collection) == members_of(full, collection)
            assert copied.joined(collection) == []
        assert check_archive(copied).problems == []

    def test_a_copy_never_overwrites_another_archive(self, full: Archive, tmp_path: Path) -> None:
        other = FolderStore(tmp_path / "other")
        Archive(other).claim("another one")
        with pytest.raises(ArchiveMismatch, match="another one"):
            full.copy(other)
        used = FolderStore(tmp_path / "used")
        full.copy(used)
        add(Archive(used), PUBLIC, group_entry(72))
        add(full, PUBLIC, group_entry(73), group_entry(74))
        with pytest.raises(ArchiveMismatch, match="changed by something other than copying"):
            full.copy(used)
