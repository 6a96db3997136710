"""Local bots of release 0.1 import modules by their former names."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from arena.former_names import FORMER_NAMES


@pytest.mark.parametrize(("former", "present"), FORMER_NAMES.items())
def test_a_former_name_is_the_present_module(former: str, present: str) -> None:
    assert import_module(former) is import_module(present)


@pytest.mark.parametrize("former", ["arena.bots.truco.chances", "arena.redeal.truco", "arena.table"])
def test_any_of_them_may_be_imported_first(former: str) -> None:
    present = FORMER_NAMES[former]
    program = f"import {former} as former, {present} as present; assert former is present"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_other_missing_modules_are_missing() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("arena.bots.chess")
