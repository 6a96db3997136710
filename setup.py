"""Build hook: with BOTEQUIM_COMPILE=1 the rules (arena/games) are compiled with mypyc.

Everything works the same without: the plain source is what is compiled.
"""

import os
from pathlib import Path

from setuptools import setup

wanted = os.environ.get("BOTEQUIM_COMPILE") == "1"
extensions = []
if wanted:
    try:
        from mypyc.build import mypycify
    except ImportError:
        # The first pass only asks for setup_requires.
        pass
    else:
        sources = sorted(str(path) for path in Path("arena/games").glob("*.py"))
        extensions = mypycify(["--strict", "--follow-imports=silent", *sources], opt_level="3")

setup(ext_modules=extensions, setup_requires=["mypy>=1.15"] if wanted else [])
