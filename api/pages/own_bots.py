"""Pages of a bot that only its owners see: logs and settings."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from api.http.errors import HttpError
from api.http.requests import load
from api.http.sessions import signed_in
from api.notes import change_notes
from api.pages.bot_output import output_of
from api.pages.edit_tournament import text_of
from api.pages.fields import Control, Words, body_of, controls, filled, of_form, status_of, with_error
from api.pages.qualifying import shown_qualifications
from api.pages.site import blueprint, form, page
from api.schemas.accounts import ChangedBotSchema, QualifySchema
from api.services import services
from arena.accounts.accounts import BotNotFound
from arena.accounts.records import BotSettings
from arena.accounts.rights import check_owner
from arena.accounts.versions import BotAccount
from arena.declarations import settings_of
from arena.errors import ArenaError

LOGS_MOST: Final = 20
"""The maximum number of games in the log of a bot."""

_EMPTY: Final[dict[str, Any]] = {"text": "", "area": "", "decimal": None}


# Log


@blueprint.get("/bots/<bot>/log")
def bot_log(bot: str) -> Response:
    """Show unfinished uploads, the qualifications of the current version, and the logs of recent games."""
    who = signed_in()
    account = check_owner(services().accounts, who, bot, shared=True)
    uploads = services().uploads.unsettled(bot)
    found = services().tournaments.qualifications(bot, account.version) if account.version else []
    current = account.current if account.version else None
    uploaded_ms = None if current is None or current.digest is None else current.created_ms
    games = () if current is None else current.games
    qualifications = shown_qualifications(who, found, uploaded_ms, games)
    logs = services().tournaments.journals.latest(bot, LOGS_MOST)
    return page(
        "bot_log.html",
        account=account,
        uploads=uploads,
        qualifications=qualifications,
        busy=bool(uploads) or qualifications.is_busy,
        logs=[_summary(log.game, log.seats) for log in logs],
    )


def _summary(game: str, seats: list[dict[str, Any]]) -> dict[str, Any]:
    times = [one["ms"] for seat in seats for one in seat["decisions"]]
    return {
        "game": game,
        "versions": sorted({seat["version"] for seat in seats}),
        "decisions": len(times),
        "mean_ms": sum(times) / len(times) if times else None,
        "most_ms": max(times, default=None),
        "faults": sum(len(seat["faults"]) for seat in seats),
        "lines": sum(seat["output"].count("\n") for seat in seats),
    }


@blueprint.get("/bots/<bot>/log/<game>")
def bot_game_log(bot: str, game: str) -> Response:
    """Show the log of one game."""
    account = check_owner(services().accounts, signed_in(), bot, shared=True)
    seats = services().tournaments.journals.find(bot, game)
    if seats is None:
        raise HttpError(f"there is no log of {bot} for game {game}", code="log_not_found", field="game")
    return page(
        "game_log.html",
        account=account,
        game=game,
        seats=seats,
        outputs=[output_of(seat) for seat in seats],
    )


# Settings


@blueprint.get("/bots/<bot>/settings")
def bot_settings(bot: str) -> Response:
    """Show the settings that the owners can change."""
    return _settings(check_owner(services().accounts, signed_in(), bot, shared=True))


def _settings(
    account: BotAccount, error: ArenaError | None = None, found: list[Control] | None = None
) -> Response:
    has_webhook = bool(services().accounts.signing_secrets(account.name))
    found = _controls(account) if found is None else found
    found, error = with_error(found, error)
    return page(
        "bot_settings.html",
        status_of(error),
        account=account,
        owns=account.owner == signed_in().owner,
        invited=services().co_owners.invited(account.name),
        controls=found,
        has_webhook=has_webhook,
        circuit=services().webhooks.circuit(account.name) if has_webhook else None,
        error=error,
    )


def _controls(account: BotAccount) -> list[Control]:
    """Return controls for the owner's statements about the bot."""
    unsaid = "yes, like any uploaded bot" if account.takes_part else "if it says so when requesting turns"
    words = Words(choices={"tournaments": {"": unsaid}})
    shown = []
    for one in controls(ChangedBotSchema(), settings_of(BotSettings), words):
        value = getattr(account, one.name)
        choices = one.choices if value is None else [choice for choice in one.choices if choice[0]]
        shown.append(replace(one, value=text_of(one, value), choices=choices))
    return shown


def _change(
    bot: str, act: Callable[[], object], back: str = "pages.bot_settings", *, shared: bool = False
) -> ResponseReturnValue:
    """Perform an action on one of the owner's bots, and show its settings again. ``shared``: whether
    co-owners are allowed to do it.
    """
    account = check_owner(services().accounts, signed_in(), bot, shared=shared)
    try:
        act()
    except ArenaError as error:
        return _settings(account, of_form(error))
    return redirect(url_for(back, bot=bot), 303)


