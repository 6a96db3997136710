-- Set whether the notes of a bot on a game are public. KEYS: the notes of the game. ARGV: 1 or 0. Returns 1 if there
-- are any notes.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'published', ARGV[1])
return 1
