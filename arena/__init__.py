"""Botequim's domain: the rules of the games, fair deals, records, bots and matches.

Nothing in this package imports ``api``, ``workers``, Flask or RQ.
"""

from arena.former_names import install

__version__ = "0.2.0"

install()
