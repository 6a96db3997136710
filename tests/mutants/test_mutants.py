"""Rules broken on purpose: the tests of each game notice every one of these faults.

A module of this folder named after a game lists its faults as ``MUTANTS``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.games.test_rule_markers import DOCUMENTS, rules_of
from tests.mutants.mutant import Mutant

pytestmark = pytest.mark.slow

TOP = Path(__file__).parents[2]
NO_MUTANTS = {"__init__", "mutant", "test_mutants"}
KINDS = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in NO_MUTANTS)
MUTANTS: list[Mutant] = [
    mutant for kind in KINDS for mutant in import_module(f"tests.mutants.{kind}").MUTANTS
]
TESTS_FAILED = 1
"""pytest's exit code; 2 and up mean that the tests could not even be run."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program and its tests, without compiled modules."""
    folder = tmp_path_factory.mktemp("mutants")
    ignore = shutil.ignore_patterns("__pycache__", "*.so", "*.txt")
    for name in ("arena", "benchmarks", "tests"):
        shutil.copytree(TOP / name, folder / name, ignore=ignore)
    shutil.copy(TOP / "pyproject.toml", folder)
    return folder


def run(folder: Path, tests: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Run test files of the copy on the copy."""
    # Installed plugins take most of a short run, and none is needed here.
    plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **plain, "PYTHONPATH": str(folder)}
    files = [f"tests/{test}" for test in tests]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_the_unbroken_rules_pass(copy: Path) -> None:
    result = run(copy, tuple(sorted({test for mutant in MUTANTS for test in mutant.tests})))
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("mutant", MUTANTS, ids=[f"{mutant.rule} {mutant.name}" for mutant in MUTANTS])
def test_a_broken_rule_is_noticed(mutant: Mutant, copy: Path) -> None:
    file = copy / mutant.file
    source = file.read_text(encoding="utf-8")
    assert source.count(mutant.old) == 1, f"{mutant.old!r} stands {source.count(mutant.old)} times"
    assert mutant.new != mutant.old
    file.write_text(source.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        result = run(copy, mutant.tests)
    finally:
        file.write_text(source, encoding="utf-8")
    assert result.returncode == TESTS_FAILED, result.stdout + result.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_enough_faults_in_every_section(kind: str) -> None:
    broken = [mutant.rule for mutant in import_module(f"tests.mutants.{kind}").MUTANTS]
    game = broken[0].split("-")[0]
    stated = [rule for document in DOCUMENTS for rule in rules_of(document) if rule.startswith(f"{game}-")]
    assert set(broken) <= set(stated)
    assert len(broken) >= 20
    assert {rule.split(".")[0] for rule in broken} == {rule.split(".")[0] for rule in stated}
