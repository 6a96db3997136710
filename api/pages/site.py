"""The parts that all pages share: blueprint, layout, content security policy and errors.

Pages are rendered on the server and can be read without scripts.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from http import HTTPStatus
from typing import Final, TypeVar

import orjson
from flask import Blueprint, Response, g, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MIMEAccept

from api.http.auditing import audit_form
from api.http.auth import authenticate
from api.http.edge import OPERATION, SMALL_BODY
from api.http.requests import read_query
from api.http.sessions import read_form, signed_in, visitor, visitor_if_known
from api.schemas.common import PageQuery
from api.services import services
from arena.games import GAMES

blueprint = Blueprint("pages", __name__, template_folder="../templates")

THEMES: Final = ("light", "dark")
"""The possible values of the cookie ``theme``. Without it, the browser chooses."""

FormView = TypeVar("FormView", bound=Callable[..., ResponseReturnValue])

_MOST: Final[dict[str, int]] = {}
"""The maximum size of forms in bytes, by endpoint, where it differs from the default."""

_QUERY: Final = PageQuery()


def content_policy(*, forms: str = "'self'", frames: str = "'none'") -> str:
    """Return the Content-Security-Policy of a page that sends its ``forms`` there, and that pages at
    ``frames`` may show in a frame.
    """
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        f"base-uri 'none'; form-action {forms}; frame-ancestors {frames}"
    )


def page(template: str, status: int = 200, /, **values: object) -> Response:
    """Render ``template`` with ``values``."""
    theme = request.cookies.get("theme", "")
    guest = visitor()
    html = render_template(
        template,
        games=GAMES.values(),
        theme=theme if theme in THEMES else None,
        visitor=guest,
        **values,
    )
    response = Response(html, status, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = content_policy()
    response.headers["Referrer-Policy"] = "no-referrer"
    # Form tokens become invalid when the visitor gets a session, so the previous page must be reloaded as
    # well.
    is_own = guest.session is not None or "has_form" in g
    response.headers["Cache-Control"] = "private, no-store" if is_own else "no-cache"
    response.headers["Vary"] = "Cookie"
    if status == HTTPStatus.OK:
        # Pages that show live data are requested repeatedly.
        response.add_etag(weak=True)
        response.make_conditional(request)
    return response


def page_cursor() -> str | None:
    """Return the cursor in the query of a page that takes no other parameters."""
    cursor: str | None = read_query(_QUERY, request.environ, services().settings.http)["cursor"]
    return cursor


@blueprint.before_request
def _begin() -> None:
    """Count pages against the request limit, and check forms."""
    request.environ[OPERATION] = "page"
    authenticate(request.environ, services())
    if request.method == "POST":
        most = _MOST.get(request.endpoint or "", SMALL_BODY)
        if most > SMALL_BODY:
            # Check this before the body is read: only owners are allowed to send large forms.
            signed_in()
        read_form(most)


def form(rule: str, *, most: int = SMALL_BODY) -> Callable[[FormView], FormView]:
    """Make a view accept forms that are sent to ``rule``, of at most ``most`` bytes. Large forms are accepted
    only from owners.
    """

    def register(view: FormView) -> FormView:
        _MOST[f"{blueprint.name}.{view.__name__}"] = most

        @functools.wraps(view)
        def handle(**path: str) -> ResponseReturnValue:
            audit_form(view.__name__, rule, visitor().principal, path)
            return view(**path)

        return blueprint.post(rule)(handle)  # type: ignore[return-value]

    return register


# Errors


def error_page(problem: Response) -> Response:
    """Return the problem as an HTML page if a browser made the request, otherwise as a problem document.

    Errors under ``/v1`` are always problem documents.
    """
    accepted = request.accept_mimetypes
    is_page = request.path != "/v1" and not request.path.startswith("/v1/")
    if not is_page or "text/html" not in accepted.values() or _prefers_problems(accepted):
        return problem
    visitor_if_known()
    answer = page("error.html", problem.status_code, problem=orjson.loads(problem.get_data()))
    for name in ("Allow", "Retry-After", "WWW-Authenticate"):
        if name in problem.headers:
            answer.headers[name] = problem.headers[name]
    return answer


def _prefers_problems(accepted: MIMEAccept) -> bool:
    return bool(accepted["application/problem+json"] > accepted["text/html"])
