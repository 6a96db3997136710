"""The manual: every page of ``docs``, its links, its rules; strict about what it loads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from markupsafe import Markup

from api.http.errors import ERRORS
from api.openapi import METHODS
from api.pages.manual import NAMES, read_page
from api.pages.markdown import render_markdown
from tests.api.contract import ContractClient
from tests.api.test_web_pages import BROWSER, Page

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"


class ManualPage(Page):
    """A page of the manual, and the ids in it."""

    def __init__(self, html: str) -> None:
        self.ids: Counter[str] = Counter()
        super().__init__(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        self.ids.update(value for name, value in attrs if name == "id" and value)


def read(client: ContractClient, path: str) -> ManualPage:
    response = client.get(path, headers=BROWSER)
    assert response.status_code == 200, path
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    page = ManualPage(response.text)
    assert page.tags.count("h1") == 1
    assert page.title.endswith("– Botequim")
    assert "style=" not in page.html
    assert not {"style", "iframe"} & set(page.tags)
    assert [name for name, count in page.ids.items() if count > 1] == []
    return page


def rendered(text: str, name: str = "page") -> Markup:
    return render_markdown(text, name, {"other.md": "/docs/other"}.get).html


def test_every_page_is_in_the_navigation_once() -> None:
    there = sorted(path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md"))
    assert sorted(NAMES) == there


def test_links_of_the_manual_lead_somewhere(anybody: ContractClient) -> None:
    pages = {
        path: read(anybody, path) for path in ("/docs", "/docs/api", *(f"/docs/{name}" for name in NAMES))
    }
    tags = [link for link in pages["/docs/api"].links if link.startswith("/docs/api/") and "#" not in link]
    pages |= {path: read(anybody, path) for path in tags}
    found = set()
    for path, page in pages.items():
        for link in page.links:
            if not urlsplit(link).netloc:
                found.add(urldefrag(urljoin(path, link)))
    for address, fragment in found:
        if address in pages:
            assert not fragment or unquote(fragment) in pages[address].ids, (address, fragment)
        else:
            assert anybody.get(address, headers=BROWSER).status_code == 200, address
    assert {f"/docs/{name}" for name in NAMES} <= {address for address, _ in found}
    assert ("/docs/turns", "rights-that-are-not-turns") in found
    assert ("/docs/record-v1.schema.json", "") in found


def test_nothing_is_loaded_from_elsewhere(anybody: ContractClient) -> None:
    page = read(anybody, "/docs/operating")
    assert page.tags.count("script") == page.html.count('<script type="module" src="/static/')
    assert {"img", "object", "video"}.isdisjoint(page.tags)
    for address in (link for link in page.links if link.startswith("/static/")):
        assert anybody.get(address).status_code == 200


def test_a_page_that_is_not_there(anybody: ContractClient) -> None:
    for name in ("nothing", "turns.md", "../README", "rules", "rules/", "turns/", "%2e%2e/README"):
        assert anybody.get(f"/docs/{name}", headers=BROWSER).status_code in (404, 308)


def test_the_current_page_is_marked(anybody: ContractClient) -> None:
    page = read(anybody, "/docs/turns")
    assert page.html.count('<a href="/docs/turns" aria-current="page">Turns</a>') == 2
    assert page.headings.count("On this page") == 1


def test_every_rule_is_a_target(anybody: ContractClient) -> None:
    for name, prefix in (
        ("rules/brazilian-truco", "BT"),
        ("rules/truco-variants", "TV"),
        ("rules/toepen", "TP"),
    ):
        text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        numbers = [line.split("**")[1] for line in text.splitlines() if line.startswith(f"- **{prefix}-")]
        page = read(anybody, f"/docs/{name}")
        assert [number for number in page.ids if number.startswith(prefix)] == numbers
        with_source = [
            line for line in text.splitlines() if line.startswith(f"- **{prefix}-") and "** (" in line
        ]
        assert page.html.count('class="source"') == len(with_source)


def test_every_error_code_is_a_target(anybody: ContractClient) -> None:
    page = read(anybody, "/docs/errors")
    assert ERRORS.keys() <= page.ids.keys()
    assert "Error codes" in page.html


def test_the_schema_of_records(anybody: ContractClient) -> None:
    response = anybody.get("/docs/record-v1.schema.json")
    assert response.mimetype == "application/schema+json"
    assert response.get_json(force=True)["$schema"].startswith("http://json-schema.org/draft-07")


def test_a_page_is_rendered_once(anybody: ContractClient) -> None:
    read(anybody, "/docs/operating")
    before = read_page.cache_info()
    read(anybody, "/docs/operating")
    after = read_page.cache_info()
    assert after.hits > before.hits
    assert after.misses == before.misses


# The API reference


@pytest.mark.costly(6, "reads every page of the reference")
def test_the_reference_has_every_operation(anybody: ContractClient) -> None:
    index = read(anybody, "/docs/api")
    spec = anybody.get("/openapi.json").json
    pages = {}
    for path, item in spec["paths"].items():
        for method in METHODS:
            if method in item:
                address = f"/docs/api/{item[method]['tags'][0]}"
                if address not in pages:
                    pages[address] = read(anybody, address)
                page = pages[address]
                own = item[method]["operationId"]
                assert own in page.ids
                assert f"<b>{method.upper()}</b> <code>{path}</code>" in page.html
                assert f"{address}#{own}" in index.links
    for name in spec["components"]["schemas"]:
        (home,) = [path for path, page in pages.items() if f"schema-{name}" in page.ids]
        assert f"{home}#schema-{name}" in index.links
    for page in (index, *pages.values()):
        assert len(page.captions) == len(page.tables)
        assert page.html.count('<a href="/docs/api" aria-current="page">API reference</a>') == 2
        assert len(page.html) < 200_000
    assert anybody.get("/docs/api/nothing").status_code == 404


def test_anchors_from_when_the_reference_was_one_page(anybody: ContractClient) -> None:
    index = read(anybody, "/docs/api")
    spec = anybody.get("/openapi.json").json
    known = {f"schema-{name}" for name in spec["components"]["schemas"]} | {"schemas"}
    for item in spec["paths"].values():
        for method in METHODS:
            if method in item:
                known |= {item[method]["operationId"], f"tag-{item[method]['tags'][0]}"}
    assert known <= index.ids.keys()


def test_an_operation_of_the_reference(anybody: ContractClient) -> None:
    html = read(anybody, "/docs/api/bots").html.partition('id="registerBot"')[2].partition("</section>")[0]
    assert "<code>/v1/bots</code>" in html
    assert "Token: owner." in html
    assert '<td><code>name</code> <span class="note">required</span></td>' in html
    assert '<a href="#schema-BotWithToken">BotWithToken</a>' in html
    assert '<a href="/docs/errors#name_taken"><code>name_taken</code></a>' in html
    assert "<summary>Example, <code>application/json</code></summary>" in html
    assert "&#34;name&#34;: &#34;valete-bot&#34;" in html


# The search


def test_every_page_has_the_search(anybody: ContractClient) -> None:
    for path in ("/docs", "/docs/turns", "/docs/api", "/docs/search"):
        page = read(anybody, path)
        assert page.html.count('action="/docs/search" role="search"') == 2
        assert "method=" not in page.html


def test_search_finds_headings_first(anybody: ContractClient) -> None:
    page = read(anybody, "/docs/search?q=RIGHTS+turns")
    links = [link for link in page.links if "#" in link and link != "#main"]
    assert links[0] == "/docs/turns#rights-that-are-not-turns"
    assert "<mark>" in page.html


def test_search_finds_rules_errors_and_operations(anybody: ContractClient) -> None:
    for query, address in (
        ("BT-4.7", "/docs/rules/brazilian-truco#4-truco"),
        ("TV-3.3", "/docs/rules/truco-variants#3-the-cards"),
        ("name_taken", "/docs/errors"),
        ("/v1/presence", "/docs/api/turns#endPresence"),
    ):
        assert address in read(anybody, f"/docs/search?q={query}").links, query


@pytest.mark.parametrize("query", ["", "%20", "zzzz", "turns+zzzz", "%ff%00", "((((", "a" * 5000])
def test_search_that_finds_nothing(anybody: ContractClient, query: str) -> None:
    assert "<mark>" not in read(anybody, f"/docs/search?q={query}").html


def test_search_escapes_the_question(anybody: ContractClient) -> None:
    page = read(anybody, "/docs/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
    assert page.tags.count("script") == page.html.count('<script type="module" src="/static/')
    assert "&lt;script&gt;alert(1)" in page.html


def test_search_shows_the_first_results(anybody: ContractClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.pages.search.MOST", 3)
    page = read(anybody, "/docs/search?q=bot")
    assert "these are the first 3." in page.html
    assert page.html.count("<p>") == 3 + 1


def test_excerpts_of_pages_are_escaped() -> None:
    page = render_markdown("# A\n\nText `<b>` of it.", "page", {}.get)
    assert page.sections[0].text == "Text <b> of it."


# Markdown


def test_html_is_text_except_anchors() -> None:
    html = rendered(
        '# T\n\n<script>alert(1)</script> <a id="x"></a>\n\n<a id="y" onclick="z"></a> [a](javascript:b)'
    )
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert '<a id="x"></a>' in html
    assert '<a id="y"' not in html
    assert 'href="javascript' not in html


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("[a](other.md)", '<a href="/docs/other">a</a>'),
        ("[a](other.md#b)", '<a href="/docs/other#b">a</a>'),
        ("[a](#b)", '<a href="#b">a</a>'),
        ("[a](../arena/x.py)", "a"),
        ("[`a`](none.md)", "<code>a</code>"),
        ("[a](https://example.org/x.md)", '<a href="https://example.org/x.md">a</a>'),
        ("BT-4.7.", '<a href="/docs/rules/brazilian-truco#BT-4.7">BT-4.7</a>.'),
        ("TV-3.3,", '<a href="/docs/rules/truco-variants#TV-3.3">TV-3.3</a>,'),
        ("`TP-1.1`", '<a href="/docs/rules/toepen#TP-1.1"><code>TP-1.1</code></a>'),
        ("`see TP-1.1`", "<code>see TP-1.1</code>"),
        ("[TP-1.1](other.md)", '<a href="/docs/other">TP-1.1</a>'),
    ],
)
def test_links(link: str, shown: str) -> None:
    assert rendered(link) == f"<p>{shown}</p>\n"


def test_links_in_a_folder() -> None:
    assert 'href="/docs/other"' in rendered("[a](../other.md)", "rules/page")


def test_headings_have_the_ids_of_github() -> None:
    page = render_markdown(
        "# A, b & `c_d`\n\nText.\n\n## In Python\n\n## In Python\n\nMore *text*.", "page", {}.get
    )
    assert [(one.level, one.id, one.text) for one in page.sections] == [
        (1, "a-b--c_d", "Text."),
        (2, "in-python", ""),
        (2, "in-python-1", "More text."),
    ]


def test_columns_are_aligned_without_inline_styles() -> None:
    html = rendered("| a | b |\n|---|--:|\n| 1 | 2 |\n")
    assert "style=" not in html
    assert '<td class="right">2</td>' in html
