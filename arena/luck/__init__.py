"""Luck measurement: how much of a hand's result is due to the cards, compared with the same house bot playing
every seat (``docs/luck.md``).
"""
