"""The pages of a private mapping that this process has written to, as reported by Linux (6.7 or later)."""

from __future__ import annotations

import fcntl
import os
from ctypes import Structure, addressof, c_uint64, create_string_buffer, sizeof
from mmap import PAGESIZE
from struct import Struct
from typing import Final

_REGION: Final = Struct("QQQ")
"""``struct page_region`` from ``linux/fs.h``: start, end and categories."""


class _Scan(Structure):
    """The ``struct pm_scan_arg`` from ``linux/fs.h``."""

    _fields_ = tuple(
        (name, c_uint64)
        for name in (
            "size",
            "flags",
            "start",
            "end",
            "walk_end",
            "vec",
            "vec_len",
            "max_pages",
            "category_inverted",
            "category_mask",
            "category_anyof_mask",
            "return_mask",
        )
    )


_PAGEMAP_SCAN: Final = 3 << 30 | sizeof(_Scan) << 16 | ord("f") << 8 | 16
_FILE: Final = 1 << 2
_PRESENT: Final = 1 << 3
_SWAPPED: Final = 1 << 4


def written_pages(start: int, size: int, most: int) -> list[tuple[int, int]] | None:
    """Return the start and end of each run of pages between these addresses that differ from the mapped file.

    Return None if the pages exceed ``most`` bytes, or if this system does not report them.
    """
    count = most // PAGESIZE + 1
    regions = create_string_buffer(_REGION.size * count)
    scan = _Scan(
        size=sizeof(_Scan),
        start=start,
        end=start + size,
        vec=addressof(regions),
        vec_len=count,
        category_inverted=_FILE,
        category_mask=_FILE,
        category_anyof_mask=_PRESENT | _SWAPPED,
        return_mask=_FILE,
    )
    try:
        # Do not keep it open: in a forked process, it would report the memory of its parent.
        file = os.open("/proc/self/pagemap", os.O_RDONLY)
        try:
            found = fcntl.ioctl(file, _PAGEMAP_SCAN, scan)
        finally:
            os.close(file)
    except OSError:
        return None
    if found == count:
        return None
    runs = [
        (start, end) for start, end, _ in _REGION.iter_unpack(memoryview(regions)[: _REGION.size * found])
    ]
    return runs if sum(end - start for start, end in runs) <= most else None
