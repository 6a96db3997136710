"""Tournaments: what they are and whom they pair. The package is pure: it has no clock and no store, and all
chance follows from seeds.
"""
