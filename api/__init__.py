"""The HTTP side of Botequim: thin views over :mod:`arena`."""
