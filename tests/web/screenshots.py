"""Pictures of every page, or of some: ``python -m tests.web.screenshots FOLDER [NAME...]``."""

from __future__ import annotations

import random
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from arena.games import GAMES
from arena.live.game import LiveGame
from arena.ops.jobs import InlineJobs
from arena.ops.service import open_service
from arena.ops.settings import Settings
from arena.play.clocks import ServiceClock
from tests.web.conftest import ARGUMENTS, chromium
from tests.web.playing import open_table, open_tables, prepare_replay
from tests.web.questions import questions
from tests.web.site import site

FORMS = {
    "desktop": {"viewport": {"width": 1280, "height": 1000}},
    "desktop-dark": {"viewport": {"width": 1280, "height": 1000}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}},
    "phone-dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
MOVES = {"replay-truco": "#move-14", "replay-toepen": "#move-8"}
"""Where cards are on the table."""


QUESTIONS = {
    "table-call": "truco-paulista-4: asked accept defer raise run",
    "table-knock": "toepen-table-4-4: asked fold stay",
}


def open_questions(page: Any, url: str, store: str) -> dict[str, str]:
    """The addresses of tables at which the visitor has to answer a call."""
    service = open_service(Settings(store), InlineJobs())
    waits = open_table(page, url, "toepen", {}, {"seat1": "friend"})
    person = service.people.header(waits).seats[0].bot
    assert person is not None
    known = {one.name: one for kind in GAMES for one in questions(kind)}
    games = {name: known[what].set_up(service, person, "regular") for name, what in QUESTIONS.items()}
    service.close()
    return {name: f"/play/{game}" for name, game in games.items()}


def play_and_review(page: Any, url: str, store: str) -> dict[str, str]:
    """The addresses of a table whose game the visitor has won, with a review, and of its replay."""
    service = open_service(Settings(store), InlineJobs())
    numbers = random.Random(1)

    def play(game: LiveGame, _clock: ServiceClock) -> int:
        table, played = game.playing, 0
        while not table.is_over():
            (seat, *_) = table.awaited()
            table.submit(seat, table.turn_number(seat), numbers.choice(table.legal_actions(seat)))
            played += 1
        return played

    won = False
    while not won:
        game = open_table(page, url, "truco&preset=paulista-2@1", {}, {"seat1": "house:regular"})
        service.live.repository.change_one(game, play)
        service.live.finish(game)
        page.goto(f"{url}/play/{game}")
        won = page.inner_text("#end-words").startswith("You won")
    page.goto(f"{url}/games/{game}")
    prepare_replay(service, game)
    page.click("text=What would shark have done?")
    page.wait_for_selector("text=is looking at your decisions")
    service.reviews.make(game, 0)
    service.close()
    return {"table-over": f"/play/{game}", "replay-own": f"/games/{game}"}


def main(folder: Path, names: Collection[str] = ()) -> None:
    """Write ``NAME-FORM.png`` for every page with data, and ``empty-NAME-FORM.png`` without."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        for empty in (False, True):
            with site(empty=empty) as served:
                for form, options in FORMS.items():
                    context = browser.new_context(**options)
                    opener = context.new_page()
                    tables = {}
                    if not empty:
                        tables = open_tables(opener, served.url, served.store)
                        tables |= open_questions(opener, served.url, served.store)
                        tables |= play_and_review(opener, served.url, served.store)
                    opener.close()
                    for name, path in (served.pages | tables | served.own).items():
                        if names and name not in names:
                            continue
                        page = context.new_page()
                        if name in served.own:
                            served.sign_in(page)
                        page.goto(served.url + path + MOVES.get(name, ""))
                        if name.startswith(("live", "replay", "table-")) and name != "table-waits":
                            page.wait_for_selector("#felt .seat")
                        page.screenshot(path=folder / f"{'empty-' * empty}{name}-{form}.png")
                        page.close()
                    context.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
