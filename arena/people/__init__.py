"""People at tables: sitting down, playing, and reviewing a game."""
