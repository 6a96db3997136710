"""The house bots' players of Brazilian Truco: ``rookie``, ``regular``, ``shark``."""
