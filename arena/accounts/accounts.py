"""Owners, their bots, the tokens of both, and the log of admin actions."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, cast

from arena.accounts.allowances import QuotaExceeded, StorageQuotas
from arena.accounts.audit import MAX_PAGE, AuditEntry, AuditLog, Principal, Scope
from arena.accounts.default_limits import MAX_OF_BOT, Quotas
from arena.accounts.owners import InvitationsOff, Owner, OwnerNotFound, OwnerSuspended, OwnerSuspension
from arena.accounts.proof import next_day_ms, proven_from
from arena.accounts.ranked import TooManyRanked, check_room
from arena.accounts.records import pack_settings
from arena.accounts.uploads import InvalidSource, Language, Upload
from arena.accounts.versions import (
    RANKED_SINCE,
    BotAccount,
    BotState,
    NoSource,
    Version,
    pack_version,
    unpack_bot,
    unpack_version,
)
from arena.bots.transports import REMOTE, transport_of
from arena.errors import ArenaError
from arena.inputs.names import LABEL_PATTERN, LABEL_RULE, NAME_PATTERN, NAME_RULE
from arena.store.accounts import AccountStore, Sharing, StoredUpload
from arena.store.amounts import Stored
from arena.store.rows import reading, shown_or_left_out

OWNER_PREFIX: Final = "btq_o_"
BOT_PREFIX: Final = "btq_b_"
"""Token prefixes. A token is ``btq_b_<name>_<256 random bits>``; names contain no underscore."""

FIRST_ADMIN: Final = "admin"
"""The name of the admin whose token is set in the environment."""

REMEMBERED_SECONDS: Final = 5.0
"""How long a process caches a valid token."""

_REMEMBERED_TOKENS: Final = 20_000

OLD_SECRET_MS: Final = 86_400_000
"""How long a replaced signing secret is still used, in addition to the new one."""


class InvalidName(ArenaError):
    """The name or version label breaks the rules for names."""

    code = "invalid_name"


class NameTaken(ArenaError):
    """The name is in use, was in use, or belongs to a house bot."""

    code = "name_taken"


class BotNotFound(ArenaError):
    """The bot does not exist or was deleted."""

    code = "bot_not_found"


class BotWithdrawn(ArenaError):
    """The bot's owner has withdrawn it from new games."""

    code = "bot_withdrawn"


class VersionExists(ArenaError):
    """The label is already in use, and versions never change."""

    code = "version_exists"


class UploadExists(VersionExists):
    """A version of the bot, or an upload that is being checked, has the same bytes."""


class InvalidToken(ArenaError):
    """The token is missing, malformed, revoked or was never issued."""

    code = "invalid_token"


class Forbidden(ArenaError):
    """The token is valid but does not permit this action."""

    code = "forbidden"


