"""Tournaments: what they are and whom they pair. Pure: no clock, no store, no chance but from seeds."""
