"""Times, durations and numbers as people and programs write them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from arena.errors import ArenaError
from arena.inputs.numbers import decimal, whole
from arena.inputs.times import (
    HERE,
    place_at,
    read_duration,
    read_period,
    read_rfc_3339,
    read_time,
    times_between,
)

EIGHT = 1_798_747_200_000
"""2026-12-31 20:00 in UTC: now, where it matters."""

MINUTE, HOUR = 60_000, 3_600_000

OF_PROGRAMS = {
    "2026-12-31T20:00:00Z": EIGHT,
    "2026-12-31t20:00:00z": EIGHT,
    "2026-12-31 20:00:00Z": EIGHT,
    "2026-12-31T20:00:00.5Z": EIGHT + 500,
    "2026-12-31T20:00:00.123Z": EIGHT + 123,
    "2026-12-31T20:00:00.123456Z": EIGHT + 123,
    "2026-12-31T20:00:00.123456789Z": EIGHT + 123,
    "2026-12-31T21:30:00+01:30": EIGHT,
    "2026-12-31T17:00:00-03:00": EIGHT,
    "2027-01-01T10:00:00+14:00": EIGHT,
    "2026-12-31T20:00:00-00:00": EIGHT,
    "2026-12-31T23:59:60Z": EIGHT + 4 * HOUR,
}
"""What the API takes, and so do people's doors."""

OF_PEOPLE = {
    "2026-12-31T17:00": EIGHT,
    "2026-12-31T17:00:30": EIGHT + 30_000,
    "2026-12-31T17:00:30.25": EIGHT + 30_250,
    "2026-12-31 17:00": EIGHT,
    "2026-12-31\xa017:00 ": EIGHT,
    "\u200e2026-12-31 17:00": EIGHT,
    "2026-12-31 9:05": EIGHT - 8 * HOUR + 5 * MINUTE,
    "2026-12-31 20:00 UTC": EIGHT,
    "2026-12-31 20:00Z": EIGHT,
    "2026-12-31 21:00+01": EIGHT,
    "2026-12-31 21:00 +0100": EIGHT,
    "2026-12-31 17:00 UTC-3": EIGHT,
    "2026-12-31T17:00\u221203:00": EIGHT,
    "2026-12-31T20:00:00,5Z": EIGHT + 500,
    "17:30": EIGHT + HOUR // 2,
    "17:00": EIGHT + 24 * HOUR,
    "16:59": EIGHT + 24 * HOUR - MINUTE,
    "17:00:01": EIGHT + 1000,
    "23:30": EIGHT + 6 * HOUR + HOUR // 2,
    "18:00Z": EIGHT + 22 * HOUR,
    "22:00+01:00": EIGHT + HOUR,
    "+5m": EIGHT + 5 * MINUTE,
    "+ 5 min": EIGHT + 5 * MINUTE,
    "+1,5h": EIGHT + HOUR + HOUR // 2,
    "1798747200000": EIGHT,
}
"""What somebody may type at three hours behind UTC, and a program may not send."""

NONE = (
    *("", "now", "soon", "tomorrow", "18", "18h00", "6pm", "18.00", "25:00", "18:60", "٢٠:٠٠", "１８:００"),
    *("2026-12-31", "31/12/2026 20:00", "12/31/2026 20:00", "31-12-2026 20:00", "2026-13-31 20:00"),
    *("2026-02-30 20:00", "2026-12-31T20:00:61Z", "2026-12-31T20:00:00+25:00", "2026-12-31T20:00:00 BRT"),
    *(
        "2026-12-31T20:00:00+01:00[Europe/Amsterdam]",
        "20261231T200000Z",
        "0000-01-01 00:00",
        "+",
        "+5x",
        "-5m",
    ),
    *("2026-W53-4T20:00:00Z", "1.8e12", "20:00\n21:00"),
)


@pytest.mark.parametrize(("text", "ms"), OF_PROGRAMS.items())
def test_times_of_programs(text: str, ms: int) -> None:
    assert read_rfc_3339(text) == ms
    assert read_time(text, EIGHT, place_at(-180)) == ms
    assert read_time(text, EIGHT, HERE) == ms


@pytest.mark.parametrize(("text", "ms"), OF_PEOPLE.items())
def test_times_of_people(text: str, ms: int) -> None:
    assert read_time(text, EIGHT, place_at(-180)) == ms
    with pytest.raises(ArenaError, match="RFC 3339"):
        read_rfc_3339(text)


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_time(text: str) -> None:
    for read in (read_rfc_3339, lambda text: read_time(text, EIGHT, place_at(-180))):
        with pytest.raises(ArenaError, match="is not a valid time; expected a time") as caught:
            read(text)
        assert "\n" not in str(caught.value)


@pytest.fixture
def in_amsterdam(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Amsterdam")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_amsterdam")
def test_the_time_of_this_place() -> None:
    assert read_time("2026-12-31 21:00", EIGHT, HERE) == EIGHT
    assert read_time("2026-07-31 22:00", EIGHT, HERE) == read_rfc_3339("2026-07-31T20:00:00Z")
    assert read_time("21:30", EIGHT, HERE) == EIGHT + HOUR // 2
    assert read_time("20:59", EIGHT, HERE) == EIGHT + 24 * HOUR - MINUTE
    # Summer time begins in the night.
    noon = read_rfc_3339("2027-03-27T11:00:00Z")
    assert read_time("12:00", noon, HERE) == noon + 23 * HOUR


def test_what_is_allowed_can_be_typed_a_minute_later() -> None:
    low, high = times_between(EIGHT + 1, EIGHT + HOUR).partition(",")[0].split(" to ")
    assert EIGHT + MINUTE < read_rfc_3339(low) <= EIGHT + 2 * MINUTE
    assert read_rfc_3339(high) == EIGHT + HOUR


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("90", 90), ("90s", 90), ("90 s", 90), ("5m", 300), ("5 min", 300), ("2h", 7200), ("1d", 86_400)),
        *(("1.5h", 5400), ("1,5h", 5400), ("2H", 7200), ("\xa02h\u200b", 7200), ("0", 0)),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert read_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "5x", "-5m", "m", "1e3", "٣s", "1_0s", "nan", "inf", "1h30", "h1"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ArenaError, match="is not a valid duration; expected a duration such as 90s"):
        read_duration(text)


def test_periods() -> None:
    assert read_period(" 2026-12\xa0", "from")[1] == read_rfc_3339("2027-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("text", "number"), [("12", 12), (" 12\xa0", 12), ("+3", 3), ("-3", -3), ("\u22123", -3), ("007", 7)]
)
def test_whole_numbers(text: str, number: int) -> None:
    assert (whole(text), decimal(text)) == (number, number)


@pytest.mark.parametrize("text", ["", "1_0", "１２", "٣", "1e3", "0x10", "1 2", "nan", "9" * 19, "--1", "²"])
def test_what_is_no_number(text: str) -> None:
    assert (whole(text), decimal(text)) == (None, None)


def test_numbers_with_a_fraction() -> None:
    assert [decimal(text) for text in ("1.5", "1,5", "1.", ".5", "1.5.5", "1,000,000")] == [
        1.5,
        1.5,
        *4 * [None],
    ]
