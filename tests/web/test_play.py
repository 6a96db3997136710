"""People play in a real browser: by clicks, by keys, without scripts, and two at one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from tests.api.server import Server
from tests.waiting import PATIENCE
from tests.web.playing import (
    click_something,
    invitation,
    is_over,
    open_table,
    play,
    prepare_replay,
    press_something,
    wait_for_another_turn,
)

pytestmark = pytest.mark.system

RULES = {
    "toepen": {"lives": "2"},
    "truco": {"max_hands": "2"},
    "truco&preset=paulista-2@1": {"max_hands": "3", "cut": "player"},
}
SEATS = {
    "toepen": {"seat1": "house:random", "seat2": "house:random"},
    "truco": {"seat1": "house:random", "seat2": "house:random", "seat3": "house:random"},
    "truco&preset=paulista-2@1": {"seat1": "house:random"},
}
WIDE = {"width": 1280, "height": 1000}


@pytest.fixture
def service(clean_store: EmbeddedStore) -> Iterator[Service]:
    """The workers' part of the service."""
    opened = open_service(Settings(clean_store.url), InlineJobs())
    yield opened
    opened.close()


@pytest.fixture
def visitor(browser: Any, server: Server) -> Iterator[Callable[..., Any]]:
    """A page of a new visitor; none may log an error or send a request to another host."""
    contexts: list[Any] = []
    troubles: list[str] = []
    requests: list[str] = []

    def opened(*, offline: bool = False, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **options})
        context.set_default_timeout(PATIENCE * 1000)
        contexts.append(context)
        page = context.new_page()
        if not offline:
            page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []
    assert all(url.startswith(server.url + "/") for url in requests)


def check_the_end(page: Any) -> str:
    """What the page says about the end, live and after it is loaded again; it goes on to nothing else."""
    page.wait_for_selector("#end:not([hidden])")
    words = page.inner_text("#end-words")
    assert re.match(r"You .*(won|lost|came)|You (won|lost|came)|A draw", words)
    for _ in range(2):
        page.wait_for_selector("#felt .seat")
        assert page.inner_text("#end-words") == words
        assert page.locator("#end button:text-is('Rematch')").is_visible()
        assert page.locator("text=See the replay").is_visible()
        assert page.locator("#share button").is_visible()
        assert re.match(r"\d+ hands?, (\d+ min )?\d+ s$", page.inner_text("#end-length"))
        assert not page.locator("text=Leave the table").first.is_visible()
        assert not page.locator("#ask").is_visible()
        assert "running" not in page.inner_text("main").lower()
        assert is_in_sight(page, "#end-words")
        assert is_in_sight(page, "#end button")
        page.reload()
    return words


def is_in_sight(page: Any, selector: str) -> bool:
    """Whether the middle of something is on the screen, and nothing lies over it."""
    found: bool = page.locator(selector).first.evaluate(
        """found => {
            const { left, right, top, bottom } = found.getBoundingClientRect();
            return found.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
        }"""
    )
    return found


@pytest.mark.parametrize(
    "kind",
    [kind if kind == "toepen" else pytest.param(kind, marks=pytest.mark.nightly("pages")) for kind in RULES],
)
def test_a_whole_game_by_clicks(
    kind: str, server: Server, service: Service, visitor: Callable[..., Any]
) -> None:
    page = visitor()
    game = open_table(page, server.url, kind, RULES[kind], SEATS[kind])
    assert play(service, game, [page], click_something) > 0
    page.click("text=See the replay")
    prepare_replay(service, game)
    page.wait_for_selector("#list a[aria-current=step]")
    page.click("text=What would shark have done?")
    page.wait_for_selector("text=is looking at your decisions")
    service.reviews.make(game, 0)
    page.wait_for_selector("text=would have done the same at")
    assert page.locator("#list .remark").count() > 0


@pytest.mark.nightly("pages")
@pytest.mark.parametrize("kind", RULES)
def test_a_whole_game_by_keys(
    kind: str, server: Server, service: Service, visitor: Callable[..., Any]
) -> None:
    page = visitor()
    game = open_table(page, server.url, kind, RULES[kind], SEATS[kind])
    assert play(service, game, [page], press_something) > 0
    check_the_end(page)


@pytest.mark.nightly("pages")
def test_a_game_with_motion_on_a_phone(server: Server, service: Service, visitor: Callable[..., Any]) -> None:
    page = visitor(viewport={"width": 390, "height": 844}, reduced_motion="no-preference", has_touch=True)
    seats = {"seat1": "house:random"}
    game = open_table(page, server.url, "toepen", {"lives": "1"}, seats)
    assert play(service, game, [page], click_something) > 0
    check_the_end(page)


