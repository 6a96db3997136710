"""The forms of the pages, and what they say about fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from flask import Flask

TEMPLATES: Final = Path(__file__).parents[3] / "api" / "templates"
_TO: Final = re.compile(r"'pages\.(\w+)'")
_OWN: Final = ("csrf_token", "draft", "next", "dry_run", "output")
"""What forms send beside fields."""


@dataclass
class Control:
    """An element of a form. ``value``: what it sends if nobody changes it; ``chosen``: whether a check box is
    checked, None for other elements.
    """

    name: str
    type: str
    value: str = ""
    label: str = ""
    help: str = ""
    checked: bool | None = None
    bounds: dict[str, str] = field(default_factory=dict)
    choices: list[str] = field(default_factory=list)


@dataclass
class Form:
    """A form of a page, or of a template. ``to``: the views that it may be sent to, or its address."""

    to: tuple[str, ...]
    controls: dict[str, Control] = field(default_factory=dict)


class _Forms(HTMLParser):
    """Reads forms; a label or a help may stand before or after its element."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._texts: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self._ids: dict[int, tuple[str, str]] = {}
        self._into: list[tuple[str, dict[str, str], str]] = []
        self._form: Form | None = None
        self._select: Control | None = None
        self._area: Control | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form" and found.get("method") == "post":
            action = found.get("action", "")
            self._form = Form(tuple(_TO.findall(action)) or (action,))
            self.forms.append(self._form)
        elif tag == "label":
            self._into.append((tag, self._labels, found.get("for", "")))
        elif tag == "p" and "id" in found:
            self._into.append((tag, self._texts, found["id"]))
        elif tag == "option" and self._select is not None:
            self._option(found)
        elif tag in ("input", "select", "textarea") and self._form and found.get("name", _OWN[0]) not in _OWN:
            self._add(self._form.controls, tag, found)

    def _add(self, controls: dict[str, Control], tag: str, found: dict[str, str]) -> None:
        name = found["name"]
        kind = found.get("type", tag)
        # One of several check boxes of a name is a choice.
        is_switch = kind == "checkbox" and found.get("value") == "1"
        value = found.get("value", "") if is_switch or kind != "checkbox" else ""
        one = controls.setdefault(name, Control(name, kind, value))
        self._ids[id(one)] = (found.get("id", ""), found.get("aria-describedby", ""))
        one.bounds.update({key: found[key] for key in ("min", "max", "maxlength") if key in found})
        if is_switch:
            one.checked = bool(one.checked) or "checked" in found
        if tag == "select":
            self._select = one
        elif tag == "textarea":
            self._area = one

    def _option(self, found: dict[str, str]) -> None:
        assert self._select is not None
        value = found.get("value", "")
        if not self._select.choices or "selected" in found:
            self._select.value = value
        self._select.choices.append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "textarea":
            self._area = None
        elif tag == "select":
            self._select = None
        elif self._into and self._into[-1][0] == tag:
            self._into.pop()

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area.value += data
        for _, texts, name in self._into[-1:]:
            texts[name] = texts.get(name, "") + data

    def finish(self) -> list[Form]:
        for form in self.forms:
            for one in form.controls.values():
                name, described = self._ids[id(one)]
                one.label = " ".join(self._labels.get(name, "").split()).removesuffix(" optional")
                helps = (self._texts.get(part, "") for part in described.split() if part.endswith("-help"))
                one.help = " ".join(" ".join(helps).split())
        return self.forms


def forms_in(html: str) -> list[Form]:
    """The forms of a page."""
    parser = _Forms()
    parser.feed(html)
    return parser.finish()


def templates_forms() -> Iterator[Form]:
    """The forms that templates write out by hand."""
    for template in sorted(TEMPLATES.glob("*.html")):
        yield from forms_in(template.read_text(encoding="utf-8"))


def views(app: Flask) -> set[str]:
    """The views of pages that take forms."""
    return {
        rule.endpoint.removeprefix("pages.")
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("pages.") and "POST" in (rule.methods or ())
    }
