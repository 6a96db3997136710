"""HTML pages for people."""

from __future__ import annotations

from typing import Final

from api.pages import (
    account,
    assets,
    boards,
    bots,
    bring,
    comparisons,
    downloads,
    edit_tournament,
    feeds,
    filters,
    for_programs,
    guests,
    home,
    identities,
    invitations,
    links,
    manual,
    organise,
    own_bots,
    owners,
    play,
    reference,
    schedules,
    search,
    series,
    site,
    submit,
    subscriptions,
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
    "bring",
    "comparisons",
    "downloads",
    "edit_tournament",
    "feeds",
    "filters",
    "for_programs",
    "guests",
    "home",
    "identities",
    "invitations",
    "links",
    "manual",
    "organise",
    "own_bots",
    "owners",
    "play",
    "reference",
    "schedules",
    "search",
    "series",
    "site",
    "submit",
    "subscriptions",
    "tables",
    "tournaments",
]
