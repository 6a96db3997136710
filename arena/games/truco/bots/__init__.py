"""The house bots for Brazilian Truco: ``rookie``, ``regular`` and ``shark``."""
