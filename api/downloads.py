"""Downloads for authors: the service's wheel, and the starters of ``botequim new`` as zip files."""

from __future__ import annotations

import io
import zipfile
from functools import cache, lru_cache
from threading import Lock
from typing import Final

from api.wheel import add_file, make_wheel
from arena.cli.new import LANGUAGES, starter
from arena.games import GAMES

EXAMPLE_ADDRESS: Final = "http://127.0.0.1:8000"
"""The address of the service as written in the sources of the manual and the starters."""

STARTERS: Final = {f"{language}-{kind}.zip": (language, kind) for language in LANGUAGES for kind in GAMES}
"""The language and game of each starter, by its file name."""

_NAMES: Final = {name: name for name in ("my_bot", "my-bot", "MyBot")}
_ADDRESSES: Final = 8
"""The number of service addresses whose starters are cached."""


class Downloads:
    """The downloads of an app. Each file is built when it is first requested, and then cached."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wheel: bytes | None = None

    def wheel(self) -> bytes:
        """Return the wheel. Its name (:func:`~api.wheel.wheel_name`) must not be None."""
        with self._lock:
            self._wheel = self._wheel or make_wheel()
            return self._wheel


@lru_cache(len(STARTERS) * _ADDRESSES)
def starter_zip(name: str, address: str) -> bytes:
    """Return the starter ``name`` of :data:`STARTERS`, set up to play at the service ``address``."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in _starter(name).items():
            add_file(archive, f"my-bot/{path}", text.replace(EXAMPLE_ADDRESS, address).encode())
    return made.getvalue()


def starter_text(language: str, kind: str, path: str) -> str:
    """Return the text of one file of a starter."""
    return _starter(f"{language}-{kind}.zip")[path]


@cache
def _starter(name: str) -> dict[str, str]:
    language, kind = STARTERS[name]
    return starter(_NAMES, kind, language)
