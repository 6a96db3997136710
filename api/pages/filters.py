"""Formatting of numbers, times and names on pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any, Final, TypedDict

from api.pages.site import blueprint
from arena.errors import InvalidOption, UnknownPreset
from arena.games import game_of
from arena.play import board_names, bot_results
from arena.play.stats import SCORES_SPAN, is_telling

_LANGUAGES: Final[Mapping[str, str]] = {
    "python": "Python",
    "javascript": "JavaScript",
    "module": "WebAssembly module",
}
"""The titles of the languages of uploads."""

_RULE_NUMBERS: Final = re.compile(r" \((?:[A-Z]{2}-[\d.]+(?:, )?)+\)")

_TIE_BREAKS: Final[Mapping[str, str]] = {
    "head_to_head": "the points against each other",
    "sonneborn_berger": "points against better bots (Sonneborn-Berger)",
    "buchholz": "the points of the opponents (Buchholz)",
    "won": "groups won",
    "fewest_faults": "fewest faults",
}
"""The titles of tie-breaks."""


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


@blueprint.app_template_filter("iso")
def iso(ms: int) -> str:
    """Format a timestamp as ISO 8601."""
    return _moment(ms).isoformat(timespec="seconds")


@blueprint.app_template_filter("minute")
def minute(ms: int) -> str:
    """Format a timestamp to the minute."""
    return f"{_moment(ms):%Y-%m-%d %H:%M}"


@blueprint.app_template_filter("second")
def second(ms: int) -> str:
    """Format a timestamp to the second."""
    return f"{_moment(ms):%Y-%m-%d %H:%M:%S}"


@blueprint.app_template_filter("day")
def day(ms: int | None) -> str:
    """Format the day of a timestamp; None becomes a dash."""
    return "–" if ms is None else _moment(ms).date().isoformat()


@blueprint.app_template_filter("short_day")
def short_day(day: date) -> str:
    """Format a day of this year or the last."""
    return f"{day.day} {day:%b}"


@blueprint.app_template_filter("whole")
def whole(value: float) -> str:
    """Format a number without decimals, using a real minus sign."""
    return f"{round(value)}".replace("-", "\N{MINUS SIGN}")


@blueprint.app_template_filter("change")
def change(value: float) -> str:
    """Format a change without decimals, with its sign unless it is zero."""
    return f"{'+' if round(value) > 0 else ''}{whole(value)}"


@blueprint.app_template_filter("lacking")
def lacking(groups: int) -> str:
    """Say what a provisional rating lacks; see :func:`arena.play.board_names.lacking`."""
    return board_names.lacking(groups)


@blueprint.app_template_filter("ranks")
def ranks(row: Mapping[str, Any]) -> str:
    """Format the interval of a bot's rank, or a dash if the bot has no rank."""
    return board_names.rank_text(row["rank"], row["worst_rank"], "\N{EN DASH}") or "\N{EN DASH}"


@blueprint.app_template_filter("half_width")
def half_width(value: float | None) -> str:
    """Format the interval of a score after it; an interval as wide as all scores is omitted."""
    return f" ± {value:.3f}" if is_telling(value, SCORES_SPAN) else ""


@blueprint.app_template_filter("percent")
def percent(share: float, unit: str = "%") -> str:
    """Format a share in per cent."""
    return f"{100 * share:.0f}{unit}"


@blueprint.app_template_filter("ordinal")
def ordinal(number: int) -> str:
    """Format a place."""
    return bot_results.ordinal(number)


@blueprint.app_template_filter("words")
def words(name: str) -> str:
    """Convert an API name into words."""
    return name.replace("_", " ")


@blueprint.app_template_filter("rules_title")
def rules_title(settings: Mapping[str, Any]) -> str:
    """Return the name for people of the game and the rules of a tournament, a schedule or a game."""
    game, preset = game_of(settings["kind"]), settings.get("preset")
    with suppress(InvalidOption, UnknownPreset):
        rules = game.rules_of(settings)
        preset = preset or game.preset_of(rules)
        if preset is not None:
            return game.preset(preset).title
        if not game.options.changed(game.options.complete(rules)):
            return game.kind.capitalize()
    return f"{game.kind.capitalize()}, rules of its own"


@blueprint.app_template_filter("without_rules")
def without_rules(text: str) -> str:
    """Return the description of an option without the numbers of rules, which are for implementers."""
    return _RULE_NUMBERS.sub("", text)


@blueprint.app_template_filter("points")
def points(value: float) -> str:
    """Format points, with ½ for a half."""
    whole_part, rest = divmod(round(value, 2), 1)
    if rest == 0.5:
        return f"{whole_part:.0f}½" if whole_part else "½"
    return f"{value:.2f}" if rest else f"{whole_part:.0f}"


@blueprint.app_template_filter("tie_break")
def tie_break(name: str) -> str:
    """Return the title of a tie-break."""
    return _TIE_BREAKS.get(name, words(name))


@blueprint.app_template_filter("language")
def language(name: str) -> str:
    """Return the title of the language of an upload."""
    return _LANGUAGES.get(name, name)


@blueprint.app_template_filter("sentence")
def sentence(text: str) -> str:
    """Convert a message into a sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "."


@blueprint.app_template_filter("duration")
def duration(seconds: float) -> str:
    """Format a duration in a suitable unit."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


@blueprint.app_template_filter("size")
def size(count: int) -> str:
    """Format a number of bytes in a suitable unit."""
    for unit_size, unit in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")):
        if count >= unit_size:
            return f"{count / unit_size:.1f} {unit}".replace(".0 ", " ")
    return f"{count} bytes"


@blueprint.app_template_filter("setting")
def setting(name: str) -> str:
    """Convert the name of a tournament's setting into words."""
    return words(name.removesuffix("_ms"))


class SettingEdit(TypedDict):
    """An edit of a tournament: the former and the new value of a setting."""

    field: str
    old: object
    new: object


@blueprint.app_template_filter("former")
def former(edit: SettingEdit) -> str:
    """Return the former value of an edited setting. For a setting with several values, return only those that
    changed.
    """
    return _setting(edit["field"], edit["old"], edit["new"])


@blueprint.app_template_filter("present")
def present(edit: SettingEdit) -> str:
    """Return the new value of an edited setting. For a setting with several values, return only those that
    changed.
    """
    return _setting(edit["field"], edit["new"], edit["old"])


def _setting(name: str, value: object, other: object) -> str:
    if isinstance(value, dict):
        known = other if isinstance(other, dict) else {}
        parts = [f"{words(part)} {own}" for part, own in value.items() if known.get(part) != own]
        return ", ".join(parts) or "nothing"
    if isinstance(value, list):
        return ", ".join(map(words, map(str, value))) or "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and name.endswith("_ms"):
        return f"{minute(value)} UTC"
    return "nothing" if value in (None, "") else str(value)
