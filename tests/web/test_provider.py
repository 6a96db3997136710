"""Sign-in at an OpenID Connect provider, and recovery, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.store.embedded import EmbeddedStore
from tests.api.server import Server
from tests.openid import PASSWORD, Provider
from tests.waiting import PATIENCE

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


@pytest.fixture
def server(clean_store: EmbeddedStore, provider: Provider) -> Iterator[Server]:
    """A service whose operator has set the provider."""
    server = Server(clean_store.url)
    server.add_settings(provider.settings(server.url))
    provider.register(f"{server.url}/sign-in/provider/callback")
    with server:
        yield server


@pytest.fixture
def new_page(browser: Any, server: Server) -> Iterator[Any]:
    """Opens a page in a new browser."""
    contexts: list[Any] = []

    def opened(path: str) -> Any:
        context = browser.new_context(base_url=server.url)
        context.set_default_timeout(PATIENCE * 1000)
        contexts.append(context)
        page = context.new_page()
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()


def log_in(page: Any, name: str) -> None:
    """Log in on the page of the provider, which sends the browser back."""
    page.fill("input[name=username]", name)
    page.fill("input[name=password]", PASSWORD)
    page.click("text=Log in")


def test_sign_up_and_sign_in_at_the_provider(server: Server, new_page: Any) -> None:
    page = new_page("/sign-in?next=/docs")
    page.click("text=Sign in with School")
    log_in(page, "maria")
    page.wait_for_selector("h1:text-is('Sign up')")
    assert page.input_value("input[name=name]") == "maria"
    page.click("main form button")
    page.wait_for_selector("h1:text-is('Welcome, maria')")
    token, code = page.locator(".once code").all_inner_texts()
    assert token.startswith("btq_o_maria_")
    page.goto("/account")
    page.click("button:text-is('Sign out')")

    page = new_page("/sign-in?next=/docs")
    page.click("text=Sign in with School")
    log_in(page, "maria")
    page.wait_for_url("**/docs")
    page.goto("/account")
    page.wait_for_selector("h1:text-is('maria')")

    # With the recovery code, once.
    page = new_page("/sign-in")
    page.click("text=Use your recovery code")
    page.fill("input[name=recovery_code]", code)
    page.click("main form button")
    page.wait_for_selector("h1:text-is('New token of maria')")
    for _ in range(2):
        page = new_page("/recover")
        page.fill("input[name=recovery_code]", code)
        page.click("main form button")
        page.wait_for_selector("text=invalid_recovery_code")


def test_link_and_unlink_an_identity(server: Server, new_page: Any) -> None:
    token = server.sign_up("ana")
    page = new_page("/sign-in")
    page.fill("input[name=token]", token)
    page.click("main form button")
    page.wait_for_url("**/account")
    page.click("text=Link with School")
    log_in(page, "joao")
    page.click("text=Link it to ana")
    page.wait_for_url("**/account")
    page.click("summary:text('Sign-in with School')")
    page.wait_for_selector("text=joao@school")

    other = new_page("/sign-in")
    other.click("text=Sign in with School")
    log_in(other, "joao")
    other.wait_for_selector("h1:text-is('ana')")

    page.click("button:text-is('Unlink')")
    page.wait_for_selector("a:text-is('Link with School')")
    other = new_page("/sign-in")
    other.click("text=Sign in with School")
    log_in(other, "joao")
    other.wait_for_selector("h1:text-is('Sign up')")
