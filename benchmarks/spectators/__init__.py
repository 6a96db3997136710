"""``python -m benchmarks.spectators``: what many spectators of one game cost those who play."""
