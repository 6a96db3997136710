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
"""The address of the service in the manual and in the starters, as they are written."""

STARTERS: Final = {f"{language}-{kind}.zip": (language, kind) for language in LANGUAGES for kind in GAMES}
"""Language and game of each starter by the name of its file."""

_NAMES: Final = {name: name for name in ("my_bot", "my-bot", "MyBot")}
_ADDRESSES: Final = 8
"""How many addresses of the service the starters are kept for."""


class Downloads:
    """The files of an app. Each is made when it is first requested, and kept."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wheel: bytes | None = None

    def wheel(self) -> bytes:
        """Return the wheel, which must have a name (:func:`~api.wheel.wheel_name`)."""
        with self._lock:
            self._wheel = self._wheel or make_wheel()
            return self._wheel


@lru_cache(len(STARTERS) * _ADDRESSES)
def starter_zip(name: str, address: str) -> bytes:
    """Return the starter ``name`` of :data:`STARTERS`, which plays at the service ``address``."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in _starter(name).items():
            add_file(archive, f"my-bot/{path}", text.replace(EXAMPLE_ADDRESS, address).encode())
    return made.getvalue()


@cache
def _starter(name: str) -> dict[str, str]:
    language, kind = STARTERS[name]
    return starter(_NAMES, kind, language)
