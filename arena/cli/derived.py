"""Command options derived from declared settings (:mod:`arena.declarations`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import click

from arena.cli.params import Function, future, seconds
from arena.declarations import DECIMAL, DECIMALS, MOMENT, NUMBER, TRUTH, Setting, settings_of
from arena.inputs.numbers import decimal

_UNIT: Final = re.compile(r"_m?s\Z")
"""The suffix of a setting's name that is a unit of time."""

_METAVARS: Final = {MOMENT: "TIME", DECIMALS: "NUMBERS"}


def options(
    *of: type,
    names: Mapping[str, str] | None = None,
    without: Collection[str] = (),
    defaults: Mapping[str, str] | None = None,
    edits: bool = False,
) -> Callable[[Function], Function]:
    """Add an option to a command for each setting of declared classes.

    The command receives the values by the names of the settings, with None or an empty tuple for options not
    passed. ``names`` maps settings to options with other names, including the placeholder of the value.
    ``defaults`` are defaults of the command itself. If ``edits``, settings that are not passed stay
    unchanged.
    """
    found = [
        option(one, (names or {}).get(name, ""), (defaults or {}).get(name), edits)
        for declared in of
        for name, one in settings_of(declared).items()
        if name not in without
    ]

    def decorate(command: Function) -> Function:
        for one in reversed(found):
            command = one(command)
        return command

    return decorate


def option(
    one: Setting, flag: str = "", default: str | None = None, edits: bool = False
) -> Callable[[Function], Function]:
    """Return the option for a setting. ``flag`` is its name, such as ``--invite BOT``; by default, it is
    derived from the name of the setting.
    """
    flag, _, metavar = flag.partition(" ")
    flag = flag or "--" + _UNIT.sub("", one.name).replace("_", "-")
    if one.kind == TRUTH and "/" not in flag:
        flag = f"{flag}/--no-{flag[2:]}"
    text = one.description.replace("`", "")
    several = one.is_list and one.kind != DECIMALS
    if several:
        text += " Repeatable." + (" An empty value clears the list." if edits and not one.choices else "")
    if default is None and not edits:
        text += _default(one)
    more: dict[str, Any] = {} if default is None else {"default": default, "show_default": True}
    if one.kind == TRUTH:
        more["default"] = None
    return click.option(
        flag,
        one.name,
        type=_type(one),
        multiple=several,
        metavar=metavar or _METAVARS.get(one.kind),
        help=text,
        **more,
    )


def _type(one: Setting) -> Any:
    if one.choices:
        return click.Choice(one.choices)
    if one.name.endswith("_s"):
        return duration
    if one.kind == NUMBER:
        return click.IntRange(one.minimum, one.maximum)
    if one.kind == DECIMAL:
        return click.FloatRange(one.minimum, one.maximum)
    return {MOMENT: future, DECIMALS: _decimals}.get(one.kind)


def duration(text: str) -> int:
    """Parse a duration such as ``5m`` into whole seconds."""
    return round(seconds(text))


def _decimals(text: str) -> list[float]:
    """Parse numbers such as ``10,8,6``."""
    found = [number for part in text.split(",") if (number := decimal(part)) is not None]
    if len(found) <= text.count(","):
        raise click.BadParameter(f"{text!r} is not a list of numbers; expected numbers such as 10,8,6,5")
    return found


def _default(one: Setting) -> str:
    known = one.json_default
    if isinstance(known, list):
        known = ", ".join(f"{part:g}" if isinstance(part, float) else part for part in known)
    return f" [default: {known}]" if known else ""


def fields_of(given: Mapping[str, object]) -> dict[str, Any]:
    """Return the request fields for the values of options, omitting options that were not passed. A list
    whose only member is empty becomes an empty list.
    """
    return {
        name: [part for part in value if part] if isinstance(value, tuple) else value
        for name, value in given.items()
        if value not in (None, ())
    }
