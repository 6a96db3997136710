"""Form fields derived from the API's schemas, so that forms offer exactly what the API accepts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from marshmallow import Schema, fields, validate

from api.http.errors import ERRORS
from api.schemas.fields import GivenMoment, TypedLines
from api.services import services
from arena.errors import ArenaError
from arena.inputs.numbers import decimal, whole
from arena.inputs.text import clean
from arena.inputs.times import OF_BOTH_FORMS, RFC_3339, place_at, read_time

_MINUTE_MS: Final = 60_000
_VALUE: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d\.\d{3})?", re.ASCII).fullmatch
_MOMENT: Final = re.compile(r"\b\d{12,13}\b")
_RFC_3339: Final = re.compile(r"\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\dZ")
_OF_PROGRAMS: Final = re.compile(rf"{re.escape(RFC_3339)}(\d{{4}}-\d\d-\d\d)T(\d\d:\d\d):00Z")
_TWICE: Final = re.compile(rf" UTC \({_RFC_3339.pattern}\)")
_SNAKE: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_NAMES: Final = re.compile(r"[\s,;]+")

NOT_SAID: Final = ("", "as usual")
"""The choice that leaves the value of a field to the service."""


@dataclass(frozen=True)
class Control:
    """One field of a form.

    ``name`` is its dotted path in the API. ``kind`` is ``text``, ``area``, ``secret``, ``number``,
    ``decimal``, ``seconds``, ``time``, ``check``, ``truth``, ``choice``, ``names``, ``checks`` or ``file``.
    ``value`` is the text in the form. ``choices`` are pairs of value and text.
    """

    name: str
    label: str
    kind: str = "text"
    help: str = ""
    value: str = ""
    choices: Sequence[tuple[str, str]] = ()
    required: bool = False
    low: float | None = None
    high: float | None = None
    longest: int | None = None
    default: Any = None
    error: str = ""

    @property
    def id(self) -> str:
        """The id of the control's HTML element."""
        return "field-" + re.sub(r"[^a-z0-9]+", "-", self.name)

    @property
    def chosen(self) -> list[str]:
        """The selected values of a control that can have several."""
        return split_names(self.value)


Sections = Mapping[str, list[Control]]
"""Controls by the titles of their sections."""


@dataclass(frozen=True)
class Words:
    """The wording of a form: labels and help texts by field, and choices by field and value."""

    labels: Mapping[str, str] = field(default_factory=dict)
    helps: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def split_names(text: str) -> list[str]:
    """Split a string into names, which are separated by spaces, commas or line breaks."""
    return [name for part in _NAMES.split(text) if (name := clean(part))]


def controls(schema: Schema, names: Iterable[str], words: Words, prefix: str = "") -> list[Control]:
    """Return the controls for the fields ``names`` of a schema. For a nested schema, all fields are added."""
    found: list[Control] = []
    for name in names:
        one = schema.fields[name]
        if isinstance(one, fields.Nested):
            inner: Schema = one.schema
            found += controls(inner, inner.fields, words, f"{prefix}{name}.")
        else:
            found.append(_control(f"{prefix}{name}", one, words))
    return found


