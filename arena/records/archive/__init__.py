"""Finished records in compressed, immutable segments beside the database: write, read, check."""