class Accounts(AuditLog):
    """Owners, bots and tokens in one store.

    ``admin_token`` is the token of the first admin, from the environment, or None if there is no such admin.
    ``reserved`` are names that cannot be registered, such as those of house bots. ``quotas`` limits how much
    can be stored. ``now_ms`` is the clock of the service, in Unix milliseconds; by default, the process's.
    """

    def __init__(
        self,
        store: AccountStore,
        admin_token: str | None = None,
        reserved: Collection[str] = (),
        quotas: Quotas | None = None,
        now_ms: Callable[[], int] | None = None,
    ) -> None:
        super().__init__(store)
        self._store = store
        self.quotas = StorageQuotas(store, quotas or Quotas())
        self._admin_digest = _digest(admin_token) if admin_token else None
        self._reserved = frozenset(reserved)
        self._now_ms = now_ms or _now
        self._remembered: dict[str, tuple[float, Principal]] = {}

    # Tokens

    def check(self, token: str) -> Principal:
        """Return the holder of ``token``. Raises :class:`InvalidToken`."""
        digest = _digest(token)
        remembered = self._remembered.get(digest)
        now = time.monotonic()
        if remembered is not None and now - remembered[0] < REMEMBERED_SECONDS:
            return remembered[1]
        principal = self._look_up(token, digest)
        if len(self._remembered) >= _REMEMBERED_TOKENS:
            self._remembered.clear()
        self._remembered[digest] = (now, principal)
        return principal

    def check_now(self, token: str) -> Principal:
        """Return the holder of ``token`` as the database knows it now. Raises :class:`InvalidToken`."""
        self._remembered.pop(_digest(token), None)
        return self.check(token)

    def _look_up(self, token: str, digest: str) -> Principal:
        if self._admin_digest is not None and hmac.compare_digest(digest, self._admin_digest):
            return Principal("admin", FIRST_ADMIN, admin=True)
        prefix = token[: len(OWNER_PREFIX)]
        name = token[len(OWNER_PREFIX) :].partition("_")[0]
        fields = None
        if re.fullmatch(NAME_PATTERN, name):
            if prefix == OWNER_PREFIX:
                fields = self._store.owner(name)
            elif prefix == BOT_PREFIX:
                fields = self._store.bot(name)
        if fields is None or not hmac.compare_digest(digest, fields.get("token", "")):
            raise InvalidToken("the token is not valid")
        if prefix == BOT_PREFIX:
            with reading(f"bot {name}"):
                owner = fields["owner"]
            self.check_not_suspended(owner)
            return Principal("bot", name, owner)
        self.check_not_suspended(name)
        return Principal("owner", name, name, "admin" in fields)

    def _forget(self, scope: Scope, name: str) -> None:
        for digest, (_, principal) in list(self._remembered.items()):
            if principal.scope == scope and principal.name == name:
                self._remembered.pop(digest, None)

    # Owners

    def sign_up(self, name: str, more: Mapping[str, str] | None = None) -> tuple[Owner, str]:
        """Create an owner, and return it with its token, which is shown only once. ``more`` contains
        additional fields. Raises :class:`InvalidName` or :class:`NameTaken`.
        """
        self._check_new_name(name)
        token, digest = _new_token(OWNER_PREFIX, name)
        created = _now()
        if not self._store.create_owner(name, digest, {**(more or {}), "created": str(created)}):
            raise NameTaken(f"the name {name!r} is taken", field="name", expected="another name")
        return Owner(name, created), token

    def is_admin(self, name: str) -> bool:
        """Return whether an owner with this name exists and is an admin."""
        try:
            return self.owner(name).admin
        except OwnerNotFound:
            return False

    def owner(self, name: str) -> Owner:
        """Return an owner. Raises :class:`OwnerNotFound`, or :class:`~arena.errors.CorruptState`."""
        fields = self._store.owner(name) if re.fullmatch(NAME_PATTERN, name) else None
        if fields is None:
            raise _unknown_owner(name)
        with reading(f"owner {name}"):
            suspended = fields.get("suspended")
            return Owner(
                fields["name"],
                int(fields["created"]),
                "admin" in fields,
                None if suspended is None else OwnerSuspension(*json.loads(suspended)[:3]),
                "uninvitable" not in fields,
                int(fields["recovery"].partition(" ")[0]) if "recovery" in fields else None,
            )

    def check_exists(self, owner: str, field: str) -> None:
        """Check that the owner named in the request field ``field`` exists. Raises :class:`OwnerNotFound`."""
        try:
            self.owner(owner)
        except OwnerNotFound as error:
            raise OwnerNotFound(error.message, field=field, expected="the name of an owner") from None

    def check_invitable(self, owner: str, field: str) -> None:
        """Check that the owner named in the request field ``field`` exists and may be invited. Raises
        :class:`OwnerNotFound` or :class:`~arena.accounts.owners.InvitationsOff`.
        """
        self.check_exists(owner, field)
        if not self.owner(owner).invitable:
            raise InvitationsOff(
                f"{owner} accepts no invitations", field=field, expected="an owner who accepts invitations"
            )

    def set_invitable(self, name: str, invitable: bool) -> Owner:
        """Set whether others may invite an owner. Raises :class:`OwnerNotFound`."""
        fields, removed = ({}, ("uninvitable",)) if invitable else ({"uninvitable": "1"}, ())
        if not self._store.change_owner(name, fields, remove=removed):
            raise _unknown_owner(name)
        return self.owner(name)

    def acting(self, name: str) -> Principal | None:
        """Return an owner with the rights that it has now, for what the service does on its behalf. Returns
        None for an owner who was deleted, is suspended, or has no valid token.
        """
        fields = self._store.owner(name) or {}
        if "token" not in fields or "suspended" in fields:
            return None
        return Principal("owner", name, name, "admin" in fields)

    def check_not_suspended(self, name: str) -> None:
        """Raise :class:`OwnerSuspended` if the owner is suspended."""
        try:
            suspended = self.owner(name).suspended
        except OwnerNotFound:
            return
        if suspended is not None:
            raise OwnerSuspended(
                f"the owner {name} is suspended: {suspended.reason}",
                expected="an owner that is not suspended; only an admin can lift the suspension",
            )

    def set_suspended(self, name: str, suspension: OwnerSuspension | None) -> None:
        """Suspend an owner, or lift the suspension if ``suspension`` is None. The caller must also update the
        owner's bots; see :class:`~arena.accounts.suspensions.Suspensions`. Raises :class:`OwnerNotFound`.
        """
        if suspension is None:
            changed = self._store.change_owner(name, {}, remove=("suspended",))
        else:
            self._store.note_suspended_owner(name)
            values = list(vars(suspension).values())
            changed = self._store.change_owner(name, {"suspended": json.dumps(values)})
        if not changed:
            raise _unknown_owner(name)
        # Bot tokens must be forgotten too.
        self._remembered.clear()

    def delete_owner(self, name: str) -> None:
        """Erase the stored data of an owner who has no bots. The name stays taken."""
        self._store.delete_owner(name)
        self._forget("owner", name)

    def new_owner_token(self, name: str) -> str:
        """Replace the owner's token and return the new one. The owner's recovery code ends. Raises
        :class:`OwnerNotFound`.
        """
        token, digest = _new_token(OWNER_PREFIX, name)
        if not self._store.change_owner(name, {"token": digest}, remove=("recovery",)):
            raise _unknown_owner(name)
        self._forget("owner", name)
        return token

    def recovered_token(self, name: str, recovery: str) -> str | None:
        """Replace the owner's token like :meth:`new_owner_token`, and return the new one. Returns None, and
        changes nothing, if ``recovery`` is not the stored value of the owner's recovery code.
        """
        token, digest = _new_token(OWNER_PREFIX, name)
        if not self._store.recover_owner(name, recovery, digest):
            return None
        self._forget("owner", name)
        return token

    def revoke_owner_token(self, name: str) -> None:
        """Revoke the owner's token and recovery code; only an admin can issue another token. Raises
        :class:`OwnerNotFound`.
        """
        if not self._store.change_owner(name, {}, remove=("token", "recovery")):
            raise _unknown_owner(name)
        self._forget("owner", name)

    def set_admin(self, name: str, admin: bool) -> Owner:
        """Set whether an owner is an admin. Raises :class:`OwnerNotFound`."""
        changed = (
            self._store.change_owner(name, {"admin": "1"})
            if admin
            else self._store.change_owner(name, {}, remove=("admin",))
        )
        if not changed:
            raise _unknown_owner(name)
        self._forget("owner", name)
        self._store.note_state_change()
        return self.owner(name)

    def proven_from(self, name: str) -> int:
        """Return from when on an owner is proven, in Unix milliseconds; see :mod:`arena.accounts.proof`.
        Raises :class:`OwnerNotFound`.
        """
        try:
            return proven_from(self._store, [name])[name]
        except KeyError:
            raise _unknown_owner(name) from None

    def _check_new_name(self, name: str) -> None:
        """Raise :class:`InvalidName` or :class:`NameTaken`."""
        _check_name(name)
        if name == FIRST_ADMIN:
            raise NameTaken(f"the name {name!r} is taken", field="name", expected="another name")
        if name in self._reserved:
            raise NameTaken(f"{name!r} is the name of a house bot", field="name", expected="another name")

    # Bots

    def register_bot(
        self,
        owner: str,
        name: str,
        label: str = "1",
        transport: str = REMOTE.name,
        *,
        url: str = "",
        rights: bool = False,
        secret: str = "",
        upload: StoredUpload | None = None,
        address: str = "",
        **settings: object,
    ) -> tuple[BotAccount, str]:
        """Register a bot with its first version, and return it with its token, which is shown only once.

        ``url`` and ``rights`` apply to webhooks, as in :class:`Version`, and ``secret`` signs their posts.
        ``address`` is the account of the address that sends the request.
        ``upload`` applies to uploaded bots, which have no version until the upload has been checked; see
        :mod:`arena.accounts.upload_intake`. Raises :class:`InvalidName`, :class:`NameTaken`,
        :class:`~arena.accounts.allowances.QuotaExceeded` or :class:`~arena.bots.transports.UnknownTransport`,
        in which case nothing is stored.
        """
        self._check_new_name(name)
        _check_version(label, transport, url, upload)
        token, digest = _new_token(BOT_PREFIX, name)
        created = _now()
        fields = {"created": str(created), "state": "active", "description": "", **pack_settings(settings)}
        if secret:
            fields["hook"] = secret
        taken = NameTaken(
            f"the name {name!r} is in use or was used before", field="name", expected="another name"
        )
        if self._store.bot(name) is not None:
            raise taken
        versions: tuple[Version, ...] = ()
        packed = ("", "")
        if upload is None:
            version = Version(label, transport, created, url, rights)
            versions = (version,)
            packed = (label, pack_version(version))
            fields |= self._ranked_at_first(
                BotAccount(
                    name=name,
                    owner=owner,
                    state="active",
                    version=label,
                    created_ms=created,
                    versions=versions,
                )
            )
        wanted = Stored(1, 1, 0 if upload is None else len(upload.data))
        with self.quotas.reserve([owner], wanted, name, address) as reservation:
            if url:
                self._store.note_webhook(name)
            if not self._store.create_bot(name, owner, digest, fields, *packed, upload):
                raise taken
            reservation.keep(wanted)
        bot = unpack_bot({"name": name, "owner": owner, "version": packed[0], **fields})
        assert bot is not None
        return replace(bot, versions=versions), token

    def bot(self, name: str) -> BotAccount:
        """Return a bot, with those of its versions that can be read. Raises :class:`BotNotFound`, also for
        deleted bots, or :class:`~arena.errors.CorruptState`.
        """
        fields = self._store.bot(name) if re.fullmatch(NAME_PATTERN, name) else None
        bot = unpack_bot(fields)
        if bot is None or fields is None:
            raise _unknown_bot(name)
        versions = [
            replace(version, published=_published(version.label) in fields)
            for version in _versions(name, self._store.versions(name))
        ]
        return replace(bot, versions=tuple(versions))

    def bots(
        self, owner: str | None = None, after: str = "", limit: int = MAX_PAGE
    ) -> tuple[list[BotAccount], str | None]:
        """Return a page of bots by name, without their versions, and the cursor of the next page or None.
        If ``owner`` is given, only bots that it owns or co-owns are returned.
        """
        names = self._store.bot_names(owner, after, limit + 1)
        found = [bot for bot in self.listed(names[:limit]) if owner is None or owner in bot.owners]
        return found, names[limit - 1] if len(names) > limit else None

    def add_version(
        self,
        name: str,
        label: str,
        transport: str = REMOTE.name,
        *,
        url: str = "",
        rights: bool = False,
        secret: str = "",
        upload: StoredUpload | None = None,
    ) -> Version | None:
        """Add a version, which becomes the current one. ``url``, ``rights``, ``secret`` and ``upload`` are as
        in :meth:`register_bot`. Returns None for an upload, which becomes a version once it has been checked.

        Raises :class:`BotNotFound`, :class:`InvalidName`, :class:`UploadExists`, :class:`VersionExists` or
        :class:`~arena.accounts.allowances.QuotaExceeded`, in which case nothing is stored.
        """
        _check_version(label, transport, url, upload)
        bot = self.bot(name)
        if any(version.label == label for version in bot.versions):
            raise _version_exists(name, label)
        if url:
            self._store.note_webhook(name)
        version = Version(label, transport, _now(), url, rights) if upload is None else None
        wanted = Stored(0, 1, 0 if upload is None else len(upload.data))
        with self.quotas.reserve(bot.owners, wanted) as reservation:
            added, size = self._store.add_version(
                name,
                label,
                "" if version is None else pack_version(version),
                MAX_OF_BOT,
                upload,
                {"hook": secret} if secret else {},
            )
            if added == "unknown":
                raise _unknown_bot(name)
            if added == "same":
                raise UploadExists(f"{name} already has this upload", field="source")
            if added == "exists":
                raise _version_exists(name, label)
            if added == "full":
                most = MAX_OF_BOT.versions
                raise QuotaExceeded(
                    f"a bot can have at most {most} versions",
                    field="label",
                    expected="another bot",
                    extra={"quota": "bot_versions", "most": most, "used": most, "left": 0},
                )
            if added == "large":
                most = MAX_OF_BOT.bytes
                left = max(0, most - size)
                raise QuotaExceeded(
                    f"a bot's versions can take at most {most} bytes in total; {name} has {left} left",
                    field="source",
                    expected="another bot",
                    extra={"quota": "bot_bytes", "most": most, "used": size, "left": left},
                )
            reservation.keep(Stored(0, 1, size))
        return version

    def make_current(self, name: str, label: str) -> Version:
        """Make a version the one that plays new games from now on, and return it. Raises :class:`BotNotFound`
        or :class:`~arena.accounts.versions.VersionNotFound`.
        """
        bot = self.bot(name)
        version = bot.find(label)
        fields = {"version": label, "current_ms": str(_now())}
        if bot.version != label and not self._store.change_bot(name, fields):
            raise _unknown_bot(name)
        return version

    def change_bot(
        self,
        name: str,
        state: BotState | None = None,
        **settings: object,
    ) -> BotAccount:
        """Change the state of a bot or its settings; a setting of None is removed. Raises
        :class:`BotNotFound` and :class:`~arena.accounts.ranked.TooManyRanked`.
        """
        before = self.bot(name)
        given = {**({"state": state} if state else {}), **pack_settings(settings)}
        removed = tuple(name for name, value in settings.items() if value is None)
        if settings.get("ranked") and not before.ranked:
            check_room(before, self._with_versions)
            given[RANKED_SINCE] = str(next_day_ms(self._now_ms()))
        if not self._store.change_bot(name, given, removed):
            raise _unknown_bot(name)
        after = self.bot(name)
        if state or (after.ranked, after.tournaments) != (before.ranked, before.tournaments):
            self._store.note_state_change()
        return after

    def rank_at_first(self, name: str) -> None:
        """Give a bot whose first upload has become a version a rank if there is room. Can be repeated."""
        fields = self._store.bot(name) or {}
        if "ranked" not in fields and unpack_bot(fields or None) is not None:
            self._store.change_bot(name, self._ranked_at_first(self.bot(name)))

    def _ranked_at_first(self, bot: BotAccount) -> dict[str, str]:
        """Return the field of a new bot that says whether it has a rank: if there is room for it."""
        try:
            check_room(bot, self._with_versions)
        except TooManyRanked:
            return pack_settings({"ranked": False})
        return pack_settings({"ranked": True})

    def _with_versions(self, owner: str) -> list[BotAccount]:
        """Return the bots that an owner owns or co-owns, with those of their versions that can be read."""
        bots = [bot for bot in self.listed(self._store.bot_names(owner, "", -1)) if owner in bot.owners]
        stored = self._store.versions_of([bot.name for bot in bots])
        return [
            replace(bot, versions=_versions(bot.name, own)) for bot, own in zip(bots, stored, strict=True)
        ]

    def hide_description(self, name: str, hidden: bool) -> None:
        """Hide or show the description of a bot. Does nothing for a deleted bot."""
        self._store.change_bot(name, {"hidden": "1"} if hidden else {}, () if hidden else ("hidden",))

    def delete_bot(self, name: str, *, listed: bool = False) -> None:
        """Delete the row of a bot and its versions. Its token becomes invalid, and its name stays taken. If
        ``listed``, the bot can still be found as a withdrawn bot. Can be repeated. Raises
        :class:`BotNotFound`.

        All other stored data of the bot must be deleted first; see
        :class:`~arena.events.deletion.BotDeletion`.
        """
        bot = self.bot(name)
        sharing = Sharing.of(self._store.bot(name) or {})
        gone = self._store.delete_bot(name, bot.owner, sharing, listed=listed)
        self.quotas.give_back(bot.owners, gone)
        self._forget("bot", name)

    def new_bot_token(self, name: str) -> str:
        """Replace the bot's token and return the new one. Raises :class:`BotNotFound`."""
        token, digest = _new_token(BOT_PREFIX, name)
        if not self._store.change_bot(name, {"token": digest}):
            raise _unknown_bot(name)
        self._forget("bot", name)
        return token

    def revoke_bot_token(self, name: str) -> None:
        """Revoke the bot's token. Raises :class:`BotNotFound`."""
        if not self._store.change_bot(name, {}, remove=("token",)):
            raise _unknown_bot(name)
        self._forget("bot", name)

    # Uploads

    def upload_of(self, name: str, label: str) -> Upload:
        """Return the upload of a version.

        Raises :class:`BotNotFound`, :class:`~arena.accounts.versions.VersionNotFound` or
        :class:`~arena.accounts.versions.NoSource`.
        """
        version = self.bot(name).find(label)
        data = None if version.digest is None else self._store.source(name, version.digest)
        if data is None:
            raise NoSource(
                f"version {label} of {name} has no source, because it is not an upload", field="version"
            )
        return Upload(cast("Language", version.language), data)

    def publish(self, name: str, label: str, published: bool) -> Version:
        """Set whether everyone can read the upload of a version.

        Raises :class:`BotNotFound` or :class:`~arena.accounts.versions.VersionNotFound`.
        """
        if self.bot(name).find(label).digest is None:
            raise NoSource(
                f"version {label} of {name} has no source, because it is not an upload", field="version"
            )
        fields = {_published(label): "1"} if published else {}
        if not self._store.change_bot(name, fields, () if published else (_published(label),)):
            raise _unknown_bot(name)
        return self.bot(name).find(label)

    def uploaded_bots(self) -> list[BotAccount]:
        """Return the active bots that have or had an uploaded version, by name, without their versions."""
        return [bot for bot in self.listed(self._store.uploaded_names()) if bot.is_active]

    def bots_of(self, owner: str) -> frozenset[str]:
        """Return the names of the bots that an owner owns or co-owns now."""
        names = self._store.bot_names(owner, "", -1)
        return frozenset(bot.name for bot in self.listed(names) if owner in bot.owners)

    def listed(self, names: Sequence[str]) -> list[BotAccount]:
        """Return the bots with these names that exist and can be read, without their versions."""
        rows = zip(names, self._store.bots(names), strict=True)
        found = [shown_or_left_out(f"bot {name}", partial(unpack_bot, fields)) for name, fields in rows]
        return [bot for bot in found if bot is not None]

    def bytes_left(self, name: str) -> int:
        """Return for how many more bytes of a bot its owners have room; 0 if the bot does not exist."""
        return self.quotas.bytes_left(self._owners_of(name))

    def count_bytes(self, name: str, grown: int) -> None:
        """Count bytes that a bot now stores in the quotas of its owners; a negative number if it stores
        less.
        """
        self.quotas.count(self._owners_of(name), grown)

    def check_owner_bytes(self, owner: str, more: int) -> None:
        """Raise :class:`~arena.accounts.allowances.QuotaExceeded` if an owner has no room for more bytes."""
        self.quotas.check_bytes(owner, more)

    def count_owner_bytes(self, owner: str, grown: int) -> None:
        """Count bytes that an owner now stores; a negative number if it stores less."""
        self.quotas.count([owner], grown)

    def _owners_of(self, name: str) -> Sequence[str]:
        return next((bot.owners for bot in self.listed([name])), ())

    # Webhooks

    def webhooks(self) -> list[str]:
        """Return the names of bots that have or once had a webhook; some may be deleted."""
        return self._store.webhook_names()

    def signing_secrets(self, name: str) -> list[str]:
        """Return the secrets that sign posts to the bot's webhook, the current one first. Returns an empty
        list if there is no webhook.
        """
        fields = self._store.signing_fields(name)
        secrets_ = [fields["hook"]] if "hook" in fields else []
        if "hook_old" in fields:
            with reading(f"bot {name}"):
                still = int(fields["hook_old_until"]) > _now()
            if still:
                secrets_.append(fields["hook_old"])
        return secrets_

    def set_signing_secret(self, name: str, secret: str) -> int | None:
        """Sign with ``secret`` from now on. Returns the time (Unix milliseconds) until which the previous
        secret is also used, or None if there was none. Raises :class:`BotNotFound`.
        """
        old = self._store.signing_fields(name).get("hook")
        fields = {"hook": secret}
        until = None
        if old is not None and old != secret:
            until = _now() + OLD_SECRET_MS
            fields |= {"hook_old": old, "hook_old_until": str(until)}
        if not self._store.change_bot(name, fields):
            raise _unknown_bot(name)
        return until


