"""The supplement of a leaderboard from the accounts: parties, their proof, and their bots with ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from arena.accounts.proof import proven_from
from arena.accounts.versions import BotAccount, unpack_bot
from arena.ratings.supplement import RANKED, BotFacts, Party, Supplement, name_digest
from arena.store.accounts import AccountStore
from arena.store.rows import shown_or_left_out
from arena.tournaments.entry import parties

_GONE = BotFacts(withdrawn=True, ranked=False)


def supplement_of(store: AccountStore, names: Sequence[str], now_ms: int) -> Supplement:
    """Return the supplement of a board with ratings of the bots ``names``, none of which are house bots.

    Bots that share an owner, directly or through other bots on the board, form a party. A bot whose row was
    deleted is a withdrawn party of its own; bots that never existed or cannot be read are left out.
    """
    rows = {name: row for name, row in zip(names, store.bots(names), strict=True) if row is not None}
    gone = [Party(False, {name_digest(name): _GONE}) for name, row in rows.items() if "owner" not in row]
    found = (shown_or_left_out(f"bot {name}", partial(unpack_bot, row)) for name, row in rows.items())
    bots = [bot for bot in found if bot is not None]
    members: dict[str, list[BotAccount]] = {}
    for bot, party in zip(bots, parties([bot.owners for bot in bots]), strict=True):
        members.setdefault(party, []).append(bot)
    proven = proven_from(store, sorted({owner for bot in bots for owner in bot.owners}))
    return Supplement((*(_party(own, proven, now_ms) for own in members.values()), *gone))


def _party(bots: Sequence[BotAccount], proven: Mapping[str, int], now_ms: int) -> Party:
    owners = {owner for bot in bots for owner in bot.owners}
    # Owners who have begun to share bots can have named more.
    named = sorted(
        (bot for bot in bots if bot.ranked and not bot.deleted),
        key=lambda bot: (bot.ranked_since_ms, bot.created_ms, bot.name),
    )
    ranked = {bot.name for bot in named[:RANKED]}
    return Party(
        any(proven.get(owner, now_ms + 1) <= now_ms for owner in owners),
        {
            name_digest(bot.name): BotFacts(
                withdrawn=bot.state != "active" or bot.tournaments is False,
                ranked=bot.name in ranked,
                since_ms=bot.ranked_since_ms,
            )
            for bot in bots
        },
    )
