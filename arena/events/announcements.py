"""Announcements about a tournament, for its feed and for the webhooks that follow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

ANNOUNCEMENTS: Final = ("announced", "opened", "edited", "locked", "finished", "cancelled")


class Announcement(NamedTuple):
    """An announcement about a tournament. ``id`` is the same in every read, ``type`` is one of
    ``ANNOUNCEMENTS``, and ``text`` is human-readable.
    """

    id: str
    type: str
    at_ms: int
    text: str


def announcements(view: Mapping[str, Any]) -> Sequence[Announcement]:
    """Return the announcements of a tournament, oldest first. ``view`` is the tournament as published."""
    found = [_made("announced", view["created_ms"], "The tournament was announced.")]
    if view["state"] != "announced":
        opened_ms = max(view["opens_ms"], view["created_ms"])
        # A tournament that was cancelled before this time was never open.
        if view["finished_ms"] is None or opened_ms <= view["finished_ms"]:
            found.append(_made("opened", opened_ms, "Entry is open."))
    for at_ms, edits in groupby(view["edits"], key=lambda edit: edit["at_ms"]):
        names = ", ".join(edit["field"] for edit in edits)
        found.append(_made("edited", at_ms, f"Edited: {names}."))
    if view["started_ms"] is not None:
        found.append(_made("locked", view["started_ms"], "Entry is locked, and play has started."))
    if view["finished_ms"] is not None and view["state"] in ("finished", "cancelled"):
        reason = f": {view['reason']}" if view["reason"] else ""
        text = "It is finished." if view["state"] == "finished" else f"It was cancelled{reason}."
        found.append(_made(view["state"], view["finished_ms"], text))
    return sorted(found, key=lambda one: (one.at_ms, ANNOUNCEMENTS.index(one.type)))


def _made(kind: str, at_ms: int, text: str) -> Announcement:
    return Announcement(f"{kind}-{at_ms}", kind, at_ms, text)
