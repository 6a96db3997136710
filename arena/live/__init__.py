"""Live games: the store, the games in it, their clocks, and the embedded database."""
