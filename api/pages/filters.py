"""How pages write numbers, times and names."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypedDict

from api.pages.site import blueprint


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


@blueprint.app_template_filter("iso")
def iso(ms: int) -> str:
    """A timestamp in ISO 8601."""
    return _moment(ms).isoformat(timespec="seconds")


@blueprint.app_template_filter("minute")
def minute(ms: int) -> str:
    """A timestamp, to the minute."""
    return f"{_moment(ms):%Y-%m-%d %H:%M}"


@blueprint.app_template_filter("second")
def second(ms: int) -> str:
    """A timestamp, to the second."""
    return f"{_moment(ms):%Y-%m-%d %H:%M:%S}"


@blueprint.app_template_filter("day")
def day(ms: int | None) -> str:
    """The day of a timestamp; a dash for None."""
    return "–" if ms is None else _moment(ms).date().isoformat()


@blueprint.app_template_filter("whole")
def whole(value: float) -> str:
    """A number without decimals, with a real minus sign."""
    return f"{round(value)}".replace("-", "\N{MINUS SIGN}")


@blueprint.app_template_filter("percent")
def percent(share: float, unit: str = "%") -> str:
    """A share in per cent."""
    return f"{100 * share:.0f}{unit}"


@blueprint.app_template_filter("words")
def words(name: str) -> str:
    """An API name as words."""
    return name.replace("_", " ")


@blueprint.app_template_filter("sentence")
def sentence(text: str) -> str:
    """A message as a sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "."


@blueprint.app_template_filter("duration")
def duration(seconds: float) -> str:
    """A duration in a suitable unit."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


@blueprint.app_template_filter("size")
def size(count: int) -> str:
    """Bytes in a suitable unit."""
    for unit_size, unit in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")):
        if count >= unit_size:
            return f"{count / unit_size:.1f} {unit}".replace(".0 ", " ")
    return f"{count} bytes"


@blueprint.app_template_filter("setting")
def setting(name: str) -> str:
    """The name of a setting of a tournament as words."""
    return words(name.removesuffix("_ms"))


class SettingEdit(TypedDict):
    """An edit of a tournament: the former and the new value of a setting."""

    field: str
    old: object
    new: object


@blueprint.app_template_filter("former")
def former(edit: SettingEdit) -> str:
    """The former value of an edited setting, of several ones only what has changed."""
    return _setting(edit["field"], edit["old"], edit["new"])


@blueprint.app_template_filter("present")
def present(edit: SettingEdit) -> str:
    """The new value of an edited setting, of several ones only what has changed."""
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
