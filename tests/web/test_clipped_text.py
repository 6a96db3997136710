"""Every page at the widths of screens and phones: no text is cut off, and leaderboards name their bots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.waiting import PATIENCE
from tests.web.clipping import clipped
from tests.web.playing import open_tables
from tests.web.site import Site

pytestmark = pytest.mark.system

SIZES = ((1440, 900), (1366, 650), (1024, 768), (820, 1180), (761, 900), (390, 844), (360, 640))
LONG = "a-text-of-thirty-two-characters-"
LEAST_CHARACTERS = 9
"""Of the name of a bot."""


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    opened = browser.new_context(reduced_motion="reduce")
    opened.set_default_timeout(PATIENCE * 1000)
    yield opened
    opened.close()


@pytest.mark.nightly("pages")
@pytest.mark.parametrize("which", ["full", "empty"])
def test_no_text_is_cut_off(which: str, context: Any, request: pytest.FixtureRequest) -> None:
    served: Site = request.getfixturevalue(which)
    opener = context.new_page()
    tables = {} if which == "empty" else open_tables(opener, served.url, served.store)
    opener.close()
    findings = []
    for name, path in (served.pages | tables | served.own).items():
        page = context.new_page()
        if name in served.own:
            served.sign_in(page)
        page.goto(served.url + path)
        if name.startswith(("live", "replay", "table-t")):
            page.wait_for_selector("#felt .seat")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            findings += [f"{name} at {width}: {found}" for found in clipped(page)]
        page.close()
    assert "\n".join(findings) == ""


_NAMES = """() => Array.from(document.querySelectorAll("table.ratings.full tbody tr"), (row) => {
    const cell = row.querySelector(".bot");
    const ruler = cell.appendChild(document.createElement("span"));
    ruler.textContent = "0".repeat(100);
    const character = ruler.getBoundingClientRect().width / 100;
    ruler.remove();
    const style = getComputedStyle(cell);
    const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    const seen = Array.from(row.children).filter((one) => one.offsetWidth);
    const lefts = seen.map((one) => one.getBoundingClientRect().left);
    const right = (part) => row.querySelector(part).getBoundingClientRect().right;
    return {
        order: Array.from(row.children, (one) => one.classList.item(one.classList.contains("text") ? 1 : 0)),
        characters: (cell.clientWidth - padding) / character,
        areFirst: lefts.indexOf(Math.min(...lefts)) === 0 && lefts[0] < lefts[1],
        rights: [".rank", ".bot", ".rating", ".bars", "[data-label=games]"].map(right),
    };
})"""


@pytest.mark.nightly("pages")
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_leaderboards_name_their_bots(width: int, height: int, context: Any, full: Site) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": height})
    rows = 0
    for name, path in full.pages.items():
        if not name.startswith("board"):
            continue
        page.goto(full.url + path)
        for row in page.evaluate(_NAMES):
            rows += 1
            assert row["order"][:2] == ["rank", "bot"]
            assert row["areFirst"], (name, row)
            assert row["characters"] >= LEAST_CHARACTERS, (name, row)
            # Rank, name, rating, interval and games are there without scrolling sideways.
            assert max(row["rights"]) <= width, (name, row)
    assert rows >= 30


@pytest.mark.nightly("pages")
def test_more_columns_stay_when_the_table_is_followed(context: Any, full: Site) -> None:
    page = context.new_page()
    page.clock.install()
    page.goto(f"{full.url}/leaderboards/truco")
    assert page.locator("th:has-text('Nash')").count() == 0
    page.click("text=More columns")
    page.wait_for_selector("text=Fewer columns")
    assert page.locator("th:text-is('Nash')").is_visible()
    assert page.locator("th:text-is('less luck')").is_visible()
    with page.expect_response("**/leaderboards/truco*"):
        page.clock.run_for(16_000)
    assert page.locator("th:text-is('Nash')").is_visible()
    page.click("text=Owners' bots")
    page.click("text=All bots")
    page.wait_for_selector("th:text-is('Nash')")
    page.click("text=Fewer columns")
    page.wait_for_selector("text=More columns")
    assert page.locator("th:text-is('Nash')").count() == 0


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (f"<p class='narrow'>{LONG}</p>", 1),
        (f"<p class='narrow dots'>{LONG}</p>", 1),
        (f"<p class='narrow dots' title='{LONG}'>{LONG}</p>", 1),
        (f"<p class='narrow dots wider' title='{LONG}'>{LONG}</p>", 0),
        (f"<p class='narrow dots wider' title='another'>{LONG}</p>", 1),
        (f"<p class='narrow dots wider'>{LONG}</p>", 1),
        (f"<div class='narrow'><p>{LONG}</p></div>", 1),
        (f"<div class='clip'><p>{LONG}</p></div>", 1),
        (f"<div class='low'><p>{LONG}</p></div>", 1),
        (f"<table><tr><th class='none'>{LONG}</th><td>1</td></tr></table>", 1),
        (f"<p class='no-size'>{LONG}</p>", 1),
        (f"<div class='narrow scrolled'>{LONG}</div>", 0),
        (f"<div class='narrow'><p class='beside'>{LONG}</p></div>", 0),
        (f"<p class='ears'>{LONG}</p>", 0),
        (f"<p hidden>{LONG}</p><details><summary>More</summary><p class='narrow'>{LONG}</p></details>", 0),
        ("<p class='narrow'>short</p>", 0),
        (f"<select class='wider'><option>{LONG}</option></select>", 0),
        (f"<select class='narrow'><option>{LONG}</option></select>", 1),
    ],
)
def test_the_check_finds_what_is_cut_off(html: str, found: int, context: Any) -> None:
    page = context.new_page()
    page.set_content(
        f"""<!doctype html><style>
        .narrow {{ width: 3rem; overflow: hidden; white-space: nowrap; }}
        .wider {{ width: 9rem; }}
        .dots {{ text-overflow: ellipsis; }}
        .clip {{ width: 3rem; overflow-x: clip; white-space: nowrap; }}
        .low {{ height: .25rem; overflow: hidden; }}
        .scrolled {{ overflow: auto; }}
        .beside {{ position: absolute; }}
        .no-size {{ font-size: 0; }}
        table {{ table-layout: fixed; width: 5rem; }}
        td {{ width: 5rem; }}
        .none {{ padding: 0; overflow: hidden; white-space: nowrap; }}
        .ears {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }}
        </style><body>{html}"""
    )
    assert len(clipped(page)) == found
