"""The app factory."""

from __future__ import annotations

from typing import Any, Final

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from api.config import Config
from api.contract import make_api
from api.edge import Direct, Edge
from api.errors import error_response, register_error_handlers
from api.resources import (
    admin,
    bots,
    docs,
    games,
    health,
    leaderboards,
    owners,
    pages,
    records,
    schedules,
    tournaments,
    turns,
)
from api.services import make_services

PREFIX: Final = "/v1"
RESOURCES: Final = (owners, bots, games, turns, tournaments, schedules, leaderboards, records, admin)


def create_app(config: Config | None = None) -> Flask:
    """The WSGI app. ``config``: None takes the settings from the environment.

    Raises :class:`~api.config.InvalidSetting`.
    """
    config = config or Config.from_environment()
    app = Flask("api", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = config.max_body
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    services = app.extensions["botequim"] = make_services(config)
    register_error_handlers(app, pages.error_page)
    api = make_api(app)
    for resource in RESOURCES:
        api.register_blueprint(resource.blueprint, url_prefix=PREFIX)
    api.register_blueprint(health.blueprint)
    app.register_blueprint(docs.blueprint)
    app.register_blueprint(pages.blueprint)
    direct = {
        (method, PREFIX + rule): Direct(name, view, services, error_response)
        for resource in RESOURCES
        for (method, rule), (name, view) in resource.blueprint.direct.items()
    }
    outer: Any = Edge(app.wsgi_app, direct)
    if config.proxies:
        outer = ProxyFix(outer, x_for=config.proxies, x_proto=config.proxies)
    app.wsgi_app = outer  # type: ignore[method-assign]
    return app
