"""Every numbered rule of ``docs/rules`` has a test that names it, and no test names another."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
DOCUMENTS = sorted((TOP / "docs" / "rules").glob("*.md"))
RULE = re.compile(r"^- \*\*([A-Z]{2}-\d+\.\d+)\*\*", re.MULTILINE)


def rules_of(document: Path) -> list[str]:
    """The numbers of the rules that a document states."""
    return RULE.findall(document.read_text(encoding="utf-8"))


def marked() -> dict[str, list[str]]:
    """By rule number: the tests that carry ``@pytest.mark.rule`` with it."""
    tests: dict[str, list[str]] = {}
    for file in sorted((TOP / "tests").rglob("test_*.py")):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "mark.rule(" in text else ():
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for decorator in node.decorator_list:
                    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.rule":
                        for number in decorator.args:
                            tests.setdefault(ast.literal_eval(number), []).append(f"{file.name}::{node.name}")
    return tests


@pytest.mark.parametrize("document", DOCUMENTS, ids=[path.stem for path in DOCUMENTS])
def test_every_rule_has_a_test(document: Path) -> None:
    rules = rules_of(document)
    assert len(rules) > 20
    assert len(set(rules)) == len(rules)
    assert sorted(set(rules) - set(marked())) == []


def test_tests_name_only_rules_that_exist() -> None:
    known = {rule for document in DOCUMENTS for rule in rules_of(document)}
    assert {number: tests for number, tests in marked().items() if number not in known} == {}


@pytest.mark.parametrize("document", DOCUMENTS, ids=[path.stem for path in DOCUMENTS])
def test_code_and_documents_cite_only_rules_that_exist(document: Path) -> None:
    known = set(rules_of(document))
    prefix = next(iter(known)).split("-")[0]
    citation = re.compile(rf"\b{prefix}-\d+\.\d+")
    texts = [*(TOP / "arena").rglob("*.py"), *(TOP / "api").rglob("*.py"), *(TOP / "docs").rglob("*.md")]
    cited = {number for path in texts for number in citation.findall(path.read_text(encoding="utf-8"))}
    assert sorted(cited - known) == []
