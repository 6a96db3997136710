"""The house bots for Brazilian Truco: ``rookie``, ``regular``, ``barfly`` and ``shark``."""
