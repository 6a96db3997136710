"""The manual: the pages of ``docs`` with navigation, contents and a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import orjson
from flask import Response, abort
from markupsafe import Markup

from api.downloads import EXAMPLE_ADDRESS
from api.pages.learn import guides_of
from api.pages.markdown import MarkdownPage, render_markdown
from api.pages.site import blueprint, page
from api.services import service_address
from arena.games import GAMES
from arena.games.descriptor import Game
from arena.records.record import record_schema

RECORD_SCHEMA: Final = "record-v1.schema.json"

OPERATORS: Final = "Running a service"

GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Start": {"five-minutes": "Sign up, write a bot and play: in Python, in another language, or with curl."},
    "The rules": {
        rules.path: f"The numbered rules of {rules.title}."
        for game in GAMES.values()
        for rules in game.rules_pages
    },
    "For authors": {
        "turns": "How a bot receives turns and answers them.",
        **{
            kind: f"Options, actions, observations and events of {game.title}."
            for kind, game in GAMES.items()
            if game.rules_pages
        },
        "bots": "Bots in Python: how to write, try and debug them.",
        "house-bots": "How the bots included with the service play.",
        "sandbox": "Bots that are uploaded to the service and run there.",
        "agents": "Language models and other agents that play using tool calls, over MCP.",
        "webhooks": "Bots to which the service posts turns.",
        "ctruco": "Java bots from the CTruco contest, which run unmodified.",
        "pages": "The pages of the service, and how to sign in.",
    },
    "Fairness": {
        "fair-deals": "How deals follow from seeds, and how to recompute them.",
        "records": "The format of the record of a finished game, and how to verify one.",
        "replays": "Pages that show finished games move by move.",
        "ratings": "How ratings, leaderboards and standings are computed, and statistics of how bots play.",
        "luck": "How much luck the cards brought, and results without that luck.",
        "tournaments": "Formats, entry, schedules, and what counts.",
    },
    "For organisers": {
        "classes": "Invitations and rosters for a class or a club.",
    },
    "For researchers": {
        "research": "Environments for PettingZoo and OpenSpiel, and data sets of decisions.",
    },
    "Reference": {
        "conventions": "Conventions that apply to all operations of the API.",
        "commands": "All commands of the program botequim, profiles and completion.",
        "errors": "All error codes and what they mean.",
        "glossary": "The terms used in the code, the API and the documentation.",
    },
    OPERATORS: {
        "operating": "Installation, settings, backups and updates.",
        "costs": "How much processor time strangers can use at most.",
        "alarms": "The alarms of a service, and how to respond to them.",
        "performance": "Performance measurements, and how they were made.",
        "sandbox-engine": "Why the sandbox has two engines.",
        "architecture": "The packages, and the paths of an answer, an upload and a click through them.",
        "life-of-a-game": "The path of a game from its request to the leaderboard, module by module.",
        "life-of-a-bot-version": "The path of a bot version from its registration, module by module.",
    },
}
"""The pages and their summaries, by navigation heading."""

NAMES: Final = tuple(name for names in GROUPS.values() for name in names)


@dataclass(frozen=True)
class ManualEntry:
    """A page in the navigation. ``summary`` is one sentence."""

    name: str
    title: str
    summary: str

    @property
    def address(self) -> str:
        """The path of the page."""
        return f"/docs/{self.name}"


@blueprint.get("/docs")
def manual_overview() -> Response:
    """Show all pages of the manual."""
    return manual_page_of("manual.html", current=None)


@blueprint.get("/docs/<path:name>")
def manual_page(name: str) -> Response:
    """Show one page of the manual."""
    if name not in NAMES:
        abort(404)
    rendered = read_page(name)
    return manual_page_of(
        "manual.html",
        current=name,
        html=Markup(rendered.html if name in GROUPS[OPERATORS] else with_own_address(rendered.html)),
        sections=rendered.sections,
        title=rendered.sections[0].heading,
        guides=[one for game in _games_of(name) for one in guides_of(game)],
    )


@blueprint.get(f"/docs/{RECORD_SCHEMA}")
def manual_record_schema() -> Response:
    """Return the JSON Schema of records."""
    return Response(orjson.dumps(record_schema()), content_type="application/schema+json")


def manual_page_of(template: str, **values: object) -> Response:
    """Return a page with the navigation of the manual."""
    return page(template, groups=navigation(), **values)


@cache
def navigation() -> Sequence[tuple[str, Sequence[ManualEntry]]]:
    """Return the groups of the navigation with their pages."""
    found = {
        group: [_entry(name, summary) for name, summary in pages.items()] for group, pages in GROUPS.items()
    }
    found["Reference"].insert(0, ManualEntry("api", "API reference", "All operations, with examples."))
    return list(found.items())


@cache
def read_page(name: str) -> MarkdownPage:
    """Return the page ``name`` as HTML."""
    return render_markdown(page_source(name), name, _address)


def with_own_address(text: str) -> str:
    """Return the text of a page with this service's address in place of the address in the examples."""
    return text.replace(EXAMPLE_ADDRESS, service_address() or EXAMPLE_ADDRESS)


def _games_of(name: str) -> list[Game]:
    """Return the games whose rules are on the page ``name``."""
    return [game for game in GAMES.values() if name in [rules.path for rules in game.rules_pages]]


def _entry(name: str, summary: str) -> ManualEntry:
    return ManualEntry(name, page_source(name).partition("\n")[0].removeprefix("# "), summary)


def page_source(name: str) -> str:
    """Return the Markdown source of the page ``name``."""
    return (_folder() / f"{name}.md").read_text(encoding="utf-8")


@cache
def _folder() -> Path:
    """Return the folder of the manual, in the installed package or beside the sources."""
    installed = Path(str(files("api"))) / "manual"
    return installed if installed.is_dir() else installed.parent.parent / "docs"


def _address(file: str) -> str | None:
    """Return the URL of a file, given relative to the folder of the manual, or None if it is not served."""
    if file.removesuffix(".md") in NAMES:
        return f"/docs/{file.removesuffix('.md')}"
    return {RECORD_SCHEMA: f"/docs/{RECORD_SCHEMA}", "../openapi.yaml": "/docs/api"}.get(file)
