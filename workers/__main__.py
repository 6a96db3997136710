"""``python -m workers``: one worker process on the database of ``REDIS_URL``.

``python -m workers --check`` ends with 0 if one works on this host, else with 1.
"""

from __future__ import annotations

import sys

from arena.errors import ArenaError
from workers.worker import is_working, work

if __name__ == "__main__":
    try:
        if sys.argv[1:] == ["--check"]:
            sys.exit(0 if is_working() else "botequim: no worker works here")
        if sys.argv[1:]:
            sys.exit(f"botequim: error: {sys.argv[1]!r} is no option; expected --check or nothing")
        work()
    except ArenaError as error:
        sys.exit(f"botequim: error: {error}")
