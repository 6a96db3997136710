"""``python -m arena.cli`` is ``botequim``."""

from arena.cli import main

main()
