"""Integrity reports for admins: results that look arranged, and uploads shared by several owners."""
