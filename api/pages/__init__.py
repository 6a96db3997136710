"""HTML pages for people."""

from __future__ import annotations

from typing import Final

from api.pages import (
    account,
    assets,
    boards,
    bots,
    feeds,
    filters,
    for_programs,
    home,
    manual,
    organise,
    own_bots,
    play,
    reference,
    search,
    site,
    submit,
    tables,
    tournaments,
)

PAGES: Final = (site.blueprint, assets.blueprint)
"""The blueprints; importing the modules of pages adds their routes to the first one."""

__all__ = [
    "PAGES",
    "account",
    "boards",
    "bots",
    "feeds",
    "filters",
    "for_programs",
    "home",
    "manual",
    "organise",
    "own_bots",
    "play",
    "reference",
    "search",
    "site",
    "submit",
    "tables",
    "tournaments",
]
