"""Mistakes made on purpose: the tests notice every one of these faults.

A module of this folder named after a game lists the faults in its rules as ``MUTANTS``, and ``beyond`` those
outside the rules as ``FAULTS``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from compileall import compile_dir
from importlib import import_module
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

import pytest

from tests.games.test_rule_markers import DOCUMENTS, rules_of
from tests.mutants.beyond import COVERED_BY, FAULTS
from tests.mutants.mutant import Fault, Mutant
from tests.waiting import PATIENCE

TOP = Path(__file__).parents[2]
NO_RULES = {"__init__", "beyond", "mutant", "test_mutants"}
KINDS = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in NO_RULES)
MUTANTS: list[Mutant] = [
    mutant for kind in KINDS for mutant in import_module(f"tests.mutants.{kind}").MUTANTS
]
OF_RULES = tuple(sorted({test for mutant in MUTANTS for test in mutant.tests}))
OF_THE_REST = sorted({test for fault in FAULTS for test in fault.tests})
TESTS_FAILED = 1
"""pytest's exit code; 2 and up mean that the tests could not even be run."""


def one_by_day(faults: Sequence[Fault | Mutant]) -> list[Any]:
    """The first one is a system test, the others are those of a night."""
    marks = [pytest.mark.system, *([pytest.mark.nightly("faults")] * (len(faults) - 1))]
    return [pytest.param(fault, marks=mark) for fault, mark in zip(faults, marks, strict=True)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, without compiled modules. Bytecode in it holds for nothing but its very source."""
    folder = tmp_path_factory.mktemp("mutants") / "tree"
    ignore = shutil.ignore_patterns(".*", "__pycache__", "*.so", "*.egg-info", "build", "dist")
    shutil.copytree(TOP, folder, ignore=ignore)
    compile_dir(folder, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return folder


def run(folder: Path, tests: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Run test files of the copy on the copy, whatever their marks."""
    # Installed plugins take most of a short run, and none is needed here.
    plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **plain, "PYTHONPATH": str(folder)}
    files = [f"tests/{test}" for test in tests]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )


def check_noticed(fault: Fault | Mutant, folder: Path) -> None:
    """Make the mistake in the copy for as long as its tests run; they must fail."""
    file = folder / fault.file
    source = file.read_text(encoding="utf-8")
    file.write_text(source.replace(fault.old, fault.new), encoding="utf-8")
    try:
        result = run(folder, fault.tests)
    finally:
        file.write_text(source, encoding="utf-8")
    assert result.returncode == TESTS_FAILED, result.stdout + result.stderr


@pytest.mark.nightly("faults")
@pytest.mark.parametrize(
    "tests", [pytest.param(OF_RULES, id="rules"), *(pytest.param((test,), id=test) for test in OF_THE_REST)]
)
def test_without_faults_the_tests_pass(tests: tuple[str, ...], copy: Path) -> None:
    result = run(copy, tests)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    "mutant", one_by_day(MUTANTS), ids=[f"{mutant.rule} {mutant.name}" for mutant in MUTANTS]
)
def test_a_broken_rule_is_noticed(mutant: Mutant, copy: Path) -> None:
    check_noticed(mutant, copy)


@pytest.mark.parametrize("fault", one_by_day(FAULTS), ids=[f"{fault.file} {fault.name}" for fault in FAULTS])
def test_a_fault_beyond_the_rules_is_noticed(fault: Fault, copy: Path) -> None:
    check_noticed(fault, copy)


def test_each_fault_changes_one_place() -> None:
    """Which a change of the code may have moved or removed."""
    places = {
        fault: (TOP / fault.file).read_text(encoding="utf-8").count(fault.old)
        for fault in (*MUTANTS, *FAULTS)
    }
    assert {fault: count for fault, count in places.items() if count != 1} == {}
    assert [fault for fault in places if fault.new == fault.old] == []


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_enough_faults_in_every_section(kind: str) -> None:
    broken = [mutant.rule for mutant in import_module(f"tests.mutants.{kind}").MUTANTS]
    game = broken[0].split("-")[0]
    stated = [rule for document in DOCUMENTS for rule in rules_of(document) if rule.startswith(f"{game}-")]
    assert set(broken) <= set(stated)
    assert len(broken) >= 20
    assert {rule.split(".")[0] for rule in broken} == {rule.split(".")[0] for rule in stated}


def package_of(file: str) -> str:
    """``arena/play`` of ``arena/play/table.py``, ``api`` of ``api/http/auth.py``."""
    return "/".join(file.split("/")[:-1][:2])


def test_every_package_has_a_fault_and_its_tests() -> None:
    """The rules of the games have those of ``MUTANTS``."""
    folders = [
        folder for top in ("api", "arena") for folder in (TOP / top).glob("[a-z]*") if any(folder.glob("*.*"))
    ]
    packages = {"api", "botequim", "queues", "workers"}
    packages |= {f"{folder.parent.name}/{folder.name}" for folder in folders}
    assert {package_of(fault.file) for fault in FAULTS} == set(COVERED_BY) == packages - {"arena/games"}
    for fault in FAULTS:
        assert {test.split("/")[0] for test in fault.tests} <= set(COVERED_BY[package_of(fault.file)])