@form("/bots/<bot>/settings")
def change_bot_settings(bot: str) -> ResponseReturnValue:
    """Change the owner's statements about the bot, or its state."""
    account = check_owner(services().accounts, signed_in(), bot)
    found = [one for one in _controls(account) if one.name in request.form]
    found = filled(found, request.form.getlist)
    # An emptied text field means an empty string, and an emptied number means unknown.
    body = {one.name: _EMPTY[one.kind] for one in found if one.kind in _EMPTY} | body_of(found)
    if "state" in request.form:
        body["state"] = request.form["state"]
    try:
        services().accounts.change_bot(bot, **load(ChangedBotSchema(), body))
    except ArenaError as error:
        return _settings(account, of_form(error), found or None)
    return redirect(url_for("pages.bot_settings", bot=bot), 303)


@form("/bots/<bot>/versions/<version>/current")
def make_current(bot: str, version: str) -> ResponseReturnValue:
    """Make a version the current one, which plays new games."""

    def act() -> None:
        if services().accounts.make_current(bot, version).url:
            services().webhooks.close_circuit(bot)

    return _change(bot, act, shared=True)


@form("/bots/<bot>/versions/<version>/source")
def publish_source(bot: str, version: str) -> ResponseReturnValue:
    """Publish or hide the source of a version."""
    published = request.form.get("published") == "yes"
    return _change(bot, lambda: services().accounts.publish(bot, version, published))


@form("/bots/<bot>/games/<game>/notes")
def publish_bot_notes(bot: str, game: str) -> ResponseReturnValue:
    """Publish or hide the notes of a bot on a finished game."""
    who = signed_in()
    check_owner(services().accounts, who, bot)
    change_notes(who, bot, game, bool(request.form.get("published")))
    return redirect(url_for("pages.game_page", game=game), 303)


@form("/bots/<bot>/versions/<version>/qualifications")
def qualify_version(bot: str, version: str) -> ResponseReturnValue:
    """Start the qualification of a version for a game, or for a preset of it."""

    def act() -> None:
        services().limits.spend("qualifications_per_owner", signed_in().owner)
        given = {name: request.form[name] for name in ("kind", "preset") if name in request.form}
        body = load(QualifySchema(), given)
        services().tournaments.qualify(body["kind"], bot, version, body["preset"])

    return _change(bot, act, "pages.bot_log", shared=True)


# Owners


@form("/bots/<bot>/owners")
def invite_co_owner(bot: str) -> ResponseReturnValue:
    """Invite an owner to share the bot."""
    owner = request.form.get("owner", "").strip()
    return _change(bot, lambda: services().co_owners.add(signed_in(), bot, owner))


@form("/bots/<bot>/owners/<owner>/remove")
def remove_co_owner(bot: str, owner: str) -> ResponseReturnValue:
    """Remove a co-owner or an invitation. Co-owners and invited owners can remove themselves."""
    who = signed_in()
    services().co_owners.remove(who, bot, owner)
    if owner == who.owner:
        return redirect(url_for("pages.account_page"), 303)
    return redirect(url_for("pages.bot_settings", bot=bot), 303)


@form("/bots/<bot>/owners/accept")
def accept_co_ownership(bot: str) -> ResponseReturnValue:
    """Accept an invitation to share the bot."""
    who = signed_in()
    services().co_owners.add(who, bot, who.owner)
    return redirect(url_for("pages.bot_settings", bot=bot), 303)


# Secrets


@form("/bots/<bot>/token")
def replace_bot_token(bot: str) -> ResponseReturnValue:
    """Replace the token of a bot, and show it once."""
    check_owner(services().accounts, signed_in(), bot)
    token = services().accounts.new_bot_token(bot)
    title = f"New token of {bot}"
    return page("secrets.html", bot=bot, secrets={"Token of the bot": token}, title=title)


@form("/bots/<bot>/webhook-secret")
def replace_webhook_secret(bot: str) -> ResponseReturnValue:
    """Replace the signing secret of a bot's webhook, and show it once."""
    account = check_owner(services().accounts, signed_in(), bot)
    try:
        secret, until_ms = services().registration.replace_secret(bot)
    except ArenaError as error:
        return _settings(account, of_form(error))
    title = f"New signing secret of {bot}"
    return page(
        "secrets.html", bot=bot, secrets={"Signing secret": secret}, title=title, previous_until_ms=until_ms
    )


# Deletion


@blueprint.get("/bots/<bot>/delete")
def delete_bot_page(bot: str) -> Response:
    """Ask for confirmation before a bot is deleted."""
    return page("delete_bot.html", account=check_owner(services().accounts, signed_in(), bot))


@form("/bots/<bot>/delete")
def delete_bot(bot: str) -> ResponseReturnValue:
    """Delete one of the owner's bots."""
    who = signed_in()
    # The form can have been sent twice.
    with suppress(BotNotFound):
        services().bot_deletion.delete(bot, by=who)
    return redirect(url_for("pages.account_page"), 303)
