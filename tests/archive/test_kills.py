"""Writers of an archive are killed at every step, and at any time: nothing is lost or there twice."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from arena.records.archive.archive import PUBLIC, Archive
from arena.records.archive.checking import check_archive
from arena.records.archive.objects import FolderStore
from arena.records.archive.segments import ArchiveEntry
from tests.archive.entries import end_of, group_entry, members_of
from tests.dying import counted_to, in_child

ENTRIES = [group_entry(number) for number in range(6)]
STEPS = ("open", "write", "fsync", "link", "replace", "unlink", "scandir", "mkdir")


def work(folder: Path) -> None:
    """Add what is missing, two by two, and join what is there, as an archiver does."""
    archive = Archive(FolderStore(folder))
    archive.claim("here")
    while missing := _missing(archive):
        archive.add(PUBLIC, end_of(archive, PUBLIC), missing)
    segments = archive.segments(PUBLIC)
    parts = [archive.objects.get(segment.name) for segment in segments]
    if len(segments) > 1 and None not in parts:
        archive.objects.replace(segments[0].name, b"".join(part for part in parts if part is not None))
    for name in archive.joined(PUBLIC):
        archive.objects.delete(name)


def _missing(archive: Archive) -> list[ArchiveEntry]:
    known = {member.key for member in members_of(archive, PUBLIC)}
    return [entry for entry in ENTRIES if entry.key not in known][:2]


def dies_at(step: int, act: Callable[[], None]) -> None:
    """Run ``act``, and kill this process right before number ``step`` of its system calls on files."""
    counted = counted_to(step)
    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))
    act()


def check(folder: Path, *, complete: bool) -> None:
    archive = Archive(FolderStore(folder))
    assert check_archive(archive).problems == []
    found = [member.key for member in members_of(archive, PUBLIC)]
    expected = [entry.key for entry in ENTRIES]
    assert found == (expected if complete else expected[: len(found)])


@pytest.mark.nightly("kills")
def test_killed_at_every_step(tmp_path: Path) -> None:
    step = 0
    while True:
        step += 1
        folder = tmp_path / str(step)
        _, status = os.waitpid(in_child(partial(dies_at, step, partial(work, folder))), 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
        if (folder / "archive.json").exists():
            check(folder, complete=False)
        work(folder)
        check(folder, complete=True)
        left = Archive(FolderStore(folder))
        assert len(left.objects.list(PUBLIC)) == 1
    assert step > 30, "there are steps to be killed at"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.system
def test_a_writer_is_killed_again_and_again(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(15):
        child = in_child(partial(work, tmp_path / "a"))
        time.sleep(rng.random() * 0.04)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if (tmp_path / "a" / "archive.json").exists():
            check(tmp_path / "a", complete=False)
    work(tmp_path / "a")
    check(tmp_path / "a", complete=True)
