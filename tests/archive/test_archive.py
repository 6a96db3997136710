"""Archives: what is written is read again, by key, in order and in whole; damage and doubles are found."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from arena.cli import run
from arena.records.archive import archive as archive_module
from arena.records.archive.archive import (
    PRIVATE,
    PUBLIC,
    Archive,
    ArchiveBusy,
    ArchiveMismatch,
    Manifest,
)
from arena.records.archive.checking import check_archive
from arena.records.archive.objects import FolderStore
from arena.records.archive.places import InvalidArchive, open_objects
from arena.records.archive.segments import ArchiveEntry, DamagedArchive
from tests.archive.entries import START_MS, games_of, group_entry

ENTRIES = [group_entry(number) for number in range(40)]


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An empty one, of the service ``here``."""
    opened = Archive(FolderStore(tmp_path / "archive"))
    opened.claim("here")
    return opened


@pytest.fixture
def full(archive: Archive) -> Archive:
    """One with all entries in three segments, whose numbers are mixed."""
    for start in range(3):
        archive.add({PUBLIC: ENTRIES[start::3]})
    return archive


def segments(archive: Archive) -> list[Path]:
    return [
        Path(archive.objects.where().removeprefix("the folder ")) / info.data
        for info in archive.refresh().segments
    ]


def test_every_entry_is_found_by_its_key(full: Archive) -> None:
    for entry in ENTRIES:
        assert full.find(PUBLIC, entry.key) == entry.lines
        assert full.has(PUBLIC, entry.key)
    assert full.find(PUBLIC, "cup-r1-p99-g1") is None
    assert full.find(PRIVATE, ENTRIES[0].key) is None


def test_entries_come_in_the_order_of_their_numbers_over_all_segments(full: Archive) -> None:
    everything = [(entry.number, entry.lines) for entry in ENTRIES]
    assert list(full.after(PUBLIC, 0)) == everything
    assert list(full.after(PUBLIC, 200)) == everything[20:]
    assert list(full.after(PUBLIC, 199)) == everything[19:]
    assert list(full.after(PUBLIC, 0, "toepen")) == everything[0::2]
    assert list(full.after(PUBLIC, 400)) == list(full.after(PUBLIC, 0, "chess")) == []


def test_another_process_reads_what_was_added_after_it_refreshes(full: Archive) -> None:
    other = Archive(full.objects)
    assert other.find(PUBLIC, "late") is None
    full.add({PUBLIC: [group_entry(50)._replace(key="late")]})
    assert other.find(PUBLIC, "late") is None
    other.refresh()
    assert other.find(PUBLIC, "late") == group_entry(50).lines


def test_a_segment_is_what_zcat_and_verify_read(full: Archive) -> None:
    path = segments(full)[0]
    expected = [line for entry in ENTRIES[0::3] for line in entry.lines]
    assert gzip.decompress(path.read_bytes()).splitlines() == expected
    assert run(["verify", str(path)]) == 0


def test_one_record_costs_one_frame(archive: Archive) -> None:
    many = [ENTRIES[0]._replace(key=f"k{number}", number=number) for number in range(1, 400)]
    archive.add({PUBLIC: many})
    (info,) = archive.refresh().segments
    read: list[int] = []
    get = archive.objects.get
    archive.objects.get = lambda name, start=0, length=None: read.append(length) or get(name, start, length)  # type: ignore[method-assign, func-returns-value, assignment]
    assert archive.find(PUBLIC, "k200") == ENTRIES[0].lines
    assert len(read) == 1
    assert 0 < (read[0] or 0) < info.size / 5