@pytest.mark.nightly("pages")
def test_keys_that_are_switched_off(server: Server, service: Service, visitor: Callable[..., Any]) -> None:
    page = visitor()
    game = open_table(page, server.url, "truco", {"cut": "none"}, SEATS["truco"])
    service.live.move_house_bots(game)
    page.wait_for_selector("#ask.waits")
    page.keyboard.press("1")
    assert page.evaluate("document.activeElement.matches('.choice, .card-button')")
    page.click("#at-table > summary")
    page.uncheck("#keys")
    page.keyboard.press("2")
    assert page.evaluate("document.activeElement.id") == "keys"
    page.reload()
    assert not page.is_checked("#keys")


@pytest.mark.nightly("pages")
def test_truco_is_called_and_a_card_is_turned(
    server: Server, service: Service, visitor: Callable[..., Any]
) -> None:
    page = visitor()
    game = open_table(page, server.url, "truco", {"cut": "none", "max_burns": "0"}, SEATS["truco"])
    done: set[str] = set()

    def act(page: Any) -> None:
        log = b" ".join(service.live.store.log(game)).decode()
        if page.locator("#toggle").count() and '[0,"hide:' not in log:
            done.add("hide")
            if not page.is_checked("#toggle"):
                page.keyboard.press("f")
            page.keyboard.press("2")
            page.keyboard.press("Enter")
        elif page.locator("#choices .call").count() and "call" not in done:
            done.add("call")
            page.keyboard.press("t")
            page.keyboard.press("Enter")
        else:
            click_something(page)

    play(service, game, [page], act)
    log = b" ".join(service.live.store.log(game)).decode()
    assert '[0,"hide:' in log
    assert '[0,"truco"' in log or '[0,"raise' in log
    assert done == {"hide", "call"}


def sit_and_be_asked(page: Any, server: Server, service: Service) -> tuple[str, str]:
    """The ids of a game of Toepen and of the person's first turn."""
    game = open_table(page, server.url, "toepen", {"lives": "3"}, SEATS["toepen"])
    service.live.move_house_bots(game)
    page.wait_for_selector("#ask.waits")
    return game, page.locator("#turn-id").input_value()


def own_actions(service: Service, game: str) -> int:
    return b" ".join(service.live.store.log(game)).count(b'[0,"')


def test_what_is_clicked_offline_counts_once(
    server: Server, service: Service, visitor: Callable[..., Any]
) -> None:
    page = visitor(offline=True)
    game, turn = sit_and_be_asked(page, server, service)
    before = own_actions(service, game)
    page.context.set_offline(True)
    page.wait_for_selector("#lost:has-text('Reconnecting')")
    click_something(page)
    page.wait_for_selector("#lost:has-text('Your answer is kept')")
    click_something(page)
    assert page.locator("#turn-id").input_value() == turn
    assert own_actions(service, game) == before
    page.context.set_offline(False)
    wait_for_another_turn(page, turn)
    page.wait_for_selector("#lost", state="hidden")
    assert own_actions(service, game) == before + 1


@pytest.mark.nightly("pages")
def test_an_answer_whose_reply_is_lost_counts_once(
    server: Server, service: Service, visitor: Callable[..., Any]
) -> None:
    page = visitor(offline=True)
    game, turn = sit_and_be_asked(page, server, service)
    before = own_actions(service, game)
    sent = []

    def lose_first_reply(route: Any) -> None:
        sent.append(route.request.post_data)
        if len(sent) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/act", lose_first_reply)
    click_something(page)
    wait_for_another_turn(page, turn)
    while len(sent) < 2:
        # The browser's requests are answered meanwhile.
        page.wait_for_timeout(20)
    page.wait_for_selector("#lost", state="hidden")
    assert sent[0] == sent[1]
    assert own_actions(service, game) == before + 1


_COUNT_TONES = """
    window.tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) { window.tones++; return start.apply(this, when); };
"""


def test_the_page_calls_for_a_turn(server: Server, service: Service, visitor: Callable[..., Any]) -> None:
    page = visitor()
    page.add_init_script(_COUNT_TONES)
    sit_and_be_asked(page, server, service)

    def check() -> None:
        asked = page.locator("#ask.waits").count() == 1
        assert page.title().startswith("● Your turn") == asked
        assert ("mark-turn" in page.locator("link[rel=icon]").get_attribute("href")) == asked

    check()
    for _ in range(3):
        page.wait_for_selector("#ask.waits")
        turn = page.locator("#turn-id").input_value()
        click_something(page)
        wait_for_another_turn(page, turn)
        check()
        service.live.move_house_bots(page.url.rpartition("/")[2])
    assert page.evaluate("window.tones") == 0, "no sound until it is chosen"
    page.click("#at-table > summary")
    page.check("#sound")
    assert page.evaluate("window.tones") > 0
    page.reload()
    page.click("#at-table > summary")
    assert page.is_checked("#sound")


