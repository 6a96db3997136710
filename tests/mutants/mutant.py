"""A seeded fault: a mistake made on purpose, which the tests must notice."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """``old`` stands exactly once in ``file`` (under the top folder) and is replaced by ``new``; running
    ``tests`` (files under ``tests``) must then fail.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


class Mutant(NamedTuple):
    """The same in the rules of a game. ``rule`` is the number of the broken rule."""

    name: str
    rule: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
