"""The bots of a party that have ranks on leaderboards: at most three for each game, which the owners name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from arena.accounts.versions import BotAccount
from arena.errors import ArenaError
from arena.games import GAMES
from arena.ratings.supplement import RANKED

BotsOf = Callable[[str], Sequence[BotAccount]]
"""Returns the bots, with their versions, that an owner owns or co-owns."""


class TooManyRanked(ArenaError):
    """The bot cannot have a rank, because other bots of its owners have all that there are."""

    code = "too_many_ranked"


def _games_of(bot: BotAccount) -> Collection[str]:
    """Return the games for which a bot counts: those that its current version declares, or all."""
    return next((one.games for one in bot.versions if one.label == bot.version and one.games), GAMES)


def check_room(bot: BotAccount, bots_of: BotsOf) -> None:
    """Check that a bot can have a rank beside the other bots of its party. Raises :class:`TooManyRanked`."""
    # The games of a bot are unknown until its first upload has been checked.
    others = [one for one in _party(bot, bots_of) if one.ranked and one.version]
    for kind in _games_of(bot):
        named = [one.name for one in others if kind in _games_of(one)]
        if len(named) >= RANKED:
            names = f"{', '.join(named[:-1])} and {named[-1]}"
            raise TooManyRanked(
                f"{bot.name} cannot have a rank at {kind}, because {names} have",
                field="ranked",
                expected=f"at most {RANKED} bots with a rank for each game; switch `ranked` off for another",
            )


def _party(bot: BotAccount, bots_of: BotsOf) -> Collection[BotAccount]:
    """Return the other bots of owners who share bots with the owners of ``bot``, directly or through a chain
    of other bots, by name.
    """
    found: dict[str, BotAccount] = {}
    owners, seen = list(bot.owners), set()
    while owners:
        owner = owners.pop()
        if owner not in seen:
            seen.add(owner)
            for one in bots_of(owner):
                found[one.name] = one
                owners += one.owners
    found.pop(bot.name, None)
    return [found[name] for name in sorted(found)]
