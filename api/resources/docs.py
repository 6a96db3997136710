"""The OpenAPI document, its viewer (vendored, works offline), and the list of errors."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Final

import orjson
from flask import Blueprint, Response, current_app, send_from_directory

from api.errors import ERRORS
from api.openapi import document

blueprint = Blueprint("docs", __name__)

_STATIC: Final = Path(__file__).parent.parent / "static"

# The viewer writes style attributes; no script but its own file runs.
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def _page(html: str) -> Response:
    response = Response(html, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


@blueprint.get("/openapi.json")
def openapi_json() -> Response:
    """The OpenAPI document of this service."""
    response = Response(orjson.dumps(document(current_app)), content_type="application/json")
    response.headers["Cache-Control"] = "no-cache"
    return response


@blueprint.get("/docs")
def docs_page() -> Response:
    """The page with the viewer."""
    return _page((_STATIC / "docs.html").read_text())


@blueprint.get("/docs/rapidoc-min.js")
def docs_script() -> Response:
    """The viewer (RapiDoc, MIT)."""
    response = send_from_directory(_STATIC / "rapidoc", "rapidoc-min.js", max_age=86400)
    response.headers["Content-Security-Policy"] = _POLICY
    return response


@blueprint.get("/docs/errors")
def errors_page() -> Response:
    """The list of error codes, to which the ``type`` of a problem points."""
    rows = "".join(
        f'<tr id="{code}"><td><code>{code}</code><td>{error.status}<td>{escape(error.meaning)}'
        for code, error in ERRORS.items()
    )
    return _page(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Botequim API: errors</title>'
        "<h1>Errors</h1><table><thead><tr><th>code<th>status<th>meaning</thead>"
        f"<tbody>{rows}</tbody></table></html>"
    )
