"""Edits of tournaments that have been announced, and their public history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from arena.accounts.accounts import Principal
from arena.bots import POOL
from arena.errors import ArenaError
from arena.events.creation import enter_house_bots
from arena.events.tournament import Tournament
from arena.live.limits import check_length
from arena.tournaments.parsing import check_together, latest_ms, parse_spec, parse_texts, without_rating
from arena.tournaments.settings import MAX_ENTRIES
from arena.tournaments.spec import Spec, invalid

ALWAYS: Final = ("name", "description", "link")
"""The settings that can be edited at any time."""

UNTIL_LOCK: Final = (*ALWAYS, "locks_ms", "max_entries")
"""The settings that can be edited between the first entry and the lock."""

MAX_EDITS: Final = 50
"""The maximum number of edited fields in the history of a tournament."""


class NotEditable(ArenaError):
    """The setting can no longer be edited."""

    code = "not_editable"


def settings_of(tournament: Tournament) -> dict[str, object]:
    """Return the fields of a request that would announce an identical tournament."""
    house = [
        POOL if entry.drawn else entry.name
        for entry in tournament.entries
        if entry.source and entry.status != "withdrawn"
    ]
    return {**tournament.spec.as_json(), "house": house}


def like(tournament: Tournament, changes: Mapping[str, Any], *, may_rate: bool) -> dict[str, Any]:
    """Return the fields of a request for a tournament like this one. ``changes`` overrides some of them, and
    must contain the new dates; without ``ends_ms``, the new tournament is played for as long as this one.
    """
    fields = {name: value for name, value in settings_of(tournament).items() if not name.endswith("s_ms")}
    fields["rated"] = tournament.spec.rated and may_rate
    fields["invited_owners"] = tournament.guests
    fields["organisers"] = [*tournament.organisers, *tournament.asked]
    spec = tournament.spec
    locks_ms = changes.get("locks_ms")
    if spec.ends_ms is not None and locks_ms is not None:
        fields["ends_ms"] = locks_ms + spec.ends_ms - spec.locks_ms
    return {**fields, **changes}


def editable(tournament: Tournament, now_ms: int) -> tuple[str, ...] | None:
    """Return the fields that may be edited now, or None if all fields may be edited."""
    if tournament.state not in ("announced", "entry") or now_ms >= tournament.spec.locks_ms:
        return ALWAYS
    return UNTIL_LOCK if tournament.has_guests else None


def edit(tournament: Tournament, fields: Mapping[str, object], by: Principal | None, now_ms: int) -> bool:
    """Edit the tournament, add to its history, and return whether anything has changed.

    Raises :class:`NotEditable`, ``quota_exceeded``, ``game_too_long`` or the errors of ``parse_spec`` and
    ``check_entry``.
    """
    before = settings_of(tournament)
    changes = {name: value for name, value in fields.items() if before.get(name) != value}
    if not changes:
        return False
    allowed = editable(tournament, now_ms)
    if allowed is None:
        _edit_all(tournament, before, changes, by, now_ms)
    else:
        _check_allowed(changes, allowed)
        tournament.spec = _edited(tournament.spec, changes, now_ms)
    after = settings_of(tournament)
    changed = [name for name, value in after.items() if before[name] != value]
    if len(tournament.edits) + len(changed) > MAX_EDITS:
        used = len(tournament.edits)
        raise ArenaError(
            f"the history of a tournament can have at most {MAX_EDITS} edited fields",
            code="quota_exceeded",
            field=changed[0],
            extra={"quota": "edits", "most": MAX_EDITS, "used": used, "left": MAX_EDITS - used},
        )
    who = "" if by is None else by.name
    tournament.edits += [
        {"at_ms": now_ms, "by": who, "field": name, "old": before[name], "new": after[name]}
        for name in changed
    ]
    return bool(changed)


def _check_allowed(changes: Mapping[str, object], allowed: tuple[str, ...]) -> None:
    refused = [name for name in changes if name not in allowed]
    if refused:
        after = "entry is locked" if allowed is ALWAYS else "the first bot has entered"
        shown = {"locks_ms": "a later locks_ms", "max_entries": "a larger max_entries"}
        raise NotEditable(
            f"{', '.join(refused)} cannot be edited after {after}",
            field=refused[0],
            expected="only " + ", ".join(shown.get(name, name) for name in allowed),
        )


def _edited(spec: Spec, changes: Mapping[str, object], now_ms: int) -> Spec:
    """Apply ``changes`` to fields in ``UNTIL_LOCK``, and return the new settings."""
    texts = {name: changes.get(name, getattr(spec, name)) for name in ALWAYS}
    locks_ms = _within(changes, "locks_ms", spec.locks_ms, latest_ms(now_ms))
    max_entries = _within(changes, "max_entries", spec.max_entries, MAX_ENTRIES)
    if spec.ends_ms is not None and locks_ms >= spec.ends_ms:
        raise invalid("play would end before it starts", "locks_ms", f"a time before {spec.ends_ms}")
    changed: dict[str, Any] = parse_texts(texts)
    edited = replace(spec, **changed, locks_ms=locks_ms, max_entries=max_entries)
    if max_entries != spec.max_entries:
        check_together(edited)
    return edited


def _within(changes: Mapping[str, object], name: str, low: int, high: int) -> int:
    """The new value of a number that may only increase."""
    value = changes.get(name, low)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise invalid(
            f"{str(value)[:60]} is not a valid value for {name} after the first bot has entered",
            name,
            f"a whole number from {low} to {high}",
        )
    return value


def _edit_all(
    tournament: Tournament,
    before: Mapping[str, Any],
    changes: Mapping[str, Any],
    by: Principal | None,
    now_ms: int,
) -> None:
    """Rebuild a tournament that nobody has entered yet, with the changes."""
    if "rated" in changes and by is not None and not by.admin:
        changes = without_rating(changes)
    left = dict(before)
    # Reset the settings whose defaults depend on a setting that has changed.
    for changed, others in _FOLLOWING.items():
        if changed in changes:
            left = {name: value for name, value in left.items() if name not in others}
    if "per_owner" in left and isinstance(changes.get("max_entries"), int):
        left["per_owner"] = min(left["per_owner"], changes["max_entries"])
    fields = {**left, **changes}
    house = fields.pop("house")
    if fields["hidden"] and not before["hidden"]:
        raise invalid(
            "a public tournament cannot be hidden afterwards",
            "hidden",
            "false; cancel it and announce another one",
        )
    spec = parse_spec(fields, now_ms)
    if spec.rules != tournament.spec.rules:
        check_length(spec.game, spec.rules)
    tournament.spec = spec
    if tournament.spec.who != "invited":
        tournament.guests, tournament.pending, tournament.links = [], [], []
    tournament.visibility = "private" if tournament.spec.hidden else "public"
    tournament.entries = []
    enter_house_bots(tournament, house, now_ms)
    tournament.state = "entry" if now_ms >= tournament.spec.opens_ms else "announced"


_FOLLOWING: Final = {
    "kind": ("rules", "partners"),
    "preset": ("rules",),
    "format": ("rounds", "ends_ms", "per_owner"),
    "who": ("invited",),
}