def _control(path: str, one: fields.Field[object], words: Words) -> Control:
    last = path.rpartition(".")[2]
    default = one.metadata.get("default")
    shown = words.choices.get(path, {})
    control = Control(
        path,
        words.labels.get(path) or one.metadata.get("label") or _label(last),
        help=words.helps.get(path, _plain(str(one.metadata.get("description", "")))),
        required=one.required,
        default=default,
    )
    choices = _choices(one)
    if choices is not None:
        texts = [(value, shown.get(value) or _said(value)) for value in choices]
        if not one.required and default is None:
            texts.insert(0, (NOT_SAID[0], shown.get("") or NOT_SAID[1]))
        return replace(control, kind="choice", choices=texts, value=str(default or texts[0][0]))
    if isinstance(one, GivenMoment):
        return replace(control, kind="time", label=f"{control.label} (UTC)")
    if isinstance(one, fields.Integer):
        low, high = _range(one)
        if last.endswith("_ms"):
            low, high = (None if bound is None else bound / 1000 for bound in (low, high))
            value = "" if default is None else f"{default / 1000:.12g}"
            return replace(control, kind="seconds", low=low, high=high, value=value)
        return replace(
            control, kind="number", low=low, high=high, value="" if default is None else str(default)
        )
    if isinstance(one, fields.Float):
        return replace(control, kind="decimal", value="" if default is None else f"{default:g}")
    if isinstance(one, fields.Boolean) and default is None:
        texts = [(value, shown.get(value, said)) for value, said in (NOT_SAID, ("yes", "yes"), ("no", "no"))]
        return replace(control, kind="truth", choices=texts)
    if isinstance(one, fields.Boolean):
        return replace(control, kind="check", value="1" if default else "")
    if isinstance(one, fields.List):
        members = _choices(one.inner) if isinstance(one.inner, fields.Field) else None
        help = f"{control.help} Of {', '.join(members)}." if members else control.help
        return replace(control, kind="names", value=", ".join(map(str, default or ())), help=help)
    if isinstance(one, TypedLines):
        control = replace(control, kind="area")
    longest = next((rule.max for rule in one.validators if isinstance(rule, validate.Length)), None)
    return replace(control, longest=longest)


def _choices(one: fields.Field[object]) -> Sequence[str] | None:
    for rule in one.validators:
        if isinstance(rule, validate.OneOf):
            return [str(value) for value in rule.choices]
    return None


def _range(one: fields.Integer) -> tuple[float | None, float | None]:
    for rule in one.validators:
        if isinstance(rule, validate.Range):
            return rule.min, rule.max
    return None, None


def _label(name: str) -> str:
    text = name.removesuffix("_ms").replace("_", " ")
    return text[:1].upper() + text[1:]


def _said(value: str) -> str:
    return value.replace("_", " ")


def _plain(text: str) -> str:
    """Return the text without Markdown markup and without names of the API."""
    return _SNAKE.sub(lambda name: name[0].replace("_", " "), text.replace("`", ""))


# Submitted values


def filled(found: Sequence[Control], sent: Callable[[str], Sequence[str]]) -> list[Control]:
    """Return the controls with the submitted values. ``sent`` returns all values of a name.

    For each time field, a script sends the offset of local time from UTC in minutes, under the field's name
    with ``.offset`` appended.
    """
    return [replace(one, value=_sent(one, sent)) for one in found]


def _sent(one: Control, sent: Callable[[str], Sequence[str]]) -> str:
    values = sent(one.name)
    if one.kind == "checks":
        return " ".join(values)
    text = values[0] if values else ""
    if one.kind == "time":
        return _in_utc(text.strip(), "".join(sent(f"{one.name}.offset")))
    # Browsers send lines that end with CR LF.
    return text.replace("\r\n", "\n") if one.kind in ("area", "names") else text.strip()


def _in_utc(text: str, offset: str) -> str:
    """Return the control's value for a time that a user entered, or the text itself if it is not a time."""
    minutes = whole(offset or "0")
    if not text or minutes is None:
        return text
    try:
        ms = read_time(text, services().store.clock().now_ms, place_at(minutes))
        moment = datetime.fromtimestamp(ms / 1000, UTC).replace(tzinfo=None)
    except (ArenaError, ValueError, OverflowError, OSError):
        return text
    return moment.isoformat(timespec="milliseconds") if ms % _MINUTE_MS else time_value(ms)


def body_of(found: Iterable[Control]) -> dict[str, Any]:
    """Build the request body from the values of controls. Empty values are omitted."""
    body: dict[str, Any] = {}
    for one in found:
        value = _value(one)
        if value is None:
            continue
        *outer, last = one.name.split(".")
        place = body
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = value
    return body


