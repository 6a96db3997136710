"""Write all golden files anew: ``python -m tests.golden.regenerate``. Then review the difference."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.golden import texts
from tests.golden.case import Case

FOLDER = Path(__file__).parent
ALL_CASES: list[Case] = [
    case
    for path in sorted(FOLDER.glob("cases_*.py"))
    for case in import_module(f"tests.golden.{path.stem}").CASES
]


def main() -> None:
    """Replace the golden files by what the rules say now."""
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for case in ALL_CASES:
        (FOLDER / case.file).write_text(case.text(), encoding="utf-8")
    for old in texts.FOLDER.glob("*.txt"):
        old.unlink()
    turns = texts.all_texts()
    for name, text in turns.items():
        (texts.FOLDER / name).write_text(text, encoding="utf-8")
    print(f"{len(ALL_CASES)} golden playthroughs and {len(turns)} files of turns written")


if __name__ == "__main__":
    main()
