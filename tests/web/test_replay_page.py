"""Replay pages in a real browser: stepping, links, keys, the check of the deals; and without a script."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.records.record import Record
from arena.replays.moves import OPEN, ReplayedGame, read_moves
from arena.replays.page import static
from tests.blocks import ROOT
from tests.replays.games import forged, played
from tests.web.conftest import OpenPage, address

pytestmark = pytest.mark.system

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def truco() -> Record:
    """A game of several hands."""
    records = (played("truco", {"cut": "none"}, number) for number in range(1, 20))
    return next(record for record in records if read_moves(record).moves[-1].hand >= 3)


@pytest.fixture(scope="module")
def game(truco: Record) -> ReplayedGame:
    return read_moves(truco)


def current(page: Any) -> int:
    """The number of the move that is shown, by the list of moves."""
    links = page.locator("#list a[aria-current=step]")
    assert links.count() == 1
    return int(links.get_attribute("href").removeprefix("#move-"))


def lying(page: Any) -> list[list[Any]]:
    cards: list[list[Any]] = page.eval_on_selector_all(
        "#felt .lying[data-card]", "all => all.map(card => [Number(card.dataset.seat), card.dataset.card])"
    )
    return cards


def hand(page: Any, seat: int) -> list[str]:
    cards: list[str] = page.eval_on_selector_all(
        f"#felt .seat[data-seat='{seat}'] .card", "all => all.map(card => card.dataset.card)"
    )
    return cards


def expect_picture(page: Any, picture: dict[str, Any]) -> None:
    assert sorted(lying(page)) == sorted([seat, card] for seat, card, _ in picture["lying"])
    for seat in range(4):
        assert hand(page, seat) == picture[f"cards{seat}"]
    assert page.inner_text("#stake .figure") == str(picture["stake"])
    assert [page.inner_text(f".side-{side} .figure") for side in (0, 1)] == [
        str(points) for points in picture["score"]
    ]
    assert page.locator("#felt .plate.acts").count() == len(picture["awaiting"])


def test_every_move_shows_its_picture(truco: Record, game: ReplayedGame, open_page: OpenPage) -> None:
    page = open_page(truco)
    for number, picture in enumerate(game.pictures[OPEN], start=1):
        assert current(page) == number
        expect_picture(page, picture)
        page.click("#on")
    assert current(page) == len(game.moves), "there is no move after the last"


def test_buttons(truco: Record, game: ReplayedGame, open_page: OpenPage) -> None:
    page = open_page(truco)
    hands = [move.hand for move in game.moves]
    steps = [
        ("#last", len(hands)),
        ("#on", len(hands)),
        ("#back", len(hands) - 1),
        ("#first", 1),
        ("#back", 1),
        ("#on", 2),
        ("#hand-on", hands.index(2) + 1),
        ("#on", hands.index(2) + 2),
        ("#hand-back", hands.index(2) + 1),
        ("#hand-back", 1),
    ]
    for button, move in steps:
        page.click(button)
        assert current(page) == move, button
        assert address(page).endswith(f"#move-{move}")
        assert page.input_value("#position") == str(move)


@pytest.mark.nightly("pages")
def test_links_lead_to_moves(truco: Record, game: ReplayedGame, open_page: OpenPage) -> None:
    assert game.moves[10].hand == game.moves[11].hand
    page = open_page(truco, "#move-12")
    assert current(page) == 12
    expect_picture(page, game.pictures[OPEN][11])
    assert page.evaluate("scrollY") == 0
    page.click("a[href='#move-11']")
    assert current(page) == 11
    assert address(page).endswith("#move-11")
    page.evaluate("location.hash = '#move-15'")
    page.wait_for_selector("a[href='#move-15'][aria-current]")
    assert current(open_page(truco, "#move-99999")) == len(game.moves)
    assert current(open_page(truco, "#moving")) == 1


@pytest.mark.nightly("pages")
def test_keys(truco: Record, game: ReplayedGame, open_page: OpenPage) -> None:
    page = open_page(truco)
    hands = [move.hand for move in game.moves]
    for key, move in (
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", len(hands)),
        ("Home", 1),
        ("ArrowDown", hands.index(2) + 1),
        ("ArrowUp", 1),
    ):
        page.keyboard.press(key)
        assert current(page) == move, key
    page.keyboard.press("Shift+ArrowRight")
    first_card = next(at for at, now in enumerate(game.pictures[OPEN], start=1) if now["lying"])
    assert current(page) == first_card
    page.focus("#on")
    page.keyboard.press("Enter")
    assert current(page) == first_card + 1
    page.focus("#position")
    page.keyboard.press("ArrowRight")
    assert current(page) == first_card + 2, "the slider moves once, not twice"
    outline = page.eval_on_selector("#position", "slider => getComputedStyle(slider).outlineStyle")
    assert outline != "none"


def test_playing(truco: Record, open_page: OpenPage) -> None:
    page = open_page(truco, before=lambda page: page.clock.install(time="2026-01-01T10:00:00"))
    # Otherwise, the time that the test takes would pass, too.
    page.clock.pause_at("2026-01-01T11:00:00")
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-label") == "Stop"
    page.clock.run_for(950)
    assert current(page) == 2
    assert address(page).endswith(".html"), "the address stays until playing stops"
    page.keyboard.press("Space")
    assert address(page).endswith("#move-2")
    page.clock.run_for(5000)
    assert current(page) == 2
    page.click("#speeds button[value='4']")
    page.click("#play")
    page.clock.run_for(10 * 60 * 1000)
    assert current(page) == page.locator("#list li").count()
    assert page.get_attribute("#play", "aria-label") == "Play"


@pytest.mark.nightly("pages")
def test_one_seats_view(open_page: OpenPage) -> None:
    record = played("toepen", {"seats": 4})
    replayed = read_moves(record)
    page = open_page(record)
    page.select_option("#view", "2")
    assert hand(page, 2) == replayed.pictures[2][0]["cards2"]
    assert hand(page, 0) == [""] * 4
    assert page.locator("#felt .seat.at-0").get_attribute("data-seat") == "2"
    secret = page.locator("#list .secret.by-0 .pip").first
    assert not secret.is_visible()
    assert page.locator("#list .secret.by-2 .pip").first.is_visible()
    page.select_option("#view", "")
    assert secret.is_visible()
    assert "" not in hand(page, 0)


def test_what_screen_readers_get(truco: Record, game: ReplayedGame, open_page: OpenPage) -> None:
    escopeta = next(
        (at, seat)
        for at, now in enumerate(game.pictures[OPEN], start=1)
        for seat in range(4)
        if "7H" in now[f"cards{seat}"]
    )
    page = open_page(truco, f"#move-{escopeta[0]}")
    page.get_by_role("img", name="seven of hearts, escopeta").wait_for()
    group = page.locator(f".seat[data-seat='{escopeta[1]}']")
    assert game.names[escopeta[1]] in group.get_attribute("aria-label")
    call = next(number for number, move in enumerate(game.moves, start=1) if move.is_call)
    page.evaluate(f"location.hash = '#move-{call}'")
    page.wait_for_selector(f"a[href='#move-{call}'][aria-current]")
    assert page.text_content("#spoken").strip() == game.moves[call - 1].lines[0].text
    for role, name in (("region", "Table"), ("navigation", "Moves"), ("main", None), ("banner", None)):
        assert page.get_by_role(role, name=name).count() == 1 if name else page.get_by_role(role).count()


@pytest.mark.parametrize(("kind", "rules"), [("truco", {}), ("toepen", {"seats": 5})])
def test_a_true_deal_is_verified(kind: str, rules: dict[str, Any], open_page: OpenPage) -> None:
    page = open_page(played(kind, rules))
    page.click("#verify")
    page.wait_for_selector("#check[data-state=fits]")
    assert page.inner_text("#check-title") == "This deal is verified"
    assert page.locator("#results .good").count() == 3
    assert page.locator("#results .bad").count() == 0


def test_a_forged_deal_does_not_match(truco: Record, open_page: OpenPage) -> None:
    page = open_page(forged(truco))
    page.click("#verify")
    page.wait_for_selector("#check[data-state=differs]")
    assert page.inner_text("#check-title") == "This deal does not match"
    assert "botequim verify game.json" in page.inner_text("#check-text")
    assert page.locator("#results .good").count() == 2, "the commitment was forged too"
    assert "the pack of hand 1 should be" in page.inner_text("#results .bad")


def test_a_seed_that_was_not_committed_to_does_not_match(truco: Record, open_page: OpenPage) -> None:
    record = json.loads(json.dumps(truco))
    record["canonical"]["commitment"] = "00" * 32
    page = open_page(record)
    page.click("#verify")
    page.wait_for_selector("#check[data-state=differs]")
    assert "committed" in page.inner_text("#results .bad")
    assert page.locator("#results .bad").count() == 1


def test_without_webcrypto_the_command_is_named(truco: Record, open_page: OpenPage) -> None:
    hide = "Object.defineProperty(globalThis, 'crypto', {value: {}})"
    page = open_page(truco, before=lambda page: page.add_init_script(hide))
    assert not page.is_visible("#verify")
    assert "botequim verify game.json" in page.inner_text("#check-text")


def test_the_check_computes_the_vectors_of_the_page(truco: Record, open_page: OpenPage) -> None:
    text = (ROOT / "docs/fair-deals.md").read_text(encoding="utf-8")
    vectors = json.loads(text.partition("```json\n")[2].partition("```")[0])["chance"]
    page = open_page(truco)
    call = "chance(call.seed, call.nonces, call.kind, call.hand, call.items.split(' '))"
    computed = page.evaluate(
        f"async (calls) => {{ {static('deals.js')}; return Promise.all(calls.map((call) => {call})); }}",
        vectors,
    )
    assert computed == [vector["action"] for vector in vectors]


def test_without_a_script_the_moves_are_there(truco: Record, game: ReplayedGame, open_page: OpenPage) -> None:
    page = open_page(truco, java_script_enabled=False, viewport=PHONE)
    items = page.locator("#list li")
    assert items.count() == len(game.moves)
    assert items.nth(5).is_visible()
    assert items.last.is_visible()
    assert not page.is_visible("#board")
    assert not page.is_visible("#verify")
    assert page.get_by_text("needs JavaScript").is_visible()


@pytest.mark.nightly("pages")
@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("width", [390, 820, 1280])
def test_nothing_is_cut_off(seats: int, width: int, open_page: OpenPage) -> None:
    """The page is as wide as the window, and all cards and bubbles are on the felt."""
    record = played("truco", {}) if seats == 2 else played("toepen", {"seats": seats})
    page = open_page(record, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    found = page.evaluate(
        """(moves) => {
            const overlap = (a, b) => a.left < b.right - 2 && b.left < a.right - 2
                && a.top < b.bottom - 2 && b.top < a.bottom - 2;
            const within = (a, b) => a.left > b.left - 1 && a.right < b.right + 1
                && a.top > b.top - 1 && a.bottom < b.bottom + 1;
            const all = (parts) => [...document.querySelectorAll(parts)]
                .map((part) => [part, part.getBoundingClientRect()]);
            const found = [];
            for (let move = 1; move <= moves; move++) {
                const felt = document.getElementById("felt").getBoundingClientRect();
                const say = (part) => `move ${move}: ${part.getAttribute("class")} ${part.textContent}`;
                for (const [part, box] of all("#felt .card, #felt .bubble, #felt .plate")) {
                    if (!within(box, felt)) found.push(say(part));
                }
                for (const [bubble, box] of all("#felt .bubble")) {
                    for (const [card, under] of all("#felt .lying, #felt .hand .card")) {
                        if (overlap(under, box)) found.push(`${say(bubble)} covers ${say(card)}`);
                    }
                }
                document.getElementById("on").click();
            }
            return found;
        }""",
        page.locator("#list li").count(),
    )
    assert found == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
