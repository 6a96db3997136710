"""Style sheets, scripts and drawings. Their URLs change with their contents, so browsers can cache them."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, abort, request, url_for

import arena.replays
from arena.replays.page import SCRIPTS

blueprint = Blueprint("assets", __name__)

_FOLDERS: Final = (
    Path(__file__).parent.parent / "static",
    # The single-file replays of the domain use the same table and colours.
    Path(arena.replays.__file__).parent / "static",
)
_TABLE: Final = (*SCRIPTS[:2], "follow.js")
_JOINED: Final = {
    "replay-page.js": SCRIPTS,
    "watch-page.js": (*_TABLE, "hand-log.js", "watch.js"),
    "front-page.js": (*_TABLE, "front.js"),
    "embed-page.js": (*_TABLE, "embed.js"),
    "play-page.js": (*SCRIPTS[:2], "hand-log.js", "attention.js", "end.js", "play.js"),
    "lesson-page.js": (*SCRIPTS[:2], "lesson.js"),
}
"""Scripts that join several files in one scope, as in the single-file replays."""

_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_A_YEAR: Final = 31_536_000


@blueprint.app_template_global("asset")
def asset_url(name: str) -> str:
    """Return the URL of the current version of an asset."""
    return url_for("assets.asset", name=name, v=_version(name))


@blueprint.get("/static/<path:name>")
def asset(name: str) -> Response:
    """Return one file."""
    content = _assets().get(name)
    if content is None:
        abort(404)
    response = Response(content, mimetype=_TYPES[Path(name).suffix])
    response.cache_control.public = True
    response.cache_control.max_age = 0
    if request.args.get("v") == _version(name):
        response.cache_control.max_age = _A_YEAR
        response.cache_control.immutable = True
    return response


@cache
def _assets() -> dict[str, bytes]:
    """Return all files by name."""
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for folder in _FOLDERS
        for path in folder.rglob("*")
        if path.suffix in _TYPES
    }
    joined = {name: b"\n".join(found[part].strip() for part in parts) for name, parts in _JOINED.items()}
    return found | joined


@cache
def _version(name: str) -> str:
    return sha256(_assets()[name]).hexdigest()[:12]
