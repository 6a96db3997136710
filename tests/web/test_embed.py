"""A game in a frame on a page of another site, and the buttons that give its link away, in a real browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from arena.ops.service import Service
from tests.api.players import play_out
from tests.api.server import Server
from tests.waiting import PATIENCE, wait_until
from tests.web.playing import prepare_replay

pytestmark = pytest.mark.system


class Elsewhere(BaseHTTPRequestHandler):
    """The page of another site, with a frame of the address in its query."""

    def do_GET(self) -> None:
        body = f'<iframe src="{self.path.partition("?")[2]}" width="640" height="520"></iframe>'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of another site on this machine: of a routed one, Chromium frames nothing of loopback."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}/"
        site.shutdown()


def test_a_game_on_another_site(server: Server, services: Service, browser: Any, elsewhere: str) -> None:
    owner = server.sign_up("ana")
    tokens = server.register(owner, "one", "two")
    players = [server.player(token, seed) for seed, token in enumerate(tokens)]
    seats = [{"bot": "one"}, {"bot": "two"}]
    body = {"kind": "toepen", "seats": seats, "rules": {"seats": 2, "lives": 4}}
    game = server.request("POST", "/v1/games", body, owner).json["game"]
    context = browser.new_context(viewport={"width": 800, "height": 700})
    context.set_default_timeout(PATIENCE * 1000)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)

    page = context.new_page()
    frame = page.frame_locator("iframe")
    page.goto(f"{elsewhere}?{server.url}/embed/{game}")
    frame.locator("#felt .seat").first.wait_for()
    wait_until(lambda: sum(player.step() for player in players) > 0)
    play_out(players)
    prepare = context.new_page()
    prepare.goto(f"{server.url}/games/{game}")
    prepare_replay(services, game)

    page.goto(f"{elsewhere}?{server.url}/embed/{game}")
    frame.locator("#steps").wait_for()
    last = frame.locator("#position").input_value()
    assert last == frame.locator("#position").get_attribute("max")
    frame.locator("#back").click()
    assert frame.locator("#position").input_value() == str(int(last) - 1)
    frame.locator("#play").click()
    wait_until(lambda: frame.locator("#position").input_value() == last)
    # Nothing is kept in the browser, and no other page of the service is in a frame.
    assert context.cookies() == []
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.evaluate("url => document.querySelector('iframe').src = url", f"{server.url}/games/{game}")
    wait_until(lambda: page.wait_for_timeout(50) or any("frame-ancestors" in text for text in refused))

    page.goto(f"{server.url}/games/{game}")
    page.click("#share-game summary")
    page.locator("#share-game .share").first.locator("button[data-does=copy]").click()
    page.wait_for_selector("#share-game [role=status]:text-is('Copied.')")
    assert page.evaluate("navigator.clipboard.readText()") == f"{server.url}/games/{game}"
    context.close()
