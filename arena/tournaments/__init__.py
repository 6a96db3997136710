"""Settings and pairing of tournaments. The package is pure: it uses no clock and no store, and all randomness
is derived from seeds.
"""
