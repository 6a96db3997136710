"""Replay pages: finished games to look at, move by move."""
