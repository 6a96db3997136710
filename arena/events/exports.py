"""Exports of accounts: written by a worker, kept for an hour in the cache of pages, and read piece by piece.

The sources and the logs of bots, which are most of an export, are not copied: the parts of an export name
them, and they are read when the export is.
"""

from __future__ import annotations

import secrets
import time
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Final, NamedTuple, Protocol, TypeAlias

import orjson

from arena.accounts.payers import Payers
from arena.accounts.uploads import Language, Upload
from arena.errors import ArenaError
from arena.store.journals import JournalStore
from arena.store.notifications import Notifier, page_topic
from arena.store.prepared import PreparedPages

KEPT_MS: Final = 3_600_000
"""How long an export is kept after it was written. Once it has been read to its end, it is deleted."""

MOST_BYTES: Final = 64 << 20
"""The maximum size of an export without the sources and logs, which are stored elsewhere, when compressed."""

_PART_BYTES: Final = 256 << 10
_BUSY_SECONDS: Final = 120
"""How long other workers leave an export to the one that has begun to write it."""

_PIECE_BYTES: Final = 3 << 18
"""The number of bytes of a module that are read together. It is a multiple of 3, so that pieces in base64 can
be joined.
"""


class Source(NamedTuple):
    """The source of a version, by its digest. It is a string of JSON: the text, or a module in base64."""

    bot: str
    digest: str
    language: Language


class Log(NamedTuple):
    """The log of a bot in a game. It is an object of JSON."""

    bot: str
    game: str


Piece: TypeAlias = "str | Source | Log"
"""A piece of a document: its text, or what is read from the store when the document is."""


class ExportTooLarge(ArenaError):
    """The account has more data than an export can contain."""

    code = "export_too_large"


class ExportGone(ArenaError):
    """A part of the export was dropped while it was read."""

    code = "export_gone"


class ExportJobs(Protocol):
    """Requests the job that writes exports."""

    def write_export(self, owner: str, account: str) -> None:
        """Write the export of an owner when it is the turn of ``account``."""


class ReadsSources(Protocol):
    """Reads the sources of bots."""

    def source(self, name: str, digest: str) -> bytes | None: ...
    def source_piece(self, name: str, digest: str, start: int, size: int) -> bytes: ...


def pieces_of(value: object) -> Iterator[Piece]:
    """Yield the pieces of a JSON document. Iterators in ``value`` become arrays, and are read one by one."""
    if isinstance(value, Source | Log):
        yield value
    elif isinstance(value, Mapping):
        yield "{"
        for number, (name, one) in enumerate(value.items()):
            yield f"{',' if number else ''}{orjson.dumps(name).decode()}:"
            yield from pieces_of(one)
        yield "}"
    elif isinstance(value, Iterator):
        yield "["
        for number, one in enumerate(value):
            if number:
                yield ","
            yield from pieces_of(one)
        yield "]"
    else:
        yield orjson.dumps(value).decode()