@pytest.mark.nightly("pages")
def test_the_table_is_there_again_after_a_reload(
    server: Server, service: Service, visitor: Callable[..., Any]
) -> None:
    page = visitor()
    game = open_table(page, server.url, "toepen", {"lives": "3"}, SEATS["toepen"])
    service.live.move_house_bots(game)
    page.wait_for_selector("#ask.waits")
    turn = page.locator("#turn-id").input_value()
    page.reload()
    page.wait_for_selector("#ask.waits")
    assert page.locator("#turn-id").input_value() == turn
    second = page.context.new_page()
    second.goto(f"{server.url}/play/{game}")
    second.wait_for_selector("#ask.waits")
    click_something(second)
    # The first page follows without being touched.
    wait_for_another_turn(page, turn)


@pytest.mark.parametrize(
    "kind",
    [kind if kind == "toepen" else pytest.param(kind, marks=pytest.mark.nightly("pages")) for kind in RULES],
)
def test_a_game_without_scripts(
    kind: str, server: Server, service: Service, visitor: Callable[..., Any]
) -> None:
    page = visitor(java_script_enabled=False)
    game = open_table(page, server.url, kind, RULES[kind], SEATS[kind])
    while not is_over(service, game):
        service.live.move_house_bots(game)
        page.goto(f"{server.url}/play/{game}")
        button = page.locator("button[name=action]:not(.call)").first
        if button.count():
            button.click()
    page.goto(f"{server.url}/play/{game}")
    words = page.inner_text("#end-words")
    page.click("text=See the replay")
    page.wait_for_selector("text=Your game")
    assert words in page.inner_text(".own-game")
    page.click("text=Rematch")
    page.wait_for_url("**/play/*")
    assert page.url != f"{server.url}/play/{game}"
    assert page.locator("#end").is_hidden()


@pytest.mark.nightly("pages")
@pytest.mark.parametrize(
    ("width", "height"), [(1440, 900), (1366, 650), (820, 1180), (844, 390), (390, 844), (360, 640)]
)
def test_the_end_is_seen_at_once(
    width: int, height: int, server: Server, service: Service, visitor: Callable[..., Any]
) -> None:
    page = visitor(viewport={"width": width, "height": height})
    game = open_table(
        page, server.url, "truco&preset=paulista-2@1", {"max_hands": "1"}, {"seat1": "house:random"}
    )
    assert play(service, game, [page], press_something) > 0
    check_the_end(page)


@pytest.mark.nightly("pages")
@pytest.mark.parametrize(("width", "height"), [(1366, 650), (390, 844)])
@pytest.mark.parametrize("scripts", [True, False])
def test_the_front_page_leads_to_a_table(
    width: int, height: int, scripts: bool, server: Server, service: Service, visitor: Callable[..., Any]
) -> None:
    page = visitor(viewport={"width": width, "height": height}, java_script_enabled=scripts)
    games = set()
    for name, kind in (
        ("Truco paulista", "truco"),
        ("Toepen for four", "toepen"),
        ("Paulista for two", "truco"),
    ):
        page.goto(server.url) if not games else page.go_back()
        button = page.locator(f"button.start:has(b:text-is('{name}'))")
        box = button.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height, "in the first screen"
        button.click()
        page.wait_for_url("**/play/*")
        games.add(page.url)
        header = service.people.header(page.url.rpartition("/")[2])
        assert header.kind == kind
        assert {seat.house for seat in header.seats[1:]} == {"rookie"}
    assert len(games) == 3


def test_a_friend_in_another_browser(server: Server, service: Service, visitor: Callable[..., Any]) -> None:
    host, friend = visitor(), visitor()
    game = open_table(host, server.url, "toepen", {"lives": "2"}, {"seat1": "friend"})
    friend.goto(invitation(host))
    friend.click("text=Take the seat")
    friend.wait_for_selector("#felt .seat")
    host.wait_for_selector("#felt .seat")
    assert play(service, game, [host, friend], click_something) > 1
    for page in (host, friend):
        check_the_end(page)
    host.click("text=Rematch")
    host.wait_for_selector("text=Waiting for friends")
    friend.click("text=Rematch")
    friend.wait_for_selector("#felt .seat")
    host.wait_for_selector("#felt .seat")
