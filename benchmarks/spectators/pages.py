"""What a browser loads for each page when it has nothing yet, compressed."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from typing import Final, NamedTuple
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, build_opener

_LEVEL: Final = 6
_TOKEN: Final = re.compile(r'name="csrf_token" value="([^"]+)"')
_IMPORTS: Final = re.compile(rb"""url\(["']?([^"')]+)|^import[^"']*["']([^"']+)""", re.MULTILINE)


class Loaded(NamedTuple):
    """A page with all that it loads: bytes as sent, and as gzip makes them."""

    resources: int
    plain: int
    compressed: int


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag in ("script", "img", "iframe") and named.get("src"):
            self.found.append(named["src"] or "")
        elif tag == "link" and (named.get("rel") or "") in ("stylesheet", "icon", "modulepreload"):
            self.found.append(named.get("href") or "")


class PageVisitor:
    """A visitor with cookies."""

    def __init__(self) -> None:
        self._opener = build_opener(HTTPCookieProcessor())

    def body(self, address: str) -> bytes:
        """What is at an address."""
        with self._opener.open(address, timeout=60) as response:
            body: bytes = response.read()
            return body

    def sit_down(self, root: str, kind: str) -> str:
        """Open a table with house bots, and return its path."""
        (token, *_) = _TOKEN.findall(self.body(f"{root}/play").decode())
        sent = urlencode({"csrf_token": token, "game": kind}).encode()
        with self._opener.open(f"{root}/play", sent, timeout=60) as response:
            address: str = response.url
            return urlsplit(address).path


def first_load(address: str, known: dict[str, bytes], body: Callable[[str], bytes]) -> Loaded:
    """Load a page and its resources by ``body``. ``known``: resources that other pages have loaded, by
    address.
    """
    page = body(address)
    links = _Links()
    links.feed(page.decode())
    bodies = {address: page}
    left = [urljoin(address, link) for link in links.found]
    while left:
        resource = left.pop()
        if resource in bodies or resource.startswith("data:"):
            continue
        if resource not in known:
            known[resource] = body(resource)
        bodies[resource] = known[resource]
        if resource.partition("?")[0].endswith((".css", ".js")):
            for one, other in _IMPORTS.findall(known[resource]):
                link = (one or other).decode()
                if not link.startswith("#"):
                    left.append(urljoin(resource, link))
    return Loaded(
        len(bodies),
        sum(map(len, bodies.values())),
        sum(len(gzip.compress(one, _LEVEL)) for one in bodies.values()),
    )


def first_loads(root: str, pages: Mapping[str, str], body: Callable[[str], bytes]) -> dict[str, Loaded]:
    """The same of many pages: addresses by name."""
    known: dict[str, bytes] = {}
    return {name: first_load(root + path, known, body) for name, path in pages.items()}
