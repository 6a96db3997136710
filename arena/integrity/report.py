"""The integrity report for admins."""

from __future__ import annotations

from arena.accounts.accounts import Accounts
from arena.events.boards import Boards
from arena.events.house_entries import house_source
from arena.integrity.copies import copies
from arena.integrity.suspicions import suspicions
from arena.play.players import SEALED
from arena.store.accounts import AccountStore
from arena.tournaments.entry import parties


def integrity_report(
    boards: Boards,
    accounts: Accounts,
    store: AccountStore,
    kind: str,
    division: str,
    preset: str | None = None,
) -> dict[str, object]:
    """Return the results on a board that look arranged and, in the sealed division, the uploads that several
    owners share.

    Bots that share an owner count as bots of one owner, shown as ``ana+bia``.
    """
    groups = list(boards.groups(kind, division, preset))
    found = copies(accounts, store) if division == SEALED else []
    copied = {version.name for one in found for version in one.versions}
    names = sorted({player.name for group in groups for player in group.players} | copied)
    bots = accounts.listed(names)
    owners = dict(zip((bot.name for bot in bots), parties([bot.owners for bot in bots]), strict=True))
    owners |= {name: "" for name in names if house_source(name)}
    return {
        "suspicions": [one.as_json() for one in suspicions(groups, owners)],
        "copies": [
            one.as_json() for one in found if len({owners.get(version.name) for version in one.versions}) > 1
        ],
    }
