"""Botequim's domain: the rules of the games, fair deals, records, bots and matches.

Nothing in this package imports ``api``, ``workers``, Flask or RQ.
"""

__version__ = "0.3.0"
