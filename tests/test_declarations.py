"""Settings that are declared once, and how they are read and stored."""

from __future__ import annotations

from typing import Any

import pytest

from arena.declarations import Moment, as_json, declared, from_json, read_settings, setting, settings_of
from arena.errors import ArenaError


@declared
class Plain:
    """One setting of each kind."""

    name: str = setting("Its name.", min_length=1, max_length=5)
    text: str = setting("Its text.", max_length=20, lines=True, default="")
    count: int = setting("How many.", minimum=1, maximum=9, default=2)
    share: float | None = setting("How much.", minimum=0, maximum=1, default=None)
    on: bool = setting("Whether it is.", default=False)
    at_ms: Moment | None = setting("When.", default=None)
    way: str = setting("Which.", choices=("left", "right"), default="left")
    who: tuple[str, ...] = setting("Who.", max_length=3, max_items=2, default=())
    order: tuple[str, ...] = setting("The order.", choices=("a", "b"), default=("a",))
    points: tuple[float, ...] = setting("The points.", minimum=0, maximum=9, max_items=2, default=())
    inner: int = 0


@declared
class Narrow(Plain):
    """Complete."""

    share: float = setting("How much there is.")
    added: int = setting("It was added later.", minimum=0, maximum=9, default=3, later=True)


def read(**given: Any) -> Plain:
    return Plain(**read_settings(Plain, {"name": "x", **given}, ArenaError, "a thing"))


def test_values_are_read_and_defaults_filled_in() -> None:
    given = {
        "name": " four ",
        "text": "one\r\ntwo",
        "count": 9,
        "share": 1,
        "on": True,
        "at_ms": 5,
        "way": "right",
        "who": ["ann"],
        "order": ["b", "a"],
        "points": [1, 0.5],
    }
    made = read(**given)
    assert as_json(made) == {**given, "name": "four", "text": "one\ntwo", "inner": 0}
    assert made.points == (1.0, 0.5)
    assert read(count=None) == Plain(name="x")


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("name", None, "text"),
        ("name", 5, "text"),
        ("name", "longer", "1 to 5 characters"),
        ("text", "x" * 21, "at most 20 characters"),
        ("count", 10, "a whole number from 1 to 9"),
        ("count", True, "a whole number from 1 to 9"),
        ("count", 2.0, "a whole number from 1 to 9"),
        ("share", 2, "a number"),
        ("on", 1, "true or false"),
        ("at_ms", "now", "a time"),
        ("way", "up", "one of left, right"),
        ("who", "ann", "a list of at most 2 names"),
        ("who", ["ann", "bob", "eve"], "a list of at most 2 names"),
        ("who", [""], "a list of at most 2 names"),
        ("order", ["c"], "distinct values from a, b"),
        ("points", [10], "0 to 2 numbers from 0 to 9"),
        ("points", ["1"], "0 to 2 numbers from 0 to 9"),
    ],
)
def test_other_values_are_refused_with_the_field(field: str, value: object, expected: str) -> None:
    with pytest.raises(ArenaError) as refused:
        read(**{field: value})
    assert refused.value.field == field
    assert (refused.value.expected or "").startswith(expected)


def test_a_row_is_read_as_it_was_written() -> None:
    made = Narrow(name="x", share=0.5, who=("ann",), added=7)
    row = as_json(made)
    assert Narrow(**from_json(Narrow, {**row, "other": 1})) == made
    del row["added"]
    assert Narrow(**from_json(Narrow, row)).added == 3
    del row["count"]
    with pytest.raises(KeyError, match="count"):
        from_json(Narrow, row)


def test_a_subclass_may_say_more_of_a_setting() -> None:
    assert settings_of(Narrow)["share"].description == "How much there is."
    assert settings_of(Narrow)["share"].required
    assert settings_of(Plain)["share"].optional
    assert "inner" not in settings_of(Plain)


def test_a_default_must_be_acceptable() -> None:
    @declared
    class Wrong:
        count: int = setting("How many.", minimum=1, maximum=9, default=0)

    with pytest.raises(TypeError, match=r"Wrong\.count"):
        settings_of(Wrong)
