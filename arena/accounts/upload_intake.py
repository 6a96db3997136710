"""Uploads, from receipt until they become versions or are refused.

An upload counts towards the quotas, and reserves its label, as soon as it is received. A worker compiles and
loads it in a process with resource limits. Then the upload becomes a version, or it is refused and no longer
counts. If a worker is killed at any point, another one starts over.
"""

from __future__ import annotations

import logging
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Final, Protocol

import orjson

from arena.accounts.accounts import Accounts, UploadExists
from arena.accounts.allowances import BudgetExceeded, Budgets
from arena.accounts.uploads import FIELDS, ReceivedUpload, Upload
from arena.accounts.versions import BotAccount, Version, pack_version, version_of
from arena.bots.transports import UPLOADED
from arena.errors import ArenaError
from arena.sandbox.building import checks_id, compiled_quickjs
from arena.sandbox.checking import COMPILED, CheckedUpload, check_upload
from arena.sandbox.runtime import Runtime
from arena.store.accounts import StoredUpload
from arena.store.notifications import Notifier, upload_topic
from arena.store.repositories import Store
from arena.store.rows import read_row, reading, shown_or_left_out, write_row
from arena.store.uploads import UploadStore
from arena.store.waits import MayNotWait

log = logging.getLogger(__name__)

KEPT_MS: Final = 7 * 86_400_000
"""How long the outcome of an upload can be retrieved."""

EXPIRES_MS: Final = 86_400_000
"""An upload without an outcome after this time is refused."""

REMEMBERED_MS: Final = 86_400_000
"""How long an identical upload is refused without being checked again."""

LEASE_MS: Final = 15_000
"""An upload is checked again if its worker has not renewed its lease for this long."""

MOST_ATTEMPTS: Final = 3
"""An upload is refused after this number of attempts to check it without an outcome."""

RETRY_MS: Final = 5_000
"""The pause after an attempt that failed because of the service, multiplied by the number of attempts."""

_RENEW: Final = 3.0
_SURELY_STORED_MS: Final = 30_000
_AT_ONCE: Final = 100
_ID: Final = r"u[0-9a-f]{16}"


WhenAdded = Callable[[str, str], None]


class UploadNotFound(ArenaError):
    """The bot has no such upload, or its outcome is no longer stored."""

    code = "upload_not_found"


class UploadRefused(ArenaError):
    """The upload does not become a version. Its code is that of one of the following errors."""


class CompileFailed(UploadRefused):
    """The upload does not compile within the limits."""

    code = "compile_failed"


class LoadFailed(UploadRefused):
    """The upload raises an error or exceeds a limit when it is loaded."""

    code = "load_failed"


class NotChecked(UploadRefused):
    """The service did not check the upload."""

    code = "upload_not_checked"


class UploadJobs(Protocol):
    """Requests the job that checks uploads. If a request is lost, a later tick repeats it."""

    def check_upload(self, bot: str, upload: str, payer: str) -> None:
        """Check an upload, for which ``payer`` pays."""


