"""Ratings, leaderboards and standings, all of which are pure functions of finished games (see
``docs/ratings.md``).

``results`` and ``standings`` need only Python; ``model``, ``bootstrap`` and ``board`` also need numpy (the
extra ``ratings``).
"""
