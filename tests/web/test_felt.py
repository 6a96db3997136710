"""The felt in a real browser: nothing lies over anything else, and it says what a player has to know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.replays.moves import OPEN, read_moves
from tests.replays.games import played
from tests.waiting import PATIENCE
from tests.web.conftest import OpenPage
from tests.web.overlaps import overlaps, overlaps_of_moves
from tests.web.site import Site

pytestmark = pytest.mark.system

SIZES = ((1366, 650), (390, 844), (360, 640))
NAMES = (
    "zeca",
    "sete-belo-com-nome-longo",
    "pica-fumo",
    "kroegtijger",
    "eva",
    "um-nome-muito-longo",
    "gil",
    "x",
)
MOST_MOVES = 100
TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "base": ("truco", {"max_hands": 8}),
    "paulista": ("truco", {"variant": "paulista", "max_hands": 8}),
    "paulista-2": ("truco", {"variant": "paulista", "seats": 2, "max_hands": 8}),
    "mineiro-2": ("truco", {"variant": "mineiro", "seats": 2, "max_hands": 8}),
    **{f"toepen-{seats}": ("toepen", {"seats": seats, "lives": 4}) for seats in range(2, 9)},
}
BY_DAY = ("paulista", "toepen-8")


@pytest.mark.parametrize(
    "name",
    [name if name in BY_DAY else pytest.param(name, marks=pytest.mark.nightly("pages")) for name in TABLES],
)
def test_nothing_lies_over_anything_else(name: str, open_page: OpenPage) -> None:
    kind, rules = TABLES[name]
    page = open_page(played(kind, rules, names=NAMES), reduced_motion="reduce")
    page.wait_for_selector("#felt .seat")
    findings = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        findings += [f"{width}: {found}" for found in overlaps_of_moves(page, MOST_MOVES)]
    assert findings == []


def test_an_overlap_is_found(open_page: OpenPage) -> None:
    """The check is worth something: two plates at one place, and one beyond the edge."""
    page = open_page(played("toepen", {"seats": 3}), reduced_motion="reduce")
    page.wait_for_selector("#felt .seat")
    assert overlaps(page) == []
    page.evaluate("""() => {
        const [first, second] = document.querySelectorAll("#felt .seat");
        const place = (seat, x, y) => {
            seat.style.left = `${x}%`;
            seat.style.top = `${y}%`;
        };
        place(first, 20, 27);
        place(second, 20, 27);
    }""")
    assert any(found.startswith("plate") and " and plate" in found for found in overlaps(page))
    page.evaluate("document.querySelector('#felt .seat').style.left = '99%'")
    assert any("beyond the edge" in found for found in overlaps(page))


def test_the_vira_the_order_and_the_tricks(open_page: OpenPage) -> None:
    """After each move they are those of the picture; cards of the seat at the bottom are marked."""
    record = played("truco", {"variant": "paulista", "max_hands": 4})
    page = open_page(record, reduced_motion="reduce")
    page.wait_for_selector("#felt .seat")
    marked = tricks = 0
    pictures = read_moves(record).pictures[OPEN]
    seen_at = page.evaluate("""() => {
        const slider = document.getElementById("position");
        const all = (selector, pick) => Array.from(document.querySelectorAll(selector), pick);
        const texts = (selector) => all(selector, (one) => one.textContent);
        const cards = (selector) => all(selector, (one) => one.dataset.card);
        return Array.from({ length: Number(slider.max) }, (_, at) => {
            slider.value = at + 1;
            slider.dispatchEvent(new Event("input"));
            return {
                pack: cards("#felt .pack .card"),
                words: texts("#felt .words").join(),
                titles: texts("#felt .at-0 .hand .title"),
                named: cards("#felt .at-0 .hand .named .card"),
                order: texts("#order li:not(.then)"),
                own: texts("#order .own"),
                tricks: texts("#felt .tricks .mark-of-trick .hear"),
                open: document.querySelectorAll("#felt .tricks .open").length,
            };
        });
    }""")
    for picture, seen in zip(pictures, seen_at, strict=True):
        turned = picture["turned"]
        if turned is None:
            assert seen["pack"] == []
            assert seen["order"] == []
            continue
        assert seen["pack"] == [turned["card"], ""]
        assert seen["words"].endswith(turned["text"])
        own = [card for card in picture["cards0"] if card in turned["titles"]]
        assert seen["named"] == own
        assert seen["titles"] == [turned["titles"][card] for card in own]
        assert len(seen["order"]) == 4 + len(picture["order"])
        ranks = {card if card in turned["titles"] else card[0] for card in picture["cards0"]}
        assert len(seen["own"]) == len(ranks)
        names = [
            "tied" if seat is None else ("ana", "bia", "caio", "davi")[seat] for seat in picture["tricks"]
        ]
        assert seen["tricks"] == names
        assert seen["open"] == 3 - len(names)
        marked += len(own)
        tricks += len(names)
    assert marked > 0
    assert tricks > 0


@pytest.mark.parametrize("variant", ["paulista", "mineiro"])
def test_two_seats_have_a_score_board(variant: str, open_page: OpenPage) -> None:
    record = played("truco", {"variant": variant, "seats": 2, "max_hands": 8})
    page = open_page(record, "#move-1", reduced_motion="reduce", viewport={"width": 390, "height": 844})
    page.wait_for_selector("#felt .seat")
    assert page.inner_text("#sides .goal") == "first to 12"
    assert page.locator("#sides .goal").is_visible()
    assert page.locator("#sides .side .name").all_inner_texts() == ["ana", "bia"]
    assert page.locator("#sides .pips").count() == 2
    assert page.locator("#felt .lives").count() == 0
    page.keyboard.press("End")
    score = read_moves(record).pictures[OPEN][-1]["score"]
    assert page.locator("#sides .figure").all_inner_texts() == [str(points) for points in score]
    assert [page.locator(f"#sides .full.side-{side}").count() for side in (0, 1)] == score


@pytest.fixture
def forced(browser: Any) -> Iterator[Any]:
    """A page in forced colours."""
    context = browser.new_context(forced_colors="active")
    context.set_default_timeout(PATIENCE * 1000)
    yield context.new_page()
    context.close()


@pytest.mark.nightly("pages")
def test_what_is_pressed_is_seen_in_forced_colours(forced: Any, full: Site) -> None:
    for path, pressed, other in (
        ("/play", ".segments [aria-current]", ".segments :not([aria-current])"),
        ("/play", ".chips [aria-current]", ".chips :not([aria-current])"),
        ("/leaderboards/truco", ".segments [aria-current]", ".segments :not([aria-current])"),
        (full.pages["replay-truco"], "[aria-pressed=true]", ".speeds [aria-pressed=false]"),
    ):
        forced.goto(full.url + path)
        fill = "one => getComputedStyle(one).backgroundColor"
        assert forced.locator(pressed).first.evaluate(fill) != forced.locator(other).first.evaluate(fill), (
            path
        )


@pytest.mark.nightly("pages")
def test_the_landmarks_of_the_reference_are_told_apart(forced: Any, full: Site) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    forced.goto(full.url + "/docs/api/games")
    found = [one["id"] for one in axe.run(forced).response["violations"]]
    assert "landmark-unique" not in found
