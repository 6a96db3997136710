"""Build hook: with BOTEQUIM_COMPILE=1, mypyc compiles the rules and the modules that every move of a live
game uses.

Everything works the same without it.
"""

import os
from pathlib import Path

from setuptools import setup

COMPILED = (
    "arena/games/cards.py",
    "arena/games/kernel.py",
    "arena/games/options.py",
    "arena/games/*/cards.py",
    "arena/games/*/fields.py",
    "arena/games/*/state.py",
    "arena/games/*/table.py",
    "arena/games/*/titles.py",
    "arena/games/*/view.py",
    "arena/play/table.py",
    "arena/play/clocks.py",
    "arena/play/judge.py",
    "arena/live/repository.py",
    "arena/live/game.py",
    "arena/live/turns.py",
)

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
        extensions = mypycify(["--strict", "--follow-imports=silent", *sources], opt_level="3")

setup(ext_modules=extensions, setup_requires=["mypy>=1.15", "orjson>=3.10"] if wanted else [])
