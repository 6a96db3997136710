"""Live games: loading and changing them, their clocks, turns, house bots and records."""
