"""How soon every page can be used at its first load: ``python -m tests.web.loading``.

Prints the milliseconds until the document is read, until its scripts have run (``DOMContentLoaded``: buttons
and keys work), and until everything is loaded, with an empty cache; then the second on a processor that is
slowed down four times, about a phone. Exits 1 if a page takes more than a second before it can be used.
"""

from __future__ import annotations

import statistics
import sys
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from tests.web.conftest import ARGUMENTS, chromium
from tests.web.playing import open_tables
from tests.web.site import Site, site

MOST: Final = 1000
LOADS: Final = 3
SLOWDOWN: Final = 4
TIMES: Final = """() => {
    const [entry] = performance.getEntriesByType("navigation");
    return [entry.domInteractive, entry.domContentLoadedEventEnd, entry.loadEventEnd];
}"""


def main() -> int:
    """Measure and print; the exit code."""
    worst = 0.0
    with sync_playwright() as driver, site() as served:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        opener = browser.new_page()
        tables = open_tables(opener, served.url, served.store)
        print(f"{'page':24} {'read':>6} {'usable':>6} {'loaded':>6} {'usable, slow processor':>24}")
        for name, path in (served.pages | tables | served.own).items():
            read, usable, loaded = median(browser, served, name, path, 1)
            slow = median(browser, served, name, path, SLOWDOWN)[1]
            print(f"{name:24} {read:6.0f} {usable:6.0f} {loaded:6.0f} {slow:24.0f}")
            worst = max(worst, usable)
        browser.close()
    print(f"every page can be used after at most {worst:.0f} ms: {'shown' if worst <= MOST else 'NOT shown'}")
    return int(worst > MOST)


def median(browser: Browser, served: Site, name: str, path: str, slowdown: int) -> list[float]:
    """The medians over some first loads, in milliseconds after the navigation began."""
    samples = []
    for _ in range(LOADS):
        context = browser.new_context()
        page = context.new_page()
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
        if name in served.own:
            served.sign_in(page)
            context.new_cdp_session(page).send("Network.clearBrowserCache")
        page.goto(served.url + path, wait_until="load")
        samples.append(page.evaluate(TIMES))
        context.close()
    return [statistics.median(values) for values in zip(*samples, strict=True)]


if __name__ == "__main__":
    sys.exit(main())
