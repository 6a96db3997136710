-- Games that are due, each for one sweeper: the others see them again when the lease is over.
-- KEYS: due-list. ARGV: now, end of the lease, how many at the most.
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, game in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[2], game) end
return due
