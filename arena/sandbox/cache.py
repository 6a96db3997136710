"""A private folder of this user for files that are built only once: the runtime and compiled modules."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from arena.errors import ArenaError

_LEAST_BYTES: Final = 4096
"""The disk space that a small file takes."""

_ABANDONED_AFTER: Final = 3600
"""The seconds after which an unfinished file is considered abandoned; no file takes this long to build."""


class UnsafeCache(ArenaError):
    """Other users could write to the cache folder, so compiled code from there must not be run."""

    code = "unsafe_cache"


def cache_folder() -> Path:
    """Return ``$XDG_CACHE_HOME/botequim`` (by default ``~/.cache/botequim``) or, if that is not writable, a
    folder in the temporary folder. Raises :class:`UnsafeCache`.
    """
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for folder in (Path(base) / "botequim", Path(tempfile.gettempdir()) / f"botequim-cache-{os.getuid()}"):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            check_private(folder)
            return folder
    raise UnsafeCache(f"neither {base} nor the temporary folder is writable", expected="XDG_CACHE_HOME")


def cache_environment() -> dict[str, str]:
    """Return environment variables with which another process finds the same folder."""
    names = ("XDG_CACHE_HOME", "HOME", "TMPDIR")
    return {name: os.environ[name] for name in names if name in os.environ}


def check_private(path: Path) -> None:
    """Raise :class:`UnsafeCache` unless only this user can write ``path``."""
    status = path.lstat()
    if status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UnsafeCache(
            f"other users can write to {path}", expected="a folder that only this user can write"
        )


def cached(name: str, make: Callable[[Path], None], folder: Path | None = None) -> Path:
    """Return the file ``name`` of the cache. If it does not exist, ``make`` is called with the path to write
    to.

    If several processes need the file, one builds it and the others wait. A cached file never changes.
    """
    folder = folder or cache_folder()
    path = folder / name
    if not path.exists():
        with _locked(folder / f"{name}.lock"):
            if not path.exists():
                with tempfile.TemporaryDirectory(dir=folder, prefix="making-") as scratch:
                    made = Path(scratch) / name
                    make(made)
                    with made.open("rb+") as file:
                        os.fsync(file.fileno())
                    made.chmod(0o600)
                    made.rename(path)
    check_private(path)
    return path


def trim(folder: Path, most_bytes: int) -> None:
    """Remove files from ``folder``, least recently changed first, until the rest take at most ``most_bytes``
    or only one is left. Also remove unfinished files of killed processes.

    Any number of processes can call this at once, because a process rebuilds a file that it needs. A removed
    file that is mapped stays usable.
    """
    found = []
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            status = path.stat()
            found.append((status.st_mtime, max(status.st_size, _LEAST_BYTES), path))
    left = most_bytes
    for changed, size, path in sorted(found, reverse=True):
        if path.is_dir():
            if changed < time.time() - _ABANDONED_AFTER:
                shutil.rmtree(path, ignore_errors=True)
            continue
        is_newest, left = left == most_bytes, left - size
        if left < 0 and not is_newest:
            path.unlink(missing_ok=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
