"""Proof that an owner is a person, without which results against its bots do not count for others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Final

from arena.store.accounts import AccountStore
from arena.store.amounts import DAY_MS
from arena.store.rows import shown_or_left_out

PROVEN_DAYS: Final = 30
"""The number of days after which every owner is proven."""

BY_PROVIDER: Final = "person"
"""The field of an owner who signs in at a provider that proves persons."""


def next_day_ms(at_ms: int) -> int:
    """Return the first midnight (UTC) after a time, both in Unix milliseconds."""
    return (at_ms // DAY_MS + 1) * DAY_MS


def proven_from(store: AccountStore, names: Sequence[str]) -> dict[str, int]:
    """Return from when on each of these owners is proven, in Unix milliseconds. Owners who do not exist or
    cannot be read are left out.

    Proven from the beginning are admins, owners whom an admin invited, and owners who sign in at a provider
    that proves persons. All others are from the midnight (UTC) after :data:`PROVEN_DAYS`.
    """
    rows = {name: row for name, row in zip(names, store.owners(names), strict=True) if row is not None}
    inviters = sorted({row["invited_by"] for row in rows.values() if "invited_by" in row})
    invitations = zip(inviters, store.owners(inviters), strict=True)
    admins = {name for name, row in invitations if row is not None and "admin" in row}
    found = {
        name: shown_or_left_out(f"owner {name}", partial(_proven_from, row, admins))
        for name, row in rows.items()
    }
    return {name: at_ms for name, at_ms in found.items() if at_ms is not None}


def _proven_from(row: Mapping[str, str], admins: Collection[str]) -> int:
    created_ms = int(row["created"])
    if "admin" in row or BY_PROVIDER in row or row.get("invited_by") in admins:
        return created_ms
    return next_day_ms(created_ms + PROVEN_DAYS * DAY_MS)