def _new_token(prefix: str, name: str) -> tuple[str, str]:
    token = f"{prefix}{name}_{secrets.token_urlsafe(32)}"
    return token, _digest(token)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _now() -> int:
    return time.time_ns() // 1_000_000


def _versions(bot: str, stored: Mapping[str, str]) -> tuple[Version, ...]:
    """Return those stored versions of a bot that can be read, oldest first."""
    found = [
        version
        for label, text in stored.items()
        if (version := shown_or_left_out(f"version {label} of {bot}", partial(unpack_version, text)))
    ]
    return tuple(sorted(found, key=lambda version: (version.created_ms, version.label)))


def _check_name(name: str) -> None:
    if not re.fullmatch(NAME_PATTERN, name):
        raise InvalidName(f"{name[:64]!r} is not a valid name", field="name", expected=NAME_RULE)


def _published(label: str) -> str:
    """Return the name of the field that is set if everyone can read a version."""
    return f"published:{label}"


def _check_version(label: str, transport: str, url: str, upload: StoredUpload | None) -> None:
    if not re.fullmatch(LABEL_PATTERN, label):
        raise InvalidName(f"{label[:64]!r} is not a valid version label", field="label", expected=LABEL_RULE)
    chosen = transport_of(transport)
    if bool(url) != chosen.needs_url:
        raise ArenaError(
            'a URL is required for the transport "webhook" and not allowed for others',
            code="invalid_webhook_url",
            field="url",
            expected="the URL of the webhook" if not url else 'the transport "webhook"',
        )
    if (upload is not None) != chosen.takes_upload:
        raise InvalidSource(
            'an upload is required for the transport "uploaded" and not allowed for others',
            field="source",
            expected="source, javascript or module" if upload is None else 'the transport "uploaded"',
        )


def _unknown_owner(name: str) -> OwnerNotFound:
    return OwnerNotFound(f"there is no owner {name[:64]!r}", field="owner")


def _version_exists(name: str, label: str) -> VersionExists:
    return VersionExists(
        f"{name} already has a version {label!r}", field="label", expected="a label not used before"
    )


def _unknown_bot(name: str) -> BotNotFound:
    return BotNotFound(f"there is no bot {name[:64]!r}", field="bot")


__all__ = [
    "MAX_PAGE",
    "Accounts",
    "AuditEntry",
    "Owner",
    "OwnerNotFound",
    "OwnerSuspended",
    "OwnerSuspension",
    "Principal",
    "Scope",
]
