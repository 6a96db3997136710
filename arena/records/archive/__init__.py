"""Finished records in compressed, immutable segments outside the database: writing, reading, checking."""
