"""Build hooks.

The pages of the manual become a part of the package. With BOTEQUIM_COMPILE=1, mypyc compiles the rules, the
house bots and the modules that every move of a live game uses; everything works the same without it. With
MYPYC_OPT_LEVEL=0, the C compiler takes less time, and the code runs slower.
"""

import os
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

COMPILED = (
    "arena/games/cards.py",
    "arena/games/kernel.py",
    "arena/games/options.py",
    "arena/games/*/cards.py",
    "arena/games/*/options.py",
    "arena/games/*/state.py",
    "arena/games/*/table.py",
    "arena/games/*/titles.py",
    "arena/games/*/view.py",
    "arena/games/*/bots/*.py",
    "arena/play/table.py",
    "arena/play/clocks.py",
    "arena/play/judge.py",
    "arena/live/repository.py",
    "arena/live/game.py",
    "arena/live/turns.py",
)

MANUAL = Path("docs")


class BuildWithManual(build_py):
    """Copies the manual into the package; an editable installation finds it beside the package."""

    def run(self):
        """Build, then copy."""
        super().run()
        if not self.editable_mode:
            for source, target in self._pages().items():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)

    def get_outputs(self, include_bytecode=1):
        """List the files that are built."""
        pages = [] if self.editable_mode else [str(target) for target in self._pages().values()]
        return [*super().get_outputs(include_bytecode), *pages]

    def _pages(self):
        folder = Path(self.build_lib, "api", "manual")
        return {page: folder / page.relative_to(MANUAL) for page in sorted(MANUAL.rglob("*.md"))}


wanted = os.environ.get("BOTEQUIM_COMPILE") == "1"
extensions = []
if wanted:
    try:
        from mypyc.build import mypycify
    except ImportError:
        # The first pass only reads setup_requires.
        pass
    else:
        sources = sorted(str(path) for pattern in COMPILED for path in Path().glob(pattern))
        extensions = mypycify(
            ["--strict", "--follow-imports=silent", *sources],
            opt_level=os.environ.get("MYPYC_OPT_LEVEL", "3"),
        )

setup(
    cmdclass={"build_py": BuildWithManual},
    ext_modules=extensions,
    setup_requires=["mypy>=1.15", "orjson>=3.10"] if wanted else [],
)
