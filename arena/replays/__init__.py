"""Replay pages, which show finished games move by move."""
