"""A browser without scripts: a client that keeps cookies and sends the forms of pages."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

_TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"').search


class Browser:
    """One visitor of the pages of ``app``."""

    def __init__(self, app: Flask) -> None:
        # The client of the fixtures checks responses of the API.
        self.client = FlaskClient(app, app.response_class)

    def get(self, path: str, **options: Any) -> TestResponse:
        """Open a page."""
        return self.client.get(path, **options)

    def send(
        self,
        path: str,
        values: dict[str, Any] | None = None,
        *,
        page: str | None = None,
        times: int = 1,
        headers: dict[str, str] | None = None,
    ) -> TestResponse:
        """Send the form for ``path`` that is on ``page`` (None: the same address), several ``times``."""
        found = _TOKEN(self.get(page or path).text)
        assert found is not None, f"{page or path} has no form"
        data = {**(values or {}), "csrf_token": unescape(found[1])}
        for _ in range(times - 1):
            self.client.post(path, data=data, headers=headers)
        return self.client.post(path, data=data, headers=headers)

    def sign_in(self, token: str) -> None:
        """Sign in as the owner of ``token``."""
        response = self.send("/sign-in", {"token": token})
        assert response.status_code == 303, response.text


class _Form(HTMLParser):
    """The values of a page's fields."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, list[str]] = {}
        self._select = ""
        self._area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        name, value = found.get("name") or "", found.get("value") or ""
        if tag == "select":
            self._select = name
        elif tag == "textarea":
            self._area = name
            self.values[name] = [""]
        elif tag == "option" and "selected" in found:
            self.values[self._select] = [value]
        elif tag == "input" and (found.get("type") != "checkbox" or "checked" in found):
            self.values.setdefault(name, []).append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            # A browser leaves out the first line feed.
            self.values[self._area] = [data.removeprefix("\n")]


def sent_back(html: str) -> dict[str, list[str]]:
    """The values of the form of a page, as a browser sends them if nobody has changed one."""
    form = _Form()
    form.feed(html)
    return {name: value for name, value in form.values.items() if name not in ("", "csrf_token")}