class Uploads:
    """The uploads of all bots."""

    def __init__(
        self,
        store: Store,
        accounts: Accounts,
        notifier: Notifier,
        jobs: UploadJobs,
        ready: Callable[[], Runtime],
        budgets: Budgets,
        charge_to: Callable[[str], None],
    ) -> None:
        """Set up the uploads of a service. ``ready`` prepares and returns the service's sandbox runtime;
        ``charge_to`` charges the running job to an account.
        """
        self._store = store.uploads
        self._refusals = store.refusals
        self._bots = store.accounts
        self._now_ms: Callable[[], int] = lambda: store.clock().now_ms
        self._accounts = accounts
        self._notifier = notifier
        self._jobs = jobs
        self._ready = ready
        self._budgets = budgets
        self._charge_to = charge_to

    # Receipt

    def register(
        self,
        owner: str,
        name: str,
        label: str,
        upload: Upload,
        **settings: Any,
    ) -> tuple[BotAccount, str, ReceivedUpload]:
        """Register a bot with an upload that will become its first version. Returns the bot, its token, which
        is shown only once, and the upload. If the only upload of a bot is refused, the bot is deleted and its
        name becomes available again.

        Raises the errors of :meth:`receive` and :meth:`~arena.accounts.accounts.Accounts.register_bot`.
        """
        row = self._new(name, owner, label, upload)
        with self._noted(row):
            bot, token = self._accounts.register_bot(
                owner, name, label, UPLOADED.name, upload=_stored(row, upload), **settings
            )
        return bot, token, row

    def same_version(self, name: str, upload: Upload) -> Version | None:
        """Return the version of the bot with the same bytes, making it current, or None if there is none.

        Raises :class:`~arena.accounts.accounts.BotNotFound`.
        """
        for version in self._accounts.bot(name).versions:
            if version.digest == upload.digest:
                return self._accounts.make_current(name, version.label)
        return None

    def receive(self, name: str, label: str, upload: Upload, payer: str = "") -> ReceivedUpload:
        """Store an upload that will become the version ``label``, and request its check, for which ``payer``
        pays (empty: the bot's owner). If identical bytes are already being checked, return that upload and
        store nothing.

        Raises :class:`UploadRefused` if identical bytes were refused before,
        :class:`~arena.accounts.accounts.UploadExists` if there is a :meth:`same_version`, and the errors of
        :meth:`~arena.accounts.accounts.Accounts.add_version`. Nothing is stored in these cases.
        """
        pending = self._pending(name, upload)
        if pending is not None:
            return pending
        row = self._new(name, self._accounts.bot(name).owner, label, upload, payer)
        try:
            with self._noted(row):
                self._accounts.add_version(name, label, UPLOADED.name, upload=_stored(row, upload))
        except UploadExists:
            # Another request may have just sent the same bytes.
            pending = self._pending(name, upload)
            if pending is None:
                raise
            return pending
        return row

    def _pending(self, name: str, upload: Upload) -> ReceivedUpload | None:
        """Return the upload with the same bytes that is being checked, or None."""
        return next((one for one in self.unsettled(name) if one.digest == upload.digest), None)

    def _new(self, bot: str, owner: str, label: str, upload: Upload, payer: str = "") -> ReceivedUpload:
        self._budgets.check(payer or owner)
        upload_id = f"u{secrets.token_hex(8)}"
        received_ms = time.time_ns() // 1_000_000
        size = len(upload.data)
        # The service's clock decides when it expires; versions are stamped with this process's time.
        expires_ms = self._now_ms() + EXPIRES_MS
        row = ReceivedUpload(
            upload_id,
            bot,
            owner,
            label,
            upload.language,
            upload.digest,
            size,
            received_ms,
            expires_ms,
            payer=payer,
        )
        known = self._refused_before(upload.digest)
        if known is not None:
            raise refusal(row.refused(*known))
        return row

    @contextmanager
    def _noted(self, row: ReceivedUpload) -> Iterator[None]:
        # The entry is written first, so that quotas taken by a process that dies in between are found through
        # it.
        self._store.note_due(row.bot, row.id, self._now_ms() + _SURELY_STORED_MS)
        try:
            yield
        except ArenaError:
            self._store.forget(row.bot, row.id)
            raise
        self._store.note_due(row.bot, row.id, self._now_ms())
        self._jobs.check_upload(row.bot, row.id, row.account)

    # Reading

    def find(self, bot: str, upload_id: str) -> ReceivedUpload:
        """Return an upload. Raises :class:`UploadNotFound`."""
        row = self._store.find(bot, upload_id) if re.fullmatch(_ID, upload_id) else None
        if row is None:
            raise UploadNotFound(f"there is no upload {upload_id[:40]!r} of {bot[:64]!r}", field="upload")
        upload = _read(row)
        if not upload.is_settled and self._is_expired(upload):
            self._expire(row, upload)
            return self.find(bot, upload_id)
        return upload

    def wait(self, upload: ReceivedUpload, seconds: float) -> ReceivedUpload:
        """Wait until the upload is settled, for at most ``seconds``, and return it."""
        until = time.monotonic() + seconds
        with self._notifier.waiting(upload_topic(upload.id)) as subscription:
            while True:
                upload = self.find(upload.bot, upload.id)
                left = until - time.monotonic()
                if upload.is_settled or left <= 0 or subscription.is_over:
                    return upload
                try:
                    subscription.wait(left)
                except MayNotWait:
                    return upload

    def unsettled(self, bot: str) -> list[ReceivedUpload]:
        """Return the uploads of a bot that are being checked, oldest first."""
        rows = self._store.all_unsettled(bot)
        found = [
            shown_or_left_out(f"upload {key} of {bot}", partial(_read, row)) for key, row in rows.items()
        ]
        return sorted((one for one in found if one is not None), key=lambda one: one.received_ms)

    # Checking

    def due(self) -> list[tuple[str, str]]:
        """Return the bot and id of some of the uploads that no worker is checking."""
        return self._store.due(self._now_ms(), _AT_ONCE)

    def payer(self, bot: str, upload_id: str) -> str:
        """Return the account that pays for the check of an upload; empty if the upload is not stored."""
        row = self._store.unsettled(bot, upload_id)
        return "" if row is None else _read(row).account

    def check(self, bot: str, upload_id: str, when_added: WhenAdded = lambda bot, label: None) -> None:
        """Check an upload and settle it, unless another worker is doing so. An upload whose account has used
        up the processor time of the day is refused. Can be repeated. ``when_added`` is called, possibly more
        than once, with the bot and the label of the version that the upload became.

        Raises the errors of preparing the runtime, which do not count as an attempt.
        """
        now_ms = self._now_ms()
        if not self._store.claim(bot, upload_id, now_ms, now_ms + LEASE_MS):
            return
        row = self._store.unsettled(bot, upload_id)
        if row is None:
            # A process died after it took quota, or before it returned it.
            self._bots.count_stored()
            settled = self._store.find(bot, upload_id)
            if settled is not None and (upload := _read(settled)).state == "added":
                self._accounts.rank_at_first(bot)
                when_added(bot, upload.label)
            self._store.forget(bot, upload_id)
            return
        upload = _read(row)
        if self._is_expired(upload):
            self._expire(row, upload)
        elif upload.attempts >= MOST_ATTEMPTS:
            again = "the service could not complete the checks; upload it again"
            self._settle(row, upload.refused(NotChecked.code, again))
        elif (spent := self._spent(upload.account)) is not None:
            again = f"{spent}; upload it again when the budget renews at 00:00 UTC"
            self._settle(row, upload.refused(NotChecked.code, again))
        else:
            with self._renewing(upload):
                self._attempt(row, upload, self._ready(), when_added)

    def _spent(self, account: str) -> str | None:
        """Return why the account's budget forbids a check now, or None if it does not."""
        try:
            self._budgets.check(account)
        except BudgetExceeded as error:
            return error.message
        return None

    def _attempt(self, row: bytes, upload: ReceivedUpload, runtime: Runtime, when_added: WhenAdded) -> None:
        progress = _Progress(self._store, row, upload)
        try:
            progress.change(attempts=upload.attempts + 1)
            code, reason = self._refused_before(upload.digest) or self._examine(progress, runtime)
        except _Changed:
            # The bot was deleted, or another worker has taken over.
            return
        except Exception:
            log.exception("could not check upload %s of %s", upload.id, upload.bot)
            pause = RETRY_MS * (upload.attempts + 1)
            self._store.renew(upload.bot, upload.id, self._now_ms() + pause)
            return
        settled = progress.upload.refused(code, reason) if code else progress.upload
        self._settle(progress.row, settled, when_added)

    def _examine(self, progress: _Progress, runtime: Runtime) -> tuple[str, str]:
        """Return the code and the reason of a refusal, or empty strings if the upload is accepted."""
        upload = progress.upload
        data = self._bots.source(upload.bot, upload.digest)
        if data is None:
            raise _Changed
        source, language = Upload(upload.language, data).source, upload.language
        if language == "javascript":
            compiled_quickjs()
        # The arena itself pays for compiling an engine.
        self._charge_to(upload.account)
        found = check_upload(source, runtime.component, lambda step: progress.change(state=step), language)
        if isinstance(found, CheckedUpload):
            progress.change(games=list(found.games))
            return "", ""
        code = (CompileFailed if found.step == COMPILED else LoadFailed).code
        self._refusals.put(_by_these_checks(upload.digest), orjson.dumps([code, found.detail]), REMEMBERED_MS)
        return code, found.detail

    def _settle(
        self, row: bytes, upload: ReceivedUpload, when_added: WhenAdded = lambda bot, label: None
    ) -> None:
        """Record the upload as refused, if it was refused, or else make it a version."""
        is_version = upload.state != "refused"
        version = pack_version(version_of(upload)) if is_version else ""
        settled = replace(upload, state="added") if is_version else upload
        verdict, gone = self._store.settle(
            upload.bot,
            upload.id,
            row,
            write_row(settled),
            KEPT_MS,
            upload.digest,
            upload.label,
            version,
            upload.received_ms,
        )
        if verdict == "changed":
            return
        if verdict == "repeated" and not is_version:
            self._bots.count_stored()
        if gone.bots:
            self._bots.leave_indexes(upload.bot, upload.owner)
        (owners,) = [bot.owners for bot in self._accounts.listed([upload.bot])] or [(upload.owner,)]
        self._accounts.quotas.give_back(owners, gone)
        if is_version:
            # Called before the entry is removed, so that it is repeated if the process dies in between.
            self._accounts.rank_at_first(upload.bot)
            when_added(upload.bot, upload.label)
        self._store.forget(upload.bot, upload.id)
        self._store.wake(upload.id)

    @contextmanager
    def _renewing(self, upload: ReceivedUpload) -> Iterator[None]:
        done = threading.Event()

        def renew() -> None:
            while not done.wait(_RENEW):
                try:
                    self._store.renew(upload.bot, upload.id, self._now_ms() + LEASE_MS)
                except ArenaError:
                    log.warning("could not renew the lease of upload %s", upload.id, exc_info=True)

        thread = threading.Thread(target=renew, name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _refused_before(self, digest: str) -> tuple[str, str] | None:
        known = self._refusals.find(_by_these_checks(digest))
        return None if known is None else tuple(orjson.loads(known))

    def _is_expired(self, upload: ReceivedUpload) -> bool:
        return self._now_ms() >= upload.expires_ms

    def _expire(self, row: bytes, upload: ReceivedUpload) -> None:
        reason = "no worker checked the upload within a day; upload it again"
        self._settle(row, upload.refused(NotChecked.code, reason))


def _by_these_checks(digest: str) -> str:
    """Return the key of an upload's refusal, which includes the checks because other checks may accept it."""
    return f"{checks_id()} {digest}"


class _Changed(Exception):
    """Raised if the row of the upload has changed since it was read."""


class _Progress:
    """The row of an upload that one worker is checking."""

    def __init__(self, store: UploadStore, row: bytes, upload: ReceivedUpload) -> None:
        self._store = store
        self.row = row
        self.upload = upload

    def change(self, **fields: Any) -> None:
        """Change fields of the upload's row. Raises :class:`_Changed`."""
        upload = replace(self.upload, **fields)
        row = write_row(upload)
        if row != self.row and not self._store.replace(upload.bot, upload.id, self.row, row):
            raise _Changed
        self.row, self.upload = row, upload


def refusal(upload: ReceivedUpload) -> UploadRefused:
    """Return the error for a refused upload."""
    return UploadRefused(upload.reason, code=upload.code, field=FIELDS[upload.language])


def _stored(row: ReceivedUpload, upload: Upload) -> StoredUpload:
    return StoredUpload(row.id, write_row(row), row.digest, upload.data)


def _read(row: bytes) -> ReceivedUpload:
    with reading("an upload"):
        return read_row(ReceivedUpload, orjson.loads(row))
