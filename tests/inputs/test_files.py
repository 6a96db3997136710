"""Sources and records as editors and shells save them."""

from __future__ import annotations

import codecs
import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.accounts.uploads import InvalidSource, python_upload
from arena.bots import InvalidBot, bot_spec
from arena.bots.loader import source_of
from arena.play.saved_files import saved_file
from arena.records.record import InvalidRecord, UnreadableRecord, load_records, record_texts
from tests.records.games_played import record_line

BOT = "def choose(turn):\n    # Não é sempre a primeira.\n    return turn['legal_actions'][0]\n"


def declared(encoding: str, text: str = BOT, before: str = "") -> bytes:
    return f"{before}# -*- coding: {encoding} -*-\n{text}".encode(encoding)


SOURCES: dict[str, bytes] = {
    "UTF-8": BOT.encode(),
    "a byte order mark": BOT.encode("utf-8-sig"),
    "a byte order mark and line ends of Windows": BOT.replace("\n", "\r\n").encode("utf-8-sig"),
    "a byte order mark and a declaration": codecs.BOM_UTF8 + declared("utf-8"),
    "line ends of Windows": BOT.replace("\n", "\r\n").encode(),
    "line ends of old machines": BOT.replace("\n", "\r").encode(),
    "no line end at the end": BOT.rstrip().encode(),
    "UTF-8, declared": declared("utf-8"),
    "Latin-1": declared("latin-1"),
    "ISO 8859-15": declared("iso-8859-15"),
    "Windows-1252": declared("cp1252"),
    "Windows-1252 by its other name": declared("windows-1252"),
    "Mac OS Roman": declared("mac-roman"),
    "the code page of DOS": declared("cp850"),
    "declared in the second line": declared("latin-1", before="#!/usr/bin/env python3\n"),
    "declared as editors do": f"# vim: set fileencoding=latin-1 :\n{BOT}".encode("latin-1"),
    "shift-JIS": declared("shift_jis", BOT.replace("Não é sempre a primeira", "最初")),
    "GBK": declared("gbk", BOT.replace("Não é sempre a primeira", "第一")),
    "ASCII": declared("ascii", BOT.replace("ã", "a").replace("é", "e")),
    "a form feed": b"\x0c" + BOT.encode(),
    "tabs": BOT.replace("    ", "\t").encode(),
    "emoji in a text": BOT.encode() + "CARDS = '👩\u200d💻 \xa0'\n".encode(),
}


@pytest.mark.parametrize("data", SOURCES.values(), ids=SOURCES)
def test_a_source_runs_wherever_python_runs_it(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "my_bot.py"
    path.write_bytes(data)
    turn = {"legal_actions": ["play:7D", "play:AS"]}
    upload = python_upload(data)
    scope: dict[str, object] = {}
    assert isinstance(upload.source, str)
    exec(compile(upload.source, "bot", "exec"), scope)
    assert callable(scope["choose"])
    assert scope["choose"](turn) == "play:7D"
    assert bot_spec(str(path)).make(1).choose(turn) == "play:7D"  # type: ignore[arg-type]
    assert saved_file("my_bot", str(path)).make(1).choose(turn) == "play:7D"  # type: ignore[arg-type]
    assert upload.digest == hashlib.sha256(data).hexdigest()
    # Its text, sent as a text, is the same upload.
    assert python_upload(upload.text) == upload


REFUSED_SOURCES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "the source is empty"),
    "a byte order mark only": (codecs.BOM_UTF8 + b" \n", "the source is empty"),
    "UTF-16": (BOT.encode("utf-16"), "the source is in UTF-16, which Python cannot read"),
    "UTF-16, big-endian": (codecs.BOM_UTF16_BE + BOT.encode("utf-16-be"), "in UTF-16"),
    "Windows-1252, undeclared": (BOT.encode("cp1252"), "the source is not text"),
    "no encoding": (b"# coding: klingon\n", "the source is not text"),
    "a mark and another encoding": (codecs.BOM_UTF8 + b"# coding: latin-1\n", "the source is not text"),
    "another encoding than declared": (b"# coding: ascii\n# \xe3\n", "the source is not text"),
    "an encoding that runs code points": (b"# coding: unicode_escape\n", "the source is not text"),
    "an encoding of names": (b"# coding: punycode\n", "the source is not text"),
    "UTF-7": (b"# coding: utf-7\n", "the source is not text"),
    "no text": (b"# coding: zlib\n", "the source is not text"),
    "nulls": (b"x = '\0'\n", "null bytes"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "the source is not text"),
}


