"""Live games: how they are loaded and changed, and their clocks, turns, house bots and records."""
