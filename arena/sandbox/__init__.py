"""The sandbox runs uploaded bots: Python sources and WebAssembly components, without access to the system.

See docs/sandbox.md. This needs the libraries of the server extra.
"""
