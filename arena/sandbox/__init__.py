"""Bots of strangers: Python sources and WebAssembly components, run where they can reach nothing.

See docs/sandbox.md. This needs the libraries of the server extra.
"""
