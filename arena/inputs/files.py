"""Reads text files as saved by editors, spreadsheets and shells, in many encodings."""

from __future__ import annotations

import codecs
import io
import re
from gzip import GzipFile
from tokenize import detect_encoding
from typing import IO, Any, Final

from arena.errors import ArenaError
from arena.inputs.text import Refuse

BOM: Final = codecs.BOM_UTF8
MARK: Final = "\ufeff"
"""The byte order mark as a character; :data:`BOM` is its UTF-8 encoding."""

_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SPREADSHEETS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_AS_CSV: Final = "CSV: in Excel, Save As, “CSV UTF-8”"
_AS_PYTHON: Final = "Python in UTF-8, or in the encoding that one of its first two lines declares"
_PLAIN_ENCODINGS: Final = re.compile(
    r"utf-8|utf-8-sig|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|gbk|gb2312|gb18030|big5|euc_(?:jp|kr)|shift_jis"
).fullmatch
"""Encodings that decode in linear time."""


def decode_table(data: bytes, field: str, error: Refuse = ArenaError) -> tuple[str, str]:
    """Return the text of a table in UTF-8, UTF-16 or Windows-1252, and a notice, which is empty unless the
    encoding was guessed. Raises ``error``.
    """
    if data.startswith(_SPREADSHEETS):
        raise error("the file is a spreadsheet, not text", field=field, expected=_AS_CSV)
    try:
        if data.startswith(_UTF_16):
            return data.decode("utf-16"), ""
        # In European text in UTF-16, the high byte of most characters is zero.
        if 4 * data.count(0) > len(data):
            higher_first = data[::2].count(0) > data[1::2].count(0)
            return data.decode("utf-16-be" if higher_first else "utf-16-le"), ""
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as found:
        if found.encoding == "utf-8":
            try:
                text = data.decode("cp1252")
            except UnicodeDecodeError:
                pass
            else:
                return text, "the file is not UTF-8 and was read as Windows-1252; check the accents in names"
    raise error("the file is not text in UTF-8, UTF-16 or Windows-1252", field=field, expected=_AS_CSV)


def decode_source(data: bytes, field: str, error: Refuse = ArenaError) -> str:
    """Return the text of a Python file, decoded as Python does, including any byte order mark (:data:`MARK`).
    Raises ``error``.
    """
    if data.startswith(_UTF_16):
        raise error("the source is in UTF-16, which Python cannot read", field=field, expected=_AS_PYTHON)
    try:
        encoding, _ = detect_encoding(io.BytesIO(data).readline)
        return data.decode(_plain(encoding).removesuffix("-sig"))
    except (SyntaxError, UnicodeError, LookupError):
        raise error("the source is not text", field=field, expected=_AS_PYTHON) from None


def decode_script(data: bytes, field: str, error: Refuse = ArenaError) -> str:
    """Return the text of a JavaScript file, including any byte order mark. Raises ``error``."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise error("the source is not text", field=field, expected="JavaScript in UTF-8") from None


def encode_source(text: str, field: str, error: Refuse = ArenaError) -> bytes:
    """Return the bytes of a Python file with the given text: the inverse of :func:`decode_source`. Raises
    ``error``.
    """
    try:
        encoding, _ = detect_encoding(io.BytesIO(text.encode()).readline)
        return text.encode(_plain(encoding).removesuffix("-sig"))
    except (SyntaxError, UnicodeError, LookupError):
        raise error("the source is not text", field=field, expected=_AS_PYTHON) from None


def _plain(encoding: str) -> str:
    """Return the normalised name of an encoding. Raises LookupError if the encoding is unknown or slow to
    decode.
    """
    name = codecs.lookup(encoding).name
    if not _PLAIN_ENCODINGS(name):
        raise LookupError(name)
    return name


def in_utf_8(file: io.BufferedReader | GzipFile) -> io.BufferedReader | GzipFile:
    """Return the file, converted to UTF-8 if it is in UTF-16, as written by ``>`` in Windows PowerShell.
    Reading from it can raise UnicodeDecodeError.
    """
    if not file.peek(2).startswith(_UTF_16):
        return file
    return io.BufferedReader(_Recoded(io.TextIOWrapper(file, encoding="utf-16")))


class _Recoded(io.RawIOBase):
    """A text file, read as UTF-8 bytes."""

    def __init__(self, text: IO[str]) -> None:
        self._text = text

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # A character takes at most four bytes.
        data = self._text.read(len(buffer) // 4).encode()
        buffer[: len(data)] = data
        return len(data)
