"""Every page in both themes and widths: no serious finding of axe-core, nothing wider than the screen."""

from __future__ import annotations

from typing import Any

import pytest

from tests.waiting import PATIENCE
from tests.web.playing import open_tables
from tests.web.site import Site

pytestmark = pytest.mark.system

BY_NIGHT = pytest.mark.nightly("pages")
WIDTHS = {"desktop": {"width": 1280, "height": 1000}, "phone": {"width": 390, "height": 844}}


@pytest.mark.parametrize(
    ("which", "width", "theme"),
    [
        *(
            pytest.param("full", width, theme, marks=BY_NIGHT)
            for width in WIDTHS
            for theme in ("light", "dark")
        ),
        pytest.param("empty", "desktop", "light", marks=BY_NIGHT),
        ("empty", "phone", "dark"),
    ],
)
def test_pages_have_no_serious_findings(
    which: str, width: str, theme: str, browser: Any, request: pytest.FixtureRequest
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    served: Site = request.getfixturevalue(which)
    # A bubble that is being faded in has less contrast.
    context = browser.new_context(viewport=WIDTHS[width], color_scheme=theme, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE * 1000)
    # A page that waits is shown anew after some seconds, in which a slow machine has not looked at it.
    context.route("**/reload.js*", lambda route: route.fulfill(content_type="text/javascript", body=""))
    findings, troubles, requests = [], [], []
    opener = context.new_page()
    tables = {} if which == "empty" else open_tables(opener, served.url, served.store)
    opener.close()
    for name, path in (served.pages | tables | served.own).items():
        page = context.new_page()
        page.on("pageerror", lambda error, name=name: troubles.append(f"{name}: {error}"))
        page.on("request", lambda sent: requests.append(sent.url))
        if name in served.own:
            served.sign_in(page)
        page.goto(served.url + path)
        if name.startswith(("live", "replay", "table-t")):
            page.wait_for_selector("#felt .seat")
        findings += serious(axe, page, name)
        if page.evaluate("document.documentElement.scrollWidth") > WIDTHS[width]["width"]:
            findings.append(f"{name}: scrolls sideways")
        if name in ("home", "replay-truco"):
            page.keyboard.press("?")
            page.wait_for_selector("dialog[open]")
            findings += serious(axe, page, f"{name}, keys")
        page.close()
    context.close()
    assert findings == []
    assert troubles == []
    assert all(url.startswith(served.url + "/") for url in requests)


@pytest.mark.nightly("pages")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_kind_of_bubble_can_be_read(theme: str, browser: Any, full: Site) -> None:
    """Which of them a table shows depends on its deal."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context(viewport=WIDTHS["desktop"], color_scheme=theme, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    page.goto(full.url + full.pages["replay-truco"])
    page.wait_for_selector("#felt .seat")
    for kind in ("call", "call past", "question", "answer", "answer past"):
        page.evaluate(
            """kind => {
                document.querySelectorAll(".bubble").forEach((bubble) => bubble.remove());
                for (const plate of document.querySelectorAll("#felt .seat .plate")) {
                    const bubble = document.createElement("span");
                    bubble.className = `bubble above phone-above ${kind}`;
                    bubble.textContent = "Truco!";
                    plate.append(bubble);
                }
            }""",
            kind,
        )
        assert serious(axe, page, kind) == []
    context.close()


def serious(axe: Any, page: Any, name: str) -> list[str]:
    """What axe-core finds on the page, as it is now."""
    return [
        f"{name}: {found['id']} at {[node['target'] for node in found['nodes']][:3]}"
        for found in axe.run(page).response["violations"]
        if found["impact"] in ("serious", "critical")
    ]


@pytest.mark.nightly("pages")
@pytest.mark.parametrize(
    ("name", "query", "shown", "least"),
    [
        ("board-truco", "", "table.ratings tbody tr", 6),
        ("round_robin-truco", "", "[data-key=standings] tbody tr", 6),
        ("round_robin-truco", "?tab=crosstable", ".crosstable td", 30),
        ("swiss-toepen", "", ".pairings li", 3),
        ("knockout-truco", "", ".bracket rect", 5),
        ("replay-truco", "", "#list li", 20),
    ],
)
def test_pages_can_be_read_without_scripts(
    name: str, query: str, shown: str, least: int, browser: Any, full: Site
) -> None:
    context = browser.new_context(viewport=WIDTHS["desktop"], java_script_enabled=False)
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    page.goto(full.url + full.pages[name] + query)
    parts = page.locator(shown)
    assert parts.count() >= least
    assert all(parts.nth(number).is_visible() for number in range(least))
    context.close()
