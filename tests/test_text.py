"""Names that somebody may have meant."""

from __future__ import annotations

import pytest

from arena.text import similar


@pytest.mark.parametrize(
    ("given", "known", "found"),
    [
        ("tournamnet", ["trial", "tournament"], ["tournament"]),
        ("rookie", ["rookie", "rooki", "random"], []),
        ("round-Robin", ["round_robins", "round_robin"], ["round_robin"]),
        ("paulista", ["paulista@1", "paulista@2", "paulista-2@1", "base@1"], ["paulista@2"]),
        ("paulist", ["paulista@1", "paulista-2@1", "base@1"], ["paulista@1", "paulista-2@1"]),
        ("zzz", ["rookie"], []),
        ("rookie" * 1000, ["rookie"], []),
        ("", [], []),
    ],
)
def test_similar_names(given: str, known: list[str], found: list[str]) -> None:
    assert similar(given, known) == found
    assert similar(given, iter(known), 1) == found[:1]
