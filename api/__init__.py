"""The HTTP interface of Botequim: thin views over :mod:`arena`."""
