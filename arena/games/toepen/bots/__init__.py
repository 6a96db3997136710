"""The house bots for Toepen: ``rookie``, ``regular``, ``barfly`` and ``shark``."""
