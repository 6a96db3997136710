"""One game among seats, and groups of games: tables, matches, deals, seatings, clocks, outcomes."""
