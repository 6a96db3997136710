"""The slices of the nightly tests: they guard what there is, and CONTRIBUTING.md names them."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.nightly import QUICK_S, SLICES, TOP, changed_lines, is_left_out, quick_slice


def test_contributing_names_every_slice() -> None:
    rows = [
        f"| `{name}` | {one.what} | {', '.join(f'`{path}`' for path in one.guards)} | {one.seconds} |"
        for name, one in SLICES.items()
    ]
    text = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("| `")] == rows


@pytest.mark.parametrize("name", SLICES)
def test_what_a_slice_guards_is_there(name: str) -> None:
    assert [path for path in SLICES[name].guards if not (TOP / path).exists()] == []
    assert SLICES[name].guards


def test_every_package_is_guarded() -> None:
    guarded = tuple(path for one in SLICES.values() for path in one.guards)
    packages = [
        path.parent
        for top in ("botequim", "arena", "api", "queues", "workers")
        for path in TOP.glob(f"{top}/*.py")
    ]
    packages += [path.parent for path in TOP.glob("arena/*/*.py")]
    found = {str(path.relative_to(TOP)) for path in packages} - {"arena"}
    assert {path for path in found if not f"{path}/".startswith(tuple(f"{one}/" for one in guarded))} == set()


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("pytestmark = pytest.mark.system", True),
        ('pytestmark = [pytest.mark.nightly("starters"), needs("go")]', True),
        ('pytestmark = pytest.mark.usefixtures("python")', False),
        ("@pytest.mark.system\ndef test_slow() -> None: ...", False),
    ],
)
def test_a_run_of_plain_cases_leaves_out_what_is_marked_as_a_whole(
    text: str, left_out: bool, tmp_path: Path
) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(text)
    assert is_left_out(file, "not") is left_out
    assert not is_left_out(tmp_path / "conftest.py", "not")


def test_the_quick_slice_is_that_of_most_changed_lines() -> None:
    quick = [name for name, one in SLICES.items() if one.seconds <= QUICK_S]
    for name in quick:
        path = f"{SLICES[name].guards[-1]}/x.py"
        assert path.startswith(SLICES[quick_slice(Counter({path: 9, "LICENSE": 99}))].guards)
    assert quick_slice(Counter()) in quick


def test_lines_are_counted_since_twenty_commits_or_the_first(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--quiet")
    for number in range(1, 24):
        (tmp_path / "counted").write_text(f"{number}\n" * number)
        git("add", "counted")
        git("commit", "--quiet", "--message", str(number))
        if number == 2:
            assert changed_lines(tmp_path) == {"counted": 3}
    assert changed_lines(tmp_path) == {"counted": 3 + 23}
