"""Pictures of every page: ``python -m tests.web.screenshots FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.web.conftest import ARGUMENTS, chromium
from tests.web.playing import open_tables
from tests.web.site import site

FORMS = {
    "desktop": {"viewport": {"width": 1280, "height": 1000}},
    "desktop-dark": {"viewport": {"width": 1280, "height": 1000}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}},
    "phone-dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
MOVES = {"replay-truco": "#move-14", "replay-toepen": "#move-8"}
"""Where cards are on the table."""


def main(folder: Path) -> None:
    """Write ``NAME-FORM.png`` for every page with data, and ``empty-NAME-FORM.png`` without."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        for empty in (False, True):
            with site(empty=empty) as served:
                for form, options in FORMS.items():
                    context = browser.new_context(**options)
                    opener = context.new_page()
                    tables = {} if empty else open_tables(opener, served.url, served.store)
                    opener.close()
                    for name, path in (served.pages | tables | served.own).items():
                        page = context.new_page()
                        if name in served.own:
                            served.sign_in(page)
                        page.goto(served.url + path + MOVES.get(name, ""))
                        if name.startswith(("live", "replay", "table-t")):
                            page.wait_for_selector("#felt .seat")
                        page.screenshot(path=folder / f"{'empty-' * empty}{name}-{form}.png")
                        page.close()
                    context.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
