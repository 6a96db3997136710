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

from arena.records.archive.archive import PRIVATE, PUBLIC, Archive, ArchiveBusy
from arena.records.archive.checking import check_archive
from arena.records.archive.objects import FolderStore
from tests.archive.entries import group_entry
from tests.dying import counted_to, in_child

PUBLIC_ENTRIES = [group_entry(number) for number in range(4)]
PRIVATE_ENTRIES = [group_entry(number) for number in range(12, 14)]
STEPS = ("open", "write", "fsync", "link", "unlink", "listdir", "mkdir")


def work(folder: Path) -> None:
    """Add what is missing, in batches, with changes and tidying up, as an archiver does."""
    archive = Archive(FolderStore(folder))
    archive.claim("here")
    for start in range(0, 4, 2):
        while True:
            archive.refresh()
            missing = {
                PUBLIC: [
                    entry for entry in PUBLIC_ENTRIES[start : start + 2] if not archive.has(PUBLIC, entry.key)
                ],
                PRIVATE: [
                    entry
                    for entry in PRIVATE_ENTRIES[start // 2 : start // 2 + 1]
                    if not archive.has(PRIVATE, entry.key)
                ],
            }
            if not any(missing.values()):
                break
            try:
                archive.add(missing)
            except ArchiveBusy:
                continue
        archive.change(PUBLIC_ENTRIES[start].key, {"annulled": "collusion"})
        archive.tidy()


def dies_at(step: int, act: Callable[[], None]) -> None:
    """Run ``act``, and kill this process right before number ``step`` of its system calls on files."""
    counted = counted_to(step)
    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))
    act()


def check(folder: Path, *, complete: bool) -> None:
    archive = Archive(FolderStore(folder))
    if not complete and not archive.objects.list("manifest"):
        return
    assert check_archive(archive).problems == []
    for collection, entries in ((PUBLIC, PUBLIC_ENTRIES), (PRIVATE, PRIVATE_ENTRIES)):
        found = list(archive.after(collection, 0))
        numbers = [number for number, _ in found]
        assert numbers == sorted(set(numbers))
        if complete:
            assert numbers == [entry.number for entry in entries]
            assert sum(len(lines) for _, lines in found) == sum(len(entry.lines) for entry in entries)


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
        if (folder / "manifest").exists():
            check(folder, complete=False)
        work(folder)
        check(folder, complete=True)
        left = Archive(FolderStore(folder))
        left.tidy()
        assert len(left.objects.list("segments")) == 2 * len(left.refresh().segments)
    assert step > 50, "there are steps to be killed at"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.system
def test_two_writers_are_killed_again_and_again(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(15):
        children = [in_child(partial(work, tmp_path / "a")) for _ in range(2)]
        time.sleep(rng.random() * 0.04)
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        if (tmp_path / "a" / "manifest").exists():
            check(tmp_path / "a", complete=False)
    work(tmp_path / "a")
    check(tmp_path / "a", complete=True)
