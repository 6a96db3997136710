"""The images of the service: drawn once by a worker, on first demand, and kept in the cache of pages.

The process that asks for an image hands the sketch to the worker, or the record from which the worker makes
it, because to replay a long game takes seconds.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from typing import Any, Final, Protocol

import orjson

from arena.accounts.allowances import BudgetExceeded
from arena.accounts.payers import Payers
from arena.errors import ArenaError
from arena.play.time_limits import OutOfTime, processor_time_limit
from arena.previews.drawing import png, version
from arena.previews.sketches import Sketch, record_sketch
from arena.store.notifications import Notifier, page_topic
from arena.store.prepared import PreparedPages

DRAW_SECONDS: Final = 20.0
"""The processor time that one image may take, with the replay of the game before it."""

_ID: Final = 24
_WELCOME: Final[Sketch] = {
    "title": "Sit down. The bots bluff.",
    "lead": "Brazilian Truco and Dutch Toepen against bots that people wrote",
    "foot": "no account, about five minutes",
    "places": [{"name": "", "card": card} for card in ("4C", "7H", "AS", "7D")],
}


class PreviewJobs(Protocol):
    """Requests the job that draws images."""

    def draw_preview(self, preview: str, account: str) -> None:
        """Draw an image when it is the turn of ``account``."""


class Preview:
    """What an image shows: a sketch, or the record of a finished game with the names to show. ``subject`` is
    what it belongs to, which has one image at a time.
    """

    def __init__(
        self, subject: str, *, sketch: Sketch | None = None, record: Mapping[str, Any] | None = None
    ) -> None:
        self.id: Final = sha256(subject.encode()).hexdigest()[:_ID]
        self.content: Final = orjson.dumps([sketch, record])
        self.state: Final = sha256(version().encode() + self.content).hexdigest()[:_ID]
        """A text that changes when the image does."""


class Previews:
    """The images of one service. The parameters are those of :class:`~arena.people.replays.Replays`."""

    def __init__(
        self,
        pages: PreparedPages,
        notifier: Notifier,
        jobs: PreviewJobs,
        payers: Payers,
        check_payer: Callable[[str], None],
        charge_to: Callable[[str], None],
    ) -> None:
        self._pages = pages
        self._notifier = notifier
        self._jobs = jobs
        self._payers = payers
        self._check_payer = check_payer
        self._charge_to = charge_to

    def image(self, preview: Preview, payer: str, wait: float) -> bytes | None:
        """Return the image as PNG. If it is not there, request it, for which ``payer`` pays, and wait for
        at most ``wait`` seconds; the result is None if it is not drawn by then.

        Raises :class:`~arena.accounts.allowances.BudgetExceeded`.
        """
        found = self._find(preview)
        if found is not None:
            return found
        self._check_payer(payer)
        state = preview.state.encode()
        parts = {"content": zlib.compress(preview.content, 1), "state": state, "payer": payer.encode()}
        until = time.monotonic() + wait
        with self._notifier.waiting(page_topic(_page(preview.id))) as subscription:
            self._pages.put(_page(preview.id), parts, replace=True)
            self._jobs.draw_preview(preview.id, self._payers.in_charge(payer))
            while True:
                found = self._find(preview)
                left = until - time.monotonic()
                if found is not None or left <= 0 or self._notifier.is_stopped:
                    return found or None
                subscription.wait(left)

    def _find(self, preview: Preview) -> bytes | None:
        """Return the image, or None if there is none of this state."""
        state, image = self._pages.parts(_page(preview.id), ("state", "image"))
        return image if state == preview.state.encode() else None

    def draw(self, id: str) -> None:
        """Draw the image that was requested, unless that has been done. It is safe to do this twice. What
        cannot be drawn stays the image of the service.
        """
        page = _page(id)
        state, content, payer = self._pages.parts(page, ("state", "content", "payer"))
        if state is None or content is None or payer is None:
            return
        self._charge_to(payer.decode())
        try:
            self._check_payer(payer.decode())
            with processor_time_limit(DRAW_SECONDS):
                sketch, record = orjson.loads(zlib.decompress(content))
                image = png(sketch or record_sketch(record))
        except BudgetExceeded:
            self._pages.forget(page, where={"state": state})
            return
        except (ArenaError, OutOfTime):
            image = welcome()
        # Another state of the same subject can have been requested meanwhile.
        if self._pages.put(page, {"image": image, "content": b""}, where={"state": state}):
            self._pages.announce(page)


@cache
def welcome() -> bytes:
    """Return the image of the service itself."""
    return png(_WELCOME)


def _page(id: str) -> str:
    return f"preview:{id}"
