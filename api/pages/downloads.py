"""The download page for authors, and its files."""

from __future__ import annotations

from typing import Final, cast

from flask import Response, abort, current_app, request

from api.downloads import EXAMPLE_ADDRESS, STARTERS, Downloads, starter_zip
from api.pages.site import blueprint, page
from api.resources.docs import openapi_json
from api.services import service_address
from api.wheel import wheel_name
from arena.cli.new import LANGUAGES
from arena.games import GAMES
from arena.installation import install_command

_FOLDER: Final = "/download/"
_EXTRAS: Final = {
    "server": "to run a service, and the sandbox",
    "ratings": "to compute leaderboards from records",
    "rl": "PettingZoo environments, and data sets",
    "spiel": "games of OpenSpiel",
    "s3": "an archive in an object store",
}


def program_address() -> str | None:
    """Return the URL of the wheel on this service, or None if the service has no wheel."""
    name = wheel_name()
    return None if name is None else f"{service_address() or 'ADDRESS'}{_FOLDER}{name}"


@blueprint.get(_FOLDER)
def download_page() -> Response:
    """Show the files with their sizes, and how to install the program."""
    program = program_address()
    return page(
        "download.html",
        program=program,
        file=wheel_name(),
        size=program and len(_downloads().wheel()),
        extras=program and {extra: (install_command(extra, program), use) for extra, use in _EXTRAS.items()},
        languages=LANGUAGES,
        starters={found: (name, len(_starter(name))) for name, found in STARTERS.items()},
        titles={kind: game.title for kind, game in GAMES.items()},
        specification=len(openapi_json().get_data()),
    )


@blueprint.get(f"{_FOLDER}<name>")
def download_program(name: str) -> Response:
    """Return the wheel."""
    if name != wheel_name():
        abort(404)
    return _file(_downloads().wheel())


@blueprint.get(f"{_FOLDER}starters/<name>")
def download_starter(name: str) -> Response:
    """Return a starter, configured for this service."""
    if name not in STARTERS:
        abort(404)
    return _file(_starter(name))


def _downloads() -> Downloads:
    return cast(Downloads, current_app.extensions["botequim-downloads"])


def _starter(name: str) -> bytes:
    return starter_zip(name, service_address() or EXAMPLE_ADDRESS)


def _file(content: bytes) -> Response:
    response = Response(content, content_type="application/zip")
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response
