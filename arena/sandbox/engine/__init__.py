"""The fast engine, the only package that depends on internals of WebAssembly and wasmtime."""
