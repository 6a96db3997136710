"""The app factory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from api.downloads import Downloads
from api.http.bodies import BodyIntake
from api.http.edge import Edge
from api.http.errors import register_error_handlers
from api.http.hosts import OwnHosts
from api.http.places import Places
from api.http.sessions import protect_pages
from api.mcp import protocol
from api.pages import PAGES, site
from api.pages.felts import FeltDrawings
from api.pages.front_table import FrontTables
from api.pages.watched_tables import WatchedTables
from api.provider import Provider
from api.resources import (
    admin,
    bot_owners,
    bots,
    comparisons,
    docs,
    games,
    guests,
    health,
    invitations,
    leaderboards,
    owners,
    records,
    schedules,
    series,
    subscriptions,
    tournaments,
    turns,
)
from api.spectators import Spectators
from api.watching import Watching
from arena.ops.jobs import Jobs
from arena.ops.service import open_service
from arena.ops.settings import Settings
from queues.rq_jobs import BackgroundJobs, RqJobs

RESOURCES: Final = (
    owners,
    invitations,
    bots,
    bot_owners,
    games,
    turns,
    tournaments,
    guests,
    subscriptions,
    comparisons,
    series,
    schedules,
    leaderboards,
    records,
    admin,
    health,
)


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class App(Flask):
    """The Flask app. No view is a coroutine."""

    def ensure_sync(self, func: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        """Return ``func`` itself: Flask's check for coroutines would take 2% of the time of each request."""
        return func


def create_app(settings: Settings | None = None, jobs: Jobs | None = None) -> Flask:
    """Return the WSGI app. If ``settings`` is None, the settings are read from the environment. If ``jobs``
    is None, the workers run the jobs.

    Raises :class:`~arena.ops.settings.InvalidSetting`.
    """
    settings = settings or Settings.from_environment()
    app = App("api", static_folder=None)
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    jobs = jobs or BackgroundJobs(RqJobs(settings.queue_url))
    app.extensions["botequim-bodies"] = BodyIntake(settings.http)
    app.extensions["botequim-places"] = Places(settings.http.connections, settings.http.share)
    service = app.extensions["botequim"] = open_service(settings, jobs)
    app.extensions["botequim-watching"] = Watching(
        service.live, Spectators(service.store, service.exhibition)
    )
    app.extensions["botequim-downloads"] = Downloads()
    app.extensions["botequim-provider"] = (
        Provider(settings.http.provider, settings.http.public_url) if settings.http.provider else None
    )
    protect_pages(app)
    app.extensions["botequim-front"] = FrontTables(service.live, service.tournaments, service.moderation)
    app.extensions["botequim-tables"] = WatchedTables(
        service.live, service.exhibition, app.extensions["botequim-watching"], FeltDrawings(app)
    )
    register_error_handlers(app, site.error_page)
    resources = (resource.blueprint for resource in RESOURCES)
    for part in (*resources, docs.blueprint, protocol.blueprint, *PAGES):
        app.register_blueprint(part)
    inner: Any = app.wsgi_app
    if settings.http.hosts:
        inner = OwnHosts(inner, settings.http.hosts)
    outer: Any = Edge(inner)
    if settings.http.proxies:
        outer = ProxyFix(outer, x_for=settings.http.proxies, x_proto=settings.http.proxies)
    app.wsgi_app = outer  # type: ignore[method-assign]
    return app
