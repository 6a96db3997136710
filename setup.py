"""Build hook: with BOTEQUIM_COMPILE=1 the rules, and what every move of a live game passes through, are
compiled with mypyc.

Everything works the same without: the plain source is what is compiled.
"""

import os
from pathlib import Path

from setuptools import setup

COMPILED = (
    "arena/games/*.py",
    "arena/table.py",
    "arena/live/clocks.py",
    "arena/live/desk.py",
    "arena/live/game.py",
    "arena/live/turns.py",
)

wanted = os.environ.get("BOTEQUIM_COMPILE") == "1"
extensions = []
if wanted:
    try:
        from mypyc.build import mypycify
    except ImportError:
        # The first pass only asks for setup_requires.
        pass
    else:
        sources = sorted(str(path) for pattern in COMPILED for path in Path().glob(pattern))
        extensions = mypycify(["--strict", "--follow-imports=silent", *sources], opt_level="3")

setup(ext_modules=extensions, setup_requires=["mypy>=1.15", "orjson>=3.10"] if wanted else [])
