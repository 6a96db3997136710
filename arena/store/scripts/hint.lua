-- Apply one hint to one bot, if it cannot be part of the game's step (Redis Cluster). KEYS: the bot. ARGV: op, member,
-- version.
hint_turn(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
return 1
