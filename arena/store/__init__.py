"""The only package that accesses Redis."""
