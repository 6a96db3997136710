"""A seeded fault: a rule broken on purpose, which the tests must notice."""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """``old`` stands exactly once in ``file`` (under the top folder) and is replaced by ``new``; running
    ``tests`` (files under ``tests``) must then fail. ``rule`` is the number of the broken rule.
    """

    name: str
    rule: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