def test_a_change_is_in_every_record_of_the_group_from_then_on(full: Archive) -> None:
    other = Archive(full.objects)
    group = ENTRIES[3].key
    full.change(group, {"annulled": "collusion"})
    full.change(group, {"annulled": "collusion"})
    assert len(full.refresh().changes) == 1
    other.refresh()
    for archive in (full, other):
        changed = archive.find(PUBLIC, group)
        assert changed is not None
        assert [json.loads(line)["info"]["annulled"] for line in changed] == ["collusion"] * len(changed)
        assert dict(archive.after(PUBLIC, 0))[ENTRIES[3].number] == changed
        assert archive.find(PUBLIC, ENTRIES[4].key) == ENTRIES[4].lines
    assert check_archive(full).problems == []


def test_old_segments_expire_whole_and_others_stay(archive: Archive) -> None:
    for number in range(3):
        archive.add({PUBLIC: [group_entry(number)], PRIVATE: [group_entry(number + 10)]})
    assert archive.expire(START_MS + 1, [PUBLIC]) == 1
    assert archive.find(PUBLIC, group_entry(0).key) is None
    assert archive.find(PUBLIC, group_entry(1).key) == group_entry(1).lines
    assert archive.find(PRIVATE, group_entry(10).key) == group_entry(10).lines
    assert len(archive.tidy()) == 2
    assert archive.tidy() == []
    assert check_archive(archive).problems == []


def test_a_reader_of_an_expired_segment_finds_nothing(full: Archive) -> None:
    other = Archive(full.objects)
    other.refresh()
    full.expire(2 * START_MS, [PUBLIC])
    full.tidy()
    assert other.find(PUBLIC, ENTRIES[0].key) is None
    assert list(other.after(PUBLIC, 0)) == []


