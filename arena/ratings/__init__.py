"""Ratings, leaderboards and standings, all of them pure functions of finished games (``docs/ratings.md``).

``results`` and ``standings`` need nothing but Python; ``model``, ``bootstrap`` and ``board`` need numpy (the
extra ``ratings``).
"""
