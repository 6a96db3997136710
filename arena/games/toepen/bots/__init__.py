"""The house bots for Toepen: ``rookie``, ``regular`` and ``shark``."""
