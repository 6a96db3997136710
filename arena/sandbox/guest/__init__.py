"""Code that runs inside the sandbox. Outside it, only `modules` and `protocol` are imported."""
