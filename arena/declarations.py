"""Settings, each declared once with its type, range, choices, default, description and label.

A class decorated with :func:`declared` is a frozen dataclass. :func:`setting` adds what the type of a field
cannot express, in JSON Schema terms. API schemas, forms, command options, validation and storage are derived
from it. A field without :func:`setting` is stored, but appears in none of the others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from dataclasses import KW_ONLY, MISSING, dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    ParamSpec,
    TypeGuard,
    TypeVar,
    dataclass_transform,
    get_args,
    get_type_hints,
)

from arena.inputs.text import Refuse, read_line, read_lines
from arena.inputs.times import rfc_3339_rule

T = TypeVar("T")
P = ParamSpec("P")

Moment = Annotated[int, "moment"]
"""Unix time in milliseconds."""

TEXT, NUMBER, DECIMAL, TRUTH, MOMENT = "text", "number", "decimal", "truth", "moment"
TEXTS, DECIMALS = "texts", "decimals"
_KINDS: Final[Mapping[Any, str]] = {
    str: TEXT,
    int: NUMBER,
    float: DECIMAL,
    bool: TRUTH,
    Moment: MOMENT,
    tuple[str, ...]: TEXTS,
    tuple[float, ...]: DECIMALS,
}
NO_DEFAULT: Final = object()
_SHOWN: Final = 60
_SETTING: Final = "setting"


@dataclass(frozen=True)
class Terms:
    """What :func:`setting` declares.

    ``response`` is the description in responses, if it differs. ``minimum`` and ``maximum`` limit a number,
    and ``min_length`` and ``max_length`` the length of a text; for a list, they limit each member, and
    ``min_items`` and ``max_items`` the number of members. ``choices`` are the allowed texts or members.
    ``lines`` allows line breaks in a text. ``nullable`` allows null in requests. ``later`` marks a field that
    was added later, so that stored rows may lack it.
    """

    description: str
    _: KW_ONLY
    label: str = ""
    response: str = ""
    default: Any = NO_DEFAULT
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    min_length: int = 0
    max_length: int | None = None
    min_items: int = 0
    max_items: int | None = None
    lines: bool = False
    nullable: bool = False
    later: bool = False


@dataclass(frozen=True, kw_only=True)
class Setting(Terms):
    """A setting of a class. ``kind`` is a constant above. If ``optional``, the value can be None."""

    name: str
    kind: str
    optional: bool

    @property
    def required(self) -> bool:
        """Whether the setting has no default."""
        return self.default is NO_DEFAULT

    @property
    def is_list(self) -> bool:
        """Whether the value is a list."""
        return self.kind in (TEXTS, DECIMALS)

    @property
    def json_default(self) -> object:
        """The default as JSON. It is None if the setting is required or its default is None."""
        if self.required:
            return None
        return list(self.default) if self.is_list else self.default

    @property
    def allowed(self) -> str:
        """A description of the allowed values."""
        if self.choices:
            return ("distinct values from " if self.is_list else "one of ") + ", ".join(self.choices)
        if self.kind == TEXTS:
            return f"a list of at most {self.max_items} names"
        if self.kind == DECIMALS:
            return f"{self.min_items} to {self.max_items} numbers from {self.minimum} to {self.maximum}"
        if self.kind == NUMBER:
            return f"a whole number from {self.minimum} to {self.maximum}"
        return {TEXT: "text", TRUTH: "true or false", MOMENT: rfc_3339_rule()}.get(self.kind, "a number")

    def read(self, value: Any, error: Refuse) -> Any:
        """Return the value from JSON, if it is valid. Raises ``error``."""
        if not self._accepts(value):
            what = "a valid time" if self.kind == MOMENT else f"a valid value for {self.name}"
            raise error(f"{repr(value)[:_SHOWN]} is not {what}", field=self.name, expected=self.allowed)
        if self.kind == TEXT and not self.choices:
            most = self.max_length or 0
            if self.lines:
                return read_lines(value, self.name, most, error=error)
            return read_line(value, self.name, most, least=self.min_length, error=error)
        return self.from_json(value)

    def from_json(self, value: Any) -> Any:
        """Return the value from its stored form."""
        if value is None or not self.is_list:
            return value
        return tuple(value if self.kind == TEXTS else map(float, value))

    def _accepts(self, value: object) -> bool:
        match self.kind:
            case "truth":
                return isinstance(value, bool)
            case "number" | "moment":
                return _is_number(value, int) and self._has_range(value)
            case "decimal":
                return _is_number(value, int | float) and self._has_range(value)
            case "text":
                return isinstance(value, str) and (not self.choices or value in self.choices)
        if not isinstance(value, list | tuple) or not _within(len(value), self.min_items, self.max_items):
            return False
        if self.kind == DECIMALS:
            return all(_is_number(one, int | float) and self._has_range(one) for one in value)
        return all(isinstance(one, str) and self._has_member(one) for one in value)

    def _has_member(self, text: str) -> bool:
        return text in self.choices if self.choices else 0 < len(text) <= (self.max_length or 0)

    def _has_range(self, value: float) -> bool:
        return _within(value, self.minimum, self.maximum)


def _is_number(value: object, kind: type | UnionType) -> TypeGuard[float]:
    return isinstance(value, kind) and not isinstance(value, bool)


def _within(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


def _field_specifier(make: Callable[P, Terms]) -> Callable[P, Any]:
    def field(*args: P.args, **options: P.kwargs) -> Any:
        terms = make(*args, **options)
        default = MISSING if terms.default is NO_DEFAULT else terms.default
        return dataclasses.field(default=default, metadata={_SETTING: terms})

    return field


setting = _field_specifier(Terms)
"""A field of a :func:`declared` class, with the arguments of :class:`Terms`. A field without ``default`` is
required.
"""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(setting, dataclasses.field))
def declared(cls: type[T]) -> type[T]:
    """Make the class a frozen, keyword-only dataclass. Must not be used in modules compiled by mypyc."""
    return dataclass(frozen=True, kw_only=True)(cls)


def settings_of(of: type) -> Mapping[str, Setting]:
    """Return the settings of a declared class and its bases, by name. Raises TypeError if a default is not a
    valid value of its setting.
    """
    return _settings(of)


@cache
def _settings(of: Any) -> Mapping[str, Setting]:
    hints = get_type_hints(of, include_extras=True)
    return {
        item.name: _setting(of, item.name, hints[item.name], item.metadata[_SETTING])
        for item in dataclasses.fields(of)
        if _SETTING in item.metadata
    }


def _setting(of: type, name: str, hint: object, terms: Terms) -> Setting:
    parts = (hint,) if hint in _KINDS else get_args(hint)
    kinds = [_KINDS[part] for part in parts if part is not NoneType]
    made = Setting(**vars(terms), name=name, kind=kinds[0], optional=NoneType in parts)
    if not (made.required or made.default is None or made._accepts(made.default)):
        raise TypeError(f"{of.__name__}.{name} has an invalid default: {made.default!r}")
    return made


def read_settings(
    of: type, given: Mapping[str, Any], error: Refuse, thing: str, without: Collection[str] = ()
) -> dict[str, Any]:
    """Return the values of all settings, from JSON or their defaults; null counts as missing. Errors name the
    owner of the settings as ``thing``, such as ``a tournament``. Raises ``error``.
    """
    values = {}
    for name, one in settings_of(of).items():
        if name in without:
            continue
        value = given.get(name)
        if value is None and one.required:
            raise error(f"{thing} requires {name}", field=name, expected=one.allowed)
        values[name] = one.default if value is None else one.read(value, error)
    return values


def as_json(of: Any) -> dict[str, object]:
    """Return all fields of a declared object as JSON values."""
    return {name: _plain(getattr(of, name)) for name, _ in _members(of.__class__)}


@cache
def _members(of: Any) -> tuple[tuple[str, Setting | None], ...]:
    # Cached because rows are read and written at every step of a tournament.
    known = settings_of(of)
    return tuple((item.name, known.get(item.name)) for item in dataclasses.fields(of))


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, dict) else value


def from_json(of: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all fields of a declared class from :func:`as_json`; unknown keys are ignored.
    Raises KeyError for a field that is missing and was not added ``later``.
    """
    values = {}
    for name, one in _members(of):
        if one is None:
            values[name] = data[name]
        elif one.later and name not in data:
            values[name] = one.default
        else:
            values[name] = one.from_json(data[name])
    return values
