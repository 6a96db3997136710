"""Permission checks for actions on a bot."""

from __future__ import annotations

from arena.accounts.accounts import Accounts, BotNotFound, Forbidden, Principal
from arena.accounts.uploads import ReceivedUpload
from arena.accounts.versions import BotAccount


def check_owner(accounts: Accounts, who: Principal, name: str, *, shared: bool = False) -> BotAccount:
    """Return the bot, which ``who`` must own or, if ``shared``, co-own.

    Raises :class:`~arena.accounts.accounts.BotNotFound` or :class:`~arena.accounts.accounts.Forbidden`.
    """
    bot = accounts.bot(name)
    check_owns(who, bot, shared=shared)
    _check_not_deleted(bot)
    return bot


def check_owns(who: Principal, bot: BotAccount, *, shared: bool = False) -> None:
    """Check that ``who`` owns or, if ``shared``, co-owns the bot, which may be deleted. Raises
    :class:`~arena.accounts.accounts.Forbidden`.
    """
    if who.scope != "owner" or who.name not in bot.owners:
        raise Forbidden(f"{bot.name} is not your bot", field="bot", expected="one of your bots")
    if not shared and who.name != bot.owner:
        raise Forbidden(
            f"only {bot.owner}, the owner of {bot.name}, can do this",
            field="bot",
            expected=f"the token of {bot.owner}",
        )


def _check_not_deleted(bot: BotAccount) -> None:
    if bot.deleted:
        raise BotNotFound(f"{bot.name} was deleted", field="bot")


def check_owner_or_admin(
    accounts: Accounts, who: Principal, name: str, action: str, detail: str = "", *, shared: bool = False
) -> None:
    """Check that ``who`` owns the bot (or co-owns it, if ``shared``) or is an admin. Actions of admins are
    audited.

    Raises :class:`~arena.accounts.accounts.BotNotFound` or :class:`~arena.accounts.accounts.Forbidden`.
    """
    try:
        check_owner(accounts, who, name, shared=shared)
    except Forbidden:
        if not who.admin:
            raise
        _check_not_deleted(accounts.bot(name))
        accounts.audit(who, action, f"bot {name}", detail)


def check_upload(accounts: Accounts, who: Principal, upload: ReceivedUpload) -> None:
    """Check that ``who`` owns or co-owns the bot of an upload, which may no longer exist. Raises
    :class:`~arena.accounts.accounts.Forbidden`.
    """
    (owners,) = [bot.owners for bot in accounts.listed([upload.bot])] or [(upload.owner,)]
    if who.scope != "owner" or who.name not in owners:
        raise Forbidden(
            f"the upload belongs to {upload.bot}, which is not your bot",
            field="upload",
            expected="an upload of one of your bots",
        )
