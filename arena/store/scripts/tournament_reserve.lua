-- Reserve a place among the tournaments of an owner that are not over. Returns 1, or 0 if there are too many.
-- KEYS: the owner's list. ARGV: tournament, when it was created, the maximum number.
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 1 end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
return 1
