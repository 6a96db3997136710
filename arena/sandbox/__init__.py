"""The sandbox, which runs uploaded bots (Python sources and WebAssembly modules) without access to the
system.

See docs/sandbox.md. It requires the libraries of the ``server`` extra.
"""
