"""Owners, bots, versions and uploads."""