class Exports:
    """The exports of all owners. ``document`` returns the document of an owner (:func:`pieces_of`),
    ``check_payer`` raises :class:`~arena.accounts.allowances.BudgetExceeded` if an account cannot pay now,
    and ``charge_to`` charges the running job to an account.
    """

    def __init__(
        self,
        pages: PreparedPages,
        sources: ReadsSources,
        journals: JournalStore,
        notifier: Notifier,
        jobs: ExportJobs,
        payers: Payers,
        document: Callable[[str], object],
        check_payer: Callable[[str], None],
        charge_to: Callable[[str], None],
    ) -> None:
        self._pages = pages
        self._sources = sources
        self._journals = journals
        self._notifier = notifier
        self._jobs = jobs
        self._payers = payers
        self._document = document
        self._check_payer = check_payer
        self._charge_to = charge_to

    def is_requested(self, owner: str) -> bool:
        """Return whether an export is there or being written."""
        (asked,) = self._pages.parts(export_page(owner), ("asked",))
        return asked is not None

    def request(self, owner: str) -> None:
        """Request an export, for which the owner pays. Can be repeated, in case the job was lost.

        Raises :class:`~arena.accounts.allowances.BudgetExceeded`.
        """
        if not self.is_requested(owner):
            self._check_payer(owner)
            asked = {"asked": secrets.token_hex(8).encode()}
            self._pages.put(export_page(owner), asked, KEPT_MS, where={"asked": b""}, replace=True)
        self._jobs.write_export(owner, self._payers.in_charge(owner))

    def wait(self, owner: str, seconds: float) -> bool:
        """Wait until the export is there, for at most ``seconds``, and return whether it is. Raises
        :class:`ExportTooLarge`.
        """
        until = time.monotonic() + seconds
        with self._notifier.waiting(page_topic(export_page(owner))) as subscription:
            while True:
                asked, parts, failed = self._pages.parts(export_page(owner), ("asked", "parts", "failed"))
                if asked is None:
                    parts = None
                elif failed is not None:
                    self._pages.forget(export_page(owner), {"asked": asked})
                    raise ExportTooLarge(failed.decode(), expected="fewer games and entries")
                left = until - time.monotonic()
                if parts is not None or left <= 0 or self._notifier.is_stopped:
                    return parts is not None
                subscription.wait(left)

    def read(self, owner: str) -> Iterator[bytes]:
        """Yield the document in pieces of at most about a megabyte, and delete it at the end, so that the
        next export is a new one. Raises :class:`ExportGone`.
        """
        page = export_page(owner)
        gone = ExportGone(f"the export of {owner} is no longer stored", expected="to ask for it again")
        asked, parts = self._pages.parts(page, ("asked", "parts"))
        if asked is None or parts is None:
            raise gone
        for number in range(int(parts)):
            still, part = self._pages.parts(page, ("asked", _part(number)))
            if still != asked or part is None:
                raise gone
            for piece in orjson.loads(zlib.decompress(part)):
                if isinstance(piece, str):
                    yield piece.encode()
                elif len(piece) == len(Source._fields):
                    yield from self._source(Source(*piece))
                else:
                    yield self._log(Log(*piece))
        self._pages.forget(page, {"asked": asked})

    def forget(self, owner: str) -> None:
        """Delete the export of an owner."""
        self._pages.forget(export_page(owner))

    def _source(self, source: Source) -> Iterator[bytes]:
        if source.language != "module":
            data = self._sources.source(source.bot, source.digest)
            yield orjson.dumps(None if data is None else Upload(source.language, data).text)
            return
        yield b'"'
        for start in count(0, _PIECE_BYTES):
            piece = self._sources.source_piece(source.bot, source.digest, start, _PIECE_BYTES)
            yield b64encode(piece)
            if len(piece) < _PIECE_BYTES:
                break
        yield b'"'

    def _log(self, log: Log) -> bytes:
        # A log that has gone meanwhile has no seats.
        return orjson.dumps({"game": log.game, "seats": self._journals.find(log.bot, log.game) or []})

    # The job

    def write(self, owner: str) -> None:
        """Write an export, unless that has been done, as long as its request is stored: not once the account
        is deleted. It is safe to do this twice.
        """
        page = export_page(owner)
        asked, parts, busy = self._pages.parts(page, ("asked", "parts", "busy"))
        now = time.time()
        if asked is None or parts is not None or float(busy or 0) > now:
            return
        own = {"asked": asked, "busy": busy or b""}
        if not self._put(page, {}, own):
            return
        self._charge_to(owner)
        try:
            made = self._put_parts(page, pieces_of(self._document(owner)), own)
            if made is None:
                return
            self._pages.put(page, {"parts": str(made).encode(), "busy": b""}, KEPT_MS, where=own)
        except ExportTooLarge as error:
            failed = {"asked": asked, "failed": error.message.encode()}
            self._pages.put(page, failed, KEPT_MS, where=own, replace=True)
        except ArenaError:
            self._pages.forget(page, own)
            raise
        self._pages.announce(page)

    def _put(self, page: str, parts: Mapping[str, bytes], own: dict[str, bytes]) -> bool:
        """Store parts if the page has the parts ``own``, and renew ``busy`` there and in ``own``. Return
        whether the page had them.
        """
        busy = str(time.time() + _BUSY_SECONDS).encode()
        done = self._pages.put(page, {**parts, "busy": busy}, KEPT_MS, where=own)
        own["busy"] = busy
        return done

    def _put_parts(self, page: str, pieces: Iterator[Piece], own: dict[str, bytes]) -> int | None:
        """Store the pieces, and return the number of parts, or None if the page lost the parts ``own``."""
        stored = 0
        for number, part in enumerate(_parts(pieces)):
            data = zlib.compress(orjson.dumps([one if isinstance(one, str) else list(one) for one in part]))
            stored += len(data)
            if stored > MOST_BYTES:
                raise ExportTooLarge(f"the data without sources and logs exceed {MOST_BYTES >> 20} MiB")
            if not self._put(page, {_part(number): data}, own):
                return None
        return number + 1


def _parts(pieces: Iterator[Piece]) -> Iterator[list[Piece]]:
    """Join pieces of text, and yield about :data:`_PART_BYTES` of them together."""
    part: list[Piece] = []
    texts: list[str] = []
    size = 0
    for piece in pieces:
        if isinstance(piece, str):
            texts.append(piece)
            size += len(piece)
        else:
            part += ("".join(texts), piece)
            texts = []
            size += 100
        if size >= _PART_BYTES:
            yield [*part, "".join(texts)]
            part, texts, size = [], [], 0
    yield [*part, "".join(texts)]


def export_page(owner: str) -> str:
    """Return the name of an owner's export in the cache of pages."""
    return f"export:{owner}"


def _part(number: int) -> str:
    return f"part:{number}"
