"""The page "Bring your bot" in a real browser, with scripts and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.ops.service import Service
from tests.api.server import Server
from tests.waiting import PATIENCE

pytestmark = pytest.mark.system

SOURCE = "def choose(turn):\n    return turn['legal_actions'][0]\n"


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    contexts = []

    def make(**options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        contexts[-1].set_default_timeout(PATIENCE * 1000)
        return contexts[-1].new_page()

    yield make
    for context in contexts:
        context.close()


def test_a_pasted_bot_plays_while_its_author_goes_on_typing(
    server: Server, services: Service, new_page: Callable[..., Any]
) -> None:
    page = new_page()
    page.goto(f"{server.url}/bring")
    page.fill("#source", SOURCE)
    page.click("text=Play it against rookie")
    page.wait_for_url("**/bring/*")
    assert page.inner_text("#live strong") == "Waiting for a worker"
    page.fill("#source", SOURCE + "# more")
    services.trial_games.play(page.url.rpartition("/")[2])
    page.wait_for_selector("text=Step through it")
    assert page.input_value("#source") == SOURCE + "# more"
    with page.expect_navigation():
        page.click("text=Another game")
    assert page.eval_on_selector("#source", "source => source.defaultValue") == SOURCE + "# more"


@pytest.mark.parametrize("scripts", [True, False])
def test_languages_change_without_scripts(
    server: Server, services: Service, new_page: Callable[..., Any], scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts, viewport={"width": 360, "height": 740})
    page.goto(f"{server.url}/bring")
    shown = page.locator(".language:visible")
    assert shown.count() == 1
    assert "my_bot.py" in shown.inner_text()
    page.focus("[value=python]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert shown.count() == 1
    assert "--language go" in shown.inner_text()
    page.click("label:has([value=java])")
    assert "java -cp build Main" in shown.inner_text()


def test_a_guest_plays_and_signs_up_without_scripts(
    server: Server, services: Service, new_page: Callable[..., Any]
) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(f"{server.url}/bring")
    page.fill("#source", SOURCE)
    page.click("text=Play it against rookie")
    page.wait_for_url("**/bring/*")
    services.trial_games.play(page.url.rpartition("/")[2])
    # The page looks again by itself.
    page.wait_for_selector("text=Step through it")
    page.click("text=Submit it")
    page.wait_for_url("**/sign-up?**")
    page.fill("input[name=name]", "ana")
    page.click("main button")
    page.click("text=I have kept it")
    assert page.input_value("textarea[name=source]") == SOURCE