def test_of_two_writers_one_begins_again(full: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Archive(full.objects)
    write = archive_module.write_segment

    def interrupted(collection: str, entries: list[ArchiveEntry]) -> object:
        monkeypatch.setattr(archive_module, "write_segment", write)
        other.add({PUBLIC: [group_entry(51)]})
        return write(collection, entries)

    monkeypatch.setattr(archive_module, "write_segment", interrupted)
    with pytest.raises(ArchiveBusy):
        full.add({PUBLIC: [group_entry(52)]})
    full.refresh()
    assert full.find(PUBLIC, group_entry(51).key) == group_entry(51).lines
    full.add({PUBLIC: [group_entry(52)]})
    assert full.find(PUBLIC, group_entry(52).key) == group_entry(52).lines
    assert len(full.tidy()) == 2, "what the loser had written"
    assert check_archive(full).problems == []


def test_a_writer_that_slept_for_many_generations_begins_again(full: Archive) -> None:
    """Its generation does not exist any more, so that it could be written."""
    base = full.refresh()
    for number in range(60, 70):
        full.add({PUBLIC: [group_entry(number)]})
    assert not full._commit(base, base.segments, base.changes)
    assert full.find(PUBLIC, group_entry(69).key) == group_entry(69).lines
    assert Archive(full.objects).refresh() == full.refresh()


def test_what_a_writer_has_begun_is_not_tidied_away_under_it(
    full: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Archive(full.objects)
    commit = full._commit

    def late(*arguments: object) -> bool:
        assert len(other.tidy()) == 2
        return commit(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(full, "_commit", late)
    with pytest.raises(ArchiveBusy):
        full.add({PUBLIC: [group_entry(53)]})
    assert check_archive(other).problems == []


def test_an_archive_belongs_to_one_service(full: Archive) -> None:
    Archive(full.objects).claim("here")
    with pytest.raises(
        ArchiveMismatch, match="archive of the service here, and this database is that of there"
    ):
        Archive(full.objects).claim("there")


def test_a_newer_format_is_refused(full: Archive) -> None:
    base = full.refresh()
    newer = Manifest(base.generation + 1, "here").dumps().replace(b'"format": 1', b'"format": 2')
    full.objects.put(f"manifest/{base.generation + 1:010d}.json", newer)
    with pytest.raises(ArchiveMismatch, match="has format 2"):
        full.refresh()


class TestCheck:
    def test_a_whole_archive(self, full: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["archive", "check", str(tmp_path / "archive")]) == 0
        assert "records in 3 segments of" in capsys.readouterr().out

    def test_a_changed_byte(self, full: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = segments(full)[1]
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        assert run(["archive", "check", str(tmp_path / "archive")]) == 1
        out = capsys.readouterr().out
        assert f"segments/{path.name} is not what was written" in out
        assert "1 problems" in out

    def test_a_missing_segment(self, full: Archive) -> None:
        segments(full)[1].unlink()
        (problem,) = check_archive(full).problems
        assert "is missing" in problem
        with pytest.raises(DamagedArchive, match="missing or cut off"):
            full.find(PUBLIC, ENTRIES[1].key)

    def test_doubles(self, full: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ArchiveBusy, match="has added some of these"):
            full.add({PUBLIC: [ENTRIES[0]._replace(number=999)]})
        assert check_archive(full).problems == []
        # What two archivers wrote at the same time, if nothing kept them apart.
        with monkeypatch.context() as patch:
            patch.setattr(Archive, "has", lambda *_: False)
            full.add({PUBLIC: [ENTRIES[0]._replace(number=999)]})
        full.add({PRIVATE: [ENTRIES[1]._replace(key="other")]})
        problems = check_archive(full).problems
        assert sum("is in segments/" in problem for problem in problems) == 1
        assert sum(f"is in {ENTRIES[1].key} too" in problem for problem in problems) == len(ENTRIES[1].lines)

    def test_a_record_with_another_hash(self, archive: Archive) -> None:
        forged = ENTRIES[0].lines[0].replace(b'"places":[', b'"places":[ ')
        record = json.loads(forged)
        record["canonical"]["seed"] = "00" * 32
        archive.add({PUBLIC: [ENTRIES[0]._replace(lines=[json.dumps(record).encode()])]})
        (problem,) = check_archive(archive).problems
        assert "does not have its hash" in problem

    def test_what_is_no_archive(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["archive", "check", str(tmp_path / "nowhere")]) == 2
        assert "holds no archive" in capsys.readouterr().err
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
    assert sorted(cat()) == sorted(everything)
    assert sorted(cat("--kind", "truco")) == sorted(line for entry in ENTRIES[1::2] for line in entry.lines)
    assert len(cat("--tournament", "cup")) == len(everything)
    assert cat("--tournament", "other") == cat("--private") == []
    assert cat("--game", games_of(ENTRIES[5])[1]) == [ENTRIES[5].lines[1]]


class TestCopy:
    def test_a_copy_is_an_archive_with_the_same_content(
        self, full: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        here, there = str(tmp_path / "archive"), str(tmp_path / "copy")
        assert run(["archive", "copy", here, there]) == 0
        assert capsys.readouterr().out == "3 new segments copied\n"
        full.add({PUBLIC: [group_entry(70)]})
        full.change(ENTRIES[0].key, {"annulled": "collusion"})
        assert run(["archive", "copy", here, there]) == 0
        assert capsys.readouterr().out == "1 new segments copied\n"
        assert run(["archive", "copy", here, there]) == 0
        copied = Archive(open_objects(there))
        assert list(copied.after(PUBLIC, 0)) == list(full.after(PUBLIC, 0))
        assert check_archive(copied).problems == []
        copied.add({PUBLIC: [group_entry(71)]})
        assert copied.find(PUBLIC, group_entry(71).key) == group_entry(71).lines

    def test_a_copy_never_overwrites_another_archive(self, full: Archive, tmp_path: Path) -> None:
        other = FolderStore(tmp_path / "other")
        Archive(other).claim("another one")
        with pytest.raises(ArchiveMismatch, match="another one"):
            full.copy(other)
        used = FolderStore(tmp_path / "used")
        full.copy(used)
        Archive(used).add({PUBLIC: [group_entry(72)]})
        full.add({PUBLIC: [group_entry(73)]})
        with pytest.raises(ArchiveMismatch, match="written to by itself"):
            full.copy(used)
        assert Archive(used).find(PUBLIC, group_entry(72).key) == group_entry(72).lines
