"""What owners do with bots and tournaments, by an operation of the API or by a form of a page."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from api.auth import viewer
from api.services import services
from arena.accounts.accounts import BotNotFound, Forbidden, Owner, Principal
from arena.accounts.uploads import InvalidSource, ReceivedUpload, Upload, component_upload, python_upload
from arena.accounts.versions import BotAccount, Version, VersionNotFound
from arena.bots.transports import transport_of
from arena.errors import ArenaError
from arena.webhooks.addresses import URL_RULE
from arena.webhooks.errors import InvalidUrl
from arena.webhooks.registry import NoWebhook, checked_secret
from arena.webhooks.signing import InvalidSecret


@dataclass(frozen=True)
class RegisteredBot:
    """A new bot. ``webhook_secret``: None without a webhook. ``upload``: None for other transports; its
    checks are not over.
    """

    bot: BotAccount
    token: str
    webhook_secret: str | None = None
    upload: ReceivedUpload | None = None


@dataclass(frozen=True)
class SubmittedVersion:
    """What became of a submitted version: ``version``, or an ``upload`` whose checks are not over.
    ``webhook_secret``: the bot's first one, otherwise None. ``added``: false if the bot had the version.
    """

    version: Version | None
    upload: ReceivedUpload | None = None
    webhook_secret: str | None = None
    added: bool = True


def sign_up(address: str, invited: bool, create: Callable[[], tuple[Owner, str]]) -> tuple[Owner, str]:
    """Let ``create`` make an owner. It counts against the limit of the address, if ``invited`` only when it
    fails.
    """
    limits = services().limits
    if not invited:
        limits.spend("sign_ups_per_address", address)
        return create()
    try:
        return create()
    except ArenaError:
        limits.spend("sign_ups_per_address", address)
        raise


def check_owner(who: Principal, name: str) -> BotAccount:
    """Return the bot, which ``who`` must own.

    Raises :class:`~arena.accounts.accounts.BotNotFound` or :class:`~arena.accounts.accounts.Forbidden`.
    """
    bot = services().accounts.bot(name)
    if bot.owner != who.name or who.scope != "owner":
        raise Forbidden(f"{name} is not your bot", field="bot", expected="one of your own bots")
    return bot


def register(who: Principal, body: dict[str, Any]) -> RegisteredBot:
    """Register a bot. ``body``: the fields of the operation; an upload is removed from it."""
    parts = services()
    if transport_of(body["transport"]).takes_upload:
        parts.limits.spend("uploads_per_owner", who.owner)
    upload = _take_upload(body)
    description, tournaments = body.get("description", ""), body.get("tournaments")
    if upload is not None:
        bot, token, received = parts.uploads.register(
            who.name, body["name"], body["version"], description, upload, tournaments
        )
        return RegisteredBot(_declared(bot, body), token, upload=received)
    secret = checked_secret(body.get("secret"))
    webhook = _checked_webhook(who, body, [secret])
    if webhook:
        webhook["secret"] = secret
    bot, token = parts.accounts.register_bot(
        who.name,
        body["name"],
        body["version"],
        body["transport"],
        description,
        tournaments=tournaments,
        **webhook,
    )
    return RegisteredBot(_declared(bot, body), token, webhook.get("secret"))


def _declared(bot: BotAccount, body: dict[str, Any]) -> BotAccount:
    """The bot with what its owner says about it as a language model."""
    said = {name: body[name] for name in ("model", "game_cost") if name in body}
    return services().accounts.change_bot(bot.name, **said) if said else bot


def add_version(who: Principal, bot: str, body: dict[str, Any]) -> SubmittedVersion:
    """Add a version of an own bot. ``body``: the fields of the operation; an upload is removed from it."""
    check_owner(who, bot)
    upload = _take_upload(body)
    parts = services()
    if upload is not None:
        same = parts.uploads.same_version(bot, upload)
        if same is not None:
            return SubmittedVersion(same, added=False)
        return SubmittedVersion(None, parts.uploads.receive(bot, body["label"], upload))
    secrets = parts.accounts.signing_secrets(bot)
    if secrets and "secret" in body:
        raise InvalidSecret(
            "the bot already has a signing secret",
            field="secret",
            expected="no secret; replace it separately",
        )
    made = None if secrets else checked_secret(body.get("secret"))
    webhook = _checked_webhook(who, body, secrets or [made or ""])
    if not webhook:
        made = None
    version = parts.accounts.add_version(bot, body["label"], body["transport"], secret=made or "", **webhook)
    if webhook:
        parts.webhooks.close_circuit(bot)
    return SubmittedVersion(version, webhook_secret=made)


def upload_view(upload: ReceivedUpload) -> dict[str, Any]:
    """The upload, with the qualifications of the version that it became."""
    found: list[dict[str, Any]] = []
    if upload.state == "added":
        with suppress(VersionNotFound, BotNotFound):
            found = services().tournaments.qualifications(upload.bot, upload.label)
    return {**vars(upload), "qualifications": found}


def replace_secret(bot: str, given: str | None = None) -> tuple[str, int | None]:
    """Replace the signing secret of a bot's webhook by ``given`` or a new one. Returns it, and until when
    (Unix time in milliseconds) the previous one signs as well.
    """
    accounts = services().accounts
    if not accounts.signing_secrets(bot):
        raise NoWebhook(f"{bot} has no webhook", field="bot", expected="a bot with a webhook")
    secret = checked_secret(given)
    return secret, accounts.set_signing_secret(bot, secret)


def delete(bot: str) -> None:
    """Delete a bot with its logs and notes. Raises :class:`~arena.accounts.accounts.BotNotFound`."""
    services().accounts.delete_bot(bot)
    services().tournaments.journals.forget(bot)
    services().live.notes.forget(bot)
    services().webhooks.close_circuit(bot)


def announce_tournament(
    who: Principal, body: dict[str, Any], tournament_id: str | None = None
) -> dict[str, Any]:
    """Announce a tournament and return it; who is invited must exist."""
    arena = services().tournaments
    arena.invitations.check_known(body.get("invited", ()), body.get("invited_owners", ()))
    return arena.create(body, who.owner, rated=who.admin, tournament_id=tournament_id)


def edit_tournament(who: Principal, tournament: str, body: dict[str, Any]) -> dict[str, Any]:
    """Edit a tournament and return it; that of somebody else as an admin, which is audited."""
    arena = services().tournaments
    seen = viewer(who)
    if who.admin and arena.view(tournament, seen)["created_by"] != who.owner:
        services().accounts.audit(who, "edit tournament", f"tournament {tournament}", ", ".join(body))
    arena.invitations.check_known(body.get("invited", ()), ())
    arena.organising.edit(tournament, body, by=who)
    return arena.view(tournament, seen)


def cancel_tournament(who: Principal, tournament: str, reason: str) -> dict[str, Any]:
    """Cancel a tournament and return it; that of somebody else only as an admin."""
    arena = services().tournaments
    arena.view(tournament, viewer(who))
    services().accounts.audit(who, "cancel tournament", f"tournament {tournament}", reason)
    return arena.cancel(tournament, by=who, reason=reason)


def _take_upload(body: dict[str, Any]) -> Upload | None:
    """Remove the upload from ``body``, which is kept while the request waits; None for other transports."""
    given = [key for key in ("source", "component") if key in body]
    if transport_of(body["transport"]).takes_upload != (len(given) == 1):
        raise InvalidSource(
            "an uploaded bot needs either a source or a component; other bots have neither",
            field=given[0] if given else "source",
            expected='either source or component, with the transport "uploaded"',
        )
    if not given:
        return None
    if "source" in body:
        return python_upload(body.pop("source"))
    component = body.pop("component")
    if isinstance(component, str):
        try:
            component = b64decode(component, validate=True)
        except ValueError:
            raise InvalidSource(
                "the component is not valid base64", field="component", expected="base64"
            ) from None
    return component_upload(component)


def _checked_webhook(who: Principal, body: dict[str, Any], secrets: list[str]) -> dict[str, Any]:
    """The ``url`` and ``rights`` in ``body``, after a ping was answered; empty for other transports."""
    given = [key for key in ("url", "rights", "secret") if key in body]
    if not transport_of(body["transport"]).needs_url:
        if given:
            raise InvalidUrl(
                f"{given[0]!r} is for webhooks only", field=given[0], expected="transport webhook"
            )
        return {}
    if "url" not in body:
        raise InvalidUrl("a webhook needs a URL", field="url", expected=URL_RULE)
    services().limits.spend("webhook_checks_per_owner", who.owner)
    services().webhooks.check(body["url"], secrets)
    return {"url": body["url"], "rights": body.get("rights", False)}
