"""Texts as people type and paste them."""

from __future__ import annotations

import pytest

from arena.errors import ArenaError
from arena.inputs.text import clean, read_line, read_lines
from arena.text import printable

CODER = "\U0001f469\u200d\U0001f4bb"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"

READ = {
    "plain": ("Ana Lima", "Ana Lima"),
    "spaces at the ends": ("  Ana ", "Ana"),
    "a no-break space": ("Ana\xa0Lima", "Ana Lima"),
    "a narrow no-break space": ("12\u202f000", "12 000"),
    "a thin space": ("a\u2009b", "a b"),
    "a figure space": ("a\u2007b", "a b"),
    "an ideographic space": ("\u3000安娜\u3000利马", "安娜 利马"),
    "an Ogham space": ("a\u1680b", "a b"),
    "a tab": ("Ana\tLima", "Ana Lima"),
    "a line end at the end": ("Ana\r\n", "Ana"),
    "a line separator at the end": ("Ana\u2028", "Ana"),
    "letters and accents": ("Joa\u0303o Sa\u0301", "João Sá"),
    "a byte order mark": ("\ufeffAna", "Ana"),
    "zero width spaces at the ends": ("\u200bAna\u200b", "Ana"),
    "a zero width space inside": ("Ana\u200bLima", "AnaLima"),
    "a soft hyphen": ("cam\xadpeonato", "campeonato"),
    "joiners at the ends": ("\u2060Ana\u200d", "Ana"),
    "marks of direction at the ends": ("\u200eאנה\u200f", "אנה"),
    "a mark of direction inside": ("אנה\u200f 3", "אנה\u200f 3"),
    "a non-joiner of Persian": ("می\u200cخواهم", "می\u200cخواهم"),
    "a name from an address book": ("\u202aAna Lima\u202c", "Ana Lima"),
    "an isolated name": ("\u2068Ana\u2069", "Ana"),
    "an emoji of several": (CODER, CODER),
    "an emoji with a tone": ("👍🏽", "👍🏽"),
    "an emoji with a selector": ("I ❤\ufe0f truco ❤\ufe0f", "I ❤\ufe0f truco ❤\ufe0f"),
    "a flag": ("🇧🇷 Copa", "🇧🇷 Copa"),
    "a flag of a region": (SCOTLAND, SCOTLAND),
    "letters of a flag without one": ("Ana\U000e0067\U000e0062", "Ana"),
    "an emoji without a name yet": ("\U0001fae9", "\U0001fae9"),
    "a variant of a Chinese letter": ("葛\U000e0100", "葛\U000e0100"),
    "an ij": ("\u0133s", "\u0133s"),
    "Arabic": ("علي", "علي"),
    "quotation marks": ("“Zé” d’Ávila", "“Zé” d’Ávila"),
    "markup": ("<b>Ana</b>", "<b>Ana</b>"),
    "eighty characters and a space": ("x" * 80 + "\xa0", "x" * 80),
}

REFUSED = {
    "nothing": ("", "'' has 0 characters"),
    "blanks only": ("\u2800\u3164\xa0", "'' has 0 characters"),
    "invisible characters only": ("\u200b\u200d\ufeff", "'' has 0 characters"),
    "a line end inside": ("Ana\nLima", "has several lines"),
    "an old line end inside": ("Ana\rLima", "has several lines"),
    "a next line inside": ("Ana\x85Lima", "has several lines"),
    "a paragraph separator inside": ("Ana\u2029Lima", "has several lines"),
    "an override": ("\u202eanA", "U+202E, which overrides the text direction"),
    "an override at the end": ("Ana\u202d", "U+202D, which overrides the text direction"),
    "an embedding inside": ("A\u202bna\u202c x", "U+202B, which overrides the text direction"),
    "an isolate inside": ("A\u2067na\u2069 x", "U+2067, which overrides the text direction"),
    "a bell": ("Ana\x07", "U+0007, which is not allowed in text"),
    "an escape": ("\x1b[31mAna", "U+001B, which is not allowed in text"),
    "a null": ("A\0na", "U+0000, which is not allowed in text"),
    "half a character": ("\ud83d", "U+D83D, which is not allowed in text"),
    "a private character": ("\uf8ff", "U+F8FF, which is not allowed in text"),
    "no character": ("a\uffffb", "U+FFFF, which is not allowed in text"),
    "no character of another plane": ("a\U0001fffeb", "U+1FFFE, which is not allowed in text"),
    "too long": ("x" * 81, "… has 81 characters".replace("… ", "…' ")),
}


@pytest.mark.parametrize(("given", "read"), READ.values(), ids=READ)
def test_a_line_is_read(given: str, read: str) -> None:
    assert read_line(given, "name", 80, least=1) == read
    assert clean(read) == read


@pytest.mark.parametrize(("given", "said"), REFUSED.values(), ids=REFUSED)
def test_a_line_is_refused_in_one_line(given: str, said: str) -> None:
    with pytest.raises(ArenaError) as caught:
        read_line(given, "name", 80, least=1)
    assert said in caught.value.message
    assert (caught.value.field, str(caught.value.expected)[:18]) == ("name", "1 to 80 characters")
    assert str(caught.value).isprintable()


def test_lines_end_alike() -> None:
    given = "\nBring\tcards.\r\nAt 20\xa0h.\rOr\u2028later.\u2029\x85 \n"
    assert read_lines(given, "description", 80) == "Bring cards.\nAt 20 h.\nOr\nlater."
    with pytest.raises(ArenaError, match=r"U\+202E"):
        read_lines("one\n\u202etwo", "description", 80)
    with pytest.raises(ArenaError, match="has 81 characters"):
        read_lines("x" * 81, "description", 80)


def test_what_is_read_can_be_shown() -> None:
    assert printable(f"{CODER} می\u200cخواهم") == f"{CODER} می\u200cخواهم"
    assert printable("a\u202eb\x1b\u200b") == "a\\u202eb\\x1b\\u200b"


def test_spaces_are_read_in_linear_time() -> None:
    assert clean(" " * 200_000 + "x") == "x"
    assert len(clean("x" + " \u200d" * 100_000 + "x")) == 200_002
