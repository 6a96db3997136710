"""What a service costs as it grows; see :mod:`benchmarks.growth.__main__`."""