@pytest.mark.parametrize(("data", "said"), REFUSED_SOURCES.values(), ids=REFUSED_SOURCES)
def test_a_source_is_refused_in_one_line(data: bytes, said: str) -> None:
    with pytest.raises(InvalidSource) as caught:
        python_upload(data)
    assert said in caught.value.message
    assert caught.value.field == "source"
    assert caught.value.expected
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("load", [source_of, bot_spec])
@pytest.mark.parametrize(
    ("data", "why"),
    [(BOT.encode("utf-16"), "the source is in UTF-16"), (BOT.encode("latin-1"), "the source is not text")],
)
def test_a_file_that_is_no_text_is_named(
    tmp_path: Path, data: bytes, why: str, load: Callable[[str], object]
) -> None:
    path = tmp_path / "my_bot.py"
    path.write_bytes(data)
    with pytest.raises(InvalidBot, match=rf"my_bot\.py: {why}"):
        load(str(path))


LINE = record_line("truco")
TWO = f"{LINE}\n{LINE}\n"
RECORDS: dict[str, bytes] = {
    "UTF-8": TWO.encode(),
    "a byte order mark": TWO.encode("utf-8-sig"),
    "marks of files that were joined": f"\ufeff{LINE}\n\ufeff{LINE}\n".encode(),
    "UTF-16, as Windows PowerShell writes": TWO.replace("\n", "\r\n").encode("utf-16"),
    "UTF-16, big-endian": codecs.BOM_UTF16_BE + TWO.encode("utf-16-be"),
    "line ends of Windows": TWO.replace("\n", "\r\n").encode(),
    "no line end at the end": TWO.rstrip().encode(),
    "empty lines": b"\n\n" + TWO.replace("\n", "\n\n \n").encode(),
    "a mark and an empty line": b"\xef\xbb\xbf\n" + TWO.encode(),
    "gzip": gzip.compress(TWO.encode()),
    "gzip with a byte order mark": gzip.compress(TWO.encode("utf-8-sig")),
    "gzip with UTF-16": gzip.compress(TWO.encode("utf-16")),
    "gzip in two members": gzip.compress(f"{LINE}\n".encode()) * 2,
}


@pytest.mark.parametrize("data", RECORDS.values(), ids=RECORDS)
def test_records_are_read(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(data)
    first, second = load_records(path)
    assert first == second


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_record_of_several_lines(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "game.json"
    path.write_bytes(LINE.replace('"hash"', '\n"hash"').replace("{", "{\n", 1).encode(encoding))
    (found,) = load_records(path)
    assert found["hash"] in LINE


REFUSED_RECORDS: dict[str, tuple[bytes, str]] = {
    "UTF-32": (LINE.encode("utf-32"), "not JSON"),
    "UTF-16 without a mark": (LINE.encode("utf-16-le"), "not JSON"),
    "half a character of UTF-16": (LINE.encode("utf-16")[:-1], "damaged UTF-16"),
    "Windows-1252": ('{"é": 1}\n'.encode("cp1252"), "not UTF-8 at byte 2"),
    "a mark inside": (LINE.replace(":", ":\ufeff", 1).encode(), "not JSON"),
    "two records in a line": (f"{LINE}{LINE}\n".encode(), "not JSON: Extra data"),
    "a record of another shape": (b"{}\n", "not a record"),
    "text": (b"hello\n", "not JSON"),
    "half a record": (LINE[:100].encode(), "not JSON"),
    "damaged gzip": (gzip.compress(TWO.encode())[:-4], "damaged gzip data"),
}


@pytest.mark.parametrize(("data", "said"), REFUSED_RECORDS.values(), ids=REFUSED_RECORDS)
def test_records_are_refused_in_one_line(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(data)
    with pytest.raises((UnreadableRecord, InvalidRecord)) as caught:
        list(load_records(path))
    assert said in caught.value.message
    assert str(path) in caught.value.message
    assert str(caught.value).isprintable()


def test_the_file_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    for data in (b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, b"\xef\xbb\xbf\n\n"):
        path.write_bytes(data)
        assert list(record_texts(path)) == []
