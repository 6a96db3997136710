"""The report for admins: results that look arranged, and uploads that several owners have."""
