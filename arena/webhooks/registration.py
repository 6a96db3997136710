"""Registration of bots and their versions, including the checks of their uploads and webhooks."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arena.accounts.accounts import Accounts, Principal
from arena.accounts.records import BotSettings
from arena.accounts.rights import check_owner
from arena.accounts.upload_intake import Uploads
from arena.accounts.uploads import (
    FIELDS,
    InvalidSource,
    ReceivedUpload,
    Upload,
    javascript_upload,
    module_upload,
    python_upload,
)
from arena.accounts.versions import BotAccount, Version
from arena.bots.transports import transport_of
from arena.declarations import settings_of
from arena.webhook_messages.errors import InvalidUrl
from arena.webhook_messages.signing import InvalidSecret
from arena.webhooks.addresses import URL_RULE
from arena.webhooks.registry import NoWebhook, Webhooks, checked_secret


@dataclass(frozen=True)
class RegisteredBot:
    """A new bot. ``webhook_secret`` is None unless the bot has a webhook. ``upload`` is an upload whose
    checks are unfinished, or None for other transports.
    """

    bot: BotAccount
    token: str
    webhook_secret: str | None = None
    upload: ReceivedUpload | None = None


@dataclass(frozen=True)
class SubmittedVersion:
    """The outcome of submitting a version: ``version``, or an ``upload`` whose checks are unfinished.
    ``webhook_secret`` is the bot's first signing secret, or None if it already had one. ``added`` is False if
    the bot already had the version.
    """

    version: Version | None
    upload: ReceivedUpload | None = None
    webhook_secret: str | None = None
    added: bool = True


class Registration:
    """The registration of bots. ``spend(limit, owner)`` counts a call against a rate limit."""

    def __init__(
        self, accounts: Accounts, uploads: Uploads, webhooks: Webhooks, spend: Callable[[str, str], None]
    ) -> None:
        self._accounts = accounts
        self._uploads = uploads
        self._webhooks = webhooks
        self._spend = spend

    def register(self, who: Principal, body: dict[str, Any], address: str = "") -> RegisteredBot:
        """Register a bot. ``body`` holds the fields of the operation; an upload is removed from it.
        ``address`` is the account of the address that sends the request.
        """
        if transport_of(body["transport"]).takes_upload:
            self._spend("uploads_per_owner", who.owner)
        upload = _take_upload(body)
        settings = {name: body[name] for name in settings_of(BotSettings) if name in body}
        if upload is not None:
            bot, token, received = self._uploads.register(
                who.name, body["name"], body["version"], upload, address=address, **settings
            )
            return RegisteredBot(bot, token, upload=received)
        secret = checked_secret(body.get("secret"))
        webhook = self._checked_webhook(who, body, [secret])
        if webhook:
            webhook["secret"] = secret
        bot, token = self._accounts.register_bot(
            who.name,
            body["name"],
            body["version"],
            body["transport"],
            address=address,
            **webhook,
            **settings,
        )
        return RegisteredBot(bot, token, webhook.get("secret"))

    def add_version(self, who: Principal, bot: str, body: dict[str, Any]) -> SubmittedVersion:
        """Add a version to a bot of ``who``. ``body`` is as in :meth:`register`."""
        is_webhook = transport_of(body["transport"]).needs_url
        # The caller who adds the first version with a webhook sees the signing secret.
        known = check_owner(self._accounts, who, bot, shared=not is_webhook)
        upload = _take_upload(body)
        if who.name != known.owner:
            self._spend("uploads_per_owner", known.owner)
        if upload is not None:
            same = self._uploads.same_version(bot, upload)
            if same is not None:
                return SubmittedVersion(same, added=False)
            payer = who.owner if who.owner in known.co_owners else known.owner
            return SubmittedVersion(None, self._uploads.receive(bot, body["label"], upload, payer))
        secrets = self._accounts.signing_secrets(bot)
        if secrets and "secret" in body:
            raise InvalidSecret(
                "the bot already has a signing secret",
                field="secret",
                expected="no secret; replace the current one in a separate request",
            )
        made = None if secrets else checked_secret(body.get("secret"))
        webhook = self._checked_webhook(who, body, secrets or [made or ""])
        if not webhook:
            made = None
        version = self._accounts.add_version(
            bot, body["label"], body["transport"], secret=made or "", **webhook
        )
        if webhook:
            self._webhooks.close_circuit(bot)
        return SubmittedVersion(version, webhook_secret=made)

    def replace_secret(self, bot: str, given: str | None = None) -> tuple[str, int | None]:
        """Replace the signing secret of a bot's webhook with ``given`` or a new one. Return the new secret
        and the time (Unix milliseconds) until which the previous one is also used for signing.
        """
        if not self._accounts.signing_secrets(bot):
            raise NoWebhook(f"{bot} has no webhook", field="bot", expected="a bot with a webhook")
        secret = checked_secret(given)
        return secret, self._accounts.set_signing_secret(bot, secret)

    def _checked_webhook(self, who: Principal, body: dict[str, Any], secrets: list[str]) -> dict[str, Any]:
        """Return ``url`` and ``rights`` from ``body`` after a successful ping, or nothing for other
        transports.
        """
        given = [key for key in ("url", "rights", "secret") if key in body]
        if not transport_of(body["transport"]).needs_url:
            if given:
                raise InvalidUrl(
                    f"{given[0]!r} is allowed only for webhooks", field=given[0], expected="transport webhook"
                )
            return {}
        if "url" not in body:
            raise InvalidUrl("a webhook requires a URL", field="url", expected=URL_RULE)
        self._spend("webhook_checks_per_owner", who.owner)
        self._webhooks.check(body["url"], secrets, who.owner)
        return {"url": body["url"], "rights": body.get("rights", False)}


def _take_upload(body: dict[str, Any]) -> Upload | None:
    """Remove and return the upload in ``body``, or return None if there is none. It is removed because
    ``body`` is kept while the request waits.
    """
    given = [key for key in FIELDS.values() if key in body]
    if transport_of(body["transport"]).takes_upload != (len(given) == 1):
        raise InvalidSource(
            "an uploaded bot requires either a source or a module, which other bots must not have",
            field=given[0] if given else "source",
            expected='source, javascript or module, with the transport "uploaded"',
        )
    if not given:
        return None
    if "source" in body:
        return python_upload(body.pop("source"))
    if "javascript" in body:
        return javascript_upload(body.pop("javascript"))
    module = body.pop("module")
    if isinstance(module, str):
        try:
            module = b64decode(module, validate=True)
        except ValueError:
            raise InvalidSource("the module is not valid base64", field="module", expected="base64") from None
    return module_upload(module)
