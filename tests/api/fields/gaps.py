"""What fields of requests lack. ``exceptions.py`` beside it lists the gaps that there may be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.api.fields.forms import Control
from tests.api.fields.options import Option, options_of
from tests.api.fields.request_fields import Field, enums, explained, fields
from tests.cli.operations import WITHOUT
from tests.documents import openapi

DOCS: Final = Path(__file__).parents[3] / "docs"

_SAME: Final = ("planTournament",)
"""Operations whose body is that of another one, which has the same command."""

_TELLS: Final = re.compile(
    r"\b(by default|if omitted|omitted ones|null|empty|in place of|required there)\b", re.IGNORECASE
)
"""How descriptions say what a field means that is left out."""

_BOUNDS: Final = {"minimum": "min", "maximum": "max", "maxLength": "maxlength"}
"""Bounds in the document and in forms."""

Controls = Mapping[str, Mapping[str, Control]]
"""The controls of forms by operation and field."""


class Gap(NamedTuple):
    """``where``: the field, or the option of a command. ``what``: the difference, for whoever reads it."""

    kind: str
    where: str
    what: str = ""


def gaps(controls: Controls) -> Iterator[Gap]:
    """All gaps, with the ``controls`` of the pages."""
    known = [one for one in fields() if one.place == "query" or one.operation not in _SAME]
    for field in known:
        yield from _of_commands(field)
        yield from _of_text(field)
    yield from _of_forms(known, controls)
    yield from _of_requests(known)
    yield from _of_choices()
    yield from _of_docs(known)


# Commands


def _of_commands(field: Field) -> Iterator[Gap]:
    options = [*options_of(field)]
    if not options and field.operation not in WITHOUT:
        yield Gap("no option", field.id)
    for option in options:
        where = f"{option.command} {option.shown}"
        if option.text and plain(option.text) != plain(field.text):
            yield Gap("text of option", where, f"{option.text!r}, not {field.text!r}")
        if _other_default(option, field):
            yield Gap("default of option", where, f"{option.default}, not {field.default}")
        wanted = (_scaled(field, "minimum"), _scaled(field, "maximum"))
        if option.bounds != (None, None) and option.bounds != wanted:
            yield Gap("range of option", where, f"{option.bounds}, not {wanted}")
        if option.choices and {*option.choices} != {*map(str, field.choices)}:
            yield Gap("range of option", where, f"{option.choices}, not {field.choices}")


def _other_default(option: Option, field: Field) -> bool:
    """Whether the option has another default. One that the document has in words only is in its text."""
    if option.default is None or (field.default in (None, "null") and option.tells_default):
        return False
    return words_of(option.default) != words_of(field.default)


def _scaled(field: Field, bound: str) -> float | None:
    """A bound as commands and forms have it: in seconds."""
    value = field.bounds.get(bound)
    return value / 1000 if value is not None and field.name.endswith("_ms") else value


# Descriptions


def _of_text(field: Field) -> Iterator[Gap]:
    if not field.text:
        yield Gap("no text", field.id)
    optional = field.place == "body" and not field.required and not field.edits
    if optional and field.default is None and not _TELLS.search(field.text):
        yield Gap("no default", field.id, field.text)
    if field.edits and field.default is not None and "." not in field.name:
        yield Gap("default of request", field.id, "what is left out stays as it is")


def _of_choices() -> Iterator[Gap]:
    """Descriptions, anywhere in the document, that explain only some choices, or the same ones otherwise."""
    first: dict[tuple[Any, ...], dict[str, str]] = {}
    for choices, text in enums(openapi()):
        texts = explained(text, choices)
        where = " ".join(map(str, choices))
        if len(texts) > 1 and texts.keys() != {choice for choice in choices if choice is not None}:
            yield Gap("choices", where, text)
        elif texts and first.setdefault(choices, texts) != texts:
            yield Gap("choices", where, f"{texts}, not {first[choices]}")


# Forms


def _of_forms(known: Sequence[Field], controls: Controls) -> Iterator[Gap]:
    labels: dict[tuple[str, str], str] = {}
    with_body = {field.operation for field in known if field.place == "body"}
    for field in known:
        if field.operation not in controls or (field.place == "query" and field.operation in with_body):
            continue
        control = controls[field.operation].get(field.own)
        if control is None:
            yield Gap("no control", field.id)
            continue
        yield from _of_control(field, control)
        label = labels.setdefault((field.thing, field.own), control.label)
        if control.label and label and control.label != label:
            yield Gap("text of control", field.id, f"{control.label!r}, not {label!r}")


def _of_control(field: Field, control: Control) -> Iterator[Gap]:
    if control.help and plain(control.help) != plain(field.text):
        yield Gap("text of control", field.id, f"{control.help!r}, not {field.text!r}")
    for bound, attribute in _BOUNDS.items():
        said, wanted = control.bounds.get(attribute), _scaled(field, bound)
        if said is not None and (wanted is None or float(said) != wanted):
            yield Gap("range of control", field.id, f"{attribute} {said}, not {wanted}")
    choices = {choice for choice in control.choices if choice}
    if field.choices and choices and choices != {*map(str, field.choices)}:
        yield Gap("range of control", field.id, f"{sorted(choices)}, not {field.choices}")
    if not field.edits and field.default is not None:
        value = _value(control, field)
        if value is not None and words_of(value) != words_of(field.default):
            yield Gap("default of control", field.id, f"{value}, not {field.default}")


def _value(control: Control, field: Field) -> str | None:
    """What a form sends if nobody changes it."""
    if control.checked is not None:
        return json.dumps(control.checked)
    text = control.value.strip()
    return str(round(1000 * float(text))) if text and field.name.endswith("_ms") else text or None


# The same field in several requests


def _of_requests(known: Sequence[Field]) -> Iterator[Gap]:
    bodies: dict[tuple[str, str], Field] = {}
    for field in known:
        if field.place == "query":
            continue
        first = bodies.setdefault((field.thing, field.own), field)
        if field.text != first.text:
            yield Gap("text of request", field.id, f"{field.text!r}, not {first.text!r}")
        if field.bounds != first.bounds or {*field.choices} != {*first.choices}:
            yield Gap("range of request", field.id, f"{field.bounds} {field.choices}, not as {first.id}")
        if not field.edits and field.default != first.default:
            yield Gap("default of request", field.id, f"{field.default}, not {first.default}")


# The docs


def _of_docs(known: Sequence[Field]) -> Iterator[Gap]:
    pages = {page.stem: page.read_text(encoding="utf-8") for page in sorted(DOCS.glob("*.md"))}
    # That page is made of the commands.
    words = {word for stem, text in pages.items() if stem != "commands" for word in _code_words(text)}
    settings = _settings(pages["tournaments"])
    for field in known:
        last = field.name.rpartition(".")[2]
        if words.isdisjoint({last, *(flag for option in options_of(field) for flag in option.flags)}):
            yield Gap("docs", field.id, "no page names it")
        if field.operation == "createTournament" and not field.required and "." not in field.name:
            row = settings.get(field.name)
            if row is None:
                yield Gap("docs", field.id, "it is not in the table of settings")
            elif field.default is not None and not _in_words(field.default, row):
                yield Gap("default of docs", field.id, f"{row!r}, not {field.default}")


def _code_words(text: str) -> Iterator[str]:
    """The words in the code of a page."""
    for block in re.findall(r"^```.*?^```|`[^`\n]+`", text, re.DOTALL | re.MULTILINE):
        yield from re.findall(r"[\w-]+", block)


def _settings(page: str) -> dict[str, str]:
    """The defaults in the table of settings."""
    table = page.partition("| field | meaning | default |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    return {name: row[-1] for row in rows for name in re.findall(r"`(\w+)`", row[0])}


def _in_words(default: str, row: str) -> bool:
    return all(re.search(rf"\b{re.escape(word)}\b", row) for word in words_of(default))


# Words


def plain(text: str) -> str:
    """A text without marks: options and forms show it so."""
    return " ".join(text.replace("`", "").replace("_", " ").casefold().split()).rstrip(".")


_WORDS: Final[Mapping[Any, str]] = {False: "no", True: "yes", "": "none"}


def words_of(default: str | None) -> list[str]:
    """The words of a default, which is JSON, or a list as somebody has written it."""
    if default is None:
        return []
    try:
        value = json.loads(default)
    except ValueError:
        value = [part for part in re.split(r"[\s,]+", default) if part]
    values = value if isinstance(value, list) else [value]
    return [_word(one) for one in values or [""]]


def _word(value: Any) -> str:
    if isinstance(value, bool | str):
        return _WORDS.get(value, str(value))
    return f"{value:g}" if isinstance(value, int | float) else "none"
