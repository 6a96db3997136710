"""Cancelling live games, for their creators and for admins."""

from __future__ import annotations

from collections.abc import Sequence

from arena.accounts.accounts import Accounts, Forbidden, Principal
from arena.errors import ArenaError
from arena.events.deletion import tried
from arena.events.rights import viewer_of
from arena.live.header import ANYBODY, GameHeader, GameSummary
from arena.live.service import GameNotOpen, LiveGames
from arena.live.views import check_visible


class GameCancellation:
    """Cancels live games for the holder of a token: waiting games, and running ones, which are then void.
    What only an admin can cancel is audited.
    """

    def __init__(self, live: LiveGames, accounts: Accounts) -> None:
        self._live = live
        self._accounts = accounts

    def cancel(self, game: str, who: Principal, reason: str = "") -> GameSummary:
        """Cancel a game and return it. ``reason`` is public. Can be repeated.

        The creator can cancel a game that does not belong to a tournament, and when it is running, only if
        all its bots are the creator's own or house bots. Raises ``game_not_found``, ``forbidden`` or
        ``game_not_open``.
        """
        header = self._live.header(game)
        check_visible(header, viewer_of(who) or ANYBODY)
        refusal = self._refusal(header, who)
        if refusal is not None:
            if not who.admin:
                raise refusal
            self._accounts.audit(who, "cancel game", f"game {game}", reason)
        by = "its creator" if refusal is None else f"the admin {who.name}"
        # The seats of a running game never change, but a waiting game can begin with other bots meanwhile.
        ends = refusal is not None or header.state != "waiting"
        return self._live.cancel(game, _why(by, reason), running=ends)

    def cancel_all(self, owner: str, who: Principal, reason: str) -> list[str]:
        """Cancel all waiting and running games that an owner created, except those of tournaments, and return
        their ids.
        """
        name = self._accounts.owner(owner).name
        self._accounts.audit(who, "cancel games", f"owner {name}", reason)
        games = self._live.unfinished(name)
        for game in games:
            tried(self._live.cancel, game, _why(f"the admin {who.name}", reason), running=True)
        return list(games)

    def end_own(self, owner: str, why: str) -> None:
        """End the games that an owner created and in which nobody else's bots sit. Can be repeated.

        Tables that the owner opened as a signed-in person stay: they end when the person leaves. So do games
        that other processes create while they still accept the owner's token, for five seconds.
        """
        for game in self._live.unfinished(owner):
            tried(self._end, game, owner, why)

    def _end(self, game: str, owner: str, why: str) -> None:
        header = self._live.header(game)
        while header.state in ("waiting", "running") and not self._others(header, owner):
            try:
                self._live.cancel(game, why, running=header.state == "running")
            except GameNotOpen:
                # The game has begun in the meantime, perhaps with another owner's bot.
                header = self._live.header(game)
            else:
                return

    def may_cancel(self, game: str, who: Principal | None) -> bool:
        """Return whether ``who`` can cancel the unfinished game."""
        if who is None:
            return False
        header = self._live.header(game)
        unfinished = header.state in ("waiting", "running")
        return unfinished and (who.admin or self._refusal(header, who) is None)

    def _refusal(self, header: GameHeader, who: Principal) -> ArenaError | None:
        """Return why only an admin can cancel the game, or None if its creator ``who`` can."""
        if not who.owner or header.created_by != who.owner:
            return Forbidden("this is not your game", field="game", expected="one of your games")
        if header.group is not None:
            return Forbidden(
                "this game belongs to a tournament",
                field="game",
                expected="to cancel the tournament, or an admin to annul the group",
            )
        if header.state == "running" and self._others(header, who.owner):
            return Forbidden(
                "this game is running, and bots of other owners play in it",
                field="game",
                expected="your bots to resign (POST /v1/games/{game}/resign)",
            )
        return None

    def _others(self, header: GameHeader, owner: str) -> Sequence[str]:
        own = {bot.name for bot in self._accounts.listed(sorted(header.bots())) if owner in bot.owners}
        return sorted(header.bots() - own)


def _why(by: str, reason: str) -> str:
    return f"cancelled by {by}: {reason}" if reason else f"cancelled by {by}"
