"""Rosters as spreadsheets and learning platforms save them."""

from __future__ import annotations

import codecs

import pytest

from arena.inputs.files import decode_table
from arena.inputs.roster import InvalidRoster, parse_roster

ZE = ("João Sá", "joao", "joao@school.example")
PLAIN = "name,handle,email\nJoão Sá,joao,joao@school.example\n"
SEMICOLONS = PLAIN.replace(",", ";")
TABS = PLAIN.replace(",", "\t")

READ: dict[str, bytes] = {
    "UTF-8": PLAIN.encode(),
    "UTF-8 with a byte order mark": PLAIN.encode("utf-8-sig"),
    "UTF-16, as Unicode text of Excel": TABS.encode("utf-16"),
    "UTF-16 of a big-endian machine": codecs.BOM_UTF16_BE + TABS.encode("utf-16-be"),
    "UTF-16 without a mark": TABS.encode("utf-16-le"),
    "UTF-16, big-endian, without a mark": TABS.encode("utf-16-be"),
    "Windows-1252": SEMICOLONS.encode("cp1252"),
    "semicolons": SEMICOLONS.encode(),
    "tabs": TABS.encode(),
    "sep=;": b"sep=;\r\n" + SEMICOLONS.encode(),
    "sep=; with a byte order mark": codecs.BOM_UTF8 + b"sep=;\r\n" + SEMICOLONS.encode(),
    "sep=; as Excel saves it again": b'"sep=;"\n' + SEMICOLONS.encode(),
    "sep=| that nobody would guess": b"sep=|\n" + PLAIN.replace(",", "|").encode(),
    "SEP=, in capitals": b"SEP=,\n" + PLAIN.encode(),
    "line ends of Windows": PLAIN.replace("\n", "\r\n").encode(),
    "line ends of old machines": PLAIN.replace("\n", "\r").encode(),
    "no line end at the end": PLAIN.strip().encode(),
    "empty lines": b"\n\n" + PLAIN.replace("\n", "\n\n").encode() + b"\r\n \n",
    "empty cells at the ends": SEMICOLONS.replace("\n", ";;\n").encode(),
    "empty rows of a spreadsheet": SEMICOLONS.encode() + b";;\n;;\n",
    "quoted cells": b'"name","handle","email"\n"Jo\xc3\xa3o S\xc3\xa1","joao","joao@school.example"\n',
    "headings in capitals": PLAIN.replace("name,handle", "Name,HANDLE").encode(),
    "headings with spaces": PLAIN.replace("name,handle", " name , handle ").encode(),
    "headings in Portuguese": PLAIN.replace("name,", "Nome,").replace("email", "E-mail").encode(),
    "headings in Dutch": PLAIN.replace("name,", "Naam;").replace(",", ";").encode(),
    "another order": "email,name,handle\njoao@school.example,João Sá,joao\n".encode(),
    "further columns": "ID,name,Group,handle,email,\n7,João Sá,7b,joao,joao@school.example,\n".encode(),
    "two further columns alike": "name,handle,email,x,x\nJoão Sá,joao,joao@school.example,1,2\n".encode(),
    "no-break spaces": PLAIN.replace("o S", "o\xa0S").encode(),
    "letters and accents": PLAIN.replace("ã", "a\u0303").encode(),
    "zero width characters": PLAIN.replace("joao,", "\u200bjoao\u200b,").encode(),
    "a comma in a quoted heading": SEMICOLONS.replace("email", 'email;"a,b,c,d"').encode(),
}


@pytest.mark.parametrize("data", READ.values(), ids=READ)
def test_a_table_is_read(data: bytes) -> None:
    text, notice = decode_table(data, "people", InvalidRoster)
    assert [tuple(person) for person in parse_roster(text)] == [ZE]
    assert bool(notice) is (data == READ["Windows-1252"])


def test_only_line_ends_end_a_row() -> None:
    text = 'name,note\n"Zé",one\u2028two\x0bthree\x1cfour\nMaria,x\n'
    assert [person.name for person in parse_roster(text)] == ["Zé", "Maria"]


REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "the roster is empty"),
    "a byte order mark": (codecs.BOM_UTF8, "the roster is empty"),
    "sep= only": (b"sep=;\n", "the roster is empty"),
    "a heading only": (b"name", "0 people"),
    "no heading": ("João Sá\nMaria".encode(), "line 1 is not a valid header line: 'João Sá'"),
    "a heading twice": (b"name,name\nA,B", "line 1 is not a valid header line"),
    "a heading twice in two languages": (b"name,nome\nA,B", "line 1 is not a valid header line"),
    "no name among the columns": (b"handle,email\nzeca,z@x", "line 1 is not a valid header line"),
    "a name with a comma": (b"name\nLima, Maria", "line 2 has 2 cells"),
    "a line without a name": (b"name,handle\n,zeca", "line 2 has no name"),
    "an invisible name": ("name,handle\n\u200b,zeca".encode(), "line 2 has no name"),
    "a handle with spaces": (b"name,handle\nA,No Handle", "line 2: 'No Handle' is not a valid handle"),
    "a handle twice": (b"name,handle\nA,zeca\nB,zeca", "two people have the handle 'zeca'"),
    "a long name": (b"name\n" + b"x" * 81, "line 2: 'xxx"),
    "a name of two lines": (b'name\n"A\nB"', "line 3: 'A\\nB' has several lines"),
    "an override": ("name\n\u202eA".encode(), "U+202E, which overrides the text direction"),
    "a bell": (b"name\nA\x07", "line 2: 'A\\x07' has the character U+0007"),
    "a quotation mark that stays open": (b'name\nA\n"B\nC\n', "line 4: a quotation mark is not closed"),
    "text behind a quotation mark": (b'name\n"A"B\n', "line 2: ',' expected after '\"'"),
    "a cell that never ends": (b"name\n" + b"x" * 140_000, "line 2: field larger than field limit"),
    "a spreadsheet": (b"PK\x03\x04rest", "the file is a spreadsheet, not text"),
    "an old spreadsheet": (b"\xd0\xcf\x11\xe0rest", "the file is a spreadsheet, not text"),
    "half a character of UTF-16": (
        codecs.BOM_UTF16_LE + b"n\0a",
        "not text in UTF-8, UTF-16 or Windows-1252",
    ),
    "a zero that is not of UTF-16": (b"name\nA\0na\n", "U+0000"),
    "bytes of no encoding": (b"name\nA\x81\x8d", "not text in UTF-8, UTF-16 or Windows-1252"),
}


@pytest.mark.parametrize(("data", "said"), REFUSED.values(), ids=REFUSED)
def test_a_table_is_refused_in_one_line(data: bytes, said: str) -> None:
    with pytest.raises(InvalidRoster) as caught:
        parse_roster(decode_table(data, "people", InvalidRoster)[0])
    assert said in caught.value.message
    assert caught.value.field == "people"
    assert caught.value.expected
    assert str(caught.value).isprintable()
