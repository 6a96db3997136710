"""Style sheets, scripts and drawings. Their addresses change with their contents, so browsers keep them."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, abort, request, send_from_directory, url_for

import arena.replays

blueprint = Blueprint("assets", __name__)

_FOLDERS: Final = (
    Path(__file__).parent.parent / "static",
    # The one-file replays of the domain have the same table and colours.
    Path(arena.replays.__file__).parent / "static",
)
_TYPES: Final = frozenset((".css", ".js", ".svg"))
_A_YEAR: Final = 31_536_000


def asset_url(name: str) -> str:
    """The address of an asset in its present version."""
    return url_for("assets.asset", name=name, v=_version(name))


@blueprint.get("/static/<path:name>")
def asset(name: str) -> Response:
    """One file."""
    folder = _folder(name)
    if folder is None:
        abort(404)
    current = request.args.get("v") == _version(name)
    response = send_from_directory(folder, name, max_age=_A_YEAR if current else 0)
    if current:
        response.cache_control.immutable = True
    return response


def _folder(name: str) -> Path | None:
    path = Path(name)
    if path.suffix not in _TYPES or path.is_absolute() or ".." in path.parts:
        return None
    return next((folder for folder in _FOLDERS if (folder / path).is_file()), None)


@cache
def _version(name: str) -> str:
    folder = _folder(name)
    if folder is None:
        raise ValueError(f"no asset named {name!r}")
    return sha256((folder / name).read_bytes()).hexdigest()[:12]
