"""Uploads for bots: Python and JavaScript sources and modules, and their outcomes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal

from arena.errors import ArenaError
from arena.inputs.files import MARK, decode_script, decode_source, encode_source
from arena.inputs.text import clean
from arena.sandbox.limits import COMPONENT_MAGIC, DEFAULT_LIMITS, MODULE_MAGIC
from arena.store.rows import OPTIONAL

Language = Literal["python", "javascript", "module"]
FIELDS: Final[dict[Language, str]] = {"python": "source", "javascript": "javascript", "module": "module"}
"""The fields of requests that contain uploads, by language."""

UploadState = Literal["received", "compiled", "loaded", "added", "refused"]
SETTLED: Final = ("added", "refused")
"""The final states of an upload."""


class InvalidSource(ArenaError):
    """The upload cannot be used as a bot."""

    code = "invalid_source"


@dataclass(frozen=True)
class Upload:
    """The upload for one version: a Python or JavaScript file, or a WebAssembly module."""

    language: Language
    data: bytes = field(repr=False)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the upload, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def source(self) -> str | bytes:
        """The source in the form that the sandbox accepts."""
        return self.text.removeprefix(MARK) if self.is_text else self.data

    @property
    def is_text(self) -> bool:
        """Whether it is source text."""
        return self.language != "module"

    @property
    def text(self) -> str:
        """The source text."""
        decode = decode_script if self.language == "javascript" else decode_source
        return decode(self.data, FIELDS[self.language], InvalidSource)


@dataclass(frozen=True)
class ReceivedUpload:
    """An upload, both as a resource and as a stored row.

    ``label`` is the label of the version that it becomes. ``received_ms`` and ``expires_ms`` are Unix times
    in milliseconds; an upload that has not been checked by ``expires_ms`` is refused. ``attempts`` is how
    often workers started checking it. ``code`` and ``reason`` give the reason for a refusal. ``games``, set
    once it is loaded, are the games that it declares it plays; an empty list means all. ``payer`` pays for
    the checks; it is empty if that is the bot's ``owner``.
    """

    id: str
    bot: str
    owner: str
    label: str
    language: Language
    digest: str
    size: int
    received_ms: int
    expires_ms: int
    state: UploadState = "received"
    attempts: int = 0
    code: str | None = None
    reason: str = ""
    games: list[str] = field(default_factory=list, metadata=OPTIONAL)
    payer: str = field(default="", metadata=OPTIONAL)
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)

    @property
    def is_settled(self) -> bool:
        """Whether the upload has become a version or was refused."""
        return self.state in SETTLED

    @property
    def account(self) -> str:
        """The account that pays for the checks."""
        return self.payer or self.owner

    def refused(self, code: str, reason: str) -> ReceivedUpload:
        """Return a copy of this upload marked as refused."""
        return replace(self, state="refused", code=code, reason=reason)


def python_upload(source: str | bytes) -> Upload:
    """Return the upload for a Python file or its text. Raises :class:`InvalidSource` if it is too long or is
    not valid text.

    The source is not parsed here, because parsing can take arbitrarily long; a worker compiles it in the
    sandbox.
    """
    data = encode_source(source, "source", InvalidSource) if isinstance(source, str) else source
    return _checked_text(Upload("python", data), "a class with choose(self, turn)")


def javascript_upload(source: str | bytes) -> Upload:
    """Return the upload for a JavaScript file or its text. Raises :class:`InvalidSource` like
    :func:`python_upload`.
    """
    data = source.encode(errors="replace") if isinstance(source, str) else source
    return _checked_text(Upload("javascript", data), "a module that exports choose(turn)")


def _checked_text(upload: Upload, expected: str) -> Upload:
    field, most = FIELDS[upload.language], DEFAULT_LIMITS.source_bytes
    if len(upload.data) > most:
        raise InvalidSource(
            f"the source has {len(upload.data)} bytes", field=field, expected=f"at most {most} bytes"
        )
    if "\0" in upload.text:
        raise InvalidSource("the source contains null bytes", field=field, expected="source text")
    if not clean(upload.text):
        raise InvalidSource("the source is empty", field=field, expected=expected)
    return upload


def module_upload(data: bytes) -> Upload:
    """Return the upload for a WebAssembly module. Raises :class:`InvalidSource` if it is too long or is not a
    module. The compiler checks that it is a command for WASI preview 1.
    """
    most = DEFAULT_LIMITS.module_bytes
    if len(data) > most:
        raise InvalidSource(
            f"the module has {len(data)} bytes", field="module", expected=f"at most {most} bytes"
        )
    if not data.startswith(MODULE_MAGIC):
        is_component = data.startswith(COMPONENT_MAGIC)
        raise InvalidSource(
            f"the file is {'a WebAssembly component' if is_component else 'not WebAssembly in binary form'}",
            field="module",
            expected="a WebAssembly module for WASI preview 1",
        )
    return Upload("module", data)
