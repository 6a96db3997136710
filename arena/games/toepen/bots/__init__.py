"""The house bots' players of Toepen: ``rookie``, ``regular``, ``shark``."""
