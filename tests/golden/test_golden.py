"""The golden playthroughs say what the rules and the narrators say."""

from __future__ import annotations

import pytest

from arena.games import game_of
from tests.golden.case import Case, read_log
from tests.golden.regenerate import ALL_CASES, FOLDER


@pytest.mark.parametrize("case", ALL_CASES, ids=[case.file for case in ALL_CASES])
def test_playthroughs_match_the_golden_files(case: Case) -> None:
    written = (FOLDER / case.file).read_text(encoding="utf-8")
    assert case.text() == written
    assert read_log(written) == list(case.log)


def test_there_is_a_case_for_every_golden_file() -> None:
    names = [case.file for case in ALL_CASES]
    assert len(set(names)) == len(names)
    assert {path.name for path in FOLDER.glob("*.txt")} == set(names)


@pytest.mark.parametrize("kind", sorted({case.kind for case in ALL_CASES}))
def test_narrations_cover_every_choice_of_every_option(kind: str) -> None:
    game = game_of(kind)
    rules = [game.options.complete(case.rules) for case in ALL_CASES if case.kind == kind]
    for option in game.options.by_name.values():
        values = {complete[option.name] for complete in rules}
        if option.choices:
            assert values == set(option.choices)
        else:
            assert len(values) > 1
