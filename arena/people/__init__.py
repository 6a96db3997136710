"""People at tables: sitting down, playing, and the review of a game."""
