"""Rewrites errors for a command, naming its options instead of API fields, and suggests similar names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

import click

from arena.errors import ArenaError
from arena.inputs.times import OF_BOTH_FORMS
from arena.text import similar

_QUOTED: Final = re.compile(r"'([^'\s]{1,64})'")
_NAME: Final = re.compile(r"[A-Za-z0-9][\w@./:-]*")


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return a text such as ``did you mean 'truco'?``, or an empty text if no name is similar."""
    found = similar(word, names)
    return f"did you mean {' or '.join(repr(name) for name in found)}?" if found else ""


def suggestion(message: str, expected: str) -> str:
    """Return ``did you mean ...?`` for an error that quotes a name and lists the existing names, else an
    empty text.
    """
    quoted = _QUOTED.findall(message)
    if not quoted:
        return ""
    known = [name.rstrip(".:") for name in _NAME.findall(expected) if len(name) > 1]
    is_list = "," in expected or expected.startswith("one of ")
    return did_you_mean(quoted[0], known) if is_list and len(known) > 1 else ""


_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "Authorization": ("--token",),
    "clock.preset": ("--clock",),
    "clock.per_turn_ms": ("--turn-seconds",),
    "clock.bank_ms": ("--bank-seconds",),
    "bot": ("NAME", "--name", "BOTS", "FILE"),
}
"""Options or arguments for API fields that many operations have. The first one that a command has is used; if
it has none, the name of the field is kept.
"""

_FORMS: Final = re.compile(rf"(?<=\d) \(\d{{4}}-\d\d-\d\dT[\d:]+Z\)|{OF_BOTH_FORMS}")
"""Parts of API messages that describe the two forms of times."""
_MOMENT: Final = re.compile(r"\b1[0-9]{12}\b")
_FEWEST_WORDS: Final = 3
_NUMBER: Final = re.compile(r"\b[0-9]{1,15}\b")


def shown_parameter(parameter: click.Parameter) -> str:
    """Return the name of an option or argument as shown in the help."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return (parameter.metavar or parameter.human_readable_name.upper()).removesuffix("...").strip("[]")


def own_words(error: ArenaError, command: click.Command, fields: Mapping[str, str]) -> None:
    """Rewrite the error to name the options of ``command``. ``fields`` maps API fields to the options that
    set them, if the names differ.
    """
    field = error.field
    if not field:
        return
    option = _option(field, command, fields)
    if option is None:
        return
    last = field.rpartition(".")[2]
    if option == "--rule":
        # The rest is the name of a rule option, as the user typed it.
        error.field = f"{option} {field.partition('.')[2]}".rstrip()
        return
    error.message = _times(_renamed(error.message, (field, last), option), last)
    if error.expected:
        error.expected = _times(_renamed(error.expected, (field, last), option), last)
    error.field = option


def _option(field: str, command: click.Command, fields: Mapping[str, str]) -> str | None:
    """Return the option or argument of the command that sets the field, or the object that contains it."""
    while field:
        found = option_of(field, command, fields)
        if found is not None:
            return found
        field = field.rpartition(".")[0]
    return None


def option_of(field: str, command: click.Command, fields: Mapping[str, str]) -> str | None:
    """Return the option or argument of the command that sets the field itself. For ``fields``, see
    :func:`own_words`.
    """
    shown = {shown_parameter(parameter): parameter for parameter in command.params}
    names = {name.lower().lstrip("-").replace("-", "_"): name for name in shown}
    names |= {parameter.name or "": name for name, parameter in shown.items()}
    # The tournament of a schedule has the fields of a tournament.
    for name in (field, field.removeprefix("tournament.")):
        if name in fields:
            return fields[name]
        for option in (names.get(name), *_FIELDS.get(name, ())):
            if option in shown:
                return option
    return None


def _renamed(text: str, names: tuple[str, ...], option: str) -> str:
    """Return the text with a field name replaced by ``option``, at the beginning, or anywhere if the name is
    not an English word.
    """
    for name in names:
        text = re.sub(rf"^{re.escape(name)}(?=: )", option, text)
        if "_" in name:
            text = re.sub(rf"(?<![\w.-])(?:its )?{re.escape(name)}(?!\w)", option, text)
    return text


def _times(text: str, field: str) -> str:
    """Return the text with Unix milliseconds replaced by times, and milliseconds by seconds."""
    if not field.endswith("_ms"):
        return text
    text = _FORMS.sub("", text)
    text, count = _MOMENT.subn(lambda found: _time(int(found[0])), text)
    if count:
        return text.replace("a whole number from", "a time from")
    if field in ("per_turn_ms", "bank_ms"):
        text = _NUMBER.sub(lambda found: f"{int(found[0]) / 1000:.12g} s", text)
        return text.replace("a whole number from", "a time from")
    return text


def _time(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%dT%H:%M} UTC"


def one_line(error: ArenaError) -> str:
    """Return the error as one line, without repeating the field or what is expected."""
    parts = [error.message]
    if error.field and not _names(error.message, error.field):
        parts.append(f"at {error.field}")
    if error.expected and not _says(error.message, error.expected):
        parts.append(f"expected {error.expected}")
    meant = "" if "did you mean" in error.message else suggestion(error.message, error.expected or "")
    return "; ".join([*parts, meant] if meant else parts)


def _names(message: str, field: str) -> bool:
    """Return whether the message already names the location of the error: it names an option, or begins with
    the field.
    """
    is_option = field.startswith("-") and field in re.split(r"[\s:;,()]+", message)
    return is_option or message.startswith(f"{field}: ")


def _says(message: str, expected: str) -> bool:
    """Return whether the message already says what is expected. A few of its words can occur by chance."""
    words = _plain(expected)
    return words.count(" ") >= _FEWEST_WORDS and words in _plain(message)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s.+-]", " ", text.casefold()).split())


def with_suggestion(message: str) -> str:
    """Return Click's message, with a suggestion if it quotes an invalid choice and lists the valid ones."""
    if "id you mean" in message:
        return message
    wrong, found, choices = message.partition(" is not one of ")
    wrong = wrong.rpartition(": ")[2]
    meant = suggestion(wrong, choices.replace("'", " ")) if found else ""
    return f"{message} {meant[0].upper()}{meant[1:]}" if meant else message