def _value(one: Control) -> bool | float | str | list[str] | None:
    text = one.value
    if one.kind == "check":
        return bool(text)
    if not text:
        return None
    if one.kind == "truth":
        return {"yes": True, "no": False}.get(text, text)
    if one.kind in ("names", "checks"):
        return split_names(text)
    # The schema rejects other values, and says what is allowed.
    if one.kind == "number":
        number = whole(text)
        return text if number is None else number
    if one.kind == "decimal":
        amount = decimal(text)
        return text if amount is None else amount
    if one.kind == "seconds":
        seconds = decimal(text)
        return text if seconds is None else round(1000 * seconds)
    if one.kind == "time" and _VALUE(text):
        return round(datetime.fromisoformat(f"{text}+00:00").timestamp() * 1000)
    return text


def time_value(ms: int) -> str:
    """Return the value of a control for a time in UTC, to the minute."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M")


# Errors


def is_of_form(error: ArenaError) -> bool:
    """Return whether a form shows the error, because its sender can correct it there."""
    known = ERRORS.get(error.code)
    return error.code == "not_invited" or (
        known is not None and known.status in (400, 409, 410, 413, 422, 429)
    )


def of_form(error: ArenaError, *codes: str) -> ArenaError:
    """Return an error that a form shows, or that has one of ``codes``. Raises any other error."""
    if is_of_form(error) or error.code in codes:
        return error
    raise error


def status_of(error: ArenaError | None) -> int:
    """Return the HTTP status of the page that shows the error, if there is one."""
    return 200 if error is None else ERRORS[error.code].status


def with_error(found: list[Control], error: ArenaError | None) -> tuple[list[Control], ArenaError | None]:
    """Return the controls of a form, with the error at the control that it concerns, in the form's words."""
    if error is None:
        return found, None
    others = [(more["field"], more["detail"]) for more in error.extra.get("more", ())]
    places = {one.name: one for one in found}
    said: dict[str, str] = {}
    for path, message in ((error.field or "", error.message), *others):
        name = _place(path, places)
        if name is not None and name not in said:
            said[name] = worded(message.removeprefix(f"{path}: "), found, places[name])
    shown = [replace(one, error=said.get(one.name, "")) for one in found]
    at = _place(error.field or "", places)
    own = None if at is None else places[at]
    text = worded(error.message, found) if own is None else f"{own.label}: {said[own.name]}"
    expected = error.expected and worded(error.expected, found, own)
    return shown, ArenaError(text, code=error.code, field=error.field, expected=expected)


def with_error_in(sections: Sections, error: ArenaError | None) -> tuple[Sections, ArenaError | None]:
    """Do what :func:`with_error` does, for controls grouped by section."""
    shown, error = with_error([one for found in sections.values() for one in found], error)
    by_name = {one.name: one for one in shown}
    return {title: [by_name[one.name] for one in found] for title, found in sections.items()}, error


def _place(path: str, places: Mapping[str, Control]) -> str | None:
    """Return the name of the control that corresponds to the field of an error."""
    # The field of a list element is the name of the list, followed by the element's index.
    return next((name for name in (path, path.rpartition(".")[0]) if name in places), None)


def worded(text: str, found: Iterable[Control], own: Control | None = None) -> str:
    """Rewrite a message for a form: names become labels, and milliseconds become times or seconds."""
    for one in found:
        if "_" in one.name or "." in one.name:
            text = re.sub(rf"(?<![\w.]){re.escape(one.name)}(?![\w.])", one.label.lower(), text)
    text = _MOMENT.sub(lambda ms: f"{time_value(int(ms[0])).replace('T', ' ')} UTC", text)
    text = _SNAKE.sub(lambda name: name[0].replace("_", " "), text)
    if own is not None and own.kind == "time":
        text = _OF_PROGRAMS.sub(r"a time such as \1 \2 or 18:00", text).replace(OF_BOTH_FORMS, "")
        text = _TWICE.sub(" UTC", text)
        text = _RFC_3339.sub(r"\1 \2 UTC", text)
    if own is not None and own.kind == "seconds":
        text = re.sub(r"\b\d+\b", lambda ms: f"{int(ms[0]) / 1000:.12g}", text)
        text = text.replace("milliseconds", "seconds")
    return text.replace("valid integer", "whole number")
