"""Live games: loading and changing them, and their clocks, turns, house bots and records."""
