"""What is declared of tournaments fits the formats, which are built on it."""

from __future__ import annotations

import re

from arena.declarations import settings_of
from arena.tournaments.formats import FORMATS
from arena.tournaments.settings import OneOffSettings, TemplateSettings
from arena.tournaments.spec import DEFAULT_PER_OWNER

SETTINGS = {**settings_of(OneOffSettings), **settings_of(TemplateSettings)}


def formats_in(name: str) -> list[str]:
    """The formats that the description of a setting names."""
    return [word for word in re.findall(r"`(\w+)`", SETTINGS[name].description) if word in FORMATS]


def test_the_formats_are_those_that_there_are() -> None:
    assert SETTINGS["format"].choices == tuple(FORMATS)


def test_descriptions_name_the_formats_that_take_a_setting() -> None:
    assert formats_in("rounds") == [name for name, format in FORMATS.items() if format.has_rounds]
    for name in ("ends_ms", "play_s"):
        assert formats_in(name) == [name for name, format in FORMATS.items() if format.ends_by_time]
    assert formats_in("max_repeats") == ["open"]
    eliminating = [name for name, format in FORMATS.items() if format.ranks_by_elimination]
    assert formats_in("baseline") == eliminating
    single = [name for name, format in FORMATS.items() if format.one_per_owner_at_tables]
    assert formats_in("per_owner") == single
    assert f"By default {DEFAULT_PER_OWNER}, or 1 at tables" in SETTINGS["per_owner"].description
